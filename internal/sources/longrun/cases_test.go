package longrun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	at      = "agent-os/specs/photo-album/.long-run/"
	state   = at + "STATE.md"
	marker  = at + "current-agent-id.txt"
	history = at + "agent-history.json"
	check   = at + "plans/02-CHECKPOINT.json"
	asked   = at + "clarifications.md"
	sum1    = at + "summaries/01-SUMMARY.md"
	sum2    = at + "summaries/02-SUMMARY.md"
	plan2   = at + "plans/02-PLAN.md"
	plan3   = at + "plans/03-PLAN.md"
)

var (
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	add     = sourcetest.Add
	both    = sourcetest.Both
)

// protocol returns the expected JSON for a search that finds one run with these protocol fields.
func protocol(fields string) string { return `[{"protocol":{` + fields + `}}]` }

func withSummary(id, status string) string {
	return fmt.Sprintf("---\nplan: %q\nstatus: %s\ncompleted_at: 2026-01-15T12:00:00Z\n---\n", id, status)
}

// checkpointOf returns a checkpoint that gives the number of finished tasks, but no commits.
func checkpointOf(id string, done, total int) string {
	return fmt.Sprintf(`{"plan":%q,"last_completed_task":%d,"total_tasks":%d,"task_commits":{},"updated_at":"2026-01-15T10:45:00Z"}`, id, done, total)
}

func plan(id string, needs ...string) string {
	return fmt.Sprintf("---\nplan: %q\ntask_group: group %s\ndepends_on: [%s]\n---\n<task type=\"auto\">\n<name>Task 1: x</name>\n", id, id, strings.Join(needs, ", "))
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, New(), append(append(append(steps(), options()...), family()...), realFiles()...), map[string]string{
		"S0-75": "the choice is made before that program begins and none of its files records it; what is uncommitted when we continue is kept in a snapshot, shown by the engine's tests",
	})
}

