package longrun

import (
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// realFiles holds the test cases that were added because of state files of real projects.
func realFiles() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "S0-78", In: "run.txtar agent.txtar", Prepare: add(sum2, withSummary("02", "completed")),
			Want:   `[{"protocol":{"type":"between_plans"},"point":{"task":"03"},"doubts":[{"code":"stale-marker","severity":"warning","text":"the marker of agent a1b2c3d is left over: plan 02 has a summary that says completed; long-run itself would conclude from this marker that an agent is working: before you use long-run, remove the marker (with the choice clean-up), or tell long-run to ignore it"},"…"],"alternatives":[{"name":"continue"},{"name":"skip-unit"},{"name":"start-fresh"},{"name":"clean-up"}]}]`,
			Mutate: remove(sum2), Then: protocol(`"type":"active_agent"`)},
		{IDs: "S0-78", In: "run.txtar done.txtar agent.txtar", Want: `[{"state":"complete","protocol":{"interrupted":false},"alternatives":[{"name":"clean-up"}]}]`,
			Mutate: remove(marker), Then: `[{"state":"complete","alternatives":null,"doubts":null}]`},
		{IDs: "S0-78", In: "run.txtar done.txtar agent.txtar", Act: &sources.ActionRequest{Name: sources.CleanUp}, Want: `{"changes":[{"path":"` + marker + `","gone":true}]}`,
			Mutate: remove(sum2), Then: `{"error":"'clean-up' does not apply to long-run:photo-album"}`},
		{IDs: "S0-79", In: "run.txtar agent.txtar", Prepare: add(history, `{"version":"1.0","entries":[]}`),
			Want:   `[{"state":"interrupted","protocol":{"type":"active_agent","agent_id":"a1b2c3d","plan":null},"doubts":[{"code":"agent-unknown"}]}]`,
			Mutate: remove(marker), Then: protocol(`"type":"between_plans"`)},
		{IDs: "S0-79", In: "run.txtar agent.txtar", Prepare: remove(history),
			Want:   `[{"protocol":{"type":"active_agent","agent_id":"a1b2c3d","plan":null},"headline":"an unknown plan was interrupted; agent a1b2c3d is marked as working, but agent-history.json is missing"}]`,
			Mutate: add(history, `{"agents":[{"agent_id":"a1b2c3d","plan":"02","timestamp":"x"}]}`), Then: protocol(`"plan":"02"`)},
		{IDs: "S0-80", In: "run.txtar agent.txtar", Prepare: add(marker, "e06180a4-325b-4c40-84c8-356c3ce8340d\n"), Want: protocol(`"agent_id":"e06180a4-325b-4c40-84c8-356c3ce8340d"`),
			Mutate: add(marker, "ab7f2dc9feaff0204"), Then: protocol(`"agent_id":"ab7f2dc9feaff0204"`)},
		{IDs: "S0-81", In: "run.txtar second.txtar", Prepare: add(marker, "0\n"), Want: protocol(`"agent_id":"0","plan":"02","status":"interrupted"`),
			Mutate: replace(history, `"plan": "02"`, `"phase": "02", "plan": "01"`), Then: protocol(`"plan":"01"`)},
		{IDs: "S0-81", In: "run.txtar agent.txtar", Prepare: agentIs("completed_with_issues"), Want: `[{"doubts":[{"code":"stale-marker"}]}]`,
			Mutate: agentIsFrom("completed_with_issues", "spawned"), Then: protocol(`"type":"active_agent"`)},
		{IDs: "S0-82", In: "run.txtar done.txtar agent.txtar", Prepare: remove(marker), Want: `[{"state":"complete","session":null,"protocol":{"interrupted":false}}]`,
			Mutate: remove(sum2), Then: `[{"session":"a1b2c3d"}]`},
		{IDs: "S0-83", In: "run.txtar done.txtar", Prepare: replace(state, "Status: Complete", "Status: **✅ Complete** — alles fertig"), Want: `[{"state":"complete","doubts":null}]`,
			Mutate: replace(state, "**✅ Complete** — alles fertig", "Phase complete"), Then: `[{"state":"complete","status":"Phase complete","doubts":[{"code":"status-disagrees","text":"STATE.md says Phase complete, but all 3 plans are done"}]}]`},
		{IDs: "S0-83", In: "run.txtar", Prepare: replace(state, "Status: Executing", "Status: Phase complete"), Want: protocol(`"interrupted":true,"type":"between_plans"`),
			Mutate: replace(state, "Phase complete", "Complete"), Then: protocol(`"interrupted":false`)},
		{IDs: "S0-84", In: "run.txtar", Prepare: add(sum2, withSummary("02", "completed")),
			Want:   `[{"point":{"task":"03"},"protocol":{"resume_from":3},"doubts":[{"code":"status-disagrees","severity":"warning","text":"STATE.md is at plan 2, but plan 02 already has a summary, so plan 03 is next; long-run's own check would find no interruption"}]}]`,
			Mutate: replace(state, "Plan: 2 of 3", "Plan: 3 of 3"), Then: `[{"point":{"task":"03"},"doubts":null}]`},
		{IDs: "S0-85", In: "run.txtar", Prepare: replace(state, "Plan: 2 of 3", "Plan: 2/3"), Want: protocol(`"resume_from":2,"last_completed":1`),
			Mutate: replace(state, "Plan: 2/3", "Plan: 3 of TBD"), Then: protocol(`"resume_from":3`)},
		{IDs: "S0-85", In: "run.txtar", Prepare: replace(state, "Plan: 2 of 3", "Plan: All plans complete"), Want: `[{"point":{"task":"02"},"protocol":{"resume_from":2}}]`,
			Mutate: replace(state, "Plan: All plans complete\n", "Plan: 3 of 3\n"), Then: protocol(`"resume_from":3`)},
		{IDs: "S0-86", In: "run.txtar", Prepare: both(replace(plan3, `depends_on: ["02"]`, "depends_on: []"), add(at+"summaries/03-SUMMARY.md", withSummary("03", "completed")), add(at+"plans/04-PLAN.md", plan("04")), replace(state, "Plan: 2 of 3", "Plan: 4 of 4")),
			Want:   `[{"point":{"task":"04"},"doubts":[{"code":"older-work-open","text":"plan 02 has no summary, but later plans are done: it was skipped"}]}]`,
			Mutate: replace(state, "Plan: 4 of 4", "Plan: 2 of 4"), Then: `[{"point":{"task":"02"}}]`},
		{IDs: "S0-86", In: "run.txtar", Prepare: add(at+"summaries/09-SUMMARY.md", withSummary("09", "completed")), Want: `[{"tasks":[{},{},{},{"id":"09","state":"done"}],"protocol":{"completed_plans":2,"total_plans":3}}]`,
			Mutate: remove(at + "summaries/09-SUMMARY.md"), Then: `[{"tasks":[{},{},{}]}]`},
		{IDs: "S0-87", In: "run.txtar", Prepare: both(remove(at+"plans"), remove(at+"summaries"), add(at+"plans/110.1-01-PLAN.md", plan("110.1-01")), add(at+"plans/42-01-FIX6-PLAN.md", plan("42-01-FIX6")), add(at+"plans/9-PLAN.md", plan("9")), add(at+"plans/001-PLAN.md", plan("001"))),
			Want:   `[{"tasks":[{"id":"001"},{"id":"9"},{"id":"42-01-FIX6"},{"id":"110.1-01"}]}]`,
			Mutate: add(at+"plans/42-01-FIX10-PLAN.md", plan("x")), Then: `[{"tasks":[{"id":"001"},{"id":"9"},{"id":"42-01-FIX6"},{"id":"42-01-FIX10"},{"id":"110.1-01"}]}]`},
		{IDs: "S0-88", In: "run.txtar question.txtar", Prepare: replace(state, "Plan: 1 of 3", "Plan: 2 of 3"),
			Want:   `[{"state":"waiting","protocol":{"type":"between_plans","also":[{"type":"pending_clarification","task_group":"2"}]},"questions":[{},{}]}]`,
			Mutate: remove(asked), Then: `[{"state":"paused","protocol":{"type":"between_plans","also":null}}]`},
		{IDs: "S0-89", In: "run.txtar", Prepare: both(add(sum2, withSummary("02", "failed")), add(at+"summaries/03-SUMMARY.md", withSummary("03", "completed"))),
			Want:   `[{"state":"failed","point":{"task":"02"},"protocol":{"interrupted":true,"type":"between_plans","resume_from":2,"last_completed":3}}]`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `[{"state":"complete"}]`},
		{IDs: "S0-90", In: "run.txtar question.txtar", Prepare: replace(asked, "**Status:** pending\n", "**Status:** answered\n"), Want: `[{"questions":null,"protocol":{"type":"between_plans"}}]`,
			Mutate: both(replace(asked, "```\n", ""), replace(asked, "pending | answered", "pending"), replace(asked, "[N]: [Name]", "9: x")), Then: protocol(`"type":"pending_clarification","task_group":"9"`)},
		{IDs: "S0-91", In: "run.txtar second.txtar", Want: `[{"protocol":{"type":"partial_plan","plan":"02","completed_tasks":2,"total_tasks":4,"last_commit":"2222222bbbb"},"point":{"title":"task 3 of 4, add paging"}}]`,
			Mutate: replace(check, `"completed_tasks": [
    {"name": "Task 1: add routes", "commit": "1111111aaaa"},
    {"name": "Task 2: add validation", "commit": "2222222bbbb"}
  ]`, `"completed_tasks": []`), Then: protocol(`"completed_tasks":2,"last_commit":null`)},
		{IDs: "S0-91", In: "run.txtar second.txtar", Prepare: both(replace(check, `{"name": "Task 1: add routes", "commit": "1111111aaaa"},
    {"name": "Task 2: add validation", "commit": "2222222bbbb"}`, ""), replace(check, `"task_commits": {}`, `"task_commits": {"1":"a1a1a1a","3":"c3c3c3c"}`)),
			Want: protocol(`"completed_tasks":3,"last_commit":"c3c3c3c"`), Mutate: replace(check, `"3":"c3c3c3c"`, `"2":"c3c3c3c"`), Then: protocol(`"completed_tasks":2`)},
		{IDs: "S0-92", In: "run.txtar partial.txtar", Prepare: func(r *gittest.Repo) {
			commits("feat(02): add routes", "feat(02): Add validation")(r)
			replace(check, "1111111aaaa", r.Git("rev-parse", "--short=9", "HEAD~1"))(r)
			replace(check, "2222222bbbb", r.Git("rev-parse", "--short=9", "HEAD"))(r)
		}, Want: `[{"doubts":null,"last":"` + second + `","tasks":[{},{"commit":"` + second + `"},{}]}]`,
			Mutate: func(r *gittest.Repo) { // simulate a rebase: another commit has the same subject
				r.Git("commit", "-q", "--amend", "--allow-empty", "-m", "feat(02): Add validation", "--date", "2031-01-01T00:00:00Z")
				r.Git("reflog", "expire", "--expire=now", "--all")
				r.Git("gc", "-q", "--prune=now")
			}, Then: `[{"doubts":[{"code":"commit-moved"}],"tasks":[{},{"state":"active"},{}]}]`},
		{IDs: "S0-92", In: "run.txtar partial.txtar", Want: `[{"last":null,"doubts":[{"code":"done-no-evidence","text":"2 commits of plan 02 are not in this repository, and no other commits of this plan name their tasks: 1111111aaaa, 2222222bbbb"}]}]`,
			Mutate: commits("feat(02): add routes", "test(02): add validation"), Then: `[{"last":"` + third + `","doubts":[{"code":"commit-moved"},{"code":"commit-moved"}]}]`},
		{IDs: "S0-93", In: "run.txtar agent.txtar", Want: `[{"state":"interrupted","pids":null}]`,
			Mutate: both(add(sum2, withSummary("02", "completed")), add(at+"summaries/03-SUMMARY.md", withSummary("03", "completed"))), Then: `[{"state":"complete"}]`},
		{IDs: "S0-94", In: "run.txtar", Prepare: add(at+"checkpoint.json", `{"tasks_completed":3,"tasks_total":4,"last_activity_timestamp":"2026-01-15T10:59:00Z"}`),
			Want:   `[{"protocol":{"type":"partial_plan","plan":"02","completed_tasks":3,"total_tasks":4},"active":"2026-01-15T10:59:00Z","from":"checkpoint.json"}]`,
			Mutate: add(at+"checkpoint.json", `{"plan":"03","tasks_completed":0,"tasks_total":4}`), Then: protocol(`"plan":"03"`)},
	}
}

// These are the ids of commits that the cases above make. They never change, because the authors and dates are fixed.
const (
	second = "3e87dc0e8f769bfc8345f7b30f2baa5b924a8449"
	third  = "39eb6dadafe93233d401bc71f652f4af36a7c54f"
)
