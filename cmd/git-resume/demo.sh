# The demo: a plan of five tasks is killed in its third, found, and brought to its end.
set -eu
exec 2>&1
bold=; plain=
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then bold=$(printf '\033[1m'); plain=$(printf '\033[0m'); fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# With --explain: what happened, and the plain git command that shows it.
tell() { if [ -n "${EXPLAIN-}" ]; then printf '\n'; printf '%s\n' "$@" | sed 's/^/  | /'; fi; }
# show COMMAND [FILTER]: the command as anybody can type it; the filter only keeps the demo short.
show() {
	if [ -n "${EXPLAIN-}" ]; then
		printf '  | $ %s\n' "$1"
		sh -c "$1" | sh -c "${2-cat}" | sed -e 's/^\(.\{97\}\).....*$/\1.../' -e 's/^/  |   /'
	fi
}

git init -q -b main shop && cd shop
echo 'package shop' > shop.go
git add . && git commit -qm 'a shop'

cat > ../plan.yaml <<'PLAN'
name: migrate-auth
tasks:
  - {id: schema,   title: add users.email_verified, run: ./step schema}
  - {id: backfill, title: backfill existing rows,   run: ./step backfill}
  - {id: signup,   title: update signup handler,    run: ./step signup}
  - {id: login,    title: update login handler,     run: ./step login}
  - {id: tests,    title: test it all,              run: ./step tests}
PLAN
cat > step <<'STEP'
#!/bin/sh
# A migration, a release, an agent: anything that takes long and works in steps.
echo "// $1, first half" >> shop.go
if [ "$1" = "${DIE_IN-}" ]; then   # a crash, a closed laptop
	kill -9 "$(cat "$PROCESS")" $$
fi
echo "// $1, second half" >> shop.go
STEP
chmod +x step
git add step && git commit -qm 'the steps'

say '$ git resume start plan.yaml                      (killed in "signup")'
# A program of the same name comes first on PATH, writes down its number for the crash, and becomes the real one.
mkdir ../first
cat > ../first/git-resume <<'FIRST'
#!/bin/sh
[ -e "$PROCESS" ] || echo $$ > "$PROCESS"
exec "$PROGRAM" "$@"
FIRST
chmod +x ../first/git-resume
tree=$(PROGRAM=$(command -v git-resume) PROCESS=$PWD/../process PATH=$PWD/../first:$PATH DIE_IN=signup \
	git resume start ../plan.yaml) || echo "exit code $?: killed"
tree=$(git worktree list | sed -n 's/ .*//;2p')
run=${tree##*/}
tell "The run has a branch and a worktree of its own; yours was not touched." \
	"Before each task its intent is recorded, after it a commit is made and the result recorded," \
	"each of it on disk before the next begins. Then the process was killed with SIGKILL, in the middle of its third task."
show "git worktree list" "sed 's,^.*/\([^/]* [0-9a-f]* \[\),\1,'"
tell "Finished tasks are commits with trailers, so that they survive without any record of ours:"
show "git log --reverse --format='%h %s%n%(trailers)' main..resume/$run" "sed '/^\$/d'"
tell "The record is a notes tree, one line for each event. The last one says that signup was started, and nothing says that it ended:"
show "git log --notes=resume/$run --format=%N resume/$run" "grep seq | sort | sed 's/\"id.*\"event\"/\"event\"/' | tail -n 3"

say '$ git -C WORKTREE diff                            (half of a task, not committed)'
git -C "$tree" --no-pager diff -U0 | grep '^[+][^+]'

say '$ git resume'
git resume < /dev/null || echo "exit code $?: somebody must decide, and there is no terminal to ask at"
tell "It found the run: its lock is free, its process is gone, so it is interrupted and not running." \
	"It compared what is there with what was meant to be, and asked about the one thing that it cannot know: what half a task is worth." \
	"Before that it saved what is not committed, without touching a file or the index:"
show "git diff --stat resume/$run refs/resume/snapshots/$run:0001/work"

say '$ git resume --retry                              (run that task again, from a clean tree)'
git resume --retry
tell "The claim, the decision with its reasons, the new attempt, and the results are on record:"
show "git resume log $run" "cut -c 21- | tail -n 9"
tell "Each task has one commit, and half a task is in none of them:"
show "git log --reverse --format='%h %s' main..resume/$run"
show "git grep -c . resume/$run -- shop.go"

say '$ git resume merge; git resume status --all'
git resume merge migrate-auth
git resume status --all
tell "Everything can be seen, pushed and kept with git alone; 'git log --notes=\"resume/*\"' shows it beside the commits."

say 'Nothing was lost and nothing was done twice. The record is in git: refs/notes/resume/*'
