# Helpers: the work that each question of the program is about. Plans lie beside the repository; the file ../go lets an interrupted task succeed.
killed() { # [WHAT THE TASK LEAVES]: a run whose second task was killed
  rm -f ../go
  cat > ../plan.yaml <<P
name: job
tasks:
  - id: one
    run: echo one > one
  - id: two
    run: |
      ${1:-true}
      test -e $PWD/../go || { kill -9 \$PPID; exit 1; }
      echo rest >> two
P
  git resume start ../plan.yaml || true
  touch ../go
}
finished() { killed; git resume job --yes; }
reported() { # NAME...: runs of workers that died
  for n; do sh -c 'cd $(git resume start --name $0 --task a --task b) && git resume task start a && kill -9 $$' $n || true; done
}
half() { # a run of which one task is done, and nobody works on it
  (cd $(git resume start --name job --task a --task b) && git resume task start a && echo a > a && git resume task done a)
  git resume pause --run job
}
asks() { printf 'name: job\ntasks:\n  - id: where\n    ask: Where to?\n    options: [staging, production]\n  - id: ship\n    run: echo shipped > shipped\n' > ../plan.yaml; git resume start ../plan.yaml || test $? = 15; }
answered() { git resume status job where | grep -q "answer *$1\$"; }
confirms() { printf 'name: job\ntasks:\n  - id: build\n    run: echo built > built\n  - id: publish\n    run: touch %s/../published\n    confirm: Publish it?\n' "$PWD" > ../plan.yaml; rm -f ../published; }
worked() { # NAME...: runs that are finished and not merged
  for n; do (cd $(git resume start --name $n --task a) && git resume task start a && echo $n > $n && git resume task done a); done
}
fetched() { # a run that was recorded in another clone
  git clone -q . ../there
  rm -f ../go
  printf 'name: job\ntasks:\n  - id: one\n    run: echo one > one\n  - id: two\n    run: test -e %s/../go\n' "$PWD" > ../plan.yaml
  (cd ../there && git resume start ../plan.yaml || true)
  touch ../go
  git fetch -q ../there 'refs/notes/resume/*:refs/notes/resume/*' 'refs/heads/resume/*:refs/heads/resume/*'
}
leased() { # the run is shared, and a machine that has its lease was killed
  git init -q --bare ../hub.git
  git remote add origin $PWD/../hub.git
  git push -q origin HEAD:main
  git resume push job --to origin
  git clone -q -b main ../hub.git ../there
  rm -f ../go
  (cd ../there && git resume work job --remote origin --plan ../plan.yaml || true)
  touch ../go
}
busy() { # a process works in the worktree of the run for as long as the repository is there
  here=$PWD
  echo 'n=0; while test -e "$1" && test $n -lt 600; do n=$((n + 1)); sleep 0.5; done' > ../wait.sh
  (cd ../repo.worktrees/job-* && exec sh $here/../wait.sh $here </dev/null >/dev/null 2>&1) &
  until grep -q wait.sh /proc/$!/cmdline; do sleep 0.02; done
}
sdc() { story 4.2 InProgress; save 90000 s; workflow "$@"; }
memory() { # AGE: a run of agent-memory with a blocked task and one in progress
  r=.agent-memory/runs/20261115-1000-user-auth-ab12
  mkdir -p $r/events/a
  for f in constitution prd plan; do echo "# $f" > $r/$f.md; done
  echo '{"tasks":[{"id":"T001","title":"schema"},{"id":"T002","title":"signup"},{"id":"T003","title":"login"}]}' > $r/task-graph.json
  for e in task_completed:T001 task_blocked:T002 task_started:T003; do
    printf '{"event_type":"%s","task_id":"%s","timestamp":"%s","actor":"a","details":{"reason":"need API key"}}\n' ${e%:*} ${e#*:} $(ago $1)
  done > $r/events/a/20261115-1000.jsonl
  save $1 state
  find .agent-memory -type f -exec touch -d "@$(( $(date +%s) - $1 ))" {} +
}
merging() { # a merge in conflict
  git switch -q -c other; echo theirs > README; git commit -q -am theirs
  git switch -q main; echo ours > README; git commit -q -am ours
  git merge -q other || true
}
editing() { # a rebase that waits at its first commit
  git switch -q -c topic; for n in 1 2; do echo $n > f$n; git add f$n; git commit -q -m t$n; done
  GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i --force-rebase HEAD~2
}
# state shows what the user has: refs, worktrees and their files. Snapshots may be added at any time.
state() {
  git for-each-ref --format='%(refname) %(objectname)' | grep -v refs/resume/snapshots/
  git worktree list --porcelain | sed -n 's/^worktree //p' | while read -r t; do
    echo "$t"; git -C "$t" rev-parse HEAD; git -C "$t" status --porcelain -uall
    (cd "$t" && find . -name .git -prune -o -type f -print | sort | xargs cat | sha256sum)
  done
  ls .git | grep -E 'HEAD|rebase|BISECT' || true
}
