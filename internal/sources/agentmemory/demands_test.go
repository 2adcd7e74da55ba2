package agentmemory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestDemands_agentMemory checks what users of the system expect from this package. Each expectation is a row of demands.tsv.
func TestDemands_agentMemory(t *testing.T) {
	t.Parallel()
	thrice := line("task_failed", "T002", "12:00:00Z") + line("task_failed", "T002", "12:10:00Z") + line("task_failed", "T002", "12:20:00Z")
	own := dir + "events/git-resume/20261114-120000.jsonl"
	RunDemands(t, New(), map[string]Case{
		"72_what_was_skipped_counts_as_its_system_counts_it": {In: "execution.txtar", Prepare: prepare(Add(own, `{"event_type":"task_completed","task_id":"T002","timestamp":"2026-11-10T13:00:00Z","actor":"git-resume","details":{"skipped":true}}`+"\n")),
			Want:   `[{"headline":"run 20261110-0900-user-auth-a1b2, phase 2, 2/4 tasks complete (1 skipped), last T002 - write the handler (skipped); next: execute T003 - wire it up","protocol":{"Tasks":"2/4 complete","Last completed":"T002 - write the handler"},"tasks":[{},{"id":"T002","state":"skipped"},"…"]}]`,
			Mutate: Remove(own), Then: `[{"headline":"run 20261110-0900-user-auth-a1b2, phase 2, 1/4 tasks complete, last T001 - add the table; next: execute T002 - write the handler","protocol":{"Tasks":"1/4 complete"}}]`},
		"73_without_a_graph_the_last_completed_task_is_known": {In: "execution.txtar", Prepare: prepare(Remove(graphAt)),
			Want:   `[{"headline":"run 20261110-0900-user-auth-a1b2, back to phase 1, 1 task complete; the total is not known, last T001; next: break the plan into tasks","rebuilt":true}]`,
			Mutate: Remove(dir + "events/orchestrator"), Then: `[{"headline":"run 20261110-0900-user-auth-a1b2, back to phase 1, 0 tasks complete; the total is not known; next: break the plan into tasks"}]`},
		"74_a_plan_that_got_lost_is_written_again": {In: "execution.txtar", Prepare: prepare(Remove(dir + "plan.md")),
			Want: `[{"stands":"phase 2, T002","point":{"task":"plan","title":"write plan.md again","reason":"plan.md is missing"},"headline":"run 20261110-0900-user-auth-a1b2, back to phase 1, 1/4 tasks complete, last T001 - add the table; next: write plan.md again",
				"doubts":[{"path":"` + dir + `plan.md","text":"` + dir + `plan.md is missing; the step that creates the missing document must be repeated"}]}]`,
			Mutate: Add(dir+"plan.md", "x"), Then: `[{"stands":"phase 2, T002","point":{"task":"T002"},"doubts":[]}]`},
		"75_what_was_never_there_is_not_due_again": {In: "execution.txtar", Prepare: prepare(Remove(dir+"plan.md"), Remove(graphAt), Remove(dir+"events"), log("o", line("prd_created", "", "12:00:00Z"))),
			Want:   `[{"state":"interrupted","stands":"phase 1, plan","point":{"task":"plan","title":"continue the plan","reason":"plan.md does not exist yet"},"doubts":[],"needs":null}]`,
			Mutate: Add(graphAt, `{"tasks":[{"id":"T001"}]}`), Then: `[{"point":{"task":"plan","title":"continue the plan","reason":"plan.md is missing"},"doubts":[{"path":"` + dir + `plan.md"}]}]`},
		"76_an_approval_is_waited_for_before_there_is_a_graph": {In: "execution.txtar", Prepare: prepare(Remove(graphAt), Remove(dir+"events"), log("o", line("approval_requested", "", "12:00:00Z"))),
			Want:   `[{"state":"waiting","point":{"task":"approval"},"questions":[{"text":"is ` + dir + `plan.md approved?"}],"doubts":[]}]`,
			Mutate: log("p", line("task_started", "T001", "13:00:00Z")), Then: `[{"state":"interrupted","point":{"task":"task-graph"}}]`},
		"77_a_restart_says_that_it_lifts_a_block": {In: "execution.txtar", Prepare: prepare(log("o", line("task_completed", "T004", "12:00:00Z")+`{"event_type":"task_blocked","task_id":"T002","timestamp":"2026-11-10T12:10:00Z","details":{"reason":"the staging server is down"}}`+"\n")),
			Want: `[{"state":"blocked","questions":[{"task":"T002","text":"the staging server is down","block":true}],"alternatives":[{"name":"answer"},
				{"name":"restart-unit","text":"start T002 - write the handler again although it is blocked (the staging server is down): unblock it, and record a new attempt; files that it changed stay as they are"},"…"]}]`,
			Mutate: Add(own, `{"event_type":"task_started","task_id":"T002","timestamp":"2026-11-10T13:00:00Z","actor":"git-resume","details":{"reason":"a person gave it another try","lifted":"the staging server is down"}}`+"\n"),
			Then:   `[{"point":{"task":"T002"},"context":["T002 was blocked (the staging server is down); a person unblocked it without an answer","…"]}]`},
		"78_only_what_asks_is_called_a_question": {In: "execution.txtar", Prepare: prepare(log("o", line("task_completed", "T004", "12:00:00Z")+`{"event_type":"task_blocked","task_id":"T002","timestamp":"2026-11-10T12:10:00Z","details":{"reason":"Which port?"}}`+"\n")),
			Want:   `[{"questions":[{"task":"T002","text":"Which port?","block":null}]}]`,
			Mutate: log("o", `{"event_type":"task_blocked","task_id":"T002","timestamp":"2026-11-10T12:10:00Z","details":{"reason":"no network","options":["wait","go on"]}}`+"\n"), Then: `[{"questions":[{"text":"no network","block":null}]}]`},
		"79_a_failed_task_that_is_next_is_a_warning": {In: "execution.txtar", Prepare: prepare(log("o", `{"event_type":"task_failed","task_id":"T002","timestamp":"2026-11-10T12:00:00Z","details":{"error":"npm test: 2 failing"}}`+"\n"+line("task_completed", "T004", "12:10:00Z"))),
			Want:   `[{"point":{"task":"T002"},"doubts":[{"code":"next-failed","severity":"warning","text":"` + dir + `events/o/20261110-1200.jsonl:1 says that T002 failed (npm test: 2 failing); the task is tried again"}]}]`,
			Mutate: log("p", line("task_started", "T002", "13:00:00Z")), Then: `[{"point":{"task":"T002"},"doubts":[]}]`},
		"7_an_approval_may_name_the_file": {In: "planned.txtar", Prepare: prepare(log("o", `{"event_type":"artifact-approved","timestamp":"2026-11-10T12:00:00Z","details":{"artifact":"plan.md"}}`)),
			Want:   `[{"state":"interrupted","point":{"task":"constitution"},"protocol":{"Phase":1,"Next Action":"write the constitution of the approved plan"}}]`,
			Mutate: log("o", line("task_started", "T001", "12:00:00Z")), Then: `[{"state":"waiting","point":{"task":"approval"}}]`},
		"9_an_event_without_a_task_is_told": {In: "execution.txtar",
			Prepare: prepare(log("x", `{"type":"task_started","taskId":"T004","timestamp":"2026-11-10T12:00:00Z"}`+"\n"+`{"type":"task_completed","what":"T002","timestamp":"2026-11-10T12:01:00Z"}`+"\n")),
			Want: `[{"protocol":{"tasks":{"T002":"in_progress","T004":"in_progress"}},"doubts":[{"severity":"warning","path":"` + dir + `events/x/20261110-1200.jsonl:2",
				"text":"` + dir + `events/x/20261110-1200.jsonl:2 has the event task_completed without a task; that event is ignored"}]}]`,
			Mutate: Replace(dir+"events/x/20261110-1200.jsonl", `"what"`, `"task_id"`), Then: `[{"protocol":{"tasks":{"T002":"done"}},"doubts":[]}]`},
		"23_a_cancelled_run_keeps_its_phase": {In: "execution.txtar", Prepare: prepare(log("o", line("run-cancelled", "", "12:00:00Z"))),
			Want:   `[{"state":"ended","protocol":{"Phase":2,"Tasks":"1/4 complete"},"doubts":[]}]`,
			Mutate: Remove(dir + "prd.md"), Then: `[{"state":"ended","protocol":{"Phase":0},"doubts":[]}]`},
		"29_without_a_graph_the_plan_is_broken_into_tasks": {In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), Remove(dir+"events"), Add(graphAt, `{"tasks": [{"id`)),
			Want:   `[{"state":"interrupted","point":{"task":"task-graph"},"protocol":{"Phase":1,"Next Action":"break the plan into tasks"},"doubts":[{"code":"state-damaged","severity":"warning","path":"` + graphAt + `"}]}]`,
			Mutate: Add(graphAt, `{"tasks":[{"id":"T001"}]}`), Then: `[{"point":{"task":"T001"},"protocol":{"Phase":2}}]`},
		"56_the_task_whose_need_is_not_there_is_named": {In: "execution.txtar", Prepare: prepare(Replace(graphAt, `"title": "write the handler", "dependencies": ["T001"]`, `"title": "write the handler", "dependencies": ["T001", "T007"]`), log("o", line("task_completed", "T004", "12:00:00Z"))),
			Want:   `[{"state":"blocked","point":{"task":"T002","reason":"it waits for its dependencies: T007"},"protocol":{"Next Action":"nothing can be worked on: T002 - write the handler waits for T007; T007 is not in the task graph"}}]`,
			Mutate: Replace(graphAt, `["T001", "T007"]`, `["T001"]`), Then: `[{"state":"interrupted","point":{"task":"T002"}}]`},
		"57_question_and_answer_go_along": {In: "execution.txtar", Prepare: prepare(log("o", line("task_blocked", "T002", "12:00:00Z")), Add(own, `{"event_type":"escalation_resolved","task_id":"T002","timestamp":"2026-11-10T13:00:00Z","details":{"question":"Which format?","resolution":"YAML please"}}`+"\n")),
			Want:   `[{"point":{"task":"T002"},"context":["answer to T002, Which format?: YAML please","documents of the run: constitution.md, prd.md, plan.md, task-graph.json","…"]}]`,
			Mutate: log("p", line("task_completed", "T002", "14:00:00Z")), Then: `[{"context":["documents of the run: constitution.md, prd.md, plan.md, task-graph.json","…"]}]`},
		"58_an_approval_that_was_asked_for_is_waited_for": {In: "planned.txtar", Prepare: prepare(Remove(graphAt), log("o", line("approval_requested", "", "12:00:00Z"))),
			Want:   `[{"state":"waiting","point":{"task":"approval"},"protocol":{"Phase":1,"Next Action":"wait for the requested approval"},"questions":[{"task":"approval"}]}]`,
			Mutate: log("p", `{"event_type":"artifact-approved","timestamp":"2026-11-10T13:00:00Z","details":{"artifact":"plan.md"}}`+"\n"), Then: `[{"state":"interrupted","point":{"task":"constitution"}}]`},
		"59_a_numbered_run_may_be_empty": {Prepare: func(r *gittest.Repo) {
			if err := os.MkdirAll(filepath.Join(r.Dir, ".agent-memory/runs/run-001"), 0o755); err != nil {
				r.T.Fatal(err)
			}
		}, Want: `[{"id":"run-001","state":"not started"}]`, Mutate: Both(Remove(".agent-memory/runs/run-001"), Add(".agent-memory/runs/run-notes/x", "x")), Then: `[]`},
		"60_fields_may_stand_beside_the_type": {In: "execution.txtar", Prepare: prepare(log("o", `{"type":"task_blocked","task_id":"T002","timestamp":"2026-11-10T12:00:00Z","reason":"JSON or YAML?"}`+"\n")),
			Want:   `[{"questions":[{"task":"T002","text":"JSON or YAML?"}]}]`,
			Mutate: log("o", line("task_blocked", "T002", "12:00:00Z")), Then: `[{"questions":[{"task":"T002","text":"T002 - write the handler is blocked"}]}]`},
		"61_a_constitution_alone_is_a_beginning": {In: "planned.txtar", Prepare: prepare(Remove(graphAt), Remove(dir+"prd.md"), Remove(dir+"plan.md"), Remove(dir+"events"), Add(dir+"constitution.md", "x")),
			Want:   `[{"point":{"task":"prd","reason":"prd.md does not exist yet"},"protocol":{"Phase":0},"doubts":[]}]`,
			Mutate: Add(dir+"plan.md", "x"), Then: `[{"point":{"task":"prd","reason":"prd.md is missing"},"doubts":[{"code":"file-missing"},"…"]}]`},
		"62_a_graph_that_cannot_be_read_is_not_called_missing": {In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), Remove(dir+"events"), Add(graphAt, `{"tasks": [{"id`)),
			Want:   `[{"point":{"task":"task-graph","reason":"task-graph.json cannot be read"},"needs":null}]`,
			Mutate: Remove(graphAt), Then: `[{"point":{"task":"task-graph","reason":"task-graph.json does not exist yet"}}]`},
		"64_events_that_tell_the_phase_count": {In: "done.txtar", Prepare: prepare(log("o", `{"type":"phase_completed","phase":3,"timestamp":"2026-11-10T19:00:00Z"}`+"\n"+`{"type":"phase_started","phase":4,"timestamp":"2026-11-10T19:00:01Z"}`+"\n")),
			Want:   `[{"point":{"task":"consolidation"},"protocol":{"Phase":4,"Next Action":"run memory consolidation"},"doubts":[]}]`,
			Mutate: log("p", line("task_completed", "T001", "20:00:00Z")), Then: `[{"point":{"task":"cleanup"},"protocol":{"Phase":3}}]`},
		"65_a_phase_that_is_told_too_early_is_told": {In: "execution.txtar", Prepare: prepare(log("o", `{"event_type":"phase-4-started","timestamp":"2026-11-10T12:00:00Z"}`+"\n")),
			Want: `[{"point":{"task":"T002"},"protocol":{"Phase":2},"doubts":[{"code":"status-disagrees","severity":"warning",
				"text":"` + dir + `events/o/20261110-1200.jsonl:1 says that phase 2 is over (phase-4-started), but T002 is not done"}]}]`,
			Mutate: log("o", `{"event_type":"phase-2-started","timestamp":"2026-11-10T12:00:00Z"}`+"\n"), Then: `[{"doubts":[]}]`},
		"66_events_are_written_as_the_run_writes_them": {In: "execution.txtar", Prepare: prepare(Remove(dir+"events"), log("o", `{"timestamp":"2026-11-10T12:00:00Z","actor":"o","type":"task_started","task_id":"T001"}`+"\n")), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + own + `","now":"{\"type\":\"task_completed\",\"event_id\":\"git-resume-20261114T120000.000000-task_completed-T001\",\"task_id\":\"T001\",\"run_id\":\"20261110-0900-user-auth-a1b2\",\"timestamp\":\"2026-11-14T12:00:00Z\",\"actor\":\"git-resume\",\"reason\":\"a person skipped the task\",\"skipped\":true}\n"}]}`,
			Mutate: log("o", `{"timestamp":"2026-11-10T12:00:00Z","actor":"o","type":"task_started","task_id":"T001","details":{"x":1}}`+"\n"),
			Then:   `{"changes":[{"path":"` + own + `","now":"{\"type\":\"task_completed\",\"event_id\":\"git-resume-20261114T120000.000000-task_completed-T001\",\"task_id\":\"T001\",\"run_id\":\"20261110-0900-user-auth-a1b2\",\"timestamp\":\"2026-11-14T12:00:00Z\",\"actor\":\"git-resume\",\"details\":{\"reason\":\"a person skipped the task\",\"skipped\":true}}\n"}]}`},
		"67_a_restart_says_what_it_does": {In: "execution.txtar",
			Want:   `[{"alternatives":[{"name":"continue"},{"name":"restart-unit","text":"start T002 - write the handler again: record a new attempt; files that it changed stay as they are"},"…"]}]`,
			Mutate: log("w", line("task_completed", "T002", "12:30:00Z")), Then: `[{"alternatives":[{"name":"continue"},{"name":"skip-unit"},"…"]}]`},
		"68_the_last_completed_task_is_named": {In: "execution.txtar",
			Want:   `[{"headline":"run 20261110-0900-user-auth-a1b2, phase 2, 1/4 tasks complete, last T001 - add the table; next: execute T002 - write the handler"}]`,
			Mutate: Remove(dir + "events"), Then: `[{"headline":"run 20261110-0900-user-auth-a1b2, phase 2, 0/4 tasks complete; next: execute T001 - add the table"}]`},
		"69_a_completed_task_that_is_blocked_is_told": {In: "execution.txtar", Prepare: prepare(log("w", line("task_blocked", "T001", "12:30:00Z"))),
			Want: `[{"protocol":{"tasks":{"T001":"blocked"}},"doubts":[{"code":"started-again","severity":"warning",
				"text":"` + dir + `events/w/20261110-1200.jsonl:1 has the event task_blocked of T001, although orchestrator had completed T001: the later event counts"}]}]`,
			Mutate: Remove(dir + "events/w"), Then: `[{"doubts":[]}]`},
		"70_the_cause_of_a_failure_is_told": {In: "execution.txtar", Prepare: prepare(log("w", `{"type":"task_failed","task_id":"T002","timestamp":"2026-11-10T12:00:00Z","error":"tests red"}`+"\n")),
			Want:   `[{"point":{"task":"T002","reason":"it failed (tests red), and its dependencies are done"},"tasks":[{},{"note":"failed (tests red)"},"…"]}]`,
			Mutate: log("w", line("task_failed", "T002", "12:00:00Z")), Then: `[{"point":{"task":"T002","reason":"it failed, and its dependencies are done"}}]`},
		"71_the_marks_of_a_merge_are_called_so": {In: "execution.txtar", Prepare: prepare(log("w", "<<<<<<< HEAD\n"+line("task_started", "T004", "12:00:00Z")+"=======\n>>>>>>> feat\n")),
			Want:   `[{"doubts":[{"text":"` + dir + `events/w/20261110-1200.jsonl:1 is a conflict marker of an unfinished merge, and was left out"},{},{}]}]`,
			Mutate: log("w", line("task_started", "T004", "12:00:00Z")), Then: `[{"doubts":[]}]`},
		"81_a_line_that_is_no_event_is_called_so": {In: "execution.txtar", Prepare: prepare(log("w", "{\"a\":}\n"+line("task_started", "T004", "12:00:00Z"))),
			Want:   `[{"doubts":[{"text":"` + dir + `events/w/20261110-1200.jsonl:1 is not an event (not valid JSON: a value is missing), and was left out"}]}]`,
			Mutate: log("w", line("task_started", "T004", "12:00:00Z")), Then: `[{"doubts":[]}]`},
		"82_the_last_completed_task_is_one_of_those_counted": {In: "execution.txtar", Prepare: prepare(log("w", line("task_completed", "T099", "12:00:00Z"))),
			Want:   `[{"protocol":{"Tasks":"1/4 complete","Last completed":"T001 - add the table"},"headline":"run 20261110-0900-user-auth-a1b2, phase 2, 1/4 tasks complete, last T001 - add the table; next: execute T002 - write the handler"}]`,
			Mutate: log("w", line("task_completed", "T002", "12:00:00Z")), Then: `[{"protocol":{"Tasks":"2/4 complete","Last completed":"T002 - write the handler"}}]`},
		"83_an_answer_does_not_call_its_task_interrupted": {In: "execution.txtar", Prepare: prepare(log("w", line("task_blocked", "T002", "12:00:00Z")), func(r *gittest.Repo) { Do(r, New(), sources.ActionRequest{Name: sources.Answer, Text: "yes"}) }),
			Want:   `[{"tasks":[{"note":null},{"id":"T002","state":"active","note":"its question was answered, but nobody has worked on it since"},"…"]}]`,
			Mutate: log("x", `{"event_type":"task_started","task_id":"T002","timestamp":"2026-11-14T13:00:00Z"}`+"\n"), Then: `[{"tasks":[{},{"id":"T002","state":"active","note":null},"…"]}]`},
		"83_an_answer_says_that_it_starts_the_task": {In: "execution.txtar", Prepare: prepare(log("w", `{"event_type":"task_blocked","task_id":"T002","timestamp":"2026-11-10T12:00:00Z","details":{"reason":"JSON or YAML?"}}`+"\n")),
			Want:   `[{"alternatives":[{"name":"continue"},{"name":"answer","text":"give T002 the answer that it waits for, and record T002 as started again"},"…"]}]`,
			Mutate: Remove(dir + "events/w"), Then: `[{"alternatives":[{"name":"continue"},{"name":"restart-unit"},"…"]}]`},
		"84_what_a_step_makes_is_not_called_needed": {In: "execution.txtar", Prepare: prepare(Remove(dir + "plan.md")),
			Want:   `[{"needs":[{"for":"plan","missing":true,"made":true}]}]`,
			Mutate: Add(dir+"plan.md", "# again\n"), Then: `[{"needs":null}]`},
		"85_what_is_said_to_the_orchestrator_is_no_command": {In: "execution.txtar", Want: `[{"command":"tell the orchestrator: resume run 20261110-0900-user-auth-a1b2","again":"tell the orchestrator: start a new run"}]`,
			Mutate: func(r *gittest.Repo) {
				if err := os.Rename(filepath.Join(r.Dir, dir), filepath.Join(r.Dir, ".agent-memory/runs/other")); err != nil {
					r.T.Fatal(err)
				}
			}, Then: `[{"command":"tell the orchestrator: resume run other"}]`},
		"44_an_empty_run_has_not_started": {Prepare: func(r *gittest.Repo) {
			if err := os.MkdirAll(filepath.Join(r.Dir, dir), 0o755); err != nil {
				r.T.Fatal(err)
			}
		}, Want: `[{"state":"not started","protocol":{"Phase":0,"Next Action":"continue the PRD"}}]`,
			Mutate: Add(dir+"prd.md", "# x"), Then: `[{"state":"interrupted","protocol":{"Phase":1}}]`},
		"30_without_a_graph_the_total_is_unknown": {In: "execution.txtar", Prepare: prepare(Remove(graphAt)),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"task-graph","reason":"task-graph.json is missing"},"stands":"phase 2, T002","protocol":{"Phase":1,"Tasks":"1/? complete"},
				"headline":"run 20261110-0900-user-auth-a1b2, back to phase 1, 1 task complete; the total is not known, last T001; next: break the plan into tasks"}]`,
			Mutate: Add(graphAt, `{"tasks":[{"id":"T001"},{"id":"T002"}]}`), Then: `[{"rebuilt":null,"protocol":{"Tasks":"1/2 complete"}}]`},
		"33_an_unreadable_log_is_continued_with_care": {In: "execution.txtar", Prepare: prepare(Remove(executor), Add(orch, "\x00\x00\x00\x00")),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"T001"},"protocol":{"Tasks":"?/4 complete"},
				"headline":"run 20261110-0900-user-auth-a1b2, phase 2, it is not known how many tasks are complete; next: execute T001 - add the table",
				"doubts":[{"code":"state-damaged","path":"` + orch + `:1"},{"code":"state-rebuilt","text":"` + dir[:len(dir)-1] + ` has no event that can be read: it is not known what was done"}],
				"alternatives":[{"name":"continue","text":"execute T001 - add the table; first check whether it was already done"},{"name":"review"},{"name":"skip-unit"},{"name":"start-fresh"}]}]`,
			Mutate: Add(orch, line("task_completed", "T001", "12:00:00Z")), Then: `[{"rebuilt":null,"point":{"task":"T002"},"doubts":[]}]`},
		"40_an_answer_lets_a_failed_task_be_tried_again": {In: "execution.txtar", Prepare: prepare(log("v", thrice), Add(own, line("escalation-resolved", "T002", "13:00:00Z"))),
			Want:   `[{"state":"interrupted","questions":[],"point":{"task":"T002","reason":"it failed, and its dependencies are done"}}]`,
			Mutate: Both(Remove(own), log("w", line("task_completed", "T004", "12:30:00Z"))),
			Then: `[{"state":"waiting","point":{"task":"T002"},"questions":[{"text":"T002 - write the handler failed 3 times: what should the next try do differently?"}],
				"alternatives":[{"name":"answer","text":"say what to do differently, and T002 is tried again"},{"name":"restart-unit"},{"name":"skip-unit"},{"name":"review"},{"name":"start-fresh"}]}]`},
		"45_a_done_task_is_the_approval": {In: "execution.txtar", Prepare: prepare(Remove(dir + "constitution.md")),
			Want: `[{"state":"interrupted","point":{"task":"constitution"},"doubts":[{"code":"file-missing","severity":"warning",
				"text":"` + dir + `constitution.md is missing; the step that creates the missing document must be repeated"}]}]`,
			Mutate: Add(dir+"constitution.md", "x"), Then: `[{"point":{"task":"T002"},"doubts":[]}]`},
		"46_every_lost_document_is_told": {In: "execution.txtar", Prepare: prepare(Remove(dir+"constitution.md"), Remove(dir+"prd.md"), Remove(dir+"plan.md")),
			Want: `[{"point":{"task":"prd","reason":"prd.md is missing"},"protocol":{"Phase":0},
				"doubts":[{"code":"file-missing","path":"` + dir + `constitution.md"},{"code":"file-missing","path":"` + dir + `plan.md"},{"code":"file-missing","path":"` + dir + `prd.md"}]}]`,
			Mutate: Both(Remove(dir+"events"), Remove(graphAt)), Then: `[{"state":"not started","doubts":[]}]`},
		"47_a_skip_says_how_it_is_recorded": {In: "execution.txtar",
			Want:   `[{"alternatives":[{"name":"continue"},{"name":"restart-unit"},{"name":"skip-unit","text":"leave T002 - write the handler out: record it as completed, with the remark that it was skipped, so that no task waits for it"},"…"]}]`,
			Mutate: log("w", line("task_completed", "T002", "12:30:00Z")), Then: `[{"point":{"task":"T003"}}]`},
		"49_a_restart_is_an_event_that_the_protocol_knows": {In: "execution.txtar", Act: &sources.ActionRequest{Name: sources.RestartUnit},
			Want:   `{"changes":[{"path":"` + own + `","now":"{\"event_type\":\"task_started\",\"event_id\":\"git-resume-20261114T120000.000000-task_started-T002\",\"task_id\":\"T002\",\"run_id\":\"20261110-0900-user-auth-a1b2\",\"timestamp\":\"2026-11-14T12:00:00Z\",\"actor\":\"git-resume\",\"details\":{\"reason\":\"a person gave it another try\"}}\n"}]}`,
			Mutate: log("w", line("task_completed", "T002", "12:30:00Z")), Then: `{"error":"'restart-unit' does not apply to agent-memory:20261110-0900-user-auth-a1b2"}`},
		"51_a_completed_task_that_is_started_again_is_told": {In: "execution.txtar", Prepare: prepare(log("w", line("task_started", "T001", "12:30:00Z"))),
			Want:   `[{"point":{"task":"T001"},"doubts":[{"code":"started-again","severity":"warning","path":"` + dir + `events/w/20261110-1200.jsonl:1"}]}]`,
			Mutate: Remove(dir + "events/w"), Then: `[{"point":{"task":"T002"},"doubts":[]}]`},
		"53_a_run_without_tasks_counts_none": {In: "intake.txtar",
			Want:   `[{"headline":"run 20261110-0900-user-auth-a1b2, phase 0, no tasks yet; next: continue the PRD"}]`,
			Mutate: Both(Add(dir+"prd.md", "x"), Add(graphAt, `{"tasks":[{"id":"T001"}]}`)), Then: `[{"headline":"run 20261110-0900-user-auth-a1b2, phase 1, 0/1 tasks complete; next: continue the plan"}]`},
	})
}

