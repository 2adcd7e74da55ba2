# Helpers: a repository with stories and workflow states of a given age, or with one spec of Auto-Claude and its staging worktree.
# NAME and LOOP name another story than 4.2.
ago() { date -u -d "@$(( $(date +%s) - $1 ))" +%Y-%m-%dT%H:%M:%SZ; }
old() { s=$1; shift; touch -d "@$(( $(date +%s) - s ))" "$@"; }
save() { d="@$(( $(date +%s) - $1 )) +0000"; git add -A; GIT_AUTHOR_DATE="$d" GIT_COMMITTER_DATE="$d" git commit -q -m "$2"; }
story() {
  mkdir -p docs/stories src
  echo "// $1" > src/$1.js
  cat > docs/stories/$1.story.md <<S
# Story $1: Thing $1

**Status:** $2

## Acceptance Criteria
1. It works

## Tasks / Subtasks
- [x] Task 1
- [ ] Task 2

## Dev Notes
Notes.

## File List
${3:-- src/$1.js}

## Change Log
| Date | Version | Description | Author |
|------|---------|-------------|--------|
| 2026-11-01 | 0.1 | Draft | sm |
S
}
workflow() { # AGE STATUS [PHASES [NAME [STARTED]]]
  mkdir -p .aios
  n=${NAME:-4.2}; f=.aios/${4:-sdc-$n}-state.yaml
  cat > $f <<Y
execution_id: ${4:-sdc-$n}
workflow: sdc
story: "$n"
started_at: $(ago ${5:-$(( $1 + 7200 ))})
updated_at: $(ago $1)
status: $2
phases_completed: [${3:-Create, Validate}]
context:
  story: docs/stories/$n.story.md
  story_status: InProgress
Y
  old $1 $f
}
epic() { # AGE STATUS MODE STORY
  mkdir -p .aios
  printf "epic_state:\n  epicId: 4\n  mode: $3\n  status: $2\n  updated_at: $(ago $1)\n  current_wave: 1\n  waves:\n    1:\n      status: $4\n      stories:\n        \"4.2\": {status: $4}\n" > .aios/epic-4-state.yaml
  old $1 .aios/epic-4-state.yaml
}
loop() { # AGE STATUS ITERATION
  mkdir -p qa
  echo "{\"storyId\":\"${LOOP:-4.2}\",\"currentIteration\":$3,\"maxIterations\":5,\"status\":\"$2\",\"updatedAt\":\"$(ago $1)\",\"history\":[]}" > qa/loop-status.json
  old $1 qa/loop-status.json
}
S=.auto-claude/specs/001-login
W=.worktrees/auto-claude
spec() { mkdir -p $S; echo '# Login' > $S/spec.md; printf '.auto-claude/\n.worktrees/\n.auto-claude-status\n' > .gitignore; git add .gitignore; git commit -q -m ignore; }
chunk() { echo "{\"id\":\"chunk-$1\",\"description\":\"Do $1\",\"status\":\"$2\",\"files_to_modify\":[\"src/$1.py\"]}"; }
plan() { # FOUR STATUSES, and more fields of the plan
  cat > $S/implementation_plan.json <<P
{"feature":"Login",$5"phases":[
 {"phase":1,"name":"Setup","depends_on":[],"chunks":[$(chunk 1-1 $1),$(chunk 1-2 $2)]},
 {"phase":2,"name":"Build","depends_on":[1],"chunks":[$(chunk 2-1 $3),$(chunk 2-2 $4)]}],
 "created_at":"2025-11-14T10:00:00Z","updated_at":"$(ago 14000)"}
P
}
beside() { sed -i 's/"depends_on":/"parallel_safe":true,&/' $S/implementation_plan.json; } # no chunk builds on another one of its phase
tree() { git worktree add -q -b auto-claude/001-login $W; built 1-1; }
built() { ( cd $W; mkdir -p src; echo a > src/$1.py; git add src; d="@$(( $(date +%s) - 15000 )) +0000"; GIT_AUTHOR_DATE="$d" GIT_COMMITTER_DATE="$d" git commit -q -m "auto-claude: chunk-$1 - Do $1" ); }
age() { find .auto-claude $W -type f -exec touch -d "@$(( $(date +%s) - 14000 ))" {} +; }
