package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// scenario is one repository and a list of expectations that are checked there, one after the other.
type scenario struct {
	// prepare is a shell script that sets up the repository. It can use the functions of testdata/demands/lib.sh.
	prepare string
	demands []row
}

// row is one row of demands.tsv: its number and name, and the commands that check it.
type row struct {
	name  string
	steps []step
}

// step is a line of shell with its expected exit code and patterns for its output. A pattern that begins with "!" must not match.
type step struct {
	code int
	run  string
	says []string
}

func runScenarios(t *testing.T, source string, scenarios []scenario) {
	t.Helper()
	lib, err := filepath.Abs("testdata/demands/lib.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		r := gittest.New(t).WithBinary()
		shell := func(t *testing.T, line string) (string, int) {
			t.Helper()
			r.T = t
			return r.Try("sh", "-c", ". "+lib+"; exec </dev/null; "+line)
		}
		if out, code := shell(t, "set -e; "+s.prepare); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", s.prepare, code, out)
		}
		for _, d := range s.demands {
			sourcetest.Demanded(t, source, d.name, func(t *testing.T) {
				for _, step := range d.steps {
					out, code := shell(t, step.run)
					if why := step.missed(out, code); why != "" {
						t.Fatalf("%s: %s\n%s", step.run, why, out)
					}
				}
			})
		}
	}
}

func (s step) missed(out string, code int) string {
	if code != s.code {
		return fmt.Sprintf("exit code %d, want %d", code, s.code)
	}
	for _, want := range s.says {
		form, absent := strings.CutPrefix(want, "!")
		if regexp.MustCompile("(?m)"+form).MatchString(out) == absent {
			return "want " + want
		}
	}
	return ""
}