// After an answer, a reader that knows only the five task states of the protocol must see that the task can be worked on again.
func TestAct_anAnswerStartsTheTaskAgain(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	log("executor", line("task_blocked", "T002", "12:00:00Z"))(r)
	act(r, sources.ActionRequest{Name: sources.Answer, Task: "T002", Text: "key 7"})
	data, err := os.ReadFile(filepath.Join(r.Dir, dir, "events/git-resume/20261114-120000.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"event_type":"escalation_resolved"`) || !strings.Contains(lines[0], `"resolution":"key 7"`) ||
		!strings.Contains(lines[1], `"event_type":"task_started"`) || !strings.Contains(lines[1], `"task_id":"T002"`) {
		t.Errorf("the answer is %s", data)
	}
	// Only later versions of the system know escalation_resolved. Without this event, the work must still continue at
	// the task.
	if err := os.WriteFile(filepath.Join(r.Dir, dir, "events/git-resume/20261114-120000.jsonl"), []byte(lines[1]+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := find(r); f.Point.Task != "T002" || len(f.Questions) != 0 {
		t.Errorf("it continues at %v and asks %v", f.Point, f.Questions)
	}
}

// The commit that names a finished task is found, so that a review can list it.
func TestFind_knowsTheCommitsOfTasksThatAreDone(t *testing.T) {
	t.Parallel()
	r := place(t, "done.txtar")
	r.Git("commit", "-q", "--allow-empty", "-m", "[T001] add the table")
	f := find(r)
	if f.State != sources.Interrupted || string(f.Tasks[0].Commit) != r.Git("rev-parse", "HEAD") || len(f.Doubts) != 0 {
		t.Errorf("%s, %+v, %v", f.State, f.Tasks[0], f.Doubts)
	}
}

func TestFind_looksWhereTheSettingPoints(t *testing.T) {
	t.Parallel()
	r := place(t, "intake.txtar")
	if err := os.MkdirAll(filepath.Join(r.Dir, "p/a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.Dir, ".agent-memory"), filepath.Join(r.Dir, "p/a/.agent-memory")); err != nil {
		t.Fatal(err)
	}
	if found := Find(r, New()); len(found) != 0 {
		t.Errorf("without the setting: %v", found)
	}
	for _, setting := range []string{"p/a", "p/a/.agent-memory/", `p\a`} {
		r.Git("config", "resume.agent-memory.path", setting)
		if found := Find(r, New()); len(found) != 1 || found[0].Root != "p/a/"+dir[:len(dir)-1] || found[0].ID != "20261110-0900-user-auth-a1b2" {
			t.Errorf("%s: found %v", setting, found)
		}
	}
}
