# A specification of invoices, planned in three plans. The agent of plan 02 was lost after the first of its three tasks.
at 2026-11-12T15:00:00Z
dir=agent-os/specs/invoices/.long-run
mkdir -p $dir/plans $dir/summaries src
echo '# Invoices for orders' > agent-os/specs/invoices/spec.md
plan() {
	printf -- '---\nplan: "%s"\ntask_group: %s\ndepends_on: [%s]\n---\n\n' "$1" "$2" "$3"
	shift 3
	for name; do printf '<task type="auto">\n  <name>%s</name>\n</task>\n' "$name"; done
}
plan 01 numbers '' 'count invoices without gaps' 'store them with the order' > $dir/plans/01-PLAN.md
plan 02 pages '"01"' 'lay out the page' 'add the tax table' 'write it as a PDF' > $dir/plans/02-PLAN.md
plan 03 mail '"02"' 'send it after payment' 'send it once more on request' > $dir/plans/03-PLAN.md
git add -A
git commit -q -m 'plan the invoices'
start=$(git rev-parse HEAD)

at 2026-11-12T15:40:00Z
echo 'next = last + 1' > src/numbers.py
git add src
git commit -q -m 'feat(01): count invoices without gaps'
first=$(git rev-parse --short HEAD)
echo 'order.invoice = next' > src/orders.py
git add src
git commit -q -m 'feat(01): store them with the order'
cat > $dir/summaries/01-SUMMARY.md <<S
---
plan: "01"
task_group: numbers
status: completed
completed_at: 2026-11-12T15:40:00Z
---

- [x] Task 1: count invoices without gaps - commit $first
- [x] Task 2: store them with the order - commit $(git rev-parse --short HEAD)
S

at 2026-11-13T06:30:00Z
echo '<page/>' > src/page.xml
git add src
git commit -q -m 'feat(02): lay out the page'
cat > $dir/STATE.md <<S
# Long-Run Implementation State

## Current Position
Plan: 2 of 3
Status: Executing
Last activity: 2026-11-13T06:30:00Z

## Rollback Reference
start_commit: $start
S
cat > $dir/plans/02-CHECKPOINT.json <<S
{
  "plan": "02",
  "last_completed_task": 1,
  "total_tasks": 3,
  "task_commits": {"1": "$(git rev-parse HEAD)"},
  "updated_at": "2026-11-13T06:30:00Z"
}
S
echo 7d41c0 > $dir/current-agent-id.txt
cat > $dir/agent-history.json <<S
{
  "version": "1.0",
  "entries": [
    {
      "agent_id": "7d41c0",
      "plan": "02",
      "timestamp": "2026-11-13T06:10:00Z",
      "status": "spawned"
    }
  ]
}
S
git add -A
git commit -q -m 'keep the state of the invoices'
