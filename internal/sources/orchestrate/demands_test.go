package orchestrate

import (
	"fmt"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestDemands_orchestrate checks the expectations of people who use the orchestrate tools. Each expectation is a row of demands.tsv.
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
			Want: `[{"id":"sdc-20261114-002","doubts":["…",{"code":"same-work-open","severity":"warning","path":".aios/sdc-20261114-001-state.yaml"}]},
				{"id":"sdc-20261114-001","files":[".aios/sdc-20261114-001-state.yaml"],"doubts":["…",{"code":"same-work-open","severity":"blocking","path":".aios/sdc-20261114-002-state.yaml","text":"other work (sdc-20261114-002) was started 15 minutes after the last activity of this work"}]}]`,
			Mutate: twice("2026-11-14T09:30:00Z"), Then: `[{"id":"sdc-20261114-002","doubts":["…"]},{"id":"sdc-20261114-001"}]`},
		"45_file_lists_need_no_backticks": {In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "  files_modified: [src/login.go]\n", ""), list("- src/login.go (modified)"),
			later("2026-11-14T11:50:00Z", "fix: unrelated", add("src/login.go", "other"))),
			Want:   `[{"doubts":["…",{"code":"changed-by-others","path":"src/login.go"}]}]`,
			Mutate: changeFileList("- src/login.go (modified)", "- none"), Then: `[{"doubts":["…"]}]`},
		"45_file_lists_may_be_tables": {In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "  files_modified: [src/login.go]\n", ""), list("| src/login.go | modified |"),
			later("2026-11-14T11:50:00Z", "fix: unrelated", add("src/login.go", "other"))),
			Want:   `[{"doubts":["…",{"code":"changed-by-others","path":"src/login.go"}]}]`,
			Mutate: changeFileList("| src/login.go | modified |", "- none"), Then: `[{"doubts":["…"]}]`},
		"45_file_lists_may_be_plain": {In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "  files_modified: [src/login.go]\n", ""), list("- src/login.go"),
			later("2026-11-14T11:50:00Z", "fix: unrelated", add("src/login.go", "other"))),
			Want:   `[{"doubts":["…",{"code":"changed-by-others","path":"src/login.go"}]}]`,
			Mutate: changeFileList("- src/login.go", "- none"), Then: `[{"doubts":["…"]}]`},
		"53_a_rejection_is_fixed_by_the_developer": {In: "loop-2.1.txtar", Prepare: both(replace(loopState, `"currentIteration": 3`, `"currentIteration": 2`), replace(loopState, `"fixedAt": "2026-11-11T11:00:00Z", "issuesFixed": 2`, `"x": 1`)),
			Want:   `[{"point":{"task":"fix-2"},"command":"@dev dev-develop-story 2.1"}]`,
			Mutate: replace(loopState, `"x": 1`, `"fixedAt": "2026-11-11T11:00:00Z"`), Then: `[{"point":{"task":"review-3"},"command":"@qa qa-review-story 2.1"}]`},
		"54_a_loop_may_write_its_keys_with_underscores": {In: "loop-2.1.txtar", Prepare: add(loopState, `{"story_id":"2.1","current_iteration":3,"max_iterations":4,"status":"in_progress","updated_at":"2026-11-11T12:00:00Z"}`),
			Want:   `[{"id":"qa-2.1","headline":"QA Loop for story 2.1, iteration 3/4"}]`,
			Mutate: replace(loopState, `"current_iteration":3`, `"current_iteration":2`), Then: `[{"headline":"QA Loop for story 2.1, iteration 2/4"}]`},
		"95_a_broken_general_state_is_confirmed_first": {In: "story-4.2.txtar", Prepare: add(".aios/workflow-state.json", "garbage{{{"),
			Want:   `[{"id":"workflow","state":"interrupted","rebuilt":true,"headline":"Workflow for story 4.2, phase 3 (Implement)","doubts":["…",{"code":"state-rebuilt"}]}]`,
			Mutate: remove(".aios/workflow-state.json"), Then: `[{"id":"story-4.2","rebuilt":null}]`},
		"96_waves_may_be_a_list": {Prepare: add(".aios/epic-5-state.json", listed(2)),
			Want:   `[{"id":"epic-5","point":{"task":"5.2"},"headline":"Epic Execution for epic 5, wave 2"}]`,
			Mutate: replace(".aios/epic-5-state.json", `"5.2","status":"InProgress"`, `"5.2","status":"Done"`), Then: `[{"point":{"task":"5.3"}}]`},
		"96_waves_that_cannot_be_read_are_not_over": {Prepare: add(".aios/epic-5-state.json", `{"epicId":"5","status":"interrupted","currentWave":2,"waves":"two","updated_at":"2026-11-14T09:00:00Z"}`),
			Want:   `[{"id":"epic-5","state":"corrupt","headline":"Epic Execution for epic 5, its progress could not be read","doubts":["…",{"code":"state-inconsistent","severity":"blocking"}]}]`,
			Mutate: add(".aios/epic-5-state.json", listed(2)), Then: `[{"point":{"task":"5.2"}}]`},
		"96_the_stories_may_stand_beside_their_waves": {Prepare: add(".aios/epic-5-state.json", beside("InProgress")),
			Want: `[{"id":"epic-5","point":{"task":"5.2"},"headline":"Epic Execution for epic 5, wave 2","tasks":[{"id":"5.1","phase":"wave 1","state":"done"},{"id":"5.2","phase":"wave 2","state":"active","raw":"InProgress"},{"id":"5.3","state":"pending"}],
				"needs":["…",{"path":"docs/stories/5.2.story.md","missing":true,"critical":true},"…"],"alternatives":["…",{"name":"skip-unit","of":["5.2","5.3"]},{}]}]`,
			Mutate: add(".aios/epic-5-state.json", beside("Done")), Then: `[{"point":{"task":"5.3"}}]`},
		"97_the_current_wave_is_believed": {Prepare: add(".aios/epic-5-state.json", mapped(2)),
			Want:   `[{"point":{"task":"5.2"},"headline":"Epic Execution for epic 5, wave 2"}]`,
			Mutate: add(".aios/epic-5-state.json", mapped(1)), Then: `[{"point":{"task":"gate-1"}}]`},
		"98_a_pointer_in_other_words_is_read": {In: "story-4.2.txtar", Prepare: add(general, `{"workflowType":"SDC","storyId":"4.2","status":"interrupted","currentPhase":3,"updatedAt":"2026-11-14T10:00:00Z"}`),
			Want:   `[{"id":"workflow","point":{"task":"implement"},"headline":"SDC for story 4.2, phase 3 (Implement)"}]`,
			Mutate: replace(general, `"currentPhase":3`, `"lastCompletedPhase":"Create"`), Then: `[{"point":{"task":"validate"}}]`},
		"98_phases_may_have_their_own_status": {In: "story-4.2.txtar", Prepare: add(general, `{"workflowType":"SDC","storyId":"4.2","status":"interrupted","phases":[{"name":"Create","status":"completed"},{"name":"Validate","status":"completed"},{"name":"Implement","status":"in_progress"}],"updatedAt":"2026-11-14T10:00:00Z"}`),
			Want:   `[{"point":{"task":"implement"}}]`,
			Mutate: replace(general, `"Validate","status":"completed"`, `"Validate","status":"pending"`), Then: `[{"point":{"task":"validate"}}]`},
		"98_progress_that_is_not_there_is_not_known": {In: "story-4.2.txtar", Prepare: add(general, `{"workflowType":"SDC","storyId":"4.2","status":"interrupted","updatedAt":"2026-11-14T10:00:00Z"}`),
			Want:   `[{"point":{"reason":"the state marks no phase as completed or current"},"doubts":["…",{"code":"state-inconsistent","severity":"warning"}]}]`,
			Mutate: replace(general, `"status"`, `"completedPhases":["Create"],"status"`), Then: `[{"point":{"task":"validate"}}]`},
		"99_two_states_of_one_story_are_flagged": {In: "story-4.2.txtar sdc.txtar", Prepare: add("qa/loop-status.json", `{"storyId":"4.2","currentIteration":1,"status":"interrupted","updatedAt":"2026-11-14T11:50:00Z"}`),
			Want:   `[{"id":"qa-4.2","doubts":["…",{"code":"same-work-open","severity":"warning","path":".aios/sdc-20261114-001-state.yaml"}]}]`,
			Mutate: remove(sdcState), Then: `[{"id":"qa-4.2"}]`},
		"100_a_story_that_is_gone_with_its_folder_blocks": {Prepare: add("qa/loop-status.json", `{"storyId":"3.1","currentIteration":1,"status":"interrupted","updatedAt":"2026-11-14T09:00:00Z"}`),
			Want:   `[{"id":"qa-3.1","needs":[{"path":"docs/stories/3.1.story.md","missing":true,"critical":true}]}]`,
			Mutate: add("docs/stories/3.1.story.md", "# Story 3.1\n\n## Status: InReview\n"), Then: `[{"needs":[{"path":"docs/stories/3.1.story.md","missing":null}]}]`},
		"101_a_status_may_stand_in_its_heading": {Prepare: add("docs/stories/3.1.story.md", "# Story 3.1: x\n\n## Status: InProgress\n"),
			Want:   `[{"id":"story-3.1","state":"interrupted","status":"InProgress"}]`,
			Mutate: add("docs/stories/3.1.story.md", "# Story 3.1: x\n\n## Status: InReview\n"), Then: `[{"id":"story-3.1","status":"InReview"}]`},
		"105_a_spec_and_its_state_are_one_work": {In: "spec-login.txtar", Prepare: add(".aios/spec-1-state.yaml", "execution_id: spec-1\nworkflow: spec-pipeline\nfeature: login\nstatus: interrupted\nupdated_at: 2026-11-14T09:00:00Z\nphases_completed: [Gather, Assess]\n"),
			Want:   `[{"id":"spec-1","headline":"Spec Pipeline for login, phase 3 (Research)"}]`,
			Mutate: replace(".aios/spec-1-state.yaml", "feature: login", "feature: logout"), Then: `[{"id":"spec-1"},{"id":"spec-login"}]`},
		"106_a_story_that_was_validated_meanwhile_is_not_validated_again": {In: "story-4.2.txtar", Prepare: both(replace(story42, "InProgress", "Ready"), add(general, `{"workflowType":"SDC","storyId":"4.2","story_status":"pending","status":"interrupted","completedPhases":["Create"],"updatedAt":"2026-11-14T10:00:00Z"}`)),
			Want:   `[{"point":{"task":"implement","reason":"story 4.2 was validated while the workflow was stopped"},"command":"@dev dev-develop-story 4.2","doubts":["…",{"code":"story-validated","severity":"info"}]}]`,
			Mutate: replace(story42, "Ready", "Draft"), Then: `[{"point":{"task":"validate"}}]`},
		"107_the_last_iteration_is_called_so": {In: "loop-2.1.txtar", Prepare: replace(loopState, `"issuesFixed": 2}`, `"issuesFixed": 2}, {"iteration":5,"verdict":"REJECT","issuesFound":1}`),
			Want:   `[{"point":{"task":"fix-5","reason":"iteration 5 was rejected with 1 issue, and no fix is recorded yet"},"doubts":["…",{"code":"last-iteration","severity":"info"}]}]`,
			Mutate: replace(loopState, `"iteration":5`, `"iteration":4`), Then: `[{"doubts":["…"]}]`},
		"108_a_story_without_a_state_is_begun_again_too": {In: "story-4.2.txtar",
			Want:   `[{"id":"story-4.2","alternatives":[{"name":"continue"},{"name":"start-fresh","text":"set the status of story 4.2 from 'InProgress' back to Draft, so that the SDC starts from scratch; all files that it made stay"},{"name":"clean-up"},{"name":"hide"}]}]`,
			Mutate: replace(story42, "InProgress", "Draft"), Then: `[]`},
		"109_what_has_no_name_is_not_named_twice": {Prepare: add(general, "garbage"),
			Want:   `[{"state":"corrupt","headline":"Workflow","alternatives":[{"name":"start-fresh","text":"archive .aios/workflow-state.json so that the Workflow starts from scratch; all files that it made stay"},{"name":"clean-up"}]}]`,
			Mutate: add(general, `{"workflowType":"SDC","storyId":"4.2","status":"interrupted","completedPhases":["Create"],"updatedAt":"2026-11-14T10:00:00Z"}`), Then: `[{"headline":"SDC for story 4.2, phase 2 (Validate)"}]`},
	})
}

