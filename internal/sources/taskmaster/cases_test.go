package taskmaster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	file   = ".taskmaster/tasks/tasks.json"
	state  = ".taskmaster/state.json"
	before = "tasks/tasks.json"
)

type (
	cases = []sourcetest.Case
	edit  = sourcetest.Mutation
)

var (
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	add     = sourcetest.Add
	both    = sourcetest.Both
)

// The function word() changes the status of the task or subtask with this title in the task file of the test repository.
func word(title, from, to string) edit {
	return func(r *gittest.Repo) {
		r.T.Helper()
		text := r.Read(file)
		at := strings.Index(text, `"title": "`+title+`"`)
		rest := strings.Replace(text[at:], `"status": "`+from+`"`, `"status": "`+to+`"`, 1)
		if at < 0 || rest == text[at:] {
			r.T.Fatalf("%s is not %s", title, from)
		}
		r.Write(file, text[:at]+rest)
	}
}

// tasks writes a file with one tag that has the given tasks.
func tasks(items string) edit { return add(file, `{"master": {"tasks": [`+items+`]}}`+"\n") }

// The function at() makes a commit with everything, dated on a day of November 2026.
func at(day int, subject string) edit {
	return func(r *gittest.Repo) {
		r.Git("add", "-A")
		r.With(fmt.Sprintf("GIT_COMMITTER_DATE=2026-11-%02dT09:00:00Z", day)).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
}

func commit(subject string) edit {
	return func(r *gittest.Repo) {
		r.Git("add", "-A")
		r.With("GIT_COMMITTER_DATE=2026-11-13T09:00:00Z").Git("commit", "-q", "--allow-empty", "-m", subject)
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	all := cases{}
	for _, some := range []cases{reading(), tags(), points(), judging(), warnings(), acting()} {
		all = append(all, some...)
	}
	sourcetest.Run(t, New(), all, nil)
}

func reading() cases {
	return cases{
		{IDs: "R-TM-1", In: "tagged.txtar", Want: `[{"source":"taskmaster","id":"repo","root":".taskmaster/tasks","files":[".taskmaster/tasks/tasks.json"]}]`,
			Mutate: remove(file), Then: `[]`},
		{IDs: "R-TM-1", In: "legacy.txtar", Want: `[{"id":"repo","root":"tasks","point":{"task":"2"}}]`, Mutate: remove("tasks/task_001.txt"), Then: `[]`},
		{IDs: "R-TM-1", In: "legacy.txtar", Prepare: both(remove("tasks/task_001.txt"), replace(before, `"title": "sell cards"`, `"title": "sell cards", "testStrategy": ""`)),
			Want: `[{"root":"tasks"}]`, Mutate: replace(before, `"status": `, `"phase": `), Then: `[]`},
		{IDs: "R-TM-1", In: "legacy.txtar", Prepare: both(remove("tasks/task_001.txt"), add(".taskmasterconfig", "{}")), Want: `[{"root":"tasks"}]`,
			Mutate: replace(before, `"title": `, `"name": `), Then: `[]`},
		{IDs: "R-TM-2", In: "tagged.txtar", Prepare: add(file, `{"master": [{"id": "1", "title": "a", "status": "done"}, {"id": "2", "title": "b", "status": "pending", "dependencies": ["1"]}]}`),
			Want: `[{"id":"repo","point":{"task":"2"},"tasks":[{"id":"1","state":"done"},{"id":"2","needs":["1"]}]}]`, Mutate: replace(file, `"master"`, `"notes"`), Then: `[{"id":"notes"}]`},
		{IDs: "R-TM-2", In: "tagged.txtar", Prepare: add(file, `[{"id": 1, "title": "a", "status": "pending", "subtasks": ["one", "two"]}]`),
			Want:   `[{"point":{"task":"1"},"tasks":[{"id":"1"}],"context":["subtasks of task 1 that have no status: one, two"]}]`,
			Mutate: replace(file, `"one"`, `{"id": 1, "title": "one", "status": "in-progress"}`), Then: `[{"point":{"task":"1.1"},"tasks":[{"id":"1.1","phase":"1 a"}]}]`},
		{IDs: "R-TM-2", In: "legacy.txtar", Want: `[{"protocol":{"tag":"master"},"tasks":[{},{},{}]}]`, Mutate: replace(before, `"tasks": [`, `"items": [`), Then: `[{"protocol":{"tag":"items"}}]`},
		{IDs: "R-X-7", In: "tagged.txtar", Prepare: word("payment", "in-progress", "进行中"), Want: `[{"point":{"task":"2.2","reason":"it is in progress"},"tasks":[{},{},{"state":"active"},{},{}]}]`,
			Mutate: word("payment", "进行中", "deferred to v2"), Then: `[{"tasks":[{},{},{"state":"skipped"},{},{}]}]`},
		{IDs: "R-X-9", In: "tagged.txtar", Prepare: many(2100), Want: `[{"protocol":{"completed":1000,"total":2100},"doubts":["…",{"code":"tasks-counted","text":"there are 2100 tasks in tag 'master'; only the 100 around the next one are listed"}]}]`,
			Mutate: many(1999), Then: `[{"protocol":{"total":1999},"doubts":null}]`},
		{IDs: "R-X-10", In: "tagged.txtar", Prepare: both(commit("the list"), replace(file, "{\n  \"master\"", "<<<<<<< HEAD\n{\n=======\n{ \n>>>>>>> side\n  \"master\"")),
			Want:   `[{"point":{"task":"2.2"},"alternatives":[{"name":"continue"}],"doubts":["…",{"code":"state-damaged","text":".taskmaster/tasks/tasks.json contains conflict markers of an unfinished merge: it holds two versions, 'HEAD' and 'side'"},{"code":"state-from-elsewhere"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("checkout", "--", file) }, Then: `[{"alternatives":[{"name":"continue"},{"name":"skip-unit"},"…"]}]`},
	}
}

// many writes a list of n tasks, of which the first thousand are done.
func many(n int) edit {
	var items []string
	for i := range n {
		items = append(items, `{"title": "x", "status": "`+map[bool]string{true: "done", false: "pending"}[i < 1000]+`"}`)
	}
	return tasks(strings.Join(items, ","))
}

func tags() cases {
	branch := func(name string) edit { return func(r *gittest.Repo) { r.Git("checkout", "-q", "-b", name) } }
	return cases{
		{IDs: "R-TM-3", In: "tagged.txtar", Want: `[{"id":"repo","protocol":{"tag":"master","current":true},"context":["1 other Taskmaster tag with open tasks, none in progress: search"]}]`,
			Mutate: replace(state, "master", "search"), Then: `[{"id":"repo","protocol":{"current":false}},{"id":"search","protocol":{"current":true}}]`},
		{IDs: "R-TM-3", In: "tagged.txtar", Prepare: both(remove(state), add(".taskmaster/config.json", `{"global": {"defaultTag": "search"}}`)),
			Want: `[{"id":"repo"},{"id":"search","protocol":{"current":true}}]`, Mutate: remove(".taskmaster/config.json"), Then: `[{"id":"repo","protocol":{"current":true}}]`},
		{IDs: "R-TM-3", In: "tagged.txtar", Prepare: both(branch("feat/search"), replace(file, `"search"`, `"feat-search"`)),
			Want:   `[{"protocol":{"current":false}},{"id":"feat-search","branch":"refs/heads/feat/search","protocol":{"current":true},"command":"task-master show --tag=feat-search 1 && task-master start --tag=feat-search 1"}]`,
			Mutate: branch("other"), Then: `[{"id":"repo","protocol":{"current":true}}]`},
		{IDs: "R-TM-3", In: "tagged.txtar", Prepare: both(branch("x"), replace(state, `"branchTagMapping": {}`, `"branchTagMapping": {"x": "search"}`)), Want: `[{},{"id":"search","branch":"refs/heads/x"}]`,
			Mutate: replace(state, `"x": `, `"y": `), Then: `[{"id":"repo"}]`},
		{IDs: "R-TM-3", In: "tagged.txtar", Prepare: both(replace(state, "master", "empty"), replace(file, `"search": {`, `"empty": {"tasks": []},`+"\n"+`  "search": {`)), Want: `[{"id":"repo"},{"id":"empty","tasks":null,"point":{"task":null}}]`,
			Mutate: replace(file, `"empty": {"tasks": []}`, `"empty": {"tasks": [{"id": 1, "title": "a"}]}`), Then: `[{},{"id":"empty","point":{"task":"1"}}]`},
		{IDs: "R-TM-11", In: "tagged.txtar", Want: `[{"command":"task-master show 2.2 && task-master start 2.2"}]`,
			Mutate: replace(state, "master", "search"), Then: `[{"command":"task-master show --tag=master 2.2 && task-master start --tag=master 2.2"},{"command":"task-master show 1 && task-master start 1"}]`},
	}
}

func points() cases {
	idle := word("payment", "in-progress", "pending")
	return cases{
		{IDs: "R-TM-4", In: "tagged.txtar", Want: `[{"tasks":[{"id":"1"},{"id":"2.1","phase":"2 sell cards"},{"id":"2.2"},{"id":"2.3"},{"id":"3"}],"headline":"tag master: 2 of 5 tasks are done; 2.2 payment is in progress","doubts":[{"code":"own-check-differs"}]}]`,
			Mutate: word("sell cards", "pending", "done"), Then: `[{"doubts":["…",{"code":"status-disagrees","severity":"warning","text":"1 task is marked as done (2), but subtasks are open (2.2, 2.3); the subtasks count as open"}]}]`},
		{IDs: "R-TM-4", In: "tagged.txtar", Prepare: both(word("payment", "in-progress", "done"), word("receipt", "pending", "done")),
			Want:   `[{"point":{"task":"3"},"doubts":[{"code":"status-word","text":"no subtask of 2 is open, so it is done, although the status says otherwise"}]}]`,
			Mutate: word("receipt", "done", "pending"), Then: `[{"doubts":null}]`},
		{IDs: "R-TM-5", In: "tagged.txtar", Want: `[{"point":{"task":"2.2","title":"payment","reason":"it is in progress"}}]`, Mutate: idle, Then: `[{"point":{"task":"3","reason":"the next task in the order of Taskmaster"}}]`},
		{IDs: "R-TM-5", In: "tagged.txtar", Prepare: both(commit("the list"), word("redeem cards", "pending", "in-progress"), commit("begin"), word("receipt", "pending", "in-progress")),
			Want:   `[{"point":{"task":"2.3","reason":"of the 3 tasks in progress, it was changed last"}}]`,
			Mutate: word("receipt", "in-progress", "pending"), Then: `[{"point":{"task":"3","reason":"of the 2 tasks in progress, it was changed last"}}]`},
		{IDs: "R-TM-5", In: "tagged.txtar", Prepare: both(idle, word("redeem cards", "pending", "in-progress"), commit("the list"), word("sell cards", "pending", "in-progress"), commit("begin")),
			Want:   `[{"point":{"task":"2.2","reason":"task 2 is in progress, and this is its next subtask"}}]`,
			Mutate: word("sell cards", "in-progress", "pending"), Then: `[{"point":{"task":"3","reason":"it is in progress"}}]`},
		{IDs: "R-TM-5", In: "tagged.txtar", Prepare: word("receipt", "pending", "in-progress"), Want: `[{"point":{"task":"2.2","reason":"it is the first of 2 tasks in progress, in the order of Taskmaster"}}]`,
			Mutate: replace(file, `"title": "receipt"`, `"title": "receipt", "priority": "high"`), Then: `[{"point":{"task":"2.3"}}]`},
		{IDs: "R-TM-5", In: "tagged.txtar", Prepare: both(idle, word("sell cards", "pending", "in-progress")), Want: `[{"state":"interrupted","point":{"task":"2.2","reason":"task 2 is in progress, and this is its next subtask"},"doubts":null}]`,
			Mutate: word("page", "done", "cancelled"), Then: `[{"point":{"task":"2.2","reason":"task 2 is in progress, and this is its first open subtask; the subtask comes next although it depends on 2.1, which is cancelled"},"doubts":[{"text":"'task-master next' would take 3 redeem cards: it goes by priority, number of dependencies and id, and does not prefer what is in progress"},{"code":"needs-closed"}]}]`},
		{IDs: "R-TM-5", In: "tagged.txtar", Prepare: both(word("payment", "in-progress", "review"), word("receipt", "pending", "done"), word("redeem cards", "pending", "done")),
			Want:   `[{"state":"review","point":{"task":"2.2","reason":"it waits for a review, and nothing else is left"},"command":"task-master show 2.2"}]`,
			Mutate: word("receipt", "done", "pending"), Then: `[{"state":"interrupted","point":{"task":"2"}}]`},
		{IDs: "R-TM-6", In: "tagged.txtar", Prepare: both(idle, word("store cards", "done", "deferred")), Want: `[{"point":{"task":"2.2","reason":"the first open task; it comes next although its parent cannot start: it depends on 1, which is deferred"},"protocol":{"next":null}}]`,
			Mutate: word("store cards", "deferred", "completed"), Then: `[{"point":{"task":"3"},"protocol":{"next":"3"}}]`},
		{IDs: "R-TM-6", In: "tagged.txtar", Prepare: tasks(`{"id": 10, "title": "a", "status": "pending", "priority": "high", "dependencies": [1]}, {"id": 9, "title": "b", "status": "pending", "priority": "high", "dependencies": [1]},
			{"id": 8, "title": "c", "status": "pending", "priority": "low"}, {"id": 1, "title": "d", "status": "done"}`), Want: `[{"point":{"task":"9"},"protocol":{"next":"9"}}]`,
			Mutate: replace(file, `"title": "a", "status": "pending", "priority": "high", "dependencies": [1]`, `"title": "a", "status": "pending", "priority": "high"`), Then: `[{"point":{"task":"10"}}]`},
		{IDs: "R-X-3", In: "tagged.txtar", Want: `[{"point":{"task":"2.2"},"protocol":{"next":"3"},"doubts":[{"code":"own-check-differs","severity":"info","text":"'task-master next' would take 3 redeem cards: it goes by priority, number of dependencies and id, and does not prefer what is in progress"}]}]`,
			Mutate: word("sell cards", "pending", "in-progress"), Then: `[{"point":{"task":"2.2"},"protocol":{"next":"2.2"},"doubts":null}]`},
	}
}

func judging() cases {
	idle := word("payment", "in-progress", "pending")
	return cases{
		// a newer commit names a pending task, so the work continues after this task
		{IDs: "R-TM-7", In: "tagged.txtar", Prepare: both(tasks(`{"id": 1, "title": "a", "status": "done"}, {"id": 2, "title": "b", "status": "pending", "subtasks": [{"id": 1, "title": "c", "status": "pending"}]}, {"id": 3, "title": "d", "status": "pending", "dependencies": [2]}`), commit("list"), at(14, "feat: b (task 2)")),
			Want: `[{"point":{"task":"3"},"tasks":[{},{"id":"2.1","state":"pending","commit":"*"},{"commit":null}]}]`, Mutate: at(15, "feat: task 3 too"), Then: `[{"point":{"task":"2.1"}}]`},
		// a commit that the checked out branch does not have is no evidence
		{IDs: "R-TM-7", In: "tagged.txtar", Prepare: both(commit("list"), at(15, "feat: redeem cards (task 3)")), Want: `[{"tasks":["…",{"id":"3","commit":"*"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("branch", "side"); r.Git("reset", "-q", "--keep", "HEAD~1") }, Then: `[{"tasks":["…",{"id":"3","commit":null}]}]`},
		{IDs: "R-TM-4", In: "tagged.txtar", Prepare: tasks(`{"id": 1, "title": "a", "status": "done", "subtasks": [{"id": 1, "title": "b", "status": "done"}, {"id": 2, "title": "c", "status": "pending"}]}`),
			Want: `[{"state":"interrupted","over":"*","point":{"task":"1.2"}}]`, Mutate: replace(file, `"a", "status": "done"`, `"a", "status": "in-progress"`), Then: `[{"over":null}]`},
		{IDs: "R-TM-7", In: "tagged.txtar", Prepare: commit("feat: task 1 store cards"), Want: `[{"tasks":[{"id":"1","commit":"*"},{"commit":null},"…"]}]`,
			Mutate: commit("finish the page (2.1)"), Then: `[{"tasks":[{"commit":"*"},{"id":"2.1","commit":"*"},{"commit":null},"…"],"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-7", In: "tagged.txtar", Prepare: commit("merge the cards (#1)"), Want: `[{"tasks":[{"id":"1","state":"done","commit":null},"…"]}]`,
			Mutate: commit("close #1"), Then: `[{"tasks":[{"id":"1","commit":"*"},"…"]}]`},
		{IDs: "R-TM-8", In: "tagged.txtar", Prepare: both(word("payment", "in-progress", "done"), word("receipt", "pending", "cancelled"), word("redeem cards", "pending", "deferred")),
			Want:   `[{"state":"complete","point":{"task":null},"context":["deferred: 3","*"]}]`,
			Mutate: word("redeem cards", "deferred", "in-progress"), Then: `[{"state":"interrupted","point":{"task":"3"}}]`},
		{IDs: "R-X-1", In: "tagged.txtar", Prepare: replace(state, "master", "search"), Want: `[{},{"id":"search","state":"not started","tasks":[{"state":"pending"},{"state":"pending"}]}]`,
			Mutate: word("index", "pending", "done"), Then: `[{},{"id":"search","state":"interrupted","tasks":[{"state":"done"},{"state":"pending"}],"point":{"task":"2"}}]`},
		{IDs: "R-X-1", In: "tagged.txtar", Prepare: idle, Want: `[{"state":"interrupted","tasks":[{"state":"done"},{"state":"done"},{"state":"pending"},{"state":"pending"},{"state":"pending"}]}]`,
			Mutate: word("payment", "pending", "in-progress"), Then: `[{"tasks":[{},{},{"state":"active"},{},{}]}]`},
	}
}

func warnings() cases {
	return cases{
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: replace(file, `"dependencies": ["2.2"]`, `"dependencies": ["2.2", "9.9"]`), Want: `[{"doubts":["…",{"code":"needs-unknown","text":"tasks depend on tasks that do not exist: 2.3 on 9.9"}]}]`,
			Mutate: replace(file, `"9.9"`, `"2.1"`), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: word("store cards", "done", "cancelled"), Want: `[{"doubts":["…",{"code":"needs-closed","text":"Taskmaster never offers tasks that depend on cancelled or deferred tasks: 2 on 1 (cancelled), 3 on 1 (cancelled)"}]}]`,
			Mutate: word("store cards", "cancelled", "done"), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: replace(file, `"status": "in-progress", "dependencies": [1]`, `"status": "in-progress", "dependencies": [3]`), Want: `[{"doubts":["…",{"code":"needs-cycle","text":"tasks depend on each other: 2.2 → 2.3 → 2.2"}]}]`,
			Mutate: replace(file, `["2.2"]`, `[]`), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: word("redeem cards", "pending", "in-progress"), Want: `[{"doubts":["…",{"code":"several-in-progress","text":"2 tasks are in progress: 2.2, 3"}]}]`,
			Mutate: word("redeem cards", "in-progress", "done"), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: word("receipt", "pending", "simmering"), Want: `[{"tasks":[{},{},{},{"state":"unknown","raw":"simmering"},{}],"doubts":["…",{"code":"unknown-word","text":".taskmaster/tasks/tasks.json has the unknown status 'simmering' for 2.3; it counts as open"}]}]`,
			Mutate: word("receipt", "simmering", "todo"), Then: `[{"tasks":[{},{},{},{"state":"pending"},{}],"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: replace(state, "master", "gone"), Want: `[{"protocol":{"tag":"master","current":true},"doubts":["…",{"code":"stale-marker","text":"the current tag 'gone' is not in .taskmaster/tasks/tasks.json; 'master' was taken instead"}]}]`,
			Mutate: replace(state, "gone", "master"), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: both(add(file+".tmp.4711", "{"), add(file+".lock/pid", "")), Want: `[{"doubts":["…",{"code":"stale-marker","path":".taskmaster/tasks/tasks.json.tmp.4711"},{"code":"stale-marker","path":".taskmaster/tasks/tasks.json.lock"}]}]`,
			Mutate: both(remove(file+".tmp.4711"), remove(file+".lock")), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
		{IDs: "R-TM-9", In: "tagged.txtar", Prepare: replace(file, `"id": 3,`+"\n", `"id": 1,`+"\n"), Want: `[{"tasks":[{"id":"1"},"…"],"doubts":["…",{"code":"state-inconsistent","text":"several tasks have the id 1; Taskmaster changes only the first"}]}]`,
			Mutate: replace(file, `"title": "redeem cards"`, `"id": 3, "title": "redeem cards"`), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
	}
}

func acting() cases {
	const skippedLine = `{\"id\": 2, \"title\": \"payment\", \"status\": \"done\", \"dependencies\": [1], \"details\": \"` + skipped + `\"}`
	return cases{
		{IDs: "R-TM-10", In: "tagged.txtar", Act: &sources.ActionRequest{Name: sources.Continue}, Want: `{"changes":[]}`, Mutate: remove(file), Then: `[]`},
		{IDs: "R-TM-10", In: "tagged.txtar", Prepare: tasks(`{"id": 2, "title": "payment", "status": "in-progress", "dependencies": [1]}`), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want: `{"changes":[{"path":".taskmaster/tasks/tasks.json","now":"{\"master\": {\"tasks\": [` + skippedLine + `]}}\n"}]}`, Mutate: word("payment", "in-progress", "done"), Then: `{"error":"'skip-unit' does not apply to taskmaster:repo"}`},
		{IDs: "R-TM-10", In: "tagged.txtar", Prepare: tasks(`{"id": 4, "title": "a", "details": "caf\u00e9 \/", "status": "pending", "subtasks": [{"id": 1, "status": "pending"}]}`), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"now":"{\"master\": {\"tasks\": [{\"id\": 4, \"title\": \"a\", \"details\": \"caf\\u00e9 \\/\\n\\n` + skipped + `\", \"status\": \"done\", \"subtasks\": [{\"id\": 1, \"status\": \"done\"}]}]}}\n"}]}`,
			Mutate: replace(file, "\n", "\r\n"), Then: `{"changes":[{"now":"*"}]}`},
		{IDs: "R-TM-10", In: "tagged.txtar", Prepare: tasks(`{"id": 2, "title": "payment", "status": "in-progress"}`), Act: &sources.ActionRequest{Name: sources.RestartUnit},
			Want: `{"changes":[{"now":"{\"master\": {\"tasks\": [{\"id\": 2, \"title\": \"payment\", \"status\": \"pending\"}]}}\n"}]}`, Mutate: word("payment", "in-progress", "pending"), Then: `{"error":"'restart-unit' does not apply to taskmaster:repo"}`},
		{IDs: "R-TM-10", In: "tagged.txtar", Prepare: tasks(`{"id": 2, "status": "in-progress", "subtasks": [{"id": 1, "status": "done"}]}`), Act: &sources.ActionRequest{Name: sources.Repair},
			Want: `{"changes":[{"now":"{\"master\": {\"tasks\": [{\"id\": 2, \"status\": \"done\", \"subtasks\": [{\"id\": 1, \"status\": \"done\"}]}]}}\n"}]}`, Mutate: replace(file, `"in-progress"`, `"done"`), Then: `{"error":"'repair' does not apply to taskmaster:repo"}`},
	}
}