// steps holds the test cases for the five steps of long-run's resume protocol.
func steps() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "S0-1", In: "run.txtar",
			Want:   `[{"source":"long-run","id":"photo-album","root":"agent-os/specs/photo-album/.long-run","same":["spec:agent-os/specs/photo-album"],"needs":[{"path":"agent-os/specs/photo-album/.long-run/plans/02-PLAN.md","critical":true},{"path":"agent-os/specs/photo-album/tasks.md"}]}]`,
			Mutate: remove(at), Then: `[]`},
		{IDs: "S0-2 S0-45 S0-46", In: "run.txtar agent.txtar", Want: protocol(`"interrupted":true,"type":"active_agent"`),
			Mutate: remove(marker), Then: protocol(`"interrupted":true,"type":"between_plans"`)},
		{IDs: "S0-3 S0-47", In: "run.txtar agent.txtar", Want: protocol(`"agent_id":"a1b2c3d"`),
			Mutate: both(replace(marker, "a1b2c3d\n", "  wave1-plan01\n\n")), Then: protocol(`"agent_id":"wave1-plan01"`)},
		{IDs: "S0-4 S0-48", In: "run.txtar agent.txtar", Want: protocol(`"plan":"02","status":"spawned","timestamp":"2026-01-15T10:20:00Z"`),
			Mutate: replace(history, `"plan": "02", "timestamp": "2026-01-15T10:20:00Z", "status": "spawned"`, `"plan": "03", "timestamp": "2026-01-15T10:21:00Z", "status": "interrupted"`),
			Then:   protocol(`"plan":"03","status":"interrupted","timestamp":"2026-01-15T10:21:00Z"`)},
		{IDs: "S0-5", In: "run.txtar partial.txtar question.txtar agent.txtar", Want: protocol(`"type":"active_agent","also":[{"type":"partial_plan"},{"type":"pending_clarification"}]`),
			Mutate: remove(marker), Then: protocol(`"type":"partial_plan","also":[{"type":"pending_clarification"}]`)},

		{IDs: "S0-6", In: "run.txtar", Prepare: add(at+"plans/03-CHECKPOINT.json", checkpointOf("03", 0, 1)), Want: protocol(`"type":"partial_plan","plan":"03"`),
			Mutate: add(check, checkpointOf("02", 1, 4)), Then: protocol(`"type":"partial_plan","plan":"02"`)},
		{IDs: "S0-7", In: "run.txtar partial.txtar", Want: protocol(`"type":"partial_plan"`),
			Mutate: both(add(at+"plans/02-CHECKPOINT.bak", checkpointOf("02", 2, 4)), remove(check)), Then: protocol(`"type":"between_plans"`)},
		{IDs: "S0-8 S0-13", In: "run.txtar partial.txtar", Want: protocol(`"type":"partial_plan"`),
			Mutate: replace(check, `"last_completed_task": 2`, `"last_completed_task": 4`), Then: protocol(`"type":"between_plans"`)},
		{IDs: "S0-9", In: "run.txtar partial.txtar", Want: protocol(`"plan":"02"`), Mutate: replace(check, `"plan": "02"`, `"plan": "02b"`), Then: protocol(`"plan":"02b"`)},
		{IDs: "S0-10 S0-49", In: "run.txtar partial.txtar", Want: protocol(`"completed_tasks":2`), Mutate: replace(check, `"last_completed_task": 2`, `"last_completed_task": 3`), Then: protocol(`"completed_tasks":3`)},
		{IDs: "S0-11 S0-50", In: "run.txtar partial.txtar", Want: protocol(`"total_tasks":4`), Mutate: replace(check, `"total_tasks": 4`, `"total_tasks": 9`), Then: protocol(`"total_tasks":9`)},
		{IDs: "S0-12 S0-51", In: "run.txtar partial.txtar", Want: protocol(`"last_commit":"2222222bbbb"`), Mutate: replace(check, `"last_completed_task": 2`, `"last_completed_task": 1`), Then: protocol(`"last_commit":"1111111aaaa"`)},
		{IDs: "S0-14", In: "run.txtar", Prepare: add(check, checkpointOf("02", 0, 4)),
			Want:   `[{"protocol":{"type":"partial_plan","completed_tasks":0,"last_commit":null},"headline":"plan 02 was interrupted after task 0 of 4; no task finished","point":{"task":"02","reason":"plan 02 was started, but none of its 4 tasks was finished"}}]`,
			Mutate: add(check, `{"plan":"02","last_completed_task":1,"total_tasks":4,"task_commits":{"1":"abcdef0"}}`), Then: protocol(`"completed_tasks":1,"last_commit":"abcdef0"`)},
		{IDs: "S0-15", In: "run.txtar", Prepare: both(add(check, checkpointOf("02", 1, 4)), add(at+"plans/10-CHECKPOINT.json", checkpointOf("10", 1, 2))),
			Want:   `[{"protocol":{"plan":"02"},"point":{"task":"02"},"doubts":[{"code":"more-partial-plans","severity":"warning","text":"plan 10 was also interrupted; continue with plan 02 first"}]}]`,
			Mutate: remove(check), Then: `[{"protocol":{"plan":"10"},"point":{"task":"10"},"doubts":[{"code":"status-disagrees"},"…"]}]`},

		{IDs: "S0-16", In: "run.txtar", Want: protocol(`"interrupted":true,"type":"between_plans"`),
			Mutate: replace(state, "Status: Executing", "Status: Complete"), Then: `[{"state":"review","protocol":{"interrupted":false},"doubts":[{"code":"status-word","text":"STATE.md says Complete, but 1 of 3 plans are done"}]}]`},
		{IDs: "S0-17 S0-20 S0-52", In: "run.txtar", Want: protocol(`"resume_from":2`), Mutate: replace(state, "Plan: 2 of 3", "Plan: 3 of 3"), Then: protocol(`"resume_from":3`)},
		{IDs: "S0-18 S0-21", In: "run.txtar", Want: protocol(`"last_completed":1`), Mutate: remove(sum1), Then: protocol(`"last_completed":0`)},
		{IDs: "S0-19", In: "run.txtar", Want: protocol(`"type":"between_plans"`), Mutate: both(add(sum2, withSummary("02", "completed")), add(at+"summaries/03-SUMMARY.md", withSummary("03", "completed"))),
			Then: `[{"state":"complete","protocol":{"interrupted":false}}]`},
		{IDs: "S0-22", In: "run.txtar question.txtar", Want: protocol(`"type":"pending_clarification"`), Mutate: replace(state, "Plan: 1 of 3", "Plan: 2 of 3"), Then: protocol(`"type":"between_plans"`)},

		{IDs: "S0-23", In: "run.txtar question.txtar", Want: protocol(`"interrupted":true,"type":"pending_clarification"`),
			Mutate: replace(asked, "**Status:** pending\n", "**Status:** answered\n"), Then: protocol(`"type":"between_plans","resume_from":2`)},
		{IDs: "S0-24", In: "run.txtar question.txtar", Want: protocol(`"task_group":"2"`), Mutate: replace(asked, "## Task Group 2:", "## Task Group 7:"), Then: protocol(`"task_group":"7"`)},
		{IDs: "S0-25 S0-53", In: "run.txtar question.txtar", Want: protocol(`"question":"Which paging does the API have?\n- by page\n- by cursor"`),
			Mutate: replace(asked, "- by page\n- by cursor\n**Status:** pending", "**Status:** answered"), Then: protocol(`"question":"Which look?","task_group":"3"`)},
		{IDs: "S0-26 S0-27", In: "run.txtar done.txtar question.txtar",
			Prepare: both(replace(asked, "**Status:** pending\n", "**Status:** answered\n"), replace(state, "Status: Stopped", "Status: Complete")),
			Want:    `[{"state":"complete","protocol":{"interrupted":false,"type":null}}]`,
			Mutate:  replace(asked, "**Question:** Which look?\n**Status:** answered", "**Question:** Which look?\n**Status:** pending"), Then: protocol(`"interrupted":true,"type":"pending_clarification"`)},
		{IDs: "S0-28 S0-29", In: "run.txtar done.txtar", Want: protocol(`"interrupted":false,"completed_plans":3,"total_plans":3`),
			Mutate: both(remove(sum2), add(at+"plans/04-PLAN.md", plan("04")), add(at+"summaries/04-SUMMARY.md", withSummary("04", "completed")), add(at+"summaries/05-SUMMARY.md", withSummary("05", "completed"))),
			Then:   protocol(`"completed_plans":4,"total_plans":4`)},
		{IDs: "S0-54", In: "run.txtar agent.txtar partial.txtar question.txtar", Prepare: replace(state, "Plan: 1 of 3", "Plan: 2 of 3"),
			Want: protocol(`"status":"spawned","timestamp":"2026-01-15T10:20:00Z","completed_plans":1,"total_plans":3,
				"also":[{"type":"partial_plan","last_commit":"2222222bbbb"},{"type":"between_plans","last_completed":1},{"type":"pending_clarification","task_group":"2"}]`),
			Mutate: remove(sum1), Then: protocol(`"completed_plans":0,"also":[{},{"last_completed":0},{}]`)},
	}
}

