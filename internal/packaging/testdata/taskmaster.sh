# A list of two tags. In the current one a subtask was interrupted, and a task of higher priority is open, which Taskmaster would take first.
at 2026-11-12T16:00:00Z
mkdir -p .taskmaster/tasks src
cat > .taskmaster/tasks/tasks.json <<'T'
{
  "master": {
    "tasks": [
      {
        "id": 1,
        "title": "store gift cards",
        "status": "done",
        "priority": "high",
        "dependencies": [],
        "details": "One row for each card."
      },
      {
        "id": 2,
        "title": "sell gift cards",
        "status": "pending",
        "priority": "medium",
        "dependencies": [1],
        "subtasks": [
          {"id": 1, "title": "page with the amounts", "status": "done", "dependencies": []},
          {"id": 2, "title": "payment", "status": "in-progress", "dependencies": [1]},
          {"id": 3, "title": "mail with the code", "status": "pending", "dependencies": [2]}
        ]
      },
      {
        "id": 3,
        "title": "redeem gift cards",
        "status": "pending",
        "priority": "high",
        "dependencies": [1]
      }
    ],
    "metadata": {"created": "2026-11-10T09:00:00.000Z", "updated": "2026-11-12T16:00:00.000Z"}
  },
  "search": {
    "tasks": [{"id": 1, "title": "index the shop", "status": "pending", "dependencies": []}],
    "metadata": {"created": "2026-11-10T09:00:00.000Z"}
  }
}
T
printf '{\n  "currentTag": "master",\n  "branchTagMapping": {}\n}\n' > .taskmaster/state.json
echo 'cards = []' > src/cards.py
git add -A
git commit -q -m 'task 1: store gift cards'
