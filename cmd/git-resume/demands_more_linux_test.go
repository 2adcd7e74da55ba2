package main

import (
	"testing"
)

func TestDemands_autoClaudeBack(t *testing.T) {
	t.Parallel()
	const still = `find .auto-claude -type f -exec touch -d '4 hours ago' {} +`
	const stays = `the new worktree .* stays`
	runScenarios(t, "auto-claude", []scenario{
		{`spec; plan in_progress pending pending pending; ` + still, []row{
			{"82_an_undo_removes_a_worktree_that_is_as_it_was_made", []step{
				{0, "git resume auto-claude:001-login --yes && ls $W", []string{`done: make the worktree`}},
				{0, "git resume undo --yes", []string{`  remove   worktree .*/.worktrees/auto-claude, which is unchanged since it was created`, `  remove   branch auto-claude/001-login, which is unchanged since it was created`, `!` + stays}},
				{0, "test ! -e $W && ! git rev-parse -q --verify auto-claude/001-login && git worktree list | wc -l | grep -x 1 && grep -c in_progress $S/*.json", nil},
				{0, still + "; git resume auto-claude:001-login --yes && ls $W", []string{`done: make the worktree`}}}},
			{"82_one_in_which_something_was_done_stays", []step{
				{0, "git -C $W commit -q --allow-empty -m mine; git resume undo --yes", []string{stays, `!  remove `}}, {0, "git log --format=%s -1 auto-claude/001-login", []string{`mine`}},
				{0, "git worktree remove --force $W; git branch -q -D auto-claude/001-login; " + still + "; git resume auto-claude:001-login --yes", nil},
				{0, "echo .env > .git/info/exclude; echo secret > $W/.env; git resume undo --yes", []string{stays}}, {0, "cat $W/.env", []string{`secret`}},
				{0, "git worktree remove --force $W; git branch -q -D auto-claude/001-login; " + still + "; git resume auto-claude:001-login --yes", nil},
				{0, "(cd $W; exec sleep 20) & sleep 0.3; git resume undo --yes; kill $!", []string{stays}}, {0, "ls $W", nil}}},
			{"82_a_branch_that_was_there_before_stays", []step{
				{0, "git worktree remove --force $W; git branch -q -f auto-claude/001-login main; " + still + "; git resume auto-claude:001-login --yes --force && ls $W", nil},
				{0, "git resume undo --yes", []string{`  remove   worktree `, `!remove   branch`}}, {0, "test ! -e $W && git rev-parse -q --verify auto-claude/001-login", nil}}},
		}},
		{`spec; plan completed failed pending pending; tree; age`, []row{
			{"83_only_what_a_number_chooses_has_one", []step{
				{2, "terminal q git resume auto-claude:001-login", []string{`^      -  try again`, `!      1  try again`, `  1  answer +answer 'try again' or 'skip', or`}},
				{2, "terminal 1,q git resume auto-claude:001-login", []string{`^      1  try again`, `      3  write your own answer`}},
				{15, "git resume auto-claude:001-login --auto", []string{`^      1  try again`}},
				{2, "terminal +,7,q git resume auto-claude:001-login", []string{`  7  skip +skip one chunk and continue after it; the plan then marks it as\s+completed`, `Which one\? \[1-3/d/Q, \? for help\]`}},
				{0, "git resume auto-claude:001-login --choose skip --from chunk-1-2 --yes", []string{`"status":"\[-failed-\]\{\+completed\+\}"`}}, {0, "git resume undo --yes", nil}}},
			{"83_ten_ways_stand_below_each_other", []step{
				{2, "plan completed in_progress pending pending; age; touch $S/implementation_plan.json; terminal q git resume auto-claude:001-login", []string{`^   1  leave   `, `^  10  discard   `}}}},
			{"84_an_undo_leaves_no_empty_folder", []step{
				{0, "age; git resume auto-claude:001-login --choose start-fresh --yes && ls -d $S/.archived-*", nil}, {0, "git resume undo --yes && ! ls -d $S/.archived-* 2>/dev/null", nil}}},
			{"85_a_byte_that_is_no_text_is_named", []step{
				{12, `cp $S/implementation_plan.json keep; printf '{"feature":"x\0y","phases":[]}' > $S/implementation_plan.json; age; git resume auto-claude:001-login --auto`, []string{`is not valid JSON at line 1: a string contains the byte 0x00`, `!end of its line`, `!Continue with`}},
				{12, `printf '{"feature":"x' > $S/implementation_plan.json; age; git resume auto-claude:001-login --auto`, []string{`it ends too early`}}, {0, "mv keep $S/implementation_plan.json; age", nil}}},
			{"86_the_plan_says_what_follows", []step{
				{11, "plan completed in_progress pending pending; age; git resume auto-claude:001-login --preflight", []string{`^Left to do, in this order: chunk-1-2, chunk-2-1, chunk-2-2$`}},
				{15, "plan failed pending pending pending; age; git resume auto-claude:001-login --preflight", []string{`^Left to do, in this order: chunk-1-1, chunk-1-2, chunk-2-1, chunk-2-2$`}},
				{11, "beside; age; git resume auto-claude:001-login --preflight", []string{`^Left to do, in this order: chunk-1-2, chunk-2-1, chunk-2-2, chunk-1-1$`}}}},
		}},
	})
}