// options holds the test cases for the three prompts of long-run's resume protocol, and for a fourth prompt that it does not define.
func options() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "S0-30", In: "run.txtar agent.txtar", Want: `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z"}]`,
			Mutate: replace(history, "2026-01-15T10:20:00Z", "2026-01-16T10:20:00Z"), Then: `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-16T10:20:00Z"}]`},
		{IDs: "S0-31..34", In: "run.txtar agent.txtar partial.txtar",
			Want: `[{"alternatives":[{"name":"resume-agent","text":"resume agent a1b2c3d yourself, if its own tool can do that"},
				{"name":"respawn","text":"let a new agent continue plan 02 (checkpoint: 2/4 tasks done)"},
				{"name":"skip-unit","text":"skip plan 02; plan 03 needs it, and will be blocked"},
				{"name":"start-fresh","text":"start fresh: move all state to .long-run-archive-<time>"}],"rest":["task 4 of plan 02: write tests"]}]`,
			Mutate: remove(marker), Then: `[{"alternatives":[{"name":"continue"},{"name":"restart-unit"},{"name":"skip-unit"},{"name":"start-fresh"}]}]`},
		{IDs: "S0-31", In: "run.txtar agent.txtar", Act: &sources.ActionRequest{Name: sources.ResumeAgent},
			Want:   `{"changes":[{"path":"` + history + `","now":` + quoted(historyAfter) + `}]}`,
			Mutate: replace(history, `"status": "spawned"`, `"status": "interrupted"`), Then: `{"changes":[]}`},
		{IDs: "S0-32", In: "run.txtar agent.txtar", Act: &sources.ActionRequest{Name: sources.Respawn},
			Want:   `{"changes":[{"path":"` + history + `"},{"path":"` + marker + `","gone":true}]}`,
			Mutate: replace(history, `"a1b2c3d"`, `"other"`), Then: `{"changes":[{"path":"` + marker + `","gone":true}]}`},
		{IDs: "S0-33 S0-38", In: "run.txtar partial.txtar", Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + sum2 + `","now":"---\nversion: \"1.0\"\nplan: \"02\"\ntask_group: \"api\"\nstatus: skipped\nreason: skipped-by-user\ncompleted_at: 2026-11-14T12:00:00Z\n---\n\n# Plan 02: skipped\n\n2 of 4 tasks were done before; their commits stay.\n"},{"path":"` + check + `","gone":true},{"path":"` + state + `"}]}`,
			Mutate: add(marker, "x"), Then: `{"changes":[{"path":"` + marker + `","gone":true},{"path":"` + sum2 + `"},{"path":"` + check + `","gone":true},{"path":"` + state + `"}]}`},
		{IDs: "S0-66", In: "run.txtar", Prepare: add(sum2, "---\nplan: \"02\"\nstatus: skipped\nreason: skipped-by-user\n---\n"), Act: &sources.ActionRequest{Name: sources.RestartUnit},
			Want:   `{"changes":[{"path":"` + sum2 + `","gone":true}]}`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `{"changes":[]}`},
		{IDs: "S0-34 S0-39 S0-76", In: "run.txtar partial.txtar", Act: &sources.ActionRequest{Name: sources.StartFresh},
			Want:   `{"changes":[{"path":"agent-os/specs/photo-album/.long-run","to":"agent-os/specs/photo-album/.long-run-archive-20261114T120000Z","now":null,"gone":null}]}`,
			Mutate: both(add(".long-run/STATE.md", "Plan: 1 of 1\nStatus: Executing\n"), remove(at)), Then: `{"changes":[{"path":".long-run","to":".long-run-archive-20261114T120000Z"}]}`},
		{IDs: "S0-35", In: "run.txtar partial.txtar", Want: `[{"headline":"plan 02 was interrupted after task 2 of 4; commits made: 1111111, 2222222"}]`,
			Mutate: replace(check, `"last_completed_task": 2`, `"last_completed_task": 1`), Then: `[{"headline":"plan 02 was interrupted after task 1 of 4; commits made: 1111111"}]`},
		{IDs: "S0-36..39", In: "run.txtar partial.txtar",
			Want: `[{"alternatives":[{"name":"continue","text":"resume plan 02 from task 3"},{"name":"restart-unit","text":"restart plan 02 from its beginning; its commits stay"},
				{"name":"skip-unit","text":"skip plan 02; plan 03 needs it, and will be blocked"},{"name":"start-fresh"}],"point":{"task":"02","title":"task 3 of 4, add paging","reason":"2 of 4 tasks of plan 02 are done; task 3 is next"}}]`,
			Mutate: replace(check, `"last_completed_task": 2`, `"last_completed_task": 3`), Then: `[{"alternatives":[{"name":"continue","text":"resume plan 02 from task 4"},"…"],"point":{"title":"task 4 of 4, write tests"}}]`},
		{IDs: "S0-37", In: "run.txtar partial.txtar", Act: &sources.ActionRequest{Name: sources.RestartUnit}, Want: `{"changes":[{"path":"` + check + `","gone":true}]}`,
			Mutate: add(sum2, withSummary("02", "partial")), Then: `{"changes":[{"path":"` + check + `","gone":true},{"path":"` + sum2 + `","gone":true}]}`},
		{IDs: "S0-40", In: "run.txtar question.txtar",
			Want:   `[{"state":"waiting","headline":"paused, waiting for clarification on task group 2: Which paging does the API have? - by page - by cursor","questions":[{"task":"2","text":"Which paging does the API have?\n- by page\n- by cursor"},{"task":"3"}]}]`,
			Mutate: replace(asked, "Which paging does the API have?", "Which format?"), Then: `[{"headline":"paused, waiting for clarification on task group 2: Which format? - by page - by cursor"}]`},
		{IDs: "S0-41..43", In: "run.txtar question.txtar", Want: `[{"alternatives":[{"name":"answer","text":"answer now"},{"name":"skip-unit","text":"skip task group 2"},{"name":"start-fresh"}]}]`,
			Mutate: remove(asked), Then: `[{"state":"paused","cause":"Awaiting clarification for Task Group 2","alternatives":[{"name":"continue"},{"name":"skip-unit"},{"name":"start-fresh"}]}]`},
		{IDs: "S0-41", In: "run.txtar question.txtar", Act: &sources.ActionRequest{Name: sources.Answer, Text: "by\ncursor"},
			Want:   `{"changes":[{"path":"` + asked + `","now":` + quoted(answered) + `}]}`,
			Mutate: replace(asked, "**Status:** pending\n", "**Status:** answered\n"), Then: `{"error":"'answer' does not apply to long-run:photo-album"}`},
		{IDs: "S0-42", In: "run.txtar question.txtar", Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + asked + `"},{"path":"` + sum2 + `","now":"---\nversion: \"1.0\"\nplan: \"02\"\ntask_group: \"api\"\nstatus: skipped\nreason: needs-clarification\ncompleted_at: 2026-11-14T12:00:00Z\n---\n\n# Plan 02: skipped\n"},{"path":"` + state + `"}]}`,
			Mutate: remove(at + "plans"), Then: `{"changes":[{"path":"` + asked + `"}]}`},
		// the state file stays at the plan that is not done if the question was about a later one
		{IDs: "S0-42", In: "run.txtar question.txtar", Prepare: both(replace(state, "Plan: 1 of 3", "Plan: 2 of 4"), add(at+"plans/04-PLAN.md", plan("04")),
			add(asked, "## Task Group 3: pages\n**Question:** Which look?\n**Status:** pending\n")), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + asked + `"},{"path":"` + at + `summaries/03-SUMMARY.md"}]}`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `{"changes":[{"path":"` + asked + `"},{"path":"` + at + `summaries/03-SUMMARY.md"},{"path":"` + state + `"}]}`},
		{IDs: "S0-33", In: "run.txtar agent.txtar", Prepare: both(add(plan3, plan("03")), both(add(at+"plans/04-PLAN.md", plan("04")), replace(history, `"plan": "02", "timestamp"`, `"plan": "03", "timestamp"`))), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + history + `"},{"path":"` + marker + `","gone":true},{"path":"` + at + `summaries/03-SUMMARY.md"}]}`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `{"changes":[{"path":"` + history + `"},{"path":"` + marker + `","gone":true},{"path":"` + at + `summaries/03-SUMMARY.md"},{"path":"` + state + `"}]}`},
		{IDs: "S0-33", In: "run.txtar agent.txtar", Prepare: both(add(plan3, plan("03")), both(add(at+"plans/04-PLAN.md", plan("04")), replace(history, `"plan": "02", "timestamp"`, `"plan": "03", "timestamp"`))),
			Want:   `[{"alternatives":[{},{},{"name":"skip-unit","text":"skip plan 03 and continue with plan 02"},{}]}]`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `[{"alternatives":[{},{},{"name":"skip-unit","text":"skip plan 03 and continue with plan 04"},{}]}]`},
		{IDs: "S0-44", In: "run.txtar", Prepare: both(remove(at+"plans"), remove(at+"summaries")), Want: `[{"point":{"task":"2","reason":"STATE.md names this plan, but there are no plan files yet"}}]`,
			Mutate: replace(state, "Plan: 2 of 3", "Plan: soon"), Then: `[{"point":{"reason":"no plan file exists yet"}}]`},
		{IDs: "S0-44", In: "run.txtar", Want: `[{"headline":"stopped before plan 2; the last plan with a summary is plan 1","alternatives":[{"name":"continue","text":"continue with plan 02"},{"name":"skip-unit","text":"skip plan 02; plan 03 needs it, and will be blocked"},{"name":"start-fresh"}]}]`,
			Mutate: add(check, checkpointOf("02", 1, 4)), Then: `[{"alternatives":[{"name":"continue"},{"name":"restart-unit"},{"name":"skip-unit"},{"name":"start-fresh"}]}]`},
	}
}

