package main

import (
	"testing"
)

func TestDemands_autoClaudeWays(t *testing.T) {
	t.Parallel()
	const other = `.auto-claude/specs/008-feed`
	const second = `mkdir ` + other + `; echo '# Feed' > ` + other + `/spec.md; sed 's/"completed"/"pending"/; s/"in_progress"/"pending"/' $S/implementation_plan.json > ` + other + `/implementation_plan.json; age`
	runScenarios(t, "auto-claude", []scenario{
		{`spec; plan completed in_progress pending pending; tree; age; mv $W .worktrees/elsewhere; W=.worktrees/elsewhere`, []row{
			{"82_one_that_was_moved_stays", []step{
				{0, "git resume auto-claude:001-login --yes --force", []string{`done: repair the worktree's registration`}},
				{0, "git resume undo --yes", []string{`^This undoes 'continue'`, `!remove +worktree`, `!the new worktree`}},
				{0, "git -C .worktrees/elsewhere log --format=%s -1", []string{`chunk-1-1`}},
				{0, "grep -c in_progress $S/*.json", nil}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; age`, []row{
			{"87_the_words_of_the_system_mean_what_it_means", []step{
				{2, "terminal +,q git resume auto-claude:001-login", []string{`^  1  continue `, `^  2  review `, `^  \d  plan-again +move the plan and its records aside`, `^  4  discard +discard its worktree and its branch \(Auto-Claude's\s+"start\s+fresh"\),\s+and\s+stop\s+showing`, `!start-fresh`}},
				{2, "terminal 'start fresh,n' git resume auto-claude:001-login", []string{`This discards run 001-login`, `Discard\?`}},
				{2, "terminal 'start-fresh,n' git resume auto-claude:001-login", []string{`This discards run 001-login`}},
				{2, "terminal 'plan-again,n' git resume auto-claude:001-login", []string{`plan-again of 001-login`, `Do this\?`}}}},
			{"87_the_word_of_earlier_versions_is_accepted", []step{
				{0, "git resume auto-claude:001-login --choose start-fresh --yes", []string{`plan-again of 001-login`}}, {0, "ls -d $S/.archived-*; ls $W", nil},
				{0, "age; git resume status auto-claude:001-login", []string{`the plan was put aside so that the work can be planned again`, `!is missing`}},
				{0, "git resume undo --yes", []string{`undid 'plan-again'`}}}},
			{"88_a_discard_says_what_stays_of_the_plan", []step{
				{2, "age; terminal 4,n git resume auto-claude:001-login", []string{`^  stays     .auto-claude/specs/001-login: its plan\s+stays,\s+with\s+3\s+open\s+chunks\s+\(chunk-1-2,\s+chunk-2-1,\s+chunk-2-2\),\s+but\s+the\s+spec\s+is\s+no\s+longer\s+shown;\s+to\s+continue\s+with\s+them,\s+show\s+the\s+spec\s+again\s+with\s+git\s+resume\s+hide\s+--undo\s+auto-claude:001-login;\s+its\s+plan\s+calls\s+chunk-1-1\s+completed,\s+so\s+run.py\s+would\s+not\s+build\s+it\s+again;\s+to\s+have\s+it\s+built\s+again,\s+show\s+the\s+spec\s+with\s+git\s+resume\s+hide\s+--undo\s+auto-claude:001-login,\s+and\s+then\s+set\s+it\s+back\s+with\s+git\s+resume\s+auto-claude:001-login\s+--choose\s+build-again$`}},
				{0, "git resume --discard auto-claude:001-login --yes && git resume status --all", []string{`^discarded +auto-claude:001-login +chunk 2 of 4 +just now +3 open chunks$`, `! 0/0`}},
				{0, "git resume status", []string{`Nothing to resume`}},
				{0, "git resume undo --yes && git resume status", []string{`^interrupted +auto-claude:001-login +1 of 4 done`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; age; ` + second, []row{
			{"89_the_ways_lead_to_the_work_that_has_the_worktree", []step{
				{12, "terminal q git resume auto-claude:008-feed", []string{`1  review-other +see what 001-login built in .worktrees/auto-claude`, `2  merge-other +merge what 001-login built into main`, `3  discard-other +discard the worktree and the branch of 001-login,\s+and\s+stop\s+showing\s+it\s+\(can\s+be\s+undone\)`, `!  restart`, `!  skip `}},
				{12, "git resume auto-claude:008-feed --auto", []string{`git resume review auto-claude:001-login`, `git resume merge auto-claude:001-login`, `git resume --discard auto-claude:001-login`}},
				{0, "git resume auto-claude:008-feed --choose review-other", []string{`^001-login \(auto-claude\)`, `chunk-1-1`}},
				{2, "terminal 3,n git resume auto-claude:008-feed", []string{`This discards run 001-login`}},
				{0, "terminal 3,y git resume auto-claude:008-feed && age; git resume auto-claude:008-feed --yes", []string{`Work in .*/.worktrees/auto-claude `, `run.py --spec 008-feed`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; age; ` + second, []row{
			{"89_a_merge_of_a_part_leaves_the_rest_open", []step{
				{0, "git resume merge auto-claude:001-login --yes --force", []string{`^merged 001-login`, `^3 chunks are still open; its worktree and its branch stay for them`, `continue with "git resume auto-claude:001-login"`}},
				{0, "age; git resume status auto-claude:001-login", []string{`all commits of its branch are in main already`}},
				{12, "git resume auto-claude:008-feed --auto", []string{`first remove the worktree with git worktree remove .worktrees/auto-claude \(all commits of 001-login are in main; its branch and its plan stay\), or discard 001-login`, `git resume review auto-claude:001-login`, `!git resume merge auto-claude:001-login`}},
				{0, "git worktree remove .worktrees/auto-claude && git resume auto-claude:008-feed --auto", []string{`run.py --spec 008-feed`}}}},
			{"88_a_merged_part_and_a_discard_lose_no_open_task", []step{
				{0, "git resume merge auto-claude:001-login --yes --force && git resume --discard auto-claude:001-login --yes", []string{`its plan stays, with 3 open chunks \(chunk-1-2, chunk-2-1, chunk-2-2\), but the spec is no longer shown; to continue with them, show the spec again with git resume hide --undo auto-claude:001-login$`, `!built again`}},
				{0, "git resume status", []string{`1 hidden`, `!001-login`}},
				{0, "git resume status --all", []string{`^discarded +auto-claude:001-login +chunk 2 of 4 +just now +3 open chunks; what was built before is merged into main`, `!^merged`}},
				{0, "git resume auto-claude:001-login", []string{`^001-login \(auto-claude\) is discarded, with 3 open chunks$`, `git resume undo`}},
				{0, "git resume undo --yes auto-claude:001-login && age; git resume status", []string{`^interrupted +auto-claude:001-login +1 of 4 done, at chunk-1-2`}},
				{0, "git resume --discard auto-claude:001-login --yes && git resume hide --undo auto-claude:001-login && git resume status", []string{`^interrupted +auto-claude:001-login`}}}},
		}},
		{`spec; plan completed pending pending pending; tree; age; rm -rf $W`, []row{
			{"17_a_branch_is_discarded_without_its_folder", []step{
				{0, "git resume auto-claude:001-login --choose discard --yes", []string{`^  branch    auto-claude/001-login, 1 commit not on main`}},
				{0, "git branch --list 'auto-claude/*'; git resume status", []string{`Nothing to resume`, `!auto-claude/001-login`}},
				{0, "git resume undo --yes auto-claude:001-login && git log --format=%s -1 auto-claude/001-login", []string{`chunk-1-1`}}}},
		}},
		{`spec; plan completed pending pending pending; tree; age`, []row{
			{"17_a_fresh_start_keeps_the_plan", []step{
				{0, "git resume auto-claude:001-login --choose discard --yes && git resume hide --undo auto-claude:001-login && git resume auto-claude:001-login --choose build-again --yes", []string{`build-again of 001-login`, `change +.auto-claude/specs/001-login/implementation_plan.json`}},
				{0, "age; git resume auto-claude:001-login --auto", []string{`done: make the worktree`, `^\| chunk-1-1`, `run.py --spec 001-login --auto-continue`}}}},
		}},
		{`spec; plan completed pending pending pending; tree; age; git worktree remove $W`, []row{
			{"17_a_branch_is_discarded_without_a_worktree", []step{
				{0, "git resume --discard auto-claude:001-login --yes && git branch --list 'auto-claude/*'", []string{`worktree  none`, `!^  auto-claude/001-login`}},
				{0, "git resume undo --yes auto-claude:001-login && git log --format=%s -1 auto-claude/001-login", []string{`chunk-1-1`}}}},
		}},
		{`spec; plan completed pending pending pending; tree; age`, []row{
			{"13_what_was_built_says_what_is_not_committed", []step{
				{0, "git resume review auto-claude:001-login", []string{`^  uncommitted  nothing$`}}}},
			{"57_a_detached_worktree_of_the_branch_is_told_before", []step{
				{12, "git -C $W checkout -q --detach; age; git resume auto-claude:001-login --auto", []string{`git -C .worktrees/auto-claude checkout auto-claude/001-login`, `!will be made`, `!usable`}},
				{0, "git -C .worktrees/auto-claude checkout -q auto-claude/001-login && age; git resume auto-claude:001-login --auto", []string{`run.py --spec 001-login`}}}},
		}},
		{`spec; plan completed pending pending pending; tree; git worktree remove $W; mkdir -p $W; echo x > $W/x; age`, []row{
			{"53_a_folder_in_the_way_is_told_before", []step{
				{12, "git resume auto-claude:001-login --auto", []string{`move it away first with mv .worktrees/auto-claude .worktrees/auto-claude.mine`, `!will be made`, `!is taken`}},
				{0, "mv .worktrees/auto-claude .worktrees/auto-claude.mine && git resume auto-claude:001-login --auto", []string{`done: recreate the worktree`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; age`, []row{
			{"47_a_dry_run_shows_what_continuing_changes", []step{
				{0, "git resume auto-claude:001-login -n", []string{`^continue of 001-login \(auto-claude\):`, `change +.auto-claude/specs/001-login/implementation_plan.json`}},
				{0, "grep -c in_progress $S/implementation_plan.json", nil}}},
			{"13_nothing_is_said_of_a_folder_that_is_gone", []step{
				{0, "rm -rf $W; git resume review auto-claude:001-login", []string{`!uncommitted`}}}},
		}},
		{`spec; plan completed failed pending pending; tree; mkdir $S/memory; echo '{"chunks":{"chunk-1-2":{"attempts":[{"approach":"use tokens","success":false,"error":"pytest failed"}]}}}' > $S/memory/attempt_history.json; age`, []row{
			{"62_the_hint_about_an_answer_keeps_the_name", []step{
				{129, "git resume auto-claude:001-login --answer 'try again'", []string{`git resume auto-claude:001-login --choose answer --answer 'try again'`}}}},
			{"27_a_status_word_is_no_reason_of_a_failure", []step{
				{0, "git resume status auto-claude:001-login chunk-1-2", []string{`attempts  1`, `!^  failure`}}}},
			{"50_another_try_keeps_what_failed", []step{
				{0, "terminal 1,1 git resume auto-claude:001-login", []string{`the answer to chunk-1-2 is recorded`, `^  changed  .auto-claude/specs/001-login/implementation_plan.json`}},
				{0, "cat $S/memory/attempt_history.json; age; git resume auto-claude:001-login --print", []string{`use tokens`, `chunk-1-2: 1 failed attempt, the last one: pytest failed`, `chunk-1-2 failed with this approach: use tokens \(pytest failed\)`}}}},
		}},
		{`spec; plan completed blocked pending pending; sed -i 's/"depends_on": *\[1\]/"depends_on": []/' $S/implementation_plan.json; tree; age`, []row{
			{"68_a_blocked_chunk_elsewhere_stops_nothing", []step{
				{0, "git resume auto-claude:001-login --auto", []string{`warning +chunk-1-2 is passed over and needs a person: its status is 'blocked'`, `^\| chunk-2-1`, `!tried too often`}}}},
		}},
		{`spec; echo '{}' > $S/context.json; mkdir -p $W; age`, []row{
			{"4_a_step_that_is_over_is_not_still_to_do", []step{
				{0, "git resume auto-claude:001-login --print", []string{`^\| planning: plan the work`, `!After that`}}}},
			{"3_an_empty_folder_of_a_spec_is_named", []step{
				{0, "rm -r $S; mkdir $S; git resume status", []string{`not started +auto-claude:001-login +discovery`}}}},
		}},
		{`spec; plan completed in_progress pending pending; git worktree add -q -b auto-claude/002-search $W; age`, []row{
			{"89_a_worktree_of_no_work_is_removed_by_git", []step{
				{12, "git resume auto-claude:001-login --auto", []string{`git worktree remove .worktrees/auto-claude`, `!discard 002-search`, `!auto-claude:002-search`}},
				{0, "git worktree remove .worktrees/auto-claude && git resume auto-claude:001-login --auto", []string{`run.py --spec 001-login`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; mkdir $S/memory; echo '{"chunks":{"chunk-1-1":{"attempts":[{"session":1,"success":true}]}}}' > $S/memory/attempt_history.json; mv $S/implementation_plan.json keep; age`, []row{
			{"90_a_lost_plan_is_made_again_by_the_planner", []step{
				{0, "git resume status", []string{`^interrupted +auto-claude:001-login +planning `, `!unreadable`}},
				{2, "terminal '+,' git resume auto-claude:001-login", []string{`the plan is gone`, `warning\S* +\S*implementation_plan.json is missing, so\s+the\s+planner\s+will\s+plan\s+all\s+work\s+again,\s+although\s+attempts\s+or\s+commits\s+show\s+that\s+work\s+was\s+done:\s+chunk-1-1`, `next +planning: plan the work again`, `1  continue +plan the work first, then build in its worktree`, `plan-again +move the records of the lost plan aside`, `/Q, \? for help\]`}},
				{0, "git resume auto-claude:001-login --auto", []string{`run.py --spec 001-login --auto-continue`, `chunk-1-1 was built before the plan was lost \([0-9a-f]+\)`}}, {0, "git resume undo --yes", nil}}},
			{"90_with_records_or_without", []step{
				{0, "rm -r $S/memory; age; git resume status auto-claude:001-login", []string{`the plan is gone`, `commits show that work was done: chunk-1-1`, `next +planning: plan the work again`}}}},
			{"91_the_cause_is_told_where_a_plan_cannot_be_read", []step{
				{0, "head -c 200 keep > $S/implementation_plan.json; age; git resume status", []string{`^unreadable +auto-claude:001-login +.auto-claude/specs/001-login/implementation_plan.json is not valid JSON at line \d+: it ends too early`}},
				{12, "git resume auto-claude:001-login --auto", []string{`blocked +its state cannot be read: .auto-claude/specs/001-login/implementation_plan.json is not valid JSON`, `warning +reconstructed from attempts and commits: 1 chunk that was worked on`, `!item`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; echo half > $W/src/1-2.py; age`, []row{
			{"93_a_no_tells_of_the_snapshot", []step{
				{2, "terminal no git resume auto-claude:001-login --preflight", []string{`^nothing was changed; uncommitted changes are saved as\s+001-login-`}},
				{2, "rm $W/src/1-2.py; age; terminal q git resume auto-claude:001-login", []string{`^nothing was changed$`}}}},
			{"93_a_time_does_not_deny_the_sign_beside_it", []step{
				{0, "touch $S/implementation_plan.json; git resume status", []string{`^may be running +auto-claude:001-login +1 of 4 done, at chunk-1-2 +.auto-claude/specs/001-login/implementation_plan.json changed \d+s ago`, `!h ago`}}}},
		}},
		{`spec; plan completed completed completed completed '"qa_signoff":{"status":"approved"},'; tree; for i in 1-2 2-1 2-2; do built $i; done; age`, []row{
			{"93_what_was_merged_is_removed_and_not_discarded", []step{
				{0, "terminal y git resume merge auto-claude:001-login", []string{`Remove worktree and branch\?`, `^Removed its worktree and branch. To get them back: git resume undo auto-claude:001-login`, `!Discarded`}},
				{0, "git resume undo --yes && ls $W", nil}}},
		}},
		{`spec; plan completed failed pending pending; tree; built 1-2; age`, []row{
			{"92_each_word_says_what_it_means", []step{
				{0, "git resume status auto-claude:001-login", []string{`committed, but not marked as completed: chunk-1-2`}},
				{2, "plan completed in_progress pending pending; age; terminal q git resume auto-claude:001-login", []string{`1  continue +continue with chunk-1-2 in its worktree \(chunk-1-2 is set back\s+to\s+pending\s+first\)`, `!says 'pending'`}},
				{2, "plan completed completed completed completed; age; terminal q git resume auto-claude:001-login", []string{`next +qa: let Auto-Claude check the quality`, `1  continue +let Auto-Claude check the quality in its worktree`}}}},
		}},
	})
}
