# Two pieces of work: the development of story 5.3, which a closed session left in its implementation,
# and a QA loop for story 4.1. Somebody changed the notes in story 5.3 meanwhile.
at 2026-11-11T14:00:00Z
mkdir -p docs/stories .aios qa src
story() {
	cat <<S
# Story $1: $2

**Status:** $3

## Acceptance Criteria
1. $4

## Tasks / Subtasks
- [x] Write the test
- [ ] Make it pass

## Dev Notes
$5

## File List
- src/$1.js

## Change Log
| Date | Version | Description | Author |
|------|---------|-------------|--------|
| 2026-11-10 | 0.1 | First draft | sm |
S
}
echo '// refunds' > src/5.3.js
echo '// exports' > src/4.1.js
story 5.3 'Refund an order' InProgress 'The customer has the money back.' 'Use the payment API.' > docs/stories/5.3.story.md
story 4.1 'Export orders' InReview 'A table with all orders of a month.' 'None.' > docs/stories/4.1.story.md
git add -A
git commit -q -m 'write stories 4.1 and 5.3'

at 2026-11-12T08:00:00Z
cat > qa/loop-status.json <<'S'
{
  "storyId": "4.1",
  "currentIteration": 2,
  "maxIterations": 5,
  "status": "in_progress",
  "updatedAt": "2026-11-12T08:00:00Z",
  "history": []
}
S
at 2026-11-12T17:00:00Z
cat > .aios/sdc-5.3-state.yaml <<'S'
execution_id: sdc-5.3
workflow: sdc
story: "5.3"
started_at: 2026-11-12T13:00:00Z
updated_at: 2026-11-12T17:00:00Z
status: interrupted
phases_completed: [Create, Validate]
context:
  story: docs/stories/5.3.story.md
  story_status: InProgress
S
git add -A
git commit -q -m 'keep the state of both'

at 2026-11-13T07:20:00Z
story 5.3 'Refund an order' InProgress 'The customer has the money back.' 'Use version 2 of the payment API.' > docs/stories/5.3.story.md
git add -A
git commit -q -m 'name the version of the payment API'