func TestDemands_orchestrate(t *testing.T) {
	t.Parallel()
	runScenarios(t, "orchestrate", []scenario{
		{`story 3.2 InProgress; story 2.1 InReview; save 90000 s; NAME=3.2 workflow 7200 interrupted; LOOP=2.1 loop 86400 in_progress 3; sed -i "s/\\[\\]/[{\"iteration\":2,\"verdict\":\"REJECT\",\"fixedAt\":\"$(ago 86500)\"}]/" qa/loop-status.json; old 86400 qa/*; save 7000 x`, []row{
			{"23_a_list_names_kind_and_story", []step{{0, "git resume status", []string{`^interrupted +orchestrate:sdc-3.2 +SDC for story 3.2, phase 3 \(Implement\) +2h ago$`}}}},
			{"24_a_list_counts_iterations", []step{
				{0, "git resume status", []string{`^interrupted +orchestrate:qa-2.1 +QA Loop for story 2.1, iteration 3/5 +1d ago`}},
				{2, "terminal q git resume", []string{`   2  orchestrate:qa-2.1 `, `^      QA Loop for story 2.1, iteration 3/5$`, `Continue which\? \[1-2/d/q, \? for help\] \(1\)`}}}},
			{"31_the_plan_of_a_loop_names_its_next_review", []step{{11, "git resume orchestrate:qa-2.1 --preflight", []string{`^Left to do: review-3$`, `!Left to do: nothing`}}}},
			{"27_every_file_of_the_work_is_named", []step{{11, "git resume orchestrate:sdc-3.2 --preflight", []string{`file +now +needed`, `docs/stories/3.2.story.md +present +for Implement`}}}},
			{"28_every_story_is_compared", []step{{11, "git resume orchestrate:sdc-3.2 --preflight", []string{`story +state says +story says`, `3.2 +InProgress +InProgress +consistent`}}}},
			{"29_the_chain_of_dependencies_is_told", []step{{11, "git resume orchestrate:sdc-3.2 --preflight", []string{`^Dependencies: none are named`}}}},
			{"59_the_summary_names_the_state_file", []step{{0, "git resume status orchestrate:sdc-3.2", []string{`source +.aios/sdc-3.2-state.yaml`}}}},
			{"50_the_age_comes_with_its_advice", []step{{0, "git resume status orchestrate:sdc-3.2", []string{`age +recent: resume with quick validation`}}}},
			{"61_the_summary_names_the_input", []step{{0, "git resume status orchestrate:sdc-3.2", []string{`input +docs/stories/3.2.story.md`}}}},
			{"63_the_answers_are_shown_whole", []step{{2, "terminal q git resume orchestrate:sdc-3.2", []string{`1  continue +continue at implement with @dev`,
				`2  start-fresh +archive .aios/sdc-3.2-state.yaml so that the SDC for story\s+3.2\s+starts\s+from\s+scratch; all files that it made stay`, `!\S *…`}}}},
			{"68_nothing_is_logged_before_something_was_done", []step{{1, "git resume log orchestrate:sdc-3.2", []string{`nothing is recorded about 'orchestrate:sdc-3.2'`}}, {1, "git resume log orchestrate:sdc-9.9", []string{`there is no run 'orchestrate:sdc-9.9'`}}}},
			{"67_the_log_names_state_file_phase_and_agent", []step{
				{0, "git resume orchestrate:sdc-3.2 --auto", []string{`state +.aios/sdc-3.2-state.yaml`}},
				{0, "git resume log orchestrate:sdc-3.2", []string{`resumed +implement`, `after 2 hours`, `state source: .aios/sdc-3.2-state.yaml`, `resume point: phase 3 \(Implement\), @dev`, `nothing is in the way, and the last activity is recent`}}}},
			{"68_the_log_is_found_by_the_names_of_the_screens", []step{
				{0, "git resume log sdc-3.2", []string{`resumed`}}, {0, "git resume undo --list orchestrate:sdc-3.2", nil}, {0, "git resume undo --yes orchestrate:sdc-3.2", []string{`undid 'continue'`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 7200 interrupted; save 7200 x`, []row{
			{"70_it_starts_from_a_phase_of_choice", []step{
				{129, "git resume orchestrate:sdc-4.2 --from validate --yes", []string{`git resume orchestrate:sdc-4.2 --choose restart --from validate`}},
				{0, "git resume orchestrate:sdc-4.2 --choose restart-unit --from validate --yes", []string{`- phases_completed: \[Create, Validate\]`, `\+ phases_completed: \[Create\]`}},
				{0, "git resume status", []string{`phase 2 \(Validate\)`}}, {0, "git resume undo --yes && git diff --quiet", nil},
				{0, "terminal 3,2,y git resume orchestrate:sdc-4.2", []string{`Which one\? \[1-3/d/Q, \? for help\]`}}, {0, "git resume undo --yes && git diff --quiet", nil}}},
			{"64_to_start_from_scratch_starts_at_the_first_phase", []step{
				{0, "git resume orchestrate:sdc-4.2 --choose start-fresh --yes", []string{`Start it in its own system: @master orchestrate 4.2`}},
				{0, "ls .aios/sdc-4.2-state.yaml.archived-*", nil},
				{0, "git resume status", []string{`SDC for story 4.2, phase 1 \(Create\)`}},
				{0, "git resume orchestrate:sdc-4.2 --auto", []string{`^  @master orchestrate 4.2 at create with @sm$`}},
				{0, "git resume status", []string{`^handed over .*steps to continue were printed`}},
				{0, "git resume undo --yes && git resume undo --yes && git resume undo --list && git diff docs", []string{`!Status`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 7200 interrupted; save 7200 x`, []row{
			{"74_a_clean_up_sets_the_story_back", []step{
				{0, "git resume orchestrate:sdc-4.2 --choose clean-up -n", []string{`- \*\*Status:\*\* InProgress`, `\+ \*\*Status:\*\* Ready`}},
				{0, "git resume orchestrate:sdc-4.2 --choose clean-up --yes", nil}, {0, "git resume status", []string{`Nothing to resume`}}}},
			{"75_the_clean_up_is_logged", []step{{0, "git resume log sdc-4.2", []string{`acted .*clean-up`}}, {0, "git resume status --all", []string{`^ended +orchestrate:sdc-4.2 `, `!idle`}}}},
			{"76_a_clean_up_offers_a_fresh_workflow", []step{{0, "git resume undo --yes", nil}, {0, "git diff --quiet && touch -d '2 hours ago' .aios/* && git resume orchestrate:sdc-4.2 --choose clean-up --yes", []string{`start again from scratch in its own system: @master orchestrate 4.2`}}}},
		}},
		{`story 4.2 InReview; save 90000 s; loop 7200 completed 3`, []row{
			{"10_a_story_left_open_is_found_by_its_name", []step{
				{0, "git resume status", []string{`orchestrate:story-4.2`}}, {0, "git resume status orchestrate:story-4.2 --check", []string{`SDC for story 4.2, phase 4 \(QA\)`}}}},
			{"10_a_story_left_open_below_a_finished_epic_too", []step{{0, "rm -r qa; epic 7200 completed interactive completed; git resume status", []string{`orchestrate:story-4.2`}}, {0, "git resume status orchestrate:story-4.2", nil}}},
			{"7_a_story_in_review_waits_for_nobody", []step{{0, "git resume status", []string{`^interrupted +orchestrate:story-4.2 +SDC for story 4.2, phase 4 \(QA\)`, `!waiting`}},
				{0, "git resume orchestrate:story-4.2 --auto", []string{`@qa qa-gate 4.2`, `!waiting for you`}}}},
		}},
		{`story 4.2 InProgress; save 2000000 s; workflow 1500000 interrupted; save 1500000 x`, []row{
			{"21_no_terminal_allows_no_more_than_auto", []step{{11, "git resume orchestrate:sdc-4.2 --auto", nil}, {11, "git resume orchestrate:sdc-4.2", nil}, {0, "git diff --quiet", nil}}},
		}},
		{`story 4.2 InProgress; story 4.1 Done; save 90000 s; workflow 7200 interrupted; save 7200 x; sed -i 's/It works/It flies/; s/^Notes./More./' docs/stories/4.2.story.md; save 3600 "other work"`, []row{
			{"18_conflicts_halt_and_lead_to_a_person", []step{{12, "git resume orchestrate:sdc-4.2 --auto", []string{`cannot continue`}},
				{12, "terminal q git resume orchestrate:sdc-4.2", []string{`1  start-fresh`, `Which\? \[1-3/d/Q, \? for help\]`}}}},
			{"44_a_changed_section_is_named", []step{{0, "git resume status orchestrate:sdc-4.2", []string{`the requirements of story 4.2 have changed since \S+ \S+: section 'Acceptance Criteria' is different now`}}}},
			{"71_somebody_is_asked_which_way_out", []step{{0, "terminal 3,y git resume orchestrate:sdc-4.2", []string{`3  clean-up`, `Do this\?`}}, {0, "git resume undo --yes && git diff --quiet", nil}}},
			{"30_no_row_of_the_checks_denies_another", []step{{12, "git resume orchestrate:sdc-4.2 --preflight", []string{`Risk: high`, `!commands approved`, `!unchanged since the last record`, `!every result is valid`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 7200 interrupted; save 7200 st; git rm -q docs/stories/4.2.story.md; save 3600 rm`, []row{
			{"33_without_its_only_story_nothing_continues", []step{{14, "git resume orchestrate:sdc-4.2 --auto", []string{`4.2.story.md +is missing`}}}},
			{"33_nor_does_an_epic", []step{{14, "rm -r .aios; epic 7200 active interactive in_progress; git resume orchestrate:epic-4 --auto", []string{`4.2.story.md +is missing`}}, {0, "rm -r .aios; git checkout -q .aios; old 7200 .aios/*", nil}}},
			{"69_the_reason_is_the_real_one", []step{{14, "git resume orchestrate:sdc-4.2 --auto", []string{`error: it cannot be continued as it is: docs/stories/4.2.story.md is missing`, `!its results no longer exist`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 60 active`, []row{
			{"80_a_state_that_is_being_written_blocks", []step{{13, "git resume orchestrate:sdc-4.2 --auto", []string{`somebody may be working on it`}}, {0, "grep -c 'status: active' .aios/*", nil}}},
			{"80_for_every_kind_of_work", []step{
				{13, "rm -r .aios; epic 60 active interactive in_progress; git resume orchestrate:epic-4 --auto", []string{`somebody may be working on it`}},
				{13, "rm -r .aios; loop 60 in_progress 1; git resume orchestrate:qa-4.2", nil}, {13, "git resume orchestrate:qa-4.2 --yes", nil}, {0, "git resume orchestrate:qa-4.2 --yes --force", nil}, {0, "rm -r qa", nil}}},
			{"81_a_fresh_interrupted_state_is_not_running", []step{{0, "workflow 30 interrupted; git resume status", []string{`^interrupted `}}, {0, "git resume orchestrate:sdc-4.2 --auto", nil}}},
			{"65_every_word_of_a_stop_becomes_active", []step{
				{0, "workflow 7200 error; save 7200 x; git resume orchestrate:sdc-4.2 --auto && grep ^status .aios/*", []string{`status: active`}},
				{0, "workflow 7200 timeout; save 7200 y; git resume orchestrate:sdc-4.2 --auto && grep ^status .aios/*", []string{`status: active`}}}},
			{"85_a_stop_on_purpose_is_not_continued", []step{{11, "workflow 7200 stopped; save 7200 z; git resume orchestrate:sdc-4.2 --auto", []string{`it was stopped on purpose`}}}},
			{"78_a_rebuilt_state_is_told_once", []step{{11, "echo 'execution_id: [' > .aios/sdc-4.2-state.yaml; git rm -q -r --cached .aios; git commit -q --amend -m z; old 7200 .aios/*; rm -f .aios/*.bak; git resume orchestrate:sdc-4.2 --auto",
				[]string{`its state was reconstructed, because its own record is missing or unclear`, `!rebuilt from commits`, `!warning +its state was reconstructed`}}}},
		}},
		{`story 4.2 InProgress; mkdir docs/qa; echo GO > docs/qa/v.md; save 90000 s; workflow 7200 interrupted; sed -i 's#^phases.*#phases_completed: [{phase: Create}, {phase: Validate, output: docs/qa/v.md}]#' .aios/*; old 7200 .aios/*; save 7200 x; git rm -q docs/qa/v.md; save 3600 gone`, []row{
			{"30_a_phase_to_be_done_again_is_not_called_fine", []step{{11, "git resume orchestrate:sdc-4.2 --preflight", []string{`warning +state +phase 2 \(Validate\) must be done again`, `!ok +tasks`, `^Left to do, in this order: validate`}}}},
			{"57_the_earlier_phase_gets_its_own_agent_and_task", []step{{0, "git resume orchestrate:sdc-4.2 --auto", []string{`it must be done again: its output docs/qa/v.md is missing`, `^  @master orchestrate 4.2 at validate with @po$`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 2700 interrupted; save 2700 x`, []row{
			{"86_a_hand_over_is_known", []step{
				{0, "terminal 1 git resume orchestrate:sdc-4.2", []string{`1  continue +continue at implement`, `^  @dev dev-develop-story 4.2`}},
				{0, "git resume status", []string{`^handed over +orchestrate:sdc-4.2 .*steps to continue were printed at `}},
				{13, "git resume orchestrate:sdc-4.2 --auto", []string{`steps to continue were printed at `, `git resume orchestrate:sdc-4.2 --print`, `!@dev dev-develop-story`}},
				{13, "git resume orchestrate:sdc-4.2", nil},
				{2, "terminal '' git resume orchestrate:sdc-4.2", []string{`1  leave `, `4  continue +only if nobody is working on it now: continue at`, `5  start-fresh +only if nobody is working on it now`, `Which\? \[1-5/d/Q, \? for help\]`, `!resume safely`}},
				{0, "git resume orchestrate:sdc-4.2 --print", []string{`^  @dev dev-develop-story 4.2`}},
				{0, "git resume undo --yes && git diff --quiet && git resume status", []string{`^interrupted `}}}},
			{"86_a_tool_that_has_ended_has_nothing_in_its_hands", []step{
				{0, "git config resume.orchestrate.handoff 'echo tool'; git resume orchestrate:sdc-4.2 --auto", []string{`^tool$`}},
				{0, "git resume status", []string{`^interrupted `}}, {0, "git resume orchestrate:sdc-4.2 --auto", []string{`^tool$`}}}},
		}},
		{`story 4.2 Done; story 4.1 Done; save 90000 s; workflow 7200 interrupted "Create, Validate, Implement"; save 7200 x`, []row{
			{"88_a_state_is_quoted_with_its_own_words", []step{
				{0, "git resume status orchestrate:sdc-4.2", []string{`story 4.2 was completed outside of this workflow \(the state says 'InProgress', the story says 'Done'\)`, `!InReview`, `!session end`}},
				{0, "sed -i /story_status/d .aios/*; old 7200 .aios/*; git resume status orchestrate:sdc-4.2", []string{`the workflow is at phase 4 \(QA\), the story says 'Done'`, `!the state says`}},
				{0, "rm -r .aios; loop 7200 in_progress 3; git resume status orchestrate:qa-4.2", []string{`the workflow is at iteration 3/5, the story says 'Done'`, `!InReview`}}}},
		}},
		{`story 2.1 InReview; save 500000 s; LOOP=2.1 loop 7200 interrupted 3; sed -i 's/\[\]/[{"iteration":1,"verdict":"REJECT","issuesFound":3},{"iteration":2,"verdict":"REJECT","issuesFound":1}]/' qa/loop-status.json; old 7200 qa/*; save 7200 x`, []row{
			{"89_the_plan_of_a_loop_goes_forward", []step{
				{11, "git resume orchestrate:qa-2.1 --preflight", []string{`^Left to do: review-3$`}},
				{0, "git resume orchestrate:qa-2.1 --auto", []string{`✓ 1  iteration-1  iteration 1: REJECT +done`, `✓ 2  iteration-2 `, `→ 3  review-3 `}}}},
			{"89_what_was_interrupted_becomes_active", []step{{0, "cat qa/loop-status.json", []string{`"status":"active"`}},
				{0, "LOOP=2.1 loop 7200 stopped 3; git resume orchestrate:qa-2.1 --yes && cat qa/loop-status.json", []string{`"status":"in_progress"`}}}},
		}},
		{`story 4.1 Done; story 4.2 InProgress; story 4.3 Ready; save 1300000 s; epic 1209600 interrupted interactive InProgress; printf '        "4.3": {status: pending}\n' >> .aios/epic-4-state.yaml; sed -i 's/^        "4.2"/        "4.1": {status: completed}\n        "4.2"/' .aios/*; old 1209600 .aios/*; save 1209600 x; story 4.2 Done; save 3600 y`, []row{
			{"90_an_epic_goes_past_a_story_that_is_done", []step{
				{0, "git resume status orchestrate:epic-4", []string{`next +4.3`, `story 4.2 was completed outside`, `the state of the epic was last written at .*, more than a week ago`}},
				{0, "git resume orchestrate:epic-4 --choose skip-unit --from 4.2 --yes", nil}, {0, "old 7200 .aios/*; git resume status orchestrate:epic-4", []string{`next +4.3`, `!blocked`}}, {0, "git resume undo --yes", nil}}},
			{"90_a_deleted_story_is_not_started_again", []step{
				{14, "git rm -q docs/stories/4.3.story.md; save 3000 z; git resume orchestrate:epic-4 --mode interactive", []string{`start from one of these tasks, not from scratch: 4.1, 4.2$`, `skip one of these tasks: 4.2, 4.3`,
					`error: it cannot be continued as it is: docs/stories/4.3.story.md is missing, needed by wave 1; besides, story 4.2 was completed outside`}},
				{0, "git resume status", []string{`story 4.2 was completed outside .*, and 1 more conflict$`}}, {0, "git resume status orchestrate:epic-4", []string{`blocked +docs/stories/4.3.story.md is missing, needed by wave`}},
				{1, "git resume orchestrate:epic-4 --choose restart-unit --from 4.3 --yes", []string{`4.3 cannot be started again: its file is missing`}}}},
		}},
		{`story 4.2 InProgress "- src/4.2.js
- src/gone.js
- src/old.js (deleted)"; save 90000 s; workflow 7200 interrupted "Create, Validate, Implement"; printf '  artifacts:\n    validate: docs/v.md\n' >> .aios/sdc-4.2-state.yaml; mkdir -p docs; echo v > docs/v.md; old 7200 .aios/*; save 7200 x`, []row{
			{"91_files_that_are_missing_are_named", []step{{0, "git resume orchestrate:sdc-4.2 --yes", []string{`src/gone.js +is missing, needed by phase Implement, whose file list names it`, `!old.js`, `!partial`}}, {0, "git resume undo --yes", nil}}},
			{"91_a_partial_resume_is_called_so", []step{{11, "git rm -q docs/v.md; save 3600 y; git resume orchestrate:sdc-4.2 --preflight",
				[]string{`a partial resume is possible: phase 2 \(Validate\) must be done again; still valid: phase 1 \(Create\), 3 \(Implement\)`, `docs/v.md +is missing`, `^Left to do, in this order: validate`}}}},
		}},
		{`mkdir -p .aios; printf "execution_id: spec-1\nworkflow: spec-pipeline\nfeature: login\nstatus: interrupted\nupdated_at: $(ago 7200)\nphases_completed: [Gather, Assess, Research]\n" > .aios/spec-1-state.yaml; old 7200 .aios/*; save 7200 x`, []row{
			{"92_a_pipeline_is_named_by_its_feature", []step{{0, "git resume status", []string{`Spec Pipeline for login, phase 4 \(Write\) +2h ago$`}}, {0, "git resume login --auto", []string{`^  @master orchestrate login at write with @pm$`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; mkdir .aios; echo 'execution_id: [' > .aios/sdc-4.2-state.yaml; old 7200 .aios/*; save 7200 z`, []row{
			{"93_a_state_that_was_put_together_is_not_called_fine", []step{
				{11, "git resume orchestrate:sdc-4.2 --preflight", []string{`!ok +tasks`, `SDC for story 4.2`}},
				{2, "terminal '' git resume orchestrate:sdc-4.2", []string{`according\s+to\s+the\s+reconstructed\s+state`, `/Q, \? for help\]`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 2700 interrupted; save 2700 x`, []row{
			{"94_the_answers_of_the_family_are_known", []step{
				{2, "terminal 'cancel' git resume orchestrate:sdc-4.2", nil}, {2, "terminal 'restart from scratch,n' git resume orchestrate:sdc-4.2", []string{`start-fresh of sdc-4.2`, `Do this\?`}},
				{0, "terminal yes git resume orchestrate:sdc-4.2", []string{`@dev dev-develop-story 4.2`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; workflow 30 active`, []row{
			{"87_to_continue_beside_somebody_is_the_last_way", []step{
				{2, "terminal '' git resume orchestrate:sdc-4.2", []string{`1  leave `, `4  continue +only if nobody is working on it now`, `5  start-fresh +only if nobody is working on it now`, `Which\? \[1-5/d/Q, \? for help\]`, `!resume safely`}},
				{0, "workflow 7200 active; git resume status", []string{`^interrupted `}}, {2, "terminal q git resume orchestrate:sdc-4.2", []string{`1  continue `, `!only if nobody`}}}},
		}},
		{`story 2.1 InReview; save 500000 s; LOOP=2.1 loop 259200 in_progress 3; save 259200 x; sed -i 's/^Notes./More./' docs/stories/2.1.story.md; save 200000 "other work"`, []row{
			{"82_the_brief_does_not_deny_the_change", []step{{0, "git resume orchestrate:qa-2.1 --auto", []string{`section 'Dev Notes' of story 2.1 is different now`, `review of iteration 3`, `!Changed (by others )?meanwhile: nothing`}}}},
		}},
		{`story 4.2 InProgress; save 90000 s; epic 7200 active preflight in_progress; save 7200 e`, []row{
			{"84_a_recorded_pre_flight_mode_stays", []step{{11, "git resume orchestrate:epic-4", []string{`^Pre-flight for epic-4`}}, {2, "terminal yes git resume orchestrate:epic-4", []string{`Continue after this report\? \[proceed/N/d, \? for help\]`}}}},
		}},
	})
}

func TestDemands_autoClaude(t *testing.T) {
	t.Parallel()
	runScenarios(t, "auto-claude", []scenario{
		{`spec; plan completed in_progress failed pending; tree; age`, []row{
			{"13_the_only_build_is_reviewed_without_a_name", []step{{0, "git resume review", []string{`chunk-1-1`}}}},
			{"47_the_recovery_shows_the_words_that_it_changes", []step{{0, "git resume auto-claude:001-login --choose reset -n", []string{`1-2","status":"in_progress"`, `\+  .*"phase":1`, `1-2","status":"pending"`, `!lines become`}}}},
			{"34_our_own_recovery_is_nobody_at_work", []step{{0, "git resume auto-claude:001-login --choose reset --yes", nil}, {0, "git resume status", []string{`^interrupted `}}, {0, "git resume auto-claude:001-login --auto", []string{`chunk-1-2`}}}},
			{"62_flags_are_obeyed_or_refused", []step{
				{129, "git resume auto-claude:001-login --skip --yes", []string{`--choose skip`}}, {129, "git resume auto-claude:001-login --from chunk-1-2 --yes", []string{`--choose restart --from chunk-1-2`}},
				{129, "git resume auto-claude:001-login --restart --yes", []string{`--choose plan-again`}}, {129, "git resume auto-claude:001-login --plan other.yaml", nil}, {0, "git resume status --all", []string{`!0/0`}}}},
			{"64_a_pipe_in_the_worktree_is_nobody_at_work", []step{{0, "git resume undo --yes", nil}, {0, "age; cd $W; git resume auto-claude:001-login --yes --force | cat", []string{`Continue with`, `!process \d+ is (working|running)`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; echo half > $W/src/1-2.py; age`, []row{
			{"14_the_only_build_is_merged_without_a_name", []step{{2, "terminal n git resume merge", []string{`merge the work so far\?`}}, {11, "git resume merge", []string{`git-resume cannot ask here, so repeat the command with this name`}}}},
			{"15_a_merge_tells_what_it_leaves_out", []step{{11, "git resume merge auto-claude:001-login", []string{`1 of 4 chunks done, 1 file not committed \(src/1-2.py\); merge the work so far`}},
				{0, "git resume merge auto-claude:001-login --yes", []string{`not in the merge: 1 uncommitted file in .worktrees/auto-claude \(src/1-2.py\)`}}, {0, "git resume undo --yes", nil}}},
			{"18_the_only_build_is_discarded_without_a_name", []step{{11, "age; git resume --discard --yes", []string{`git-resume cannot ask here, so repeat the command with this name`}}, {2, "terminal n git resume --discard", []string{`Discard\?`}}}},
			{"19_what_was_discarded_is_not_called_interrupted", []step{{0, "age; git resume --discard auto-claude:001-login --yes", nil}, {0, "git resume status", []string{`Nothing to resume`}}, {0, "git resume undo --yes && cat $W/src/1-2.py", []string{`half`}}}},
		}},
		{`spec; echo x > $S/requirements.json; age2() { find .auto-claude -type f -exec touch -d "4 hours ago" {} +; }; age2`, []row{
			{"4_the_step_that_the_planning_reached_is_told", []step{{0, "git resume status auto-claude:001-login", []string{`there is no plan yet; the planning reached 'spec'`, `!the planning was interrupted`}}}},
			{"40_an_invalid_plan_is_no_success_of_auto", []step{{12, ": > $S/implementation_plan.json; find .auto-claude -type f -exec touch -d '4 hours ago' {} +; git resume auto-claude:001-login --auto", []string{`is empty`, `!its state was reconstructed`}}}},
			{"8_the_system_can_remove_the_worktree_that_we_made", []step{{0, "plan completed in_progress pending pending; find .auto-claude -type f -exec touch -d '4 hours ago' {} +; git resume auto-claude:001-login --auto", nil}, {0, "git worktree remove --force $W", nil}}},
			{"65_a_refused_merge_writes_nothing", []step{{129, "git branch -D auto-claude/001-login; git for-each-ref > .git/before; git resume merge auto-claude:001-login --yes", []string{`has no branch of its own to merge`}}, {0, "git for-each-ref | cmp - .git/before", nil}}},
		}},
		{`spec; plan completed pending in_progress pending; tree; age`, []row{
			{"29_a_phase_that_waits_comes_later", []step{{0, "git resume auto-claude:001-login --auto", []string{`next +chunk-1-2`, `chunk-2-1 was in progress, but its phase 'Build' waits`}}, {0, "age; git resume status", []string{`chunk-1-2`}}}},
			{"27_a_failed_chunk_is_called_failed_once", []step{{0, "plan completed failed pending pending; age; git resume status auto-claude:001-login", []string{`chunk-1-2 .*failed$`, `!failed: failed`}}}},
			{"48_a_status_file_of_seconds_ago_blocks", []step{{13, `age; echo "{\"active\":true,\"spec\":\"001-login\",\"state\":\"building\",\"last_update\":\"$(ago 20)\"}" > .auto-claude-status; git resume auto-claude:001-login --auto`, []string{`somebody may be working`}}}},
			{"30_phases_in_a_circle_are_blocked", []step{{12, `rm .auto-claude-status; echo '{"feature":"x","phases":[{"id":"p1","name":"A","depends_on":["p2"],"chunks":[{"id":"a1","description":"a","status":"pending"}]},{"id":"p2","name":"Z","depends_on":["p1"],"chunks":[{"id":"z1","description":"z","status":"pending"}]}]}' > $S/implementation_plan.json; age; git resume auto-claude:001-login --auto`, []string{`wait for each other`, `!Continue with`}}}},
		}},
		{`spec; plan completed in_progress pending pending; sed -i s/2025-11-14/2026-06-14/ $S/*.json; tree; age; rm -rf $W`, []row{
			{"54_a_deleted_worktree_is_made_again_where_it_was", []step{{0, "git resume auto-claude:001-login --auto", []string{`where +.worktrees/auto-claude `, `Work in .*/.worktrees/auto-claude `, `!.worktrees/001-login`}}, {0, "cat $W/src/1-1.py", nil}}},
			{"55_a_moved_worktree_is_registered_again", []step{{0, "echo half > $W/src/1-2.py; age; mv $W .worktrees/elsewhere; git resume auto-claude:001-login --yes --force", []string{`was moved to .*/.worktrees/elsewhere`, `Work in .*/.worktrees/elsewhere `, `!is taken`}}, {0, "git -C .worktrees/elsewhere status --short", []string{`src/1-2.py`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; git -C $W checkout -q --detach; built 1-2; echo dirty > $W/src/x.py; age`, []row{
			{"57_a_detached_worktree_is_not_built_around", []step{
				{12, "git resume auto-claude:001-login --auto", []string{`with 1 commit that the branch does not have \([0-9a-f]+ auto-claude: chunk-1-2 - Do 1-2\) and 1 uncommitted file \(src/x.py\)`}},
				{0, "git worktree list | wc -l | grep -x 2 && git -C $W checkout -q -B auto-claude/001-login && age && git resume auto-claude:001-login --yes", []string{`Work in .*/.worktrees/auto-claude`}}}},
			{"58_work_below_a_rebase_is_found_by_its_name", []step{{12, `cd $W; rm src/x.py; GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git rebase -q -i HEAD~1; cd ../..; age; git resume auto-claude:001-login`, []string{`a rebase is in progress in its worktree`}}}},
		}},
		{`spec; find .auto-claude -type f -exec touch -d "4 hours ago" {} +`, []row{
			{"66_a_spec_without_a_plan_is_planned_in_the_staging_worktree", []step{
				{0, "git resume auto-claude:001-login --yes", []string{`done: make the worktree`, `Work in .*/.worktrees/auto-claude `, `^  python auto-claude/run.py --spec 001-login --auto-continue$`, `at planning$`, `!task 6 of 6`, `!skipped`}},
				{0, "git resume status", []string{`auto-claude:001-login +planning `}}}},
			{"69_a_worktree_that_is_made_again_is_not_locked", []step{
				{0, "rm -rf $W; git resume auto-claude:001-login --yes --force", []string{`done: recreate the worktree`}}, {0, "git worktree remove --force $W", nil}}},
		}},
		{`spec; plan pending pending pending pending; find .auto-claude -type f -exec touch -d "4 hours ago" {} +`, []row{
			{"73_a_worktree_that_was_made_can_be_dropped_again", []step{
				{0, "git resume auto-claude:001-login --yes", []string{`done: make the worktree`}},
				{0, "git resume undo --yes", []string{`^This undoes 'continue': 001-login`, `remove +worktree .*/.worktrees/auto-claude, which is unchanged since it was created`, `it no longer counts as being worked on; no file is changed`}},
				{0, "test ! -e $W && git resume status", []string{`!running`}},
				{0, "git resume auto-claude:001-login --yes", []string{`done: make the worktree`}},
				{0, "git resume --discard auto-claude:001-login --yes && test ! -e $W && ! git rev-parse -q --verify auto-claude/001-login", nil},
				{0, "git resume undo --yes && ls $W", nil}}},
			{"73_an_undo_tells_of_the_worktree_that_stays", []step{
				{0, "git worktree remove --force $W; git branch -q -D auto-claude/001-login; plan in_progress pending pending pending; find .auto-claude -type f -exec touch -d '4 hours ago' {} +; git resume auto-claude:001-login --yes", []string{`done: make the worktree`}},
				{0, "echo mine > $W/new.py; git resume undo --yes", []string{`the new worktree .*/.worktrees/auto-claude stays; discard it \(can be undone\) with`}}, {0, "grep -c in_progress $S/*.json && cat $W/new.py", []string{`mine`}}}},
		}},
		{`spec; plan pending in_progress pending pending; tree; age`, []row{
			{"67_what_is_handed_over_is_what_the_system_takes_up", []step{
				{0, "git resume auto-claude:001-login --auto", []string{`next +chunk-1-1: Do 1-1`, `chunk-1-2 was in progress, but chunk-1-1 comes before it`, `^  python auto-claude/run.py --spec 001-login --auto-continue$`}},
				{0, "age; git resume status", []string{`0 of 4 done, at chunk-1-1`}}}},
		}},
		{`spec; plan completed failed pending pending; tree; age`, []row{
			{"68_a_failed_chunk_is_tried_again_only_if_a_person_says_so", []step{
				{15, "git resume auto-claude:001-login --auto", []string{`chunk-1-2 needs a person \(it failed\): try it again, or skip it\?`, `at chunk 2 of 4`, `!Continue with`}}, {0, "grep -c failed $S/*.json", nil},
				{0, "git resume auto-claude:001-login --choose answer --answer 1 --yes", nil}, {0, "git resume auto-claude:001-login --auto", []string{`next +chunk-1-2`}}}},
			{"68_another_chunk_goes_on_meanwhile", []step{
				{15, "git resume undo --yes; plan failed pending pending pending; age; git resume auto-claude:001-login --yes --force", []string{`next +chunk-1-1`, `may build on it: it failed`, `!passed over`}},
				{0, "beside; age; git resume auto-claude:001-login --yes --force", []string{`warning +chunk-1-1 failed and is passed over; the choice 'reset' sets it back`, `next +chunk-1-2`}}, {0, "grep -c failed $S/*.json", nil}}},
			{"72_what_was_skipped_is_not_counted_as_done", []step{
				{0, "plan completed in_progress pending pending; age; git resume auto-claude:001-login --choose skip-unit --yes --force", nil}, {0, "git resume status auto-claude:001-login", []string{`1 of 4 chunks done, 1 skipped; next is chunk-2-1`}}, {0, "git resume undo --yes", nil}}},
			{"71_a_damaged_plan_leads_to_the_planner", []step{
				{12, "head -c 200 $S/implementation_plan.json > t; mv t $S/implementation_plan.json; age; terminal q git resume auto-claude:001-login", []string{`next +planning: plan the work again`, `1  leave `, `\d  plan-again`, `so\s+do\s+the\s+changes\s+in\s+its\s+worktree\s+and\s+on\s+its\s+branch`, `!repair`}},
				{0, "git resume auto-claude:001-login --choose start-fresh --yes --force && age && terminal q git resume auto-claude:001-login; test $? = 2", []string{`\d  continue +.*plan the work`, `discard +only if nobody is working on it now: discard\s+its\s+worktree\s+and\s+its\s+branch`}},
				{0, "git resume auto-claude:001-login --choose discard --yes && test ! -e $W", nil}, {0, "git resume undo --yes && ls $W", nil}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; age`, []row{
			{"70_what_was_merged_is_not_merged_again", []step{
				{0, "git resume merge auto-claude:001-login --yes", nil}, {2, "age; terminal q git resume auto-claude:001-login", []string{`2  review`, `!merge `, `!proves it`}}}},
		}},
		{`spec; plan completed completed completed completed '"qa_signoff":{"status":"approved"},'; tree; for i in 1-2 2-1 2-2; do built $i; done; age`, []row{
			{"61_a_conflict_is_told_in_our_words", []step{{0, "git checkout -q -b side; mkdir src; echo other > src/1-1.py; git add src; git commit -q -m other; git branch -f main; git checkout -q main; git resume status auto-claude:001-login --check", []string{`!merge-tree`, `conflict +src/1-1.py`}},
				{0, "git branch here; git resume status auto-claude:001-login --check; git branch -q -D here", []string{`!merge-tree`, `conflict +src/1-1.py`}}, {0, "git reset -q --hard HEAD~1 && git branch -q -D side", nil}}},
			{"60_what_was_merged_is_finished", []step{{0, "age; git resume status", []string{`^waiting +auto-claude:001-login`}}, {0, "git resume merge auto-claude:001-login", nil}, {0, "git resume status", []string{`Nothing to resume`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; age; mkdir auto-claude; echo 'while :; do sleep 0.2; done' > auto-claude/run.py`, []row{
			{"74_a_living_driver_is_somebody_at_work", []step{
				{13, "sh auto-claude/run.py --spec 001-login --auto-continue >/dev/null 2>&1 & age; sleep 0.3; git resume auto-claude:001-login --auto; c=$?; kill $!; exit $c", []string{`process \d+ is running the command of this work`}},
				{13, "sh auto-claude/run.py --spec=001 >/dev/null 2>&1 & sleep 0.3; git resume auto-claude:001-login; c=$?; kill $!; exit $c", nil},
				{0, "grep -c in_progress $S/implementation_plan.json", nil}}},
			{"74_a_driver_of_another_spec_or_project_is_not", []step{
				{0, "sh auto-claude/run.py --spec 002-other >/dev/null 2>&1 & first=$!; here=$PWD; cd /; sh $here/auto-claude/run.py --spec 001-login >/dev/null 2>&1 & second=$!; cd $here; sleep 0.3; git resume status auto-claude:001-login; c=$?; kill $first $second; exit $c", []string{`!is running the command of this work`, `interrupted`}}}},
			{"75_a_fresh_change_in_the_worktree_is_a_sign_of_work", []step{
				{13, "age; echo half > $W/src/1-2.py; git resume auto-claude:001-login --auto", []string{`src/1-2.py in its worktree changed \d+`}},
				{0, "age; git resume auto-claude:001-login --auto", []string{`Continue with`}}, {0, "git resume undo --yes", nil},
				{0, "age; git resume --discard auto-claude:001-login --yes && git resume undo --yes && git resume status auto-claude:001-login", []string{`!may be running`}}}},
		}},
		{`spec; plan completed in_progress pending pending; git worktree add -q -b auto-claude/002-search $W; age`, []row{
			{"76_a_spec_is_not_built_on_the_branch_of_another", []step{
				{12, "git resume auto-claude:001-login --auto", []string{`belongs to 'auto-claude/002-search'.* run.py would build this spec in that worktree, so first remove the worktree with git worktree remove .worktrees/auto-claude`, `!run.py --spec`, `!one will be made`}},
				{12, "git resume auto-claude:001-login --yes", nil}, {0, "git worktree list | wc -l | grep -x 2", nil},
				{0, "git worktree remove $W; git branch -q -D auto-claude/002-search; git resume auto-claude:001-login --auto", []string{`Work in .*/.worktrees/auto-claude `}}}},
		}},
		{`spec; echo '{"feature":"x","phases":[]}' > $S/implementation_plan.json; find .auto-claude -type f -exec touch -d "4 hours ago" {} +`, []row{
			{"77_a_plan_without_phases_is_planned_in_the_staging_worktree", []step{
				{0, "git resume auto-claude:001-login --yes", []string{`Work in .*/.worktrees/auto-claude `, `^  python auto-claude/run.py --spec 001-login --auto-continue$`}}}},
		}},
		{`spec; rm $S/spec.md; echo '{}' > $S/requirements.json; find .auto-claude -type f -exec touch -d "4 hours ago" {} +`, []row{
			{"78_without_a_specification_it_is_written_first", []step{
				{0, "git resume auto-claude:001-login --yes", []string{`next +complexity: judge how complex the work is`, `^  python auto-claude/spec_runner.py --continue 001-login$`, `!run.py --spec`}}}},
		}},
		{`spec; plan completed in_progress pending pending; tree; mkdir src; echo other > src/1-1.py; git add src; git commit -q -m other; age`, []row{
			{"79_a_conflict_may_wait_for_the_merge", []step{
				{12, "git resume auto-claude:001-login --auto", []string{`git resume auto-claude:001-login --despite-conflicts`, `git resume auto-claude:001-login --update`}},
				{2, "terminal n git resume merge auto-claude:001-login", []string{`1 of 4 chunks done, and the merge will stop at a conflict in src/1-1.py;\s+merge the work so far\?`}},
				{12, "terminal q git resume auto-claude:001-login", []string{`1  continue +continue with chunk-1-2 in its worktree \(chunk-1-2 is set\s+back\s+to\s+pending\s+first\);\s+this\s+is\s+the\s+option\s+--despite-conflicts`, `/Q, \? for help\]`}},
				{0, "terminal 1 git resume auto-claude:001-login", []string{`Continue with`, `run.py --spec 001-login`}}}},
		}},
		{`spec; plan completed completed completed completed; tree; for i in 1-2 2-1 2-2; do built $i; done; age; git merge -q --no-ff -m merge auto-claude/001-login`, []row{
			{"80_what_was_merged_is_said_to_be", []step{
				{0, "git resume status auto-claude:001-login", []string{`all 4 chunks done and merged; never checked`, `the work is merged into main already`}},
				{2, "terminal '' git resume auto-claude:001-login", []string{`/Q, \? for help\]`}}}},
			{"80_a_branch_that_is_gone_is_told", []step{
				{0, "git worktree remove --force $W; git branch -q -D auto-claude/001-login; git reset -q --hard HEAD~1; git resume status auto-claude:001-login", []string{`this spec has no branch here: the work of 4 completed chunks was merged or discarded, or is somewhere else`}},
				{2, "terminal '' git resume auto-claude:001-login", []string{`/Q, \? for help\]`}},
				{0, "plan completed completed pending pending; age 2>/dev/null; git resume auto-claude:001-login --auto", []string{`this spec has no branch here: the work of 2 completed chunks was merged or discarded`, `next +chunk-2-1`}}}},
		}},
		{`spec; plan completed completed pending pending; tree; built 1-2; mkdir $S/memory; echo '{"stuck_subtasks":[],"stuck_chunks":[{"chunk_id":"chunk-2-1","reason":"x"}],"chunks":{},"subtasks":{}}' > $S/memory/attempt_history.json; age`, []row{
			{"81_what_its_own_command_takes_first_is_told", []step{
				{0, "beside; git resume status auto-claude:001-login", []string{`the plan says 'pending' for chunk-2-1, so Auto-Claude's run.py would start with chunk-2-1 instead of `, `chunk-2-1 .*blocked`}}}},
		}},
	})
}
