package orchestrate

import (
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestDemands_orchestrate holds the reader to what users of the system expect; the sentences are in the list of demands.
func TestDemands_orchestrate(t *testing.T) {
	t.Parallel()
	list := func(as string) sourcetest.Mutation {
		return replace(story42, "- `src/login.go`", as)
	}
	const second = ".aios/sdc-20261114-002-state.yaml"
	twice := func(began string) sourcetest.Mutation {
		return add(second, "execution_id: sdc-20261114-002\nworkflow: sdc\nstarted_at: "+began+"\nupdated_at: 2026-11-14T11:40:00Z\nstatus: interrupted\nphases_completed: [create, validate]\ncontext: {story: \"4.2\"}\n")
	}
	sourcetest.RunDemands(t, New(), map[string]sourcetest.Case{
		"43_a_second_workflow_of_one_story_is_told": {In: "story-4.2.txtar sdc.txtar", Prepare: twice("2026-11-14T11:30:00Z"),
			Want:   `[{"id":"sdc-20261114-002","doubts":["…",{"code":"same-work-open","severity":"warning","path":".aios/sdc-20261114-001-state.yaml"}]}]`,
			Mutate: twice("2026-11-14T09:30:00Z"), Then: `[{"id":"sdc-20261114-002"}]`},
		"45_file_lists_need_no_backticks": {In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "  files_modified: [src/login.go]\n", ""), list("- src/login.go (modified)"),
			later("2026-11-14T11:50:00Z", "fix: unrelated", add("src/login.go", "other"))),
			Want:   `[{"doubts":["…",{"code":"changed-by-others","path":"src/login.go"}]}]`,
			Mutate: list2("- src/login.go (modified)", "- none"), Then: `[{"doubts":["…"]}]`},
		"45_file_lists_may_be_tables": {In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "  files_modified: [src/login.go]\n", ""), list("| src/login.go | modified |"),
			later("2026-11-14T11:50:00Z", "fix: unrelated", add("src/login.go", "other"))),
			Want:   `[{"doubts":["…",{"code":"changed-by-others","path":"src/login.go"}]}]`,
			Mutate: list2("| src/login.go | modified |", "- none"), Then: `[{"doubts":["…"]}]`},
		"45_file_lists_may_be_plain": {In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "  files_modified: [src/login.go]\n", ""), list("- src/login.go"),
			later("2026-11-14T11:50:00Z", "fix: unrelated", add("src/login.go", "other"))),
			Want:   `[{"doubts":["…",{"code":"changed-by-others","path":"src/login.go"}]}]`,
			Mutate: list2("- src/login.go", "- none"), Then: `[{"doubts":["…"]}]`},
		"53_a_rejection_is_fixed_by_the_developer": {In: "loop-2.1.txtar", Prepare: both(replace(loopState, `"currentIteration": 3`, `"currentIteration": 2`), replace(loopState, `"fixedAt": "2026-11-11T11:00:00Z", "issuesFixed": 2`, `"x": 1`)),
			Want:   `[{"point":{"task":"fix-2"},"command":"@dev dev-develop-story 2.1"}]`,
			Mutate: replace(loopState, `"x": 1`, `"fixedAt": "2026-11-11T11:00:00Z"`), Then: `[{"point":{"task":"review-3"},"command":"@qa qa-review-story 2.1"}]`},
		"54_a_loop_may_write_its_keys_with_underscores": {In: "loop-2.1.txtar", Prepare: add(loopState, `{"story_id":"2.1","current_iteration":3,"max_iterations":4,"status":"in_progress","updated_at":"2026-11-11T12:00:00Z"}`),
			Want:   `[{"id":"qa-2.1","headline":"QA Loop for story 2.1, iteration 3/4"}]`,
			Mutate: replace(loopState, `"current_iteration":3`, `"current_iteration":2`), Then: `[{"headline":"QA Loop for story 2.1, iteration 2/4"}]`},
	})
}

// list2 changes how a story lists its files after it was committed.
func list2(from, to string) sourcetest.Mutation { return replace(story42, from, to) }