func TestDemands_orchestrateAgain(t *testing.T) {
	t.Parallel()
	const changed = `sed -i 's/It works/It flies/' docs/stories/4.2.story.md; save 3600 "other work"`
	const epicTwo = `mkdir .aios; printf '{"epicId":"3","status":"interrupted","updated_at":"%s","currentWave":2,"waves":{"1":{"stories":{"3.3":"Done"}},"2":{"stories":{"3.4":{"status":"InProgress"},"3.5":{"status":"pending"}}}}}' "$(ago 7200)" > .aios/epic-3-state.json; old 7200 .aios/*; save 7200 e`
	const epicList = `printf '{"epicId":"3","status":"interrupted","updated_at":"%s","currentWave":2,"waves":[{"wave":1,"stories":[{"id":"3.3","status":"Done"}]},{"wave":2,"stories":[{"id":"3.4","status":"InProgress"},{"id":"3.5","status":"pending"}]}]}' "$(ago 7200)" > .aios/epic-3-state.json; old 7200 .aios/*; save 7200 f`
	runScenarios(t, "orchestrate", []scenario{
		{`story 4.2 InProgress; save 90000 s; workflow 7200 interrupted; save 7200 x; ` + changed, []row{
			{"102_a_restart_takes_the_story_as_it_is", []step{
				{12, "git resume orchestrate:sdc-4.2 --auto", []string{`'Acceptance Criteria' is different now`}},
				{0, "git resume orchestrate:sdc-4.2 --choose restart --from validate --yes", []string{`\+ updated_at: `}},
				{0, "git resume orchestrate:sdc-4.2 --auto", []string{`next +validate`, `!is different now`}},
				{0, "git resume undo --yes && git resume undo --yes && git diff --quiet", nil}}},
			{"102_a_story_that_was_reset_or_done_is_taken_as_it_is", []step{
				{12, "git reset -q --hard HEAD~1; sed -i 's/InProgress/Draft/' docs/stories/4.2.story.md; save 3600 reset; git resume orchestrate:sdc-4.2 --auto", []string{`story 4.2 was reset`}},
				{0, "git resume orchestrate:sdc-4.2 --choose restart --from implement --yes", []string{`- +story_status: InProgress`, `\+ +story_status: Draft`}},
				{0, "git resume orchestrate:sdc-4.2 --auto", []string{`next +implement`}}, {0, "git resume undo --yes && git resume undo --yes && git diff --quiet", nil},
				{0, "sed -i 's/Draft/Done/' docs/stories/4.2.story.md; save 3500 done; git resume orchestrate:sdc-4.2 --choose start-fresh --yes", []string{`\+ +story_status: Done`}},
				{0, "git resume status orchestrate:sdc-4.2", []string{`was set back to its start .*; it is now at phase 1`, `age +fresh`}},
				{0, "git resume orchestrate:sdc-4.2 --auto", []string{`next +create`}}, {0, "git resume undo --yes && git resume undo --yes && git diff --quiet", nil}}},
			{"102_phases_that_would_stay_blocked_are_not_offered", []step{
				{12, "sed -i /story_status/d .aios/*; old 7200 .aios/*; save 7200 y; git resume orchestrate:sdc-4.2", []string{`of these phases, not from scratch: create, validate$`}},
				{1, "git resume orchestrate:sdc-4.2 --choose restart --from implement --yes", []string{`implement cannot be started again now`}},
				{0, "git resume orchestrate:sdc-4.2 --choose restart --from validate --yes && git resume orchestrate:sdc-4.2 --yes --force", []string{`next +validate`}}, {0, "git resume undo --yes && git resume undo --yes && git diff --quiet", nil},
				{14, "git rm -q docs/stories/4.2.story.md; save 3000 gone; git resume orchestrate:sdc-4.2", []string{`of these phases, not from scratch: create$`}},
				{0, "git resume orchestrate:sdc-4.2 --choose start-fresh --yes && git resume orchestrate:sdc-4.2 --yes --force", []string{`next +create`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; mkdir .aios; echo '{"workflowType":"SDC","storyId":"4.2","status":"interrupted","currentPhase":"Implement","completedPhases":["Create","Validate"],"updatedAt":"'$(ago 7200)'"}' > .aios/workflow-state.json; old 7200 .aios/*; save 7200 x; ` + changed, []row{
			{"102_a_state_in_camel_case_is_begun_again_too", []step{
				{0, "git resume orchestrate:workflow --choose restart --from validate --yes && cat .aios/workflow-state.json", []string{`"currentPhase":"Validate","completedPhases":\["Create"\]`}},
				{0, "git resume orchestrate:workflow --auto", []string{`next +validate`, `!is different now`}}, {0, "git resume undo --yes && git resume undo --yes && git diff --quiet", nil},
				{0, "git resume orchestrate:workflow --choose start-fresh --yes && cat .aios/workflow-state.json", []string{`"currentPhase":"Create","completedPhases":\[\]`}}}},
		}},
		{`story 3.3 Done; story 3.4 Done; story 3.5 Ready; save 90000 s; ` + epicTwo, []row{
			{"103_parts_of_an_epic_are_marked_in_its_own_form", []step{
				{0, "git resume orchestrate:epic-3 --choose skip --from 3.4 --yes && cat .aios/*.json", []string{`"3.4":\{"status":"skipped"\},"3.5":\{"status":"pending"\}`, `!epic_state`}},
				{0, "git resume orchestrate:epic-3 --auto", []string{`next +3.5`}}, {0, "git resume undo --yes && git resume undo --yes && git diff --quiet", nil},
				{0, "git resume orchestrate:epic-3 --choose restart --from 3.3 --yes && cat .aios/*.json", []string{`"3.3":"pending"`}}, {0, "git resume undo --yes", nil},
				{0, "git resume orchestrate:epic-3 --choose start-fresh --yes && cat .aios/*.json", []string{`"currentWave":1`, `"3.3":"pending".*"3.4":\{"status":"pending"\}`}}, {0, "git resume undo --yes && git diff --quiet", nil}}},
			{"103_in_a_list_as_well", []step{
				{0, epicList + "; git resume orchestrate:epic-3 --choose skip --from 3.4 --yes && cat .aios/*.json", []string{`"id":"3.4","status":"skipped"`}},
				{0, "git resume orchestrate:epic-3 --auto", []string{`next +3.5`}}}},
		}},
		{`story 4.2 InProgress; story 4.3 InReview; save 90000 s; mkdir .aios; echo 'garbage{{{' > .aios/workflow-state.json; old 7200 .aios/*; save 7200 x`, []row{
			{"104_a_broken_state_is_told_beside_every_story_it_may_be_of", []step{
				{11, "git resume orchestrate:story-4.2 --auto", []string{`warning +.aios/workflow-state.json .*cannot be read; if it belongs to this story`}},
				{2, "terminal '' git resume orchestrate:story-4.3", []string{`if\s+it\s+belongs\s+to\s+this\s+story`, `/Q, \? for help\]`}},
				{2, "terminal q git resume", []string{`story-4.3 .* 1 warning`, `!clean`}},
				{0, "git rm -q -r .aios; save 3600 y; git resume orchestrate:story-4.2 --auto", []string{`@dev dev-develop-story 4.2`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s`, []row{
			{"108_a_story_is_begun_again_by_one_word", []step{
				{0, "git resume orchestrate:story-4.2 --choose start-fresh --yes", []string{`- \*\*Status:\*\* InProgress`, `\+ \*\*Status:\*\* Draft`, `@master orchestrate 4.2`}},
				{0, "git diff --stat", []string{`1 insertion.*1 deletion`}}, {0, "git resume undo --yes && git diff --quiet", nil}}},
		}},
		{`story 3.3 Ready; story 3.4 InProgress; story 3.5 Ready; save 90000 s; mkdir .aios; printf '{"epicId":"3","status":"interrupted","updated_at":"%s","currentWave":1,"waves":{"1":{"stories":{"3.3":{"status":"blocked"},"3.4":{"status":"InProgress"},"3.5":{"status":"pending"}}}}}' "$(ago 7200)" > .aios/epic-3-state.json; old 7200 .aios/*; save 7200 e`, []row{
			{"110_the_plan_begins_with_what_is_next", []step{{11, "git resume orchestrate:epic-3 --preflight", []string{`^Left to do, in this order: 3.4, 3.5, 3.3 \(blocked\)$`}}}},
		}},
		{`story 2.1 InReview; save 90000 s; LOOP=2.1 loop 10800 interrupted 3; save 10800 x`, []row{
			{"110_a_hand_over_is_as_old_as_it_is", []step{
				{0, "git resume orchestrate:qa-2.1 --yes", nil}, {0, "git resume status", []string{`^handed over +orchestrate:qa-2.1 .*steps to continue were printed at `, `!3h ago|just now`}},
				{0, "git resume log", []string{`!3h ago`}}}},
			{"88_a_silent_state_has_no_cause", []step{{0, "git resume undo --yes; LOOP=2.1 loop 200000 active 2; save 200000 y; git resume status orchestrate:qa-2.1", []string{`stopped 2 days ago`, `!session end`}}}},
		}},
	})
}
