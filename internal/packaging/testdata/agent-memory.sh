# A run with four tasks by two actors. One task is done, one waits for a person, one was started by an actor that is gone,
# and the last line of its log is torn.
at 2026-11-12T16:00:00Z
run=.agent-memory/runs/20261112-1600-loyalty-points-7c1e
mkdir -p $run/events/backend $run/events/frontend src
echo '# Rules of this project' > $run/constitution.md
echo '# Loyalty points: what is wanted' > $run/prd.md
echo '# Loyalty points: how it is built' > $run/plan.md
cat > $run/task-graph.json <<'G'
{
  "tasks": [
    {"id": "T001", "title": "store points with each customer", "dependencies": []},
    {"id": "T002", "title": "let points expire", "dependencies": ["T001"]},
    {"id": "T003", "title": "show points in the account", "dependencies": ["T001"]},
    {"id": "T004", "title": "mail before points expire", "dependencies": ["T002", "T003"]}
  ]
}
G
git add -A
git commit -q -m 'plan the loyalty points'
event() { printf '{"event_type": "%s", "task_id": "%s", "timestamp": "%s", "actor": "%s"%s}\n' "$@"; }
{
	event task_started T001 2026-11-12T16:20:00Z backend
	event task_completed T001 2026-11-12T17:05:00Z backend
	event task_started T002 2026-11-12T17:06:00Z backend
	event task_blocked T002 2026-11-12T17:30:00Z backend ', "details": {"reason": "After how many months do points expire?"}'
} > $run/events/backend/1.jsonl
at 2026-11-12T17:05:00Z
echo 'customer.points = 0' > src/points.py
git add src
git commit -q -m '[T001] store points with each customer'
at 2026-11-12T18:10:00Z
{
	event task_started T003 2026-11-12T18:10:00Z frontend
	printf '{"event_type": "task_prog'
} > $run/events/frontend/1.jsonl
git add -A
git commit -q -m 'keep the events of the loyalty points'