// historyAfter is the agent history from agent.txtar with one change: the status of the agent is "interrupted".
const historyAfter = `{
  "version": "1.0",
  "max_entries": 50,
  "entries": [
    {"agent_id": "f00dbad", "task_description": "Execute plan 01", "plan": "01", "timestamp": "2026-01-15T10:01:00Z", "status": "completed", "completion_timestamp": "2026-01-15T10:10:00Z"},
    {"agent_id": "a1b2c3d", "task_description": "Execute plan 02", "plan": "02", "timestamp": "2026-01-15T10:20:00Z", "status": "interrupted", "completion_timestamp": null}
  ]
}
`

// answered is clarifications.md from question.txtar with one change: the first pending question has an answer.
const answered = "# Clarifications Log\n\n## Template Entry\n\n```\n## Task Group [N]: [Name]\n**Asked:** [time]\n**Question:** [what is needed]\n" +
	"**Status:** pending | answered\n**Response:** [empty if pending]\n```\n\n" +
	"## Task Group 1: database\n**Asked:** 2026-01-15T10:00:00Z\n**Question:** Which database?\n**Status:** answered\n**Response:** sqlite\n\n" +
	"## Task Group 2: api\n**Asked:** 2026-01-15T10:30:00Z\n**Question:** Which paging does the API have?\n- by page\n- by cursor\n**Status:** answered\n**Response:** by cursor\n\n" +
	"## Task Group 3: pages\n**Asked:** 2026-01-15T10:31:00Z\n**Question:** Which look?\n**Status:** pending\n**Response:**\n"

func quoted(text string) string { return fmt.Sprintf("%q", text) }
