package agentmemory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	dir      = ".agent-memory/runs/20261110-0900-user-auth-a1b2/"
	orch     = dir + "events/orchestrator/20261110-0900.jsonl"
	executor = dir + "events/executor/20261110-0930.jsonl"
	graphAt  = dir + "task-graph.json"
	stateAt  = dir + "workflow-state.json"
	words    = dir + "events/all/20261110-1000.jsonl"
)

// line returns one event as a line of a log.
func line(kind, task, at string) string {
	return `{"event_type":"` + kind + `","task_id":"` + task + `","timestamp":"2026-11-10T` + at + `"}` + "\n"
}

// The function "log" returns a mutation that adds a log of the given actor.
func log(actor, text string) Mutation {
	return Add(dir+"events/"+actor+"/20261110-1200.jsonl", text)
}

func prepare(ms ...Mutation) func(*gittest.Repo) {
	return func(r *gittest.Repo) { Both(ms...)(r) }
}

// committed commits the files of the run.
func committed(r *gittest.Repo) {
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
}

// dated sets the time of a file.
func dated(day, file string) Mutation {
	return func(r *gittest.Repo) {
		at, err := time.Parse(time.DateOnly, day)
		if err == nil {
			err = os.Chtimes(filepath.Join(r.Dir, file), at, at)
		}
		if err != nil {
			r.T.Fatal(err)
		}
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	Run(t, New(), cases(), map[string]string{})
}

func cases() []Case {
	all := append(entryCases(), stateCases()...)
	all = append(all, phaseCases()...)
	all = append(all, toleranceCases()...)
	all = append(all, laterCases()...)
	return append(all, actCases()...)
}

func entryCases() []Case {
	return []Case{
		{IDs: "S2-1", In: "execution.txtar",
			Want:   `[{"source":"agent-memory","state":"interrupted","point":{"task":"T002"},"tasks":[{"state":"done"},{"state":"active"},{"state":"pending"},{"state":"pending"}]}]`,
			Mutate: Remove(executor), Then: `[{"point":{"task":"T002"},"tasks":[{"state":"done"},{"state":"pending"},"…"]}]`},
		{IDs: "S2-2", In: "execution.txtar", Prepare: prepare(log("zz", line("run_completed", "", "20:00:00Z"))),
			Want: `[{"state":"complete","alternatives":[]}]`, Mutate: Remove(dir + "events/zz"), Then: `[{"state":"interrupted"}]`},
		{IDs: "S2-3 S2-6", In: "execution.txtar", Want: `[{"id":"20261110-0900-user-auth-a1b2","state":"interrupted"}]`,
			Mutate: Remove(".agent-memory/runs"), Then: `[]`},
		{IDs: "S2-4", In: "execution.txtar second.txtar", Want: `[{"id":"20261110-0900-user-auth-a1b2","name":"user-auth"},{"id":"20261112-1400-billing-c3d4","name":"billing"}]`,
			Mutate: Remove(".agent-memory/runs/20261110-0900-user-auth-a1b2"), Then: `[{"id":"20261112-1400-billing-c3d4"}]`},
		{IDs: "S2-5 S2-32", In: "execution.txtar second.txtar", Want: `[{"state":"interrupted"},{"state":"interrupted"}]`,
			Mutate: Add(".agent-memory/runs/20261112-1400-billing-c3d4/events/orchestrator/x.jsonl", `{"event_type":"run-complete","timestamp":"2026-11-12T20:00:00Z"}`),
			Then:   `[{"state":"interrupted"},{"state":"complete"}]`},
		{IDs: "S2-7", In: "execution.txtar", Want: `[{"protocol":{"Phase":2}}]`, Mutate: Remove(dir + "constitution.md"), Then: `[{"protocol":{"Phase":1},"state":"interrupted","point":{"task":"constitution"}}]`},
		{IDs: "S2-8", In: "execution.txtar", Want: `[{"protocol":{"Phase":2}}]`, Mutate: Remove(dir + "prd.md"), Then: `[{"protocol":{"Phase":0}}]`},
		{IDs: "S2-9", In: "execution.txtar", Want: `[{"protocol":{"Phase":2}}]`, Mutate: Remove(dir + "plan.md"), Then: `[{"protocol":{"Phase":1},"point":{"task":"plan"}}]`},
		{IDs: "S2-10", In: "execution.txtar", Want: `[{"tasks":[{"title":"add the table","files":["db/users.sql"]},{"needs":["T001"]},"…"]}]`,
			Mutate: Remove(graphAt), Then: `[{"tasks":[{"id":"T001","title":null},{"id":"T002"}]}]`},
		{IDs: "S2-11", In: "execution.txtar", Want: `[{"tasks":[{"state":"done"},{"state":"active"},"…"]}]`,
			Mutate: Remove(orch), Then: `[{"tasks":[{"state":"active"},{"state":"active"},"…"]}]`},
	}
}

func stateCases() []Case {
	return []Case{
		{IDs: "S2-12", In: "execution.txtar", Want: `[{"tasks":[{},{},{},{"id":"T004","state":"pending"}]}]`,
			Mutate: log("executor", line("task_started", "T004", "12:00:00Z")), Then: `[{"tasks":[{},{},{},{"state":"active"}]}]`},
		{IDs: "S2-13", In: "execution.txtar", Want: `[{"tasks":[{},{"id":"T002","state":"active","raw":"task_started","evidence":"events/executor/20261110-0930.jsonl:2"},"…"],"protocol":{"tasks":{"T002":"in_progress"}}}]`,
			Mutate: log("executor", line("task_completed", "T002", "12:00:00Z")), Then: `[{"tasks":[{},{"state":"done"},"…"]}]`},
		{IDs: "S2-14", In: "execution.txtar", Want: `[{"tasks":[{"id":"T001","state":"done","raw":"task_completed"},"…"],"protocol":{"tasks":{"T001":"done"}}}]`,
			Mutate: Replace(orch, "task_completed", "task_failed"), Then: `[{"tasks":[{"state":"failed"},"…"]}]`},
		{IDs: "S2-15", In: "execution.txtar", Prepare: prepare(log("executor", line("task_failed", "T002", "12:00:00Z"))), Want: `[{"tasks":[{},{"state":"failed"},"…"]}]`,
			Mutate: Remove(dir + "events/executor/20261110-1200.jsonl"), Then: `[{"tasks":[{},{"state":"active"},"…"]}]`},
		{IDs: "S2-16", In: "execution.txtar", Prepare: prepare(log("executor", line("task_blocked", "T002", "12:00:00Z"))), Want: `[{"tasks":[{},{"state":"blocked"},"…"],"questions":[{"task":"T002"}]}]`,
			Mutate: Remove(dir + "events/executor/20261110-1200.jsonl"), Then: `[{"tasks":[{},{"state":"active"},"…"]}]`},
		{IDs: "S2-17 S2-20", In: "execution.txtar", Want: `[{"protocol":{"runnable":["T002","T004"]}}]`,
			Mutate: log("executor", line("task_completed", "T002", "12:00:00Z")), Then: `[{"protocol":{"runnable":["T003","T004"]}}]`},
		{IDs: "S2-18", In: "execution.txtar", Want: `[{"protocol":{"runnable":["T002","T004"]}}]`,
			Mutate: log("executor", line("task_completed", "T004", "12:00:00Z")), Then: `[{"protocol":{"runnable":["T002"]}}]`},
		{IDs: "S2-19", In: "execution.txtar", Want: `[{"protocol":{"runnable":["T002","T004"]}}]`,
			Mutate: log("executor", line("task_blocked", "T002", "12:00:00Z")), Then: `[{"protocol":{"runnable":["T004"]},"point":{"task":"T004"}}]`},
		{IDs: "S2-26", In: "execution.txtar", Want: `[{"protocol":{"RESUMING RUN":"20261110-0900-user-auth-a1b2"}}]`,
			Mutate: func(r *gittest.Repo) {
				if err := os.Rename(filepath.Join(r.Dir, dir), filepath.Join(r.Dir, ".agent-memory/runs/other")); err != nil {
					r.T.Fatal(err)
				}
			}, Then: `[{"protocol":{"RESUMING RUN":"other"}}]`},
		{IDs: "S2-27", In: "execution.txtar", Want: `[{"protocol":{"Phase":2}}]`, Mutate: Remove(dir + "prd.md"), Then: `[{"protocol":{"Phase":0}}]`},
		{IDs: "S2-27", In: "execution.txtar", Want: `[{"protocol":{"Phase":2},"status":null}]`, // no file says the phase
			Mutate: log("o", line("run_cancelled", "", "12:00:00Z")), Then: `[{"status":"run_cancelled"}]`},
		{IDs: "S2-36", In: "execution.txtar", Want: `[{"own_logs":true,
			"context":["documents of the run: constitution.md, prd.md, plan.md, task-graph.json","last activity: 2026-11-10T10:05:00Z, from event events/executor/20261110-0930.jsonl:2"]}]`,
			Mutate: Remove(graphAt), Then: `[{"unlisted":true,"listed":"phase 2, T002, back to phase 1","context":["documents of the run: constitution.md, prd.md, plan.md","…"]}]`},
		{IDs: "S2-28", In: "execution.txtar", Want: `[{"protocol":{"Tasks":"1/4 complete"},"headline":"run 20261110-0900-user-auth-a1b2, phase 2, 1/4 tasks complete, last T001 - add the table; next: execute T002 - write the handler"}]`,
			Mutate: log("executor", line("task_completed", "T002", "12:00:00Z")), Then: `[{"protocol":{"Tasks":"2/4 complete"}}]`},
		{IDs: "S2-29", In: "execution.txtar", Want: `[{"protocol":{"Last activity":"2026-11-10T10:05:00Z"},"active":"2026-11-10T10:05:00Z","from":"event events/executor/20261110-0930.jsonl:2"}]`,
			Mutate: log("executor", line("task_completed", "T002", "12:00:00Z")), Then: `[{"protocol":{"Last activity":"2026-11-10T12:00:00Z"}}]`},
		{IDs: "S2-30", In: "execution.txtar", Want: `[{"protocol":{"Last completed":"T001 - add the table"}}]`,
			Mutate: log("executor", line("task_completed", "T002", "12:00:00Z")), Then: `[{"protocol":{"Last completed":"T002 - write the handler"}}]`},
		{IDs: "S2-31", In: "execution.txtar", Want: `[{"protocol":{"Next Action":"execute T002 - write the handler"}}]`,
			Mutate: log("executor", line("task_completed", "T002", "12:00:00Z")), Then: `[{"protocol":{"Next Action":"execute T003 - wire it up"}}]`},
		{IDs: "S2-33", In: "execution.txtar", Prepare: prepare(Remove(dir + "plan.md")),
			Want:   `[{"state":"interrupted","point":{"task":"plan","reason":"plan.md is missing"},"needs":[{"missing":true,"for":"plan"}],"doubts":[{"code":"file-missing","severity":"warning"}]}]`,
			Mutate: Add(dir+"plan.md", "# again\n"), Then: `[{"point":{"task":"T002"},"doubts":[]}]`},
		{IDs: "S2-34", In: "execution.txtar", Prepare: prepare(Add(executor, "what is this\n"+line("task_started", "T002", "10:05:00Z"))),
			Want:   `[{"state":"interrupted","point":{"task":"T002"},"doubts":[{"code":"state-damaged","severity":"warning","path":"` + executor + `:1"}]}]`,
			Mutate: Add(executor, line("task_started", "T002", "10:05:00Z")), Then: `[{"doubts":[]}]`},
		{IDs: "S2-35", In: "execution.txtar", Prepare: prepare(Replace(orch, "2026-11-", "2026-10-"), Replace(executor, "2026-11-", "2026-10-")),
			Want:   `[{"state":"interrupted","doubts":[{"code":"stale-run","severity":"warning","text":".agent-memory/runs/20261110-0900-user-auth-a1b2 was last worked on 35 days ago: review it before you continue"}]}]`,
			Mutate: log("executor", line("task_started", "T002", "10:05:00Z")), Then: `[{"doubts":[]}]`},
	}
}

func phaseCases() []Case {
	gone := `[{"state":"complete"}]`
	return []Case{
		{IDs: "S2-21 S2-39", In: "intake.txtar", Want: `[{"state":"interrupted","point":{"task":"prd"},"protocol":{"Phase":0,"Next Action":"continue the PRD"}}]`,
			Mutate: Add(dir+"prd.md", "x"), Then: `[{"point":{"task":"plan"},"protocol":{"Phase":1}}]`},
		{IDs: "S2-22 S2-40", In: "planned.txtar", // only a person's answer approves the plan
			Want:   `[{"state":"waiting","point":{"task":"approval"},"protocol":{"Phase":1},"questions":[{"task":"approval"}],"alternatives":[{"name":"answer"},{"name":"review"},{"name":"start-fresh"}]}]`,
			Mutate: Remove(dir + "plan.md"), Then: `[{"state":"interrupted","point":{"task":"plan"},"protocol":{"Phase":1,"Next Action":"continue the plan"}}]`},
		{IDs: "S2-39", In: "planned.txtar", Prepare: prepare(log("o", `{"event_type":"artifact_rejected","timestamp":"2026-11-10T12:00:00Z","artifact":"plan.md","reason":"split T002"}`)),
			Want:   `[{"state":"interrupted","questions":[],"point":{"task":"plan","title":"continue the plan","reason":"plan.md was rejected: split T002"},"protocol":{"Phase":1,"Next Action":"continue the plan"},"alternatives":[{"name":"continue"},{"name":"review"},{"name":"start-fresh"}]}]`,
			Mutate: log("p", line("approval_requested", "", "13:00:00Z")), Then: `[{"state":"waiting","point":{"task":"approval"}}]`},
		{IDs: "S2-40", In: "planned.txtar", Prepare: prepare(dated("2026-11-10", dir+"plan.md"), func(r *gittest.Repo) {
			Do(r, New(), sources.ActionRequest{Name: sources.Answer, Text: "No: split T002"})
		}),
			Want:   `[{"state":"interrupted","questions":[],"point":{"task":"plan","reason":"plan.md was rejected: split T002"}}]`,
			Mutate: dated("2026-11-15", dir+"plan.md"), Then: `[{"state":"waiting","questions":[{"task":"approval"}]}]`}, // the plan was written again
		{IDs: "S2-39", In: "intake.txtar", Prepare: prepare(Add(dir+"prd.md", "x"), log("o", `{"event_type":"prd_rejected","timestamp":"2026-11-10T12:00:00Z"}`)),
			Want:   `[{"state":"interrupted","point":{"task":"prd","reason":"prd.md was rejected"},"protocol":{"Phase":0,"Next Action":"continue the PRD"}}]`,
			Mutate: log("p", line("prd_updated", "", "13:00:00Z")), Then: `[{"point":{"task":"plan"}}]`},
		// the constitution does not approve a plan that was rejected
		{IDs: "S2-39", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), log("o", `{"event_type":"plan_rejected","timestamp":"2026-11-10T12:00:00Z","reason":"split T002"}`)),
			Want:   `[{"state":"interrupted","questions":[],"point":{"task":"plan","reason":"plan.md was rejected: split T002"},"protocol":{"Phase":1,"Next Action":"continue the plan"}}]`,
			Mutate: log("p", line("plan_approved", "", "13:00:00Z")), Then: `[{"state":"interrupted","point":{"task":"T001"},"protocol":{"Phase":2}}]`},
		{IDs: "S2-39", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), log("o", `{"event_type":"plan_rejected","timestamp":"2026-11-10T12:00:00Z"}`+"\n"+line("plan_updated", "", "12:30:00Z"))),
			Want:   `[{"state":"waiting","questions":[{"task":"approval"}],"point":{"task":"approval"},"protocol":{"Phase":1}}]`, // the plan was written again, and nobody has approved it
			Mutate: log("p", line("task_started", "T001", "13:00:00Z")), Then: `[{"state":"interrupted","point":{"task":"T001"},"protocol":{"Phase":2}}]`},
		{IDs: "S2-39", In: "planned.txtar", Prepare: prepare(Remove(graphAt), Add(dir+"constitution.md", "x"), dated("2026-11-10", dir+"plan.md"), log("o", line("approval_requested", "", "12:00:00Z")), func(r *gittest.Repo) {
			Do(r, New(), sources.ActionRequest{Name: sources.Answer, Text: "no"})
		}),
			Want:   `[{"state":"interrupted","point":{"task":"plan","reason":"plan.md was rejected"},"protocol":{"Phase":1,"Next Action":"continue the plan"}}]`,
			Mutate: Remove(dir + "events/git-resume"), Then: `[{"state":"waiting","point":{"task":"approval"}}]`},
		{IDs: "S2-39", In: "done.txtar", Prepare: prepare(log("o", line("pr_rejected", "", "20:00:00Z"))), // not the plan
			Want:   `[{"point":{"task":"cleanup"},"protocol":{"Phase":3}}]`,
			Mutate: log("o", `{"event_type":"artifact_rejected","artifact":"plan.md","timestamp":"2026-11-10T20:00:00Z"}`), Then: `[{"point":{"task":"plan"},"protocol":{"Phase":1}}]`},
		// events that say phase 1 count for more than the constitution
		{IDs: "S2-40", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), log("o", `{"event_type":"phase_started","phase":1,"timestamp":"2026-11-10T12:00:00Z"}`)),
			Want:   `[{"state":"waiting","point":{"task":"approval"},"protocol":{"Phase":1}}]`,
			Mutate: log("o", `{"event_type":"phase_started","phase":2,"timestamp":"2026-11-10T12:00:00Z"}`), Then: `[{"state":"interrupted","point":{"task":"T001"},"protocol":{"Phase":2}}]`},
		{IDs: "S2-40", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), log("o", line("waiting_for_approval", "", "12:00:00Z"))),
			Want:   `[{"state":"waiting","point":{"task":"approval"},"doubts":[]}]`,
			Mutate: log("p", line("plan_approved", "", "13:00:00Z")), Then: `[{"state":"interrupted","point":{"task":"T001"}}]`},
		{IDs: "S2-40", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), log("o", line("prd_approved", "", "12:00:00Z"))),
			Want: `[{"state":"interrupted","point":{"task":"T001"},"doubts":[{"code":"no-approval","severity":"info",
				"text":"` + dir[:len(dir)-1] + ` has events that approve other documents, but none that approves the plan; because constitution.md exists, the plan counts as approved"}]}]`,
			Mutate: log("p", line("plan_approved", "", "13:00:00Z")), Then: `[{"doubts":[]}]`},
		{IDs: "S2-33", In: "execution.txtar", Prepare: prepare(committed, Remove(graphAt)),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"task-graph","title":"break the plan into tasks"},"stands":"phase 2, T002","protocol":{"Phase":1},
				"doubts":[{"code":"state-rebuilt","text":"` + dir[:len(dir)-1] + ` has no task graph that can be read, so only tasks with events are known; the plan must be broken into tasks again, or HEAD's version brought back: git restore -- ` + graphAt + `"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("restore", "--", graphAt) }, Then: `[{"point":{"task":"T002"},"doubts":[]}]`},
		{IDs: "S2-33", In: "execution.txtar", Prepare: prepare(Add(graphAt, `{"tasks": []}`)),
			Want:   `[{"point":{"task":"task-graph","reason":"task-graph.json names no tasks"}}]`,
			Mutate: Add(graphAt, `{"tasks": [{"id`), Then: `[{"point":{"task":"task-graph","reason":"task-graph.json cannot be read"}}]`},
		{IDs: "S2-33", In: "execution.txtar", Prepare: prepare(Add(dir+"prd.md", "")),
			Want:   `[{"point":{"task":"prd","title":"write prd.md again","reason":"prd.md is empty"},"stands":"phase 2, T002"}]`,
			Mutate: Remove(dir + "prd.md"), Then: `[{"point":{"task":"prd","reason":"prd.md is missing"},"stands":"phase 2, T002"}]`},
		{IDs: "S2-23 S2-41", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x")),
			Want:   `[{"state":"interrupted","point":{"task":"T001","reason":"it is the first open task that can start"},"protocol":{"Phase":2}}]`,
			Mutate: Remove(dir + "constitution.md"), Then: `[{"state":"waiting"}]`},
		{IDs: "S2-24 S2-42", In: "done.txtar", Want: `[{"state":"interrupted","point":{"task":"cleanup"},"protocol":{"Phase":3,"Next Action":"run cleanup and PR preparation again"}}]`,
			Mutate: log("cleanup", line("cleanup-completed", "", "12:00:00Z")), Then: `[{"point":{"task":"pr-prep"},"protocol":{"Phase":3}}]`},
		{IDs: "S2-25 S2-43", In: "done.txtar", Prepare: prepare(Add(dir+"pr-checklist.md", "x")), Want: `[{"state":"interrupted","point":{"task":"consolidation"},"protocol":{"Phase":4}}]`,
			Mutate: log("memory", line("consolidation-completed", "", "12:00:00Z")), Then: gone},
		{IDs: "S2-44", In: "execution.txtar", Prepare: prepare(log("o", `{"event_type":"run-failed","timestamp":"2026-11-10T12:00:00Z","details":{"recovery_possible":true}}`)),
			Want:   `[{"state":"interrupted"}]`,
			Mutate: log("o", `{"event_type":"run-failed","timestamp":"2026-11-10T12:00:00Z","details":{"reason":"no disk"}}`), Then: `[{"state":"ended","cause":"no disk","status":"run-failed"}]`},
		{IDs: "S2-44", In: "execution.txtar", Prepare: prepare(log("o", line("stm-archived", "", "12:00:00Z"))), Want: gone,
			Mutate: log("o", line("run-cancelled", "", "12:00:00Z")), Then: `[{"state":"ended"}]`},
		{IDs: "S2-44", In: "execution.txtar", Prepare: prepare(log("o", line("run_complete", "", "12:00:00Z"))), // the run was closed although a task is still open
			Want:   `[{"state":"complete","doubts":[{"code":"status-disagrees"}]}]`,
			Mutate: log("p", line("session-resumed", "", "13:00:00Z")), Then: `[{"state":"interrupted","doubts":[{"code":"status-disagrees"}]}]`},
	}
}

