package main

import "testing"

func TestDemands_orchestrateWords(t *testing.T) {
	t.Parallel()
	const session = `session() { mkdir -p docs/stories; printf 'session_state:\n  version: "1.2"\n  last_updated: "%s"\n  epic: {id: "8", title: "Stock", total_stories: 2}\n  progress:\n    current_story: "8.2"\n    stories_done: ["8.1"]\n    stories_pending: ["8.2"]\n  workflow: {current_phase: development}\n  last_action: {type: PHASE_CHANGE, timestamp: "%s", story: "8.2", phase: development}\n' "$(ago $1)" "$(ago $1)" > docs/stories/.session-state.yaml; old $1 docs/stories/.session-state.yaml; }; `
	runScenarios(t, "orchestrate", []scenario{
		{`story 8.1 Done; story 8.2 InProgress; save 90000 s`, []row{
			{"111_a_session_runs_for_half_an_hour_after_its_last_sign", []step{
				{0, session + "session 900; git resume status", []string{`running +orchestrate:session-8`, `!interrupted`}},
				{13, session + "session 1700; git resume orchestrate:session-8 --auto", []string{`somebody may be working on it`}},
				{0, session + "session 1900; git resume status", []string{`^interrupted +orchestrate:session-8`}}}},
		}},
		{`story 2.1 InReview; save 90000 s; LOOP=2.1 loop 7200 in_progress 3; sed -i 's/"history":\[\]/"last_verdict":"FAIL"/' qa/loop-status.json; old 7200 qa/*; save 7200 x`, []row{
			{"112_a_verdict_of_no_iteration_is_told_as_such", []step{
				{0, "git resume status orchestrate:qa-2.1", []string{`next +review-3`, `iteration 3 is the current one; the last verdict is FAIL, but the state does not say which iteration it belongs to`, `!no verdict yet`}},
				{0, `sed -i 's/"last_verdict":"FAIL"/"history":[]/' qa/loop-status.json; old 7200 qa/*; git resume status orchestrate:qa-2.1`, []string{`iteration 3 has no verdict yet`}}}},
		}},
		{`story 4.2 InProgress; save 2000000 s; workflow 1209600 interrupted; save 1209600 x`, []row{
			{"113_an_old_state_comes_with_the_advice_of_the_family", []step{
				{11, "git resume orchestrate:sdc-4.2 --preflight", []string{`warning +age +14 days \(stale\): consider restarting: the project may have changed significantly`, `!review it before`}},
				{11, "workflow 777600 interrupted; save 777600 x; git resume orchestrate:sdc-4.2 --preflight", []string{`warning +age +9 days \(stale\): consider restarting`}},
				{0, "git resume status --json", []string{`"age":"stale"`, `"state_age":"Stale"`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 1200 active; echo '  files_modified: [src/4.2.js]' >> .aios/sdc-4.2-state.yaml; old 1200 .aios/*; echo more >> src/4.2.js`, []row{
			{"80_a_named_file_that_changes_now_blocks", []step{
				{13, "git resume orchestrate:sdc-4.2 --auto", []string{`src/4.2.js changed [0-9]+s ago`}},
				{0, "old 1200 src/4.2.js; git resume orchestrate:sdc-4.2", []string{`!state does not name`, `Uncommitted, kept in place and saved:`, `src/4.2.js`}},
				{0, "old 7200 .aios/*; echo more >> src/4.2.js; sed -i 's/status: active/status: interrupted/' .aios/*; git resume status orchestrate:sdc-4.2", []string{`!changed [0-9]+s ago`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 10 active`, []row{
			{"114_a_screen_that_names_nobody_is_not_called_so", []step{
				{13, "git resume orchestrate:sdc-4.2 --auto", []string{`git resume status orchestrate:sdc-4.2 +see why it seems to be in use`, `!see who`}},
				{0, "workflow 7200 interrupted; workflow 3600 interrupted 'Create, Validate' hotfix-4.2 5400; git resume status hotfix-4.2", []string{`^hotfix-4.2 \(orchestrate\)`, `\.aios/sdc-4.2-state.yaml: other work .* is still open`}},
				{0, "git resume status sdc-4.2; rm .aios/hotfix*", []string{`^sdc-4.2 \(orchestrate\)`, `\.aios/hotfix-4.2-state.yaml: other work \(hotfix-4.2\) was started`}}}},
			{"115_what_was_begun_is_shown_as_begun", []step{
				{0, "workflow 7200 interrupted; save 7200 x; git resume status orchestrate:sdc-4.2", []string{`→ 3  implement +Implement \(@dev\) +was in progress`}},
				{0, "sed -i 's/story_status: .*/story_status: Ready/' .aios/*; old 7200 .aios/*; git resume status orchestrate:sdc-4.2", []string{`· 3  implement`}}}},
			{"117_a_recorded_autopilot_is_told_and_asks", []step{
				{0, "echo 'mode: autopilot' >> .aios/sdc-4.2-state.yaml; old 7200 .aios/*; git resume status orchestrate:sdc-4.2", []string{`mode +its state records 'autopilot'; git-resume asks all the same, unless you add --auto`}},
				{0, "sed -i 's/mode: autopilot/mode: interactive/' .aios/*; old 7200 .aios/*; git resume status orchestrate:sdc-4.2", []string{`!  mode `}}}},
			{"116_new_work_begins_where_the_old_one_was", []step{
				{0, "git checkout -q .aios; old 7200 .aios/*; git resume orchestrate:sdc-4.2 --choose clean-up --yes && git resume", []string{`Nothing to resume`, `start new work in orchestrate itself, with the command orchestrate \(orchestrate-status shows its status\)`, `!resume start PLAN`}}}},
		}},
	})
}