const general = ".aios/workflow-state.json"

// listed returns the state file of an epic whose waves are a JSON list. The function mapped() returns the same epic, but its waves are a
// JSON object with wave numbers as keys.
func listed(current int) string {
	return fmt.Sprintf(`{"epicId":"5","status":"interrupted","updated_at":"2026-11-14T09:00:00Z","currentWave":%d,"waves":[{"wave":1,"stories":[{"id":"5.1","status":"Done"}]},{"wave":2,"stories":[{"id":"5.2","status":"InProgress"},{"id":"5.3","status":"pending"}]}]}`, current)
}

func mapped(current int) string {
	return fmt.Sprintf(`{"epicId":"5","status":"interrupted","updated_at":"2026-11-14T09:00:00Z","currentWave":%d,"waves":{"1":{"stories":{"5.1":{"status":"Done"}}},"2":{"stories":{"5.2":{"status":"InProgress"},"5.3":{"status":"pending"}}}}}`, current)
}

// beside returns the state file of an epic whose waves list only the ids of the stories. The status of a story is in another map.
func beside(second string) string {
	return fmt.Sprintf(`{"epicId":"5","status":"interrupted","updated_at":"2026-11-14T09:00:00Z","currentWave":2,"waves":[{"wave":1,"stories":["5.1"]},{"wave":2,"stories":["5.2","5.3"]}],`+
		`"stories":{"5.1":{"status":"Done"},"5.2":{"status":"%s","agent":"dev","file":"docs/stories/5.2.story.md"},"5.3":"pending"}}`, second)
}

// changeFileList replaces a text in the file list of story 4.2.
func changeFileList(from, to string) sourcetest.Mutation { return replace(story42, from, to) }