func toleranceCases() []Case {
	task := func(n int, state string) string { // task returns the expected JSON, in which task n of ten has the given state
		out := `[{"tasks":[`
		for i := range 10 {
			if i > 0 {
				out += ","
			}
			if i+1 == n {
				out += `{"state":"` + state + `"}`
			} else {
				out += `{}`
			}
		}
		return out + `]}]`
	}
	return []Case{
		{IDs: "S2-45", In: "words.txtar", Want: task(2, "active"), Mutate: Replace(words, `"type":"task_started"`, `"kind":"task_started"`), Then: task(2, "pending")},
		{IDs: "S2-45", In: "words.txtar", Want: task(3, "active"), Mutate: Replace(words, `"Task-Implemented"`, `"TASK_COMPLETED"`), Then: task(3, "done")},
		{IDs: "S2-46", In: "words.txtar",
			Want: `[{"tasks":[{"state":"active"},{"state":"active"},{"state":"active"},{"state":"done"},{"state":"done"},{"state":"failed"},{"state":"failed"},{"state":"blocked"},{"state":"pending"},{"state":"pending"}],
				"point":{"task":"T1"},"questions":[{"task":"T8","text":"which mail server?"}]}]`,
			Mutate: Replace(words, "task-claimed", "task-verified"), Then: `[{"tasks":[{"state":"done"},"…"],"point":{"task":"T2"}}]`},
		{IDs: "S2-46", In: "words.txtar", Prepare: prepare(log("a", line("task-verified", "T1", "12:00:00Z")+line("task-verified", "T2", "12:00:00Z"))), // T3 is implemented, but not verified
			Want:   `[{"point":{"task":"T3","reason":"it is implemented and awaits verification"},"protocol":{"Next Action":"verify T3"}}]`,
			Mutate: log("b", line("task-started", "T3", "12:00:00Z")), Then: `[{"protocol":{"Next Action":"execute T3"}}]`},
		{IDs: "S2-47", In: "words.txtar", Prepare: prepare(log("a", line("task-started", "T9", "12:00:00Z")), log("b", line("task-failed", "T9", "12:00:00Z"))), // two logs contain an event with the same time
			Want:   `[{"tasks":[{},{},{},{},{},{},{},{},{"state":"failed"},{}],"doubts":[{"code":"same-time"}]}]`,
			Mutate: log("a", line("task-started", "T9", "12:00:01Z")), Then: `[{"tasks":[{},{},{},{},{},{},{},{},{"state":"active"},{}],"doubts":[]}]`},
		{IDs: "S2-47", In: "words.txtar", Prepare: prepare(log("a", line("task-completed", "T9", "12:00:00Z")), log("b", line("task-failed", "T9", "12:00:00Z"))), Want: task(9, "done"),
			Mutate: log("b", line("task-failed", "T9", "12:00:01Z")), Then: task(9, "failed")},
		{IDs: "S2-47", In: "words.txtar", Prepare: prepare(log("a", line("task-completed", "T9", "12:00:00Z")+line("task-failed", "T9", "12:00:00Z"))), Want: task(9, "failed"), // within one log, the later line decides
			Mutate: log("a", line("task-failed", "T9", "12:00:00Z")+line("task-completed", "T9", "12:00:00Z")), Then: task(9, "done")},
		{IDs: "S2-48", In: "words.txtar", Prepare: prepare(log("a", line("task-started", "T6", "12:00:00Z"))), Want: task(6, "active"), Mutate: Remove(dir + "events/a"), Then: task(6, "failed")},
		{IDs: "S2-49", In: "words.txtar", Prepare: prepare(log("a", line("escalation-resolved", "T8", "12:00:00Z"))), Want: task(8, "active"), Mutate: Remove(dir + "events/a"), Then: task(8, "blocked")},
		{IDs: "S2-49", In: "words.txtar", Prepare: prepare(log("a", line("task-started", "T8", "12:00:00Z"))), Want: task(8, "active"), Mutate: Remove(dir + "events/a"), Then: task(8, "blocked")},
		{IDs: "S2-50", In: "words.txtar", Prepare: prepare(log("a", line("task-started", "T6", "12:00:00Z")+`{"event_type":"task-comp`)),
			Want: `[{"tasks":[{},{},{},{},{},{"state":"active"},"…"],"doubts":[{"code":"state-damaged","path":"` + dir + `events/a/20261110-1200.jsonl:2",
				"text":"` + dir + `events/a/20261110-1200.jsonl:2 is incomplete, and was left out"}]}]`,
			Mutate: log("a", line("task-started", "T6", "12:00:00Z")+line("task-completed", "T6", "13:00:00Z")), Then: task(6, "done")},
		{IDs: "S2-51", In: "words.txtar", Prepare: prepare(log("a", line("task-started", "T6", "12:00:00Z")+"<<<<<<< HEAD\n"+line("task-completed", "T6", "13:00:00Z"))),
			Want: `[{"tasks":[{},{},{},{},{},{"state":"done"},"…"],"doubts":[{"code":"state-damaged","path":"` + dir + `events/a/20261110-1200.jsonl:2"}]}]`, Mutate: Remove(dir + "events/a"), Then: task(6, "failed")},
		{IDs: "S2-52", In: "words.txtar", Prepare: prepare(log("a", "\ufeff"+`{"event_type":"task-started","task_id":"T6","timestamp":"2026-11-10T12:00:00Z"}`+"\r\n\r\n"+`{"event_type":"task-completed","task_id":"T6","timestamp":"2026-11-10T12:00:01Z"}`)),
			Want: `[{"tasks":[{},{},{},{},{},{"state":"done"},"…"],"doubts":[]}]`, Mutate: Remove(dir + "events/a"), Then: task(6, "failed")},
		{IDs: "S2-53", In: "oneyaml.txtar", Want: `[{"tasks":[{"state":"done","evidence":"events/2026-11-10T10-00-00Z-task-completed-T001.yaml:1"},{"state":"pending"}],"point":{"task":"T002"}}]`,
			Mutate: Replace(dir+"events/2026-11-10T10-00-00Z-task-completed-T001.yaml", "task-completed", "task-failed"), Then: `[{"tasks":[{"state":"failed"},{}],"point":{"task":"T001"}}]`},
		{IDs: "S2-54", In: "words.txtar", Prepare: prepare(log("a", line("task-started", "T99", "12:00:00Z"))), Want: `[{"doubts":[{"code":"task-not-in-graph"}]}]`,
			Mutate: Remove(dir + "events/a"), Then: `[{"doubts":[]}]`},
		{IDs: "S2-54", In: "done.txtar", Prepare: prepare(log("a", line("task-started", "Q001", "12:00:00Z")), Add(dir+"tasks/Q001.md", "# Q001: check the copy\n")), // the run is not over
			Want:   `[{"protocol":{"Phase":2,"Tasks":"2/3 complete"},"point":{"task":"Q001","title":"check the copy"},"doubts":[{"text":"` + graphAt + ` has no task Q001, but the run's events mention this task; it counts as in_progress"}]}]`,
			Mutate: log("b", line("task-completed", "Q001", "13:00:00Z")), Then: `[{"protocol":{"Phase":3,"Tasks":"2/2 complete"}}]`},
		{IDs: "S2-54", In: "done.txtar", Prepare: prepare(log("a", `{"event_type":"task_blocked","task_id":"T006","timestamp":"2026-11-10T12:00:00Z","details":{"question":"Which API?"}}`)),
			Want:   `[{"state":"blocked","point":{"task":"T006"},"questions":[{"task":"T006","text":"Which API?"}]}]`,
			Mutate: log("a", `{"event_type":"task_blocked","task_id":"T006","timestamp":"2026-11-10T12:00:00Z","message":"the API is down"}`), Then: `[{"questions":[{"text":"the API is down","block":true}]}]`},
		{IDs: "S2-54", In: "planned.txtar", Want: `[{"tasks":[{},{"state":"pending"}]}]`, Mutate: log("a", line("task-started", "T002", "12:00:00Z")), Then: `[{"tasks":[{},{"state":"active"}]}]`},
		{IDs: "S2-55", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), Replace(graphAt, `["T001"]`, `["T077"]`)),
			Want:   `[{"protocol":{"runnable":["T001"]},"doubts":[{"code":"needs-unknown"}]}]`,
			Mutate: Replace(graphAt, `["T077"]`, `[]`), Then: `[{"protocol":{"runnable":["T001","T002"]},"doubts":[]}]`},
		{IDs: "S2-55", In: "execution.txtar", Prepare: prepare(log("a", line("task-completed", "T002", "12:00:00Z")+line("task-completed", "T004", "12:00:00Z")), Replace(graphAt, `["T002"]`, `["T077"]`)),
			Want: `[{"state":"blocked","point":{"task":"T003"},"questions":[{"task":null,"text":"T003 - wire it up waits for T077; T077 is not in the task graph; add it there, or remove it from what T003 needs"}],
				"alternatives":[{"name":"skip-unit"},{"name":"review"},{"name":"start-fresh"}]}]`,
			Mutate: Replace(graphAt, `["T077"]`, `["T002"]`), Then: `[{"state":"interrupted","questions":[],"point":{"task":"T003"}}]`},
		{IDs: "S2-56", In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), Replace(graphAt, `"add the table"`, `"add the table","dependencies":["T002"]`)),
			Want:   `[{"state":"blocked","protocol":{"runnable":[]},"doubts":[{"code":"needs-cycle","severity":"blocking","text":"` + graphAt + ` has tasks that depend on each other in a cycle: T001 → T002 → T001"}]}]`,
			Mutate: Replace(graphAt, `,"dependencies":["T002"]`, ``), Then: `[{"state":"interrupted"}]`},
		{IDs: "S2-57", In: "done.txtar", Want: `[{"tasks":[{"id":"T001"},{"id":"T002"}],"protocol":{"Phase":3}}]`,
			Mutate: Replace(graphAt, "task_graph", "other_graph"), Then: `[{"point":{"task":"task-graph"},"rebuilt":true,"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt"}]}]`},
		{IDs: "S2-58", In: "contracts.txtar",
			Want: `[{"tasks":[{"id":"T001","title":"add the table","state":"done"},{"id":"T002","title":"write the handler","needs":["T001"]},{"id":"T003","title":"found on the way","needs":["T002"]}],
				"point":{"task":"T002"}}]`,
			Mutate: Remove(dir + "tasks/T002.md"), Then: `[{"tasks":[{"id":"T001"},{"id":"T003"}],"point":{"task":"T003"}}]`},
		{IDs: "S2-59", In: "execution.txtar", Prepare: prepare(log("ahead", `{"event_type":"task_failed","task_id":"T002","timestamp":"2026-11-14T15:00:00Z"}`)),
			Want:   `[{"active":"2026-11-14T15:00:00Z","tasks":[{},{"state":"failed"},"…"],"doubts":[{"code":"clock-ahead","severity":"info"},{"code":"next-failed"}]}]`, // an event with a time in the future counts as activity
			Mutate: Remove(dir + "events/ahead"), Then: `[{"active":"2026-11-10T10:05:00Z","doubts":[]}]`},
		{IDs: "S2-60", In: "execution.txtar", Prepare: prepare(log("naive", line("task_failed", "T002", "12:00:00"))), Want: `[{"tasks":[{},{"state":"failed"},"…"],"doubts":[{"code":"time-without-zone"},{"code":"next-failed"}]}]`,
			Mutate: log("naive", line("task_failed", "T002", "12:00:00Z")), Then: `[{"doubts":[{"code":"next-failed"}]}]`},
		{IDs: "S2-76", In: "execution.txtar", Prepare: func(r *gittest.Repo) { // the log is damaged, but a commit shows that T002 is done
			Add(executor, "garbage\n")(r)
			r.Git("commit", "-q", "--allow-empty", "-m", "[T002] write the handler")
		}, Want: `[{"rebuilt":true,"tasks":[{},{"state":"done"},"…"],"point":{"task":"T003"},"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("commit", "-q", "--amend", "--allow-empty", "-m", "other") }, Then: `[{"tasks":[{},{"state":"pending"},"…"]}]`},
		{IDs: "S2-76", In: "execution.txtar", Prepare: func(r *gittest.Repo) { // a commit names T002, but the log does not say that T002 is done
			r.Git("checkout", "-q", "-b", "agent/20261110-0900-user-auth-a1b2/lane-1")
			r.Git("commit", "-q", "--allow-empty", "-m", "[T002] write the handler")
			r.Git("checkout", "-q", "main")
		}, Want: `[{"tasks":[{},{"state":"active"},"…"],"doubts":[{"code":"done-not-marked"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("branch", "-D", "-q", "agent/20261110-0900-user-auth-a1b2/lane-1") }, Then: `[{"doubts":[]}]`},
		{IDs: "S2-34", In: "execution.txtar", Prepare: prepare(Add(orch, "\x00\x00\x00\x00")), // the other actor's log can be read
			Want: `[{"state":"interrupted","rebuilt":true,"headline":"run 20261110-0900-user-auth-a1b2, phase 2, at least 0/4 tasks complete; next: execute T001 - add the table",
				"doubts":[{"code":"state-damaged","path":"` + orch + `:1"},{"code":"state-rebuilt","text":"` + dir[:len(dir)-1] + ` has lost events: what an actor did last is not known"}],
				"alternatives":[{"name":"continue","text":"execute T001 - add the table; first check whether it was already done"},"…"]}]`,
			Mutate: Add(orch, line("task_completed", "T001", "12:00:00Z")+"garbage\n"), Then: `[{"rebuilt":null,"doubts":[{"code":"state-damaged"}]}]`}, // an event can be read
		{IDs: "S2-34", In: "execution.txtar", Prepare: prepare(committed, Add(orch, "\x00\x00\x00\x00")),
			Want: `[{"rebuilt":true,"tasks":[{"state":"done"},{"state":"active"},"…"],"point":{"task":"T002"},"doubts":[{"code":"state-damaged"},
				{"code":"state-from-elsewhere","path":"` + orch + `"},{"code":"state-rebuilt"}]}]`,
			Mutate: Remove(dir + "events/executor"), Then: `[{"rebuilt":true,"tasks":[{"state":"done"},{"state":"active"},"…"],"doubts":[{},{"path":"` + executor + `"},{"path":"` + orch + `"},{}]}]`},
		{IDs: "S2-34", In: "execution.txtar", Prepare: prepare(committed, Add(orch, "")), // a log that only grows was emptied
			Want:   `[{"rebuilt":true,"tasks":[{"state":"done"},"…"],"doubts":[{"code":"state-from-elsewhere","severity":"warning"},{"code":"state-rebuilt"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Write(dir+"events/all/1.jsonl", r.Git("show", "HEAD:"+orch)+"\n") }, Then: `[{"rebuilt":null,"tasks":[{"state":"done"},"…"],"doubts":[]}]`}, // its lines were moved to another log
		{IDs: "S2-11", In: "execution.txtar", Prepare: prepare(log("a/b/c/d/e/f", line("task_started", "T004", "12:00:00Z"))), // "**" is any depth
			Want:   `[{"tasks":[{},{},{},{"id":"T004","state":"active"}],"doubts":[]}]`,
			Mutate: Both(Remove(dir+"events/a"), log(strings.Repeat("x/", 20), line("task_started", "T004", "12:00:00Z"))),
			Then:   `[{"tasks":[{},{},{},{"id":"T004","state":"pending"}],"doubts":[{"code":"state-refused","severity":"warning"}]}]`},
		{IDs: "S2-77", In: "execution.txtar", Prepare: func(r *gittest.Repo) { // another worktree has newer events: T002 is done
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "events")
			r.Git("worktree", "add", "-q", "-b", "feature", "../feature")
			r.In(filepath.Join(r.Dir, "../feature")).Write(dir+"events/executor/20261111-0900.jsonl", `{"event_type":"task_completed","task_id":"T002","timestamp":"2026-11-11T09:00:00Z"}`+"\n")
		}, Want: `[{"tasks":[{},{"state":"done"},"…"],"point":{"task":"T003"},"active":"2026-11-11T09:00:00Z","doubts":[{"code":"copies-differ"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("worktree", "remove", "--force", "../feature") }, Then: `[{"tasks":[{},{"state":"active"},"…"],"doubts":[]}]`},
		{IDs: "S2-33 S2-42", In: "done.txtar", Prepare: prepare(Remove(dir+"plan.md"), log("o", `{"event_type":"phase_started","timestamp":"2026-11-10T12:00:00Z","phase":4}`+"\n")), // the run had left the execution
			Want:   `[{"stands":"phase 4","point":{"task":"plan","title":"write plan.md again"},"protocol":{"Phase":1}}]`,
			Mutate: Remove(dir + "events/o"), Then: `[{"stands":"phase 3","point":{"task":"plan"},"protocol":{"Phase":1}}]`},
		{IDs: "S2-33 S2-42", In: "done.txtar", Prepare: prepare(Remove(graphAt), log("o", `{"event_type":"phase_started","timestamp":"2026-11-10T12:00:00Z","phase":3}`+"\n")),
			Want:   `[{"stands":"phase 3","point":{"task":"task-graph"},"protocol":{"Phase":1}}]`,
			Mutate: log("p", line("task-started", "T003", "13:00:00Z")), Then: `[{"stands":"phase 2, T003"}]`},
		{IDs: "S2-10", In: "execution.txtar", Prepare: prepare(Add(graphAt, `{"nodes":[{"id":"T001"},{"id":"T002"},{"id":"T003"},{"id":"T004"}],"edges":[{"from":"T001","to":"T002"},{"source":"T003","target":"T004","type":"depends_on"},{"from":"T001","to":"T009"},"T001",{"from":"T003"}]}`)), // the tasks and what they need may be in separate lists
			Want:   `[{"tasks":[{"needs":null},{"needs":["T001"]},{"needs":["T004"]},{"needs":null}]}]`,
			Mutate: Add(graphAt, `{"nodes":[{"id":"T001"},{"id":"T002","needs":["T001"]}],"edges":[{"from":"T001","to":"T002"},{"from":"T002","to":"T001","type":"needs"}]}`), Then: `[{"tasks":[{"needs":null},{"needs":["T001"]}]}]`},
		{IDs: "S2-29", In: "execution.txtar", Prepare: prepare(Add(dir+"events/git-resume/20261114-110000.jsonl", `{"event_type":"run_cancelled","timestamp":"2026-11-14T11:00:00Z","actor":"git-resume","details":{"reason":"a person closed it"}}`+"\n")), // the end of a run is its last activity
			Want:   `[{"state":"ended","active":"2026-11-14T11:00:00Z"}]`,
			Mutate: Remove(dir + "events/git-resume"), Then: `[{"state":"interrupted","active":"2026-11-10T10:05:00Z"}]`},
	}
}

func laterCases() []Case {
	// at returns a test case in which the state file contains the given state.
	at := func(id, state, want, other, then string) Case {
		return Case{IDs: id, In: "later.txtar", Prepare: prepare(Replace(stateAt, "phase_1_routing", state)), Want: want, Mutate: Replace(stateAt, state, other), Then: then}
	}
	routing := `[{"point":{"task":"phase_1_routing"},"protocol":{"Phase":1}}]`
	return []Case{
		at("S2-61", "phase_0_intake", `[{"state":"interrupted","point":{"task":"phase_0_intake"},"protocol":{"Phase":0,"Next Action":"continue the PRD"}}]`, "phase_1_routing", routing),
		at("S2-62", "phase_1_routing", `[{"state":"interrupted","point":{"task":"phase_1_routing"},"protocol":{"Phase":1,"Workflow":"unified"}}]`, "phase_0_intake", `[{"protocol":{"Phase":0}}]`),
		at("S2-63", "bootstrap_b1_detection", `[{"point":{"task":"bootstrap_b1_detection"},"protocol":{"Phase":"B1"}}]`, "phase_1_routing", routing),
		at("S2-64", "b2_deps_pending", `[{"point":{"task":"bootstrap_b2_deps_pending"},"protocol":{"Phase":"B2","Next Action":"check again whether the tools are installed"}}]`, "phase_1_routing", routing),
		at("S2-65", "bootstrap_b3_planning", `[{"point":{"task":"bootstrap_b3_planning"},"protocol":{"Phase":"B3"}}]`, "phase_1_routing", routing),
		at("S2-66", "bootstrap-b4-tasks", `[{"point":{"task":"bootstrap_b4_tasks"},"protocol":{"Phase":"B4"}}]`, "phase_1_routing", routing),
		{IDs: "S2-67", In: "later.txtar", Prepare: prepare(Replace(stateAt, "phase_1_routing", "bootstrap_b5_approved")), // the state file does not say which kind of approval was given
			Want:   `[{"state":"waiting","protocol":{"Phase":"B5"},"questions":[{"options":["approve bootstrap","approve and continue"]}]}]`,
			Mutate: Replace(stateAt, `"workflow":`, `"approvals": {"bootstrap": {"approved": true, "approval_type": "approve_and_continue"}}, "workflow":`),
			Then:   `[{"state":"interrupted","protocol":{"Phase":"B5","Next Action":"plan the development"}}]`},
		at("S2-68", "phase_2_dev_plan", `[{"point":{"task":"phase_2_dev_plan"},"protocol":{"Phase":2,"Next Action":"continue the development plan"}}]`, "phase_1_routing", routing),
		{IDs: "S2-69", In: "later.txtar", Prepare: prepare(Replace(stateAt, "phase_1_routing", "phase_3_dev_approved"), Add(dir+"plan.md", "x"), Add(graphAt, `{"tasks":[{"id":"D001","title":"go"}]}`)),
			Want:   `[{"state":"interrupted","point":{"task":"D001"},"protocol":{"Phase":3,"Next Action":"begin phase 4: execute D001 - go"}}]`,
			Mutate: Replace(stateAt, "phase_3_dev_approved", "phase_4_execution"), Then: `[{"state":"waiting","point":{"task":"approval"}}]`},
		{IDs: "S2-70", In: "unified.txtar", Prepare: prepare(log("b", line("task-completed", "B002", "12:00:00Z"))),
			Want:   `[{"point":{"task":"D001","reason":"the bootstrap tasks are done; it is the first open task that can start"},"protocol":{"Phase":4,"Bootstrap Tasks":"2/2 complete","Development Tasks":"0/1 complete"}}]`,
			Mutate: log("d", line("task-started", "D001", "13:00:00Z")), Then: `[{"point":{"task":"D001","reason":"it was started but not finished"}}]`},
		{IDs: "S2-71", In: "unified.txtar", Want: `[{"state":"interrupted","point":{"task":"B002"},"protocol":{"Phase":4}}]`,
			Mutate: log("b", line("task-completed", "B002", "12:00:00Z")), Then: `[{"point":{"task":"D001"}}]`},
		{IDs: "S2-72", In: "unified.txtar", Prepare: prepare(log("b", line("task-completed", "B002", "12:00:00Z")+line("task-completed", "D001", "12:00:01Z"))),
			Want: `[{"point":{"task":"phase_5_cleanup"},"protocol":{"Phase":5}}]`, Mutate: Remove(dir + "events/b"), Then: `[{"protocol":{"Phase":4}}]`},
		{IDs: "S2-73", In: "unified.txtar", Prepare: prepare(log("b", line("task-completed", "B002", "12:00:00Z")+line("task-completed", "D001", "12:00:01Z")), Add(dir+"pr-checklist.md", "x")),
			Want: `[{"point":{"task":"phase_6_consolidation"},"protocol":{"Phase":6}}]`, Mutate: Remove(dir + "pr-checklist.md"), Then: `[{"protocol":{"Phase":5}}]`},
		{IDs: "S2-74", In: "unified.txtar", Want: `[{"protocol":{"runnable":["B002"]}}]`, // D001 has no dependencies, but must wait for the bootstrap tasks
			Mutate: log("b", line("task-completed", "B002", "12:00:00Z")), Then: `[{"protocol":{"runnable":["D001"]}}]`},
		{IDs: "S2-75", In: "unified.txtar", Prepare: prepare(Remove(dir+"constitution.md"), Remove(graphAt), Remove(executor), Replace(stateAt, `"phase_3_dependency_check": {"status": "completed"}`, `"phase_3_dependency_check": {"status": "waiting_user","missing_tools":["node"]}`)),
			Want:   `[{"state":"waiting","point":{"task":"bootstrap_b2_deps_pending"},"questions":[{"text":"install the missing tools: node"}]}]`,
			Mutate: Replace(stateAt, "waiting_user", "in_progress"), Then: `[{"state":"interrupted"}]`},
		{IDs: "S2-75", In: "unified.txtar", Prepare: prepare(Remove(dir+"constitution.md"), Remove(graphAt), Remove(executor), Replace(stateAt, `"phase_3_dependency_check": {"status": "completed"}`, `"phase_3_dependency_check": {"status": "completed","missing_tools":["node"]}`), Replace(stateAt, `"phase_4_bootstrap_planning": {"status": "completed"}`, `"phase_4_bootstrap_planning": {"status": "waiting_user"}`)),
			Want:   `[{"state":"waiting","point":{"task":"bootstrap_b3_planning"},"questions":[{"text":"the phase 'continue the bootstrap plan' waits for you"}]}]`, // the tools were installed in an earlier phase
			Mutate: Replace(stateAt, "waiting_user", "in_progress"), Then: `[{"state":"interrupted"}]`},
		{IDs: "S2-75", In: "later.txtar", Prepare: prepare(Replace(stateAt, `"state": "phase_1_routing", "status": "in_progress"`, `"status":"in_progress"`), Replace(stateAt, `"workflow":`, `"phases":{"phase_8_development_approval":{"status":"waiting_approval"}},"workflow":`)),
			Want:   `[{"state":"waiting","point":{"task":"approval"},"protocol":{"Phase":3}}]`,
			Mutate: Replace(stateAt, "phase_8_development_approval", "phase_7_development_planning"), Then: `[{"state":"waiting","point":{"task":"phase_2_dev_plan"}}]`},
		{IDs: "S2-75", In: "later.txtar", Prepare: prepare(Replace(stateAt, `"status": "in_progress"`, `"status": "paused"`)), Want: `[{"state":"paused"}]`,
			Mutate: Replace(stateAt, `"paused"`, `"failed"`), Then: `[{"state":"failed"}]`},
	}
}

func actCases() []Case {
	own := dir + "events/git-resume/20261114-120000.jsonl"
	return []Case{
		{IDs: "S2-36 S2-37 S2-38", In: "execution.txtar", Act: &sources.ActionRequest{Name: sources.SkipUnit}, // git-resume adds the event to its own log, and changes no other log
			Want:   `{"changes":[{"path":"` + own + `","now":"{\"event_type\":\"task_completed\",\"event_id\":\"git-resume-20261114T120000.000000-task_completed-T002\",\"task_id\":\"T002\",\"run_id\":\"20261110-0900-user-auth-a1b2\",\"timestamp\":\"2026-11-14T12:00:00Z\",\"actor\":\"git-resume\",\"details\":{\"reason\":\"a person skipped the task\",\"skipped\":true}}\n"}]}`,
			Mutate: Add(own, "{}\n"), Then: `{"changes":[{"path":"` + own + `","now":"{}\n{\"event_type\":\"task_completed\",\"event_id\":\"git-resume-20261114T120000.000000-task_completed-T002\",\"task_id\":\"T002\",\"run_id\":\"20261110-0900-user-auth-a1b2\",\"timestamp\":\"2026-11-14T12:00:00Z\",\"actor\":\"git-resume\",\"details\":{\"reason\":\"a person skipped the task\",\"skipped\":true}}\n"}]}`},
		{IDs: "S2-40", In: "planned.txtar", Act: &sources.ActionRequest{Name: sources.Answer, Text: "yes"}, // what a person said becomes an event
			Want:   `{"changes":[{"path":"` + own + `","now":"{\"event_type\":\"artifact-approved\",\"event_id\":\"git-resume-20261114T120000.000000-artifact-approved-\",\"run_id\":\"20261110-0900-user-auth-a1b2\",\"timestamp\":\"2026-11-14T12:00:00Z\",\"actor\":\"git-resume\",\"details\":{\"approval_type\":\"human\",\"approved_by\":\"human\",\"artifact\":\"plan.md\",\"artifact_type\":\"plan\",\"question\":\"is .agent-memory/runs/20261110-0900-user-auth-a1b2/plan.md approved? (2 tasks)\",\"response\":\"yes\"}}\n"}]}`,
			Mutate: Add(dir+"constitution.md", "x"), Then: `{"error":"'answer' does not apply to agent-memory:20261110-0900-user-auth-a1b2"}`},
	}
}
