package specloop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// answersTable is a separate section with the answers of the user.
const answersTable = "\n## User Answers\n\n| ID | Answer |\n|----|--------|\n| C2.1 | 30 minutes |\n| C2.2 | a page |\n"

// oneAnswer is the section of answersTable with only the first answer.
const oneAnswer = "\n## User Answers\n\n| ID | Answer |\n|----|--------|\n| C2.1 | 30 minutes |\n"

// answered6 adds the answer to the question of feature 006.
func answered6(r *gittest.Repo) {
	r.Write(index6, r.Read(index6)+"\n## User Answers\n\n| ID | Answer |\n|----|--------|\n| Q-S1 | CSV |\n")
}

func appended(text string) Mutation {
	return func(r *gittest.Repo) { r.Write(index5, r.Read(index5)+text) }
}

// cutAt truncates the index after some text, as an interrupted write would.
func cutAt(text string) Mutation {
	return func(r *gittest.Repo) {
		all := r.Read(index5)
		r.Write(index5, all[:strings.Index(all, text)+len(text)])
	}
}

// moveSpecs moves the folder specs into a project folder.
func moveSpecs(r *gittest.Repo) {
	if err := os.MkdirAll(filepath.Join(r.Dir, "p/a"), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.Dir, "specs"), filepath.Join(r.Dir, "p/a/specs")); err != nil {
		r.T.Fatal(err)
	}
}

func commitAll(r *gittest.Repo) {
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
}

// TestDemands_specLoop checks what users of specification workflows expect from git-resume. Each expectation is a row of demands.tsv.
func TestDemands_specLoop(t *testing.T) {
	t.Parallel()
	RunDemands(t, New(), map[string]Case{
		"70_a_broken_index_names_no_step": {In: "clarifying.txtar", Prepare: aged(settled, status("validating", "11 / 10")), Want: `[{"stands":"iteration 11 of 10"}]`,
			Mutate: change(status("validating", "9 / 10")), Then: `[{"stands":"iteration 9 of 10, step B3"}]`},
		"71_what_is_over_is_counted_in_iterations": {In: "clarifying.txtar", Prepare: aged(settled, status("completed", "5 / 10")), Want: `[{"state":"complete","stands":"iteration 5 of 10"}]`,
			Mutate: change(status("terminated", "6 / 10")), Then: `[{"state":"ended","stands":"iteration 6 of 10"}]`},
		"72_a_plan_does_not_promise_the_end": {In: "clarifying.txtar", Prepare: aged(settled, status("validating", "4 / 10")),
			Want:   `[{"plan":["B3","iteration 5 or the end of the loop"],"tasks":[{},{},{},{},{},{},{"id":"C","title":"end the loop, or ask again"},"…"]}]`,
			Mutate: change(status("validating", "10 / 10")), Then: `[{"plan":["B3","the end of the loop"],"tasks":[{},{},{},{},{},{},{"id":"C","title":"end the loop"},"…"]}]`},
		"72_an_open_question_has_its_place_in_the_plan": {In: "clarifying.txtar", Prepare: aged(status("validating", "2 / 10")), Want: `[{"plan":["B3","B1 (waits for an answer)","iteration 3 or the end of the loop"]}]`,
			Mutate: change(settled), Then: `[{"plan":["B3","iteration 3 or the end of the loop"]}]`},
		"73_what_its_own_check_found_in_order_is_told": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "0 / 3", "1 / 3")), Want: `[{"sound":"loop status, iteration, stale count (1 / 3), questions and gaps are valid"}]`,
			Mutate: change(Replace(index5, "1 / 3", "7 / 3")), Then: `[{"sound":null}]`},
		"66_the_specification_may_lie_elsewhere": {In: "clarifying.txtar", Prepare: aged(Remove("specs/005-user-auth/spec.md"), status("scaffolding", "0 / 10"), appended("\n| Field | Value |\n|---|---|\n| **Spec File** | `docs/auth.md` |\n"), Add("docs/auth.md", "# Sign in\n")),
			Want: `[{"point":{"task":"A2","reason":"the scaffold is written, including docs/auth.md"},"files":["` + index5 + `","docs/auth.md"],
				"alternatives":["…",{"name":"start-fresh","text":"move its folder aside (specs/005-user-auth), so that the workflow starts at A1; docs/auth.md stays"}]}]`,
			Mutate: Remove("docs/auth.md"), Then: `[{"point":{"task":"A1"}}]`},
		"67_a_step_that_was_never_started_is_not_in_progress": {In: "clarifying.txtar", Prepare: aged(status("scaffolding", "0 / 10")),
			Want:   `[{"point":{"task":"A2"},"tasks":[{"id":"A1","state":"done"},{"id":"A2","state":"pending"},"…"]}]`,
			Mutate: change(status("spec_writing", "0 / 10")), Then: `[{"tasks":[{"id":"A1","state":"done"},{"id":"A2","state":"active"},"…"]}]`},
		"68_another_time_is_not_called_last_activity": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| **Last Activity** | 2026-11-14T10:30:00Z |\n", "")),
			Want:   `[{"headline":"found an interrupted workflow for '005-user-auth': clarifying, iteration 2 / 10, pending clarifications 2, last changed 2026-11-01T00:00:00Z (file time)"}]`,
			Mutate: change(appended("\nLast Activity: 2026-11-14T10:30:00Z\n")), Then: `[{"headline":"found an interrupted workflow for '005-user-auth': clarifying, iteration 2 / 10, pending clarifications 2, last activity 2026-11-14T10:30:00Z"}]`},
		"5_other_tables_do_not_name_the_feature": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| **ID** | 005-user-auth |\n", ""), appended(answersTable)),
			Want:   `[{"protocol":{"feature_id":"005-user-auth"}}]`,
			Mutate: change(appended("\n| Field | Value |\n|---|---|\n| ID | 005-sign-in |\n")), Then: `[{"protocol":{"feature_id":"005-sign-in"}}]`},
		"19_the_last_iteration_is_finished_first": {In: "clarifying.txtar", Prepare: aged(status("clarifying", "10 / 10")),
			Want: `[{"state":"waiting","rebuilt":null,"point":{"task":"B1"},"stands":"iteration 10 of 10, step B1","plan":["B1","B2","B3","the end of the loop"],"alternatives":[{"name":"answer"},{"name":"continue"},{"name":"start-fresh"}],"doubts":[],
				"tasks":[{"id":"A1","state":"done"},{"state":"done"},{"id":"A3","state":"done"},{"id":"B1","state":"waiting"},{"id":"B2","state":"pending"},{"id":"B3","state":"pending"},{"id":"C","title":"end the loop","state":"pending"},"…"]}]`,
			Mutate: change(settled, status("validating", "10 / 10")), Then: `[{"state":"interrupted","rebuilt":null,"point":{"task":"B3","reason":"the validation did not finish"},"doubts":[],"plan":["B3","the end of the loop"],
				"alternatives":[{"name":"continue","text":"continue from iteration 10 with B3: validate the specification again"},{"name":"start-fresh"}],"tasks":[{},{},{},{"id":"B1","state":"done"},{"id":"B2","state":"done"},{"id":"B3","state":"active"},{"id":"C","state":"pending"},"…"]}]`},
		"27_an_open_question_comes_before_an_answer": {In: "clarifying.txtar", Prepare: aged(appended(oneAnswer)),
			Want:   `[{"state":"waiting","point":{"task":"B1","reason":"1 question waits for an answer"},"questions":[{"task":"C2.2"}],"alternatives":[{"name":"answer"},{"name":"continue"},{"name":"start-fresh"}],"plan":["B1","B2","B3","iteration 3 or the end of the loop"],"context":["answer to C2.1, How long does a session last?: 30 minutes"]}]`,
			Mutate: change(appended("| C2.2 | a page |\n")), Then: `[{"state":"interrupted","point":{"task":"B2"},"questions":null}]`},
		"26_answers_go_along_to_whoever_applies_them": {In: "clarifying.txtar", Prepare: aged(appended(answersTable)),
			Want:   `[{"point":{"task":"B2"},"context":["answer to C2.1, How long does a session last?: 30 minutes","answer to C2.2, What does a lock-out | ban look like?: a page"]}]`,
			Mutate: change(Replace(index5, "| clarifying | Pending", "| resolved | Pending")), Then: `[{"point":{"task":"B3"},"context":null}]`},
		"28_answers_may_have_their_own_section": {In: "clarifying.txtar", Prepare: aged(appended(answersTable)),
			Want:   `[{"state":"interrupted","point":{"task":"B2"},"questions":null,"protocol":{"user_answers":{"C2.1":"30 minutes","C2.2":"a page"}}}]`,
			Mutate: change(Replace(index5, "| C2.2 | a page |\n", "")), Then: `[{"point":{"task":"B1"},"questions":[{"task":"C2.2"}],"protocol":{"user_answers":{"C2.1":"30 minutes"}}}]`},
		"28_answers_may_be_a_list": {In: "clarifying.txtar", Prepare: aged(appended("\n## User Answers\n\n- C2.1: 30 minutes\n- **C2.2:** -5: the *least*\n")),
			Want:   `[{"state":"interrupted","point":{"task":"B2"},"questions":null,"protocol":{"user_answers":{"C2.1":"30 minutes","C2.2":"-5: the *least*"}},"doubts":[]}]`,
			Mutate: change(Replace(index5, "- C2.1: 30 minutes", "- C2.1:")), Then: `[{"state":"waiting","questions":[{"task":"C2.1"}],"doubts":[{"code":"file-missing","severity":"warning","text":"` + index5 + ` names C2.1 in its section of answers, but no answer can be read there"}]}]`},
		"28_answers_may_have_headings": {In: "clarifying.txtar", Prepare: aged(appended("\n## User Answers\n\n### C2.1: How long?\n\n30 minutes,\nat most\n\n### C2.2\n\n- Question: what?\n- **Answer:** a page\n\n## Notes\n\nC2.2: no\n")),
			Want:   `[{"state":"interrupted","point":{"task":"B2"},"protocol":{"user_answers":{"C2.1":"30 minutes, at most","C2.2":"a page"}},"doubts":[]}]`,
			Mutate: change(Replace(index5, "### C2.2\n", "### C2.20\n")), Then: `[{"state":"waiting","questions":[{"task":"C2.2"}],"protocol":{"user_answers":{"C2.1":"30 minutes, at most"}}}]`},
		"35_a_torn_question_is_not_asked": {In: "clarifying.txtar", Prepare: aged(cutAt("|--------|\n| C2")),
			Want: `[{"state":"blocked","questions":null,"protocol":{"valid":false,"Pending Clarifications":0,"resume_point":null},
				"doubts":[{"code":"state-inconsistent","severity":"blocking","text":"specs/005-user-auth/.workflow/index.md lists the question C2, but the text of the question is missing: its table row is incomplete"}],
				"alternatives":[{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(appended(" | How long? | G-004 | awaiting_answer |\n\n## Gap Priority Queue\n\n| Priority | Gap ID | Status |\n|---|---|---|\n| Important | G-004 | clarifying |\n")), Then: `[{"state":"waiting","questions":[{"task":"C2","text":"How long?"}],"protocol":{"valid":true}}]`},
		"37_a_torn_index_becomes_its_committed_version": {In: "clarifying.txtar", Prepare: aged(commitAll, cutAt("|--------|\n| C2")),
			Want:   `[{"alternatives":[{"name":"repair","text":"replace index.md with its last complete committed version"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(func(r *gittest.Repo) { r.Git("update-ref", "-d", "HEAD") }), Then: `[{"alternatives":[{"name":"start-fresh"},{"name":"review"}]}]`},
		"37_an_index_that_breaks_off_inside_a_row_is_told": {In: "clarifying.txtar", Prepare: aged(commitAll, cutAt("| Important | G-")),
			Want: `[{"state":"blocked","questions":null,"doubts":[{"code":"state-inconsistent","severity":"blocking","text":"` + index5 + ` breaks off in the middle of a table row: a write of it was probably interrupted"},"…"],
				"alternatives":[{"name":"repair","text":"replace index.md with its last complete committed version"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(func(r *gittest.Repo) { act(r, sources.ActionRequest{Name: sources.Repair}) }), Then: `[{"state":"waiting","doubts":[]}]`},
		"37_an_index_that_breaks_off_between_rows_is_told": {In: "clarifying.txtar", Prepare: aged(commitAll, cutAt("| C2.1 | How long does a session last? | G-004 | awaiting_answer |\n")),
			Want:   `[{"state":"blocked","doubts":[{"severity":"blocking","text":"` + index5 + ` breaks off where its committed version goes on: a write of it was probably interrupted"},"…"],"alternatives":[{"name":"repair"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(func(r *gittest.Repo) { act(r, sources.ActionRequest{Name: sources.Repair}) }), Then: `[{"state":"waiting","doubts":[]}]`},
		"40_an_unreadable_index_claims_nothing": {In: "clarifying.txtar", Prepare: aged(Add(index5, "")),
			Want: `[{"state":"corrupt","point":{"task":null,"reason":"the file index.md cannot be read, but spec.md exists"},"tasks":[{"state":"unknown"},{"state":"unknown"},{"state":"unknown"}],
				"protocol":{"valid":false,"loop_status":"unknown","Status":"unknown","Iteration":"unknown","resume_point":null},"alternatives":[{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: Remove(index5), Then: `[{"state":"interrupted","point":{"task":"A1"},"protocol":{"valid":true,"loop_status":"not_started","resume_point":"A1"}}]`},
		"42_of_two_copies_the_newer_counts": {In: "clarifying.txtar", Prepare: aged(commitAll, func(r *gittest.Repo) {
			r.Git("worktree", "add", "-q", "../other")
			Both(Replace(index5, "10:30:00Z", "11:30:00Z"), Replace(index5, "2 / 10", "3 / 10"))(r.In(filepath.Join(r.Dir, "../other")))
		}), Want: `[{"protocol":{"iteration":3,"Last Activity":"*"},"doubts":[{"code":"copies-differ","severity":"info"}]}]`,
			Mutate: change(Replace(index5, "10:30:00Z", "11:45:00Z")), Then: `[{"protocol":{"iteration":2},"doubts":[{"code":"copies-differ"}]}]`},
		"43_a_broken_state_comes_before_its_questions": {In: "clarifying.txtar", Prepare: aged(status("thinking", "2 / 10")),
			Want:   `[{"state":"blocked","questions":null,"protocol":{"valid":false},"doubts":[{"severity":"blocking"},"…"],"alternatives":[{"name":"repair"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(status("clarifying", "2 / 10")), Then: `[{"state":"waiting","alternatives":[{"name":"answer"},"…"]}]`},
		"45_the_setting_names_more_folders": {In: "clarifying.txtar", Prepare: aged(moveSpecs, func(r *gittest.Repo) {
			r.Git("config", "resume.spec-loop.path", "p/a")
			r.Git("config", "--add", "resume.spec-loop.path", "../outside")
		}), Want: `[{"id":"005-user-auth","root":"p/a/specs/005-user-auth","state":"waiting"}]`,
			Mutate: change(func(r *gittest.Repo) { Place(r, "testdata/clarifying.txtar") }),
			Then:   `[{"id":"005-user-auth","root":"specs/005-user-auth"},{"id":"p/a/005-user-auth","root":"p/a/specs/005-user-auth"}]`},
		"48_questions_and_gaps_are_made_to_fit": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| Important | G-005 | clarifying | Pending C2.2 |", "| Important | G-005 | pending | |\n| Minor | G-007 | clarifying | |")), Act: &sources.ActionRequest{Name: sources.Repair},
			Want: `{"changes":[{"path":"` + index5 + `"}]}`, Mutate: change(Replace(index5, "| G-005 | pending |", "| G-005 | clarifying |"), Replace(index5, "| G-007 | clarifying |", "| G-007 | pending |")),
			Then: `{"error":"'repair' does not apply to spec-loop:005-user-auth"}`},
		"49_an_iteration_of_zero_is_told": {In: "clarifying.txtar", Prepare: aged(settled, status("validating", "0 / 10")),
			Want:   `[{"point":{"task":"A3"},"doubts":[{"code":"state-inconsistent","severity":"info","text":"` + index5 + ` has the iteration 0 / 10, but the protocol counts from 1: this is treated as iteration 1"}]}]`,
			Mutate: change(status("validating", "1 / 10")), Then: `[{"point":{"task":"A3"},"doubts":[]}]`},
		"50_a_fresh_start_leaves_no_old_specification": {In: "clarifying.txtar", Prepare: aged(settled, status("validating", "2 / 10"), func(r *gittest.Repo) {
			Do(r, New(), sources.ActionRequest{Name: sources.StartFresh})
			r.Write(index5, "| Field | Value |\n|---|---|\n| **Loop Status** | scaffolding |\n| **Current Iteration** | 1 / 10 |\n| **Stale Count** | 0 / 3 |\n")
		}), Want: `[{"id":"005-user-auth","point":{"task":"A1","reason":"the scaffold is not complete; it is safe to scaffold again"}}]`,
			Mutate: change(Add(auth+"spec.md", "# new\n")), Then: `[{"point":{"task":"A2"}}]`},
		"52_a_workflow_without_an_index_begins_at_its_scaffold": {In: "clarifying.txtar", Prepare: aged(Remove(index5), Add(auth+".workflow/.gitkeep", ""), Add(auth+".workflow/notes.md", "x")),
			Want:   `[{"state":"interrupted","point":{"task":"A1"},"stands":"step A1"}]`,
			Mutate: Add(auth+".workflow/pipeline.yaml", "other: tool\n"), Then: `[]`},
		"53_a_gap_without_its_question_is_asked_for_again": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| C2.1 | How long does a session last? | G-004 | awaiting_answer |\n", ""), Replace(index5, "| C2.2 | What does a lock-out \\| ban look like? | G-005 | awaiting_answer |\n", "")),
			Want: `[{"state":"interrupted","point":{"task":"B1","reason":"the gap G-004 in the specification is being clarified, but no open question asks about it"},"doubts":[{"code":"gap-without-question"},{"code":"gap-without-question"}],
				"tasks":[{},{},{},{"id":"B1","state":"pending"},{"id":"B2","state":"pending"},"…"]}]`,
			Mutate: change(Replace(index5, "| clarifying | Pending", "| resolved | Pending")), Then: `[{"point":{"task":"B1","reason":"questions should have been asked, but none is recorded"},"doubts":[{"code":"no-question"}]}]`},
		"54_an_open_question_beside_an_answer_is_not_done": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| C2.1 | How long does a session last? | G-004 | awaiting_answer |", "| C2.1 | How long does a session last? | G-004 | answered |"), appended(oneAnswer)),
			Want:   `[{"point":{"task":"B1"},"tasks":[{},{},{},{"id":"B1","state":"waiting"},{"id":"B2","state":"pending"},"…"]}]`,
			Mutate: change(Replace(index5, "| G-005 | awaiting_answer |", "| G-005 | answered |"), appended("| C2.2 | a page |\n")), Then: `[{"point":{"task":"B2"},"tasks":[{},{},{},{"id":"B1","state":"done"},"…"]}]`},
		"56_clarifying_without_questions_asks_again": {In: "clarifying.txtar", Prepare: aged(cutAt("|----|------------------|------|--------|\n")),
			Want: `[{"state":"interrupted","point":{"task":"B1","reason":"questions should have been asked, but none is recorded"},"doubts":[{"code":"no-question","severity":"warning"}],
				"tasks":[{},{},{},{"id":"B1","state":"pending"},{"id":"B2","state":"pending"},{"id":"B3","state":"pending"},"…"]}]`,
			Mutate: change(appended("\n## Gap Resolution History\n\n| Gap ID | Iteration | Action | Details |\n|---|---|---|---|\n| G-004 | 2 | resolved | x |\n")), Then: `[{"point":{"task":"B3","reason":"no question is open"},"doubts":[]}]`},
		"56_gaps_of_an_earlier_iteration_say_nothing_of_this_one": {In: "clarifying.txtar", Prepare: aged(cutAt("|----|------------------|------|--------|\n"), appended("\n## Gap Priority Queue\n\n| Priority | Gap ID | Status |\n|---|---|---|\n| Critical | G-001 | resolved |\n\n## Gap Resolution History\n\n| Gap ID | Iteration | Action | Details |\n|---|---|---|---|\n| G-001 | 1 | resolved | x |\n")),
			Want: `[{"state":"interrupted","point":{"task":"B1","reason":"questions should have been asked, but none is recorded"},"doubts":[{"code":"no-question","severity":"warning",
				"text":"` + index5 + ` has the loop status 'clarifying', but no question: the loop was interrupted before it wrote its questions, or they were lost"}],"alternatives":[{"name":"continue","text":"let the workflow ask its questions"},{"name":"start-fresh"}],
				"tasks":[{},{},{},{"id":"B1","state":"pending"},{"id":"B2","state":"pending"},{"id":"B3","state":"pending"},"…"]}]`,
			Mutate: change(Replace(index5, "| G-001 | 1 |", "| G-001 | 2 |")), Then: `[{"point":{"task":"B3"},"doubts":[],"tasks":[{},{},{},{"id":"B1","state":"done"},{"id":"B2","state":"done"},{"id":"B3","state":"pending"},"…"]}]`},
		"57_a_gap_that_waits_is_asked_for": {In: "clarifying.txtar", Prepare: aged(settled, Replace(index5, "| Minor | G-006 | deferred | |", "| Important | G-006 | pending | |")),
			Want:   `[{"point":{"task":"B1","reason":"the gap G-006 in the specification is open, but no question asks about it"}}]`,
			Mutate: change(Replace(index5, "| Important | G-006 |", "| Minor | G-006 |")), Then: `[{"point":{"task":"B3","reason":"no question is open"}}]`},
		"58_a_failed_check_of_questions_offers_a_repair": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| clarifying | Pending C2.2", "| resolved | Pending C2.2")),
			Want: `[{"state":"waiting","doubts":[{"code":"question-without-gap","severity":"warning"}],"alternatives":[
				{"name":"repair","text":"make the statuses of gaps match the questions: set G-005 to clarifying"},{"name":"review"},{"name":"answer"},{"name":"continue"},{"name":"start-fresh"}]}]`,
			Mutate: change(Replace(index5, "| Important | G-005 | resolved | Pending C2.2 |\n", "")), Then: `[{"doubts":[{"code":"question-without-gap"}],"alternatives":[{"name":"review"},{"name":"answer"},{"name":"continue"},{"name":"start-fresh"}]}]`},
		"58_an_index_that_its_own_check_rejects_is_not_valid": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| Important | G-005 | clarifying | Pending C2.2 |\n", "")),
			Want:   `[{"state":"waiting","rebuilt":null,"protocol":{"valid":false},"doubts":[{"code":"question-without-gap"}]}]`,
			Mutate: change(Replace(index5, "| C2.2 | What does a lock-out \\| ban look like? | G-005 | awaiting_answer |\n", "")), Then: `[{"protocol":{"valid":true},"doubts":[]}]`},
		"58_also_while_it_validates": {In: "clarifying.txtar", Prepare: aged(status("validating", "3 / 10"), Replace(index5, "| clarifying | Pending C2.2", "| resolved | Pending C2.2")),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"B3"},"protocol":{"valid":false},"sound":null,"doubts":[{"code":"question-without-gap"},{"code":"own-check-differs","severity":"warning"}],"alternatives":[
				{"name":"repair","text":"make the statuses of gaps match the questions: set G-005 to clarifying"},{"name":"review"},{"name":"continue"},{"name":"answer"},{"name":"start-fresh"}]}]`,
			Mutate: change(func(r *gittest.Repo) { act(r, sources.ActionRequest{Name: sources.Repair}) }), Then: `[{"state":"interrupted","rebuilt":null,"protocol":{"valid":true},"doubts":[],"alternatives":[{"name":"continue"},{"name":"answer"},{"name":"start-fresh"}]}]`},
		"26_no_answer_is_lost_because_its_gap_is": {In: "clarifying.txtar", Prepare: aged(appended(answersTable), Replace(index5, "| Important | G-005 | clarifying | Pending C2.2 |\n", "")),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"B2","reason":"2 answers are not applied to the specification yet"},"protocol":{"valid":false},
				"context":["answer to C2.1, How long does a session last?: 30 minutes","answer to C2.2, What does a lock-out | ban look like?: a page"],
				"doubts":[{"code":"question-without-gap","severity":"warning","text":"` + index5 + ` has the question C2.2 about the gap G-005, which is not in the gap queue"},{"code":"own-check-differs"}],
				"alternatives":[{"name":"review"},{"name":"continue"},{"name":"start-fresh"}]}]`,
			Mutate: change(Replace(index5, "| G-001 | 1 |", "| G-005 | 2 | resolved | applied |\n| G-001 | 1 |")), Then: `[{"rebuilt":null,"point":{"reason":"1 answer is not applied to the specification yet"},"protocol":{"valid":true},"doubts":[]}]`},
		"70_nor_does_one_in_iteration_zero": {In: "clarifying.txtar", Prepare: aged(status("clarifying", "0 / 10")), Want: `[{"state":"blocked","stands":"iteration 0 of 10"}]`,
			Mutate: change(status("clarifying", "1 / 10")), Then: `[{"state":"waiting","stands":"iteration 1 of 10, step B1"}]`},
		"59_a_repair_puts_back_a_row_that_is_lost": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| **Current Iteration** | 2 / 10 |\n", "")),
			Want: `[{"headline":"found an interrupted workflow for '005-user-auth': clarifying, iteration unknown, pending clarifications 2, last activity 2026-11-14T10:30:00Z","stands":null,
				"doubts":[{"severity":"blocking"},"…"],"alternatives":[{"name":"repair"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(status("clarifying", "2 / 10"), func(r *gittest.Repo) { act(r, sources.ActionRequest{Name: sources.Repair}) }), Then: `[{"state":"waiting","protocol":{"iteration":2,"valid":true},"point":{"task":"B1"},"stands":"iteration 2 of 10, step B1"}]`},
		"60_two_statuses_that_contradict_are_told": {In: "clarifying.txtar", Prepare: aged(settled, Replace(index5, "| **Loop Status** | clarifying |", "| **Loop Status** | completed |\n| **Loop Status** | validating |")),
			Want: `[{"state":"blocked","protocol":{"valid":false},"point":{"task":null,"reason":"its loop status is completed and also validating"},
				"doubts":[{"code":"state-inconsistent","severity":"blocking","text":"` + index5 + ` has 2 loop statuses that contradict each other, completed and validating: a person must decide which one counts"}],"alternatives":[{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(Replace(index5, "| **Loop Status** | validating |", "| **Loop Status** | Completed |")), Then: `[{"state":"complete","doubts":[]}]`},
		"61_an_iteration_of_zero_can_be_repaired": {In: "clarifying.txtar", Prepare: aged(settled, status("validating", "0 / 10")),
			Want:   `[{"alternatives":[{"name":"continue"},{"name":"repair","text":"set the iteration in index.md to 2"},{"name":"review"},{"name":"start-fresh"}]}]`,
			Mutate: change(func(r *gittest.Repo) { act(r, sources.ActionRequest{Name: sources.Repair}) }), Then: `[{"protocol":{"iteration":2},"doubts":[],"alternatives":[{"name":"continue"},{"name":"start-fresh"}]}]`},
		"62_a_question_without_its_answer_is_asked_again": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "awaiting_answer", "answered")),
			Want: `[{"state":"waiting","point":{"task":"B1","reason":"2 questions wait for an answer"},"questions":[{"task":"C2.1"},{"task":"C2.2"}],"context":null,"protocol":{"user_answers":{},"Pending Clarifications":2},
				"alternatives":[{"name":"answer","text":"answer C2.1: How long does a session last?"},{"name":"continue"},{"name":"start-fresh"}],"tasks":[{},{},{},{"id":"B1","state":"waiting"},{"id":"B2","state":"pending"},"…"],
				"doubts":[{"code":"file-missing","severity":"warning","text":"` + index5 + ` says that C2.1 is answered, but does not have the answer: it must be asked again"},{"code":"file-missing"}]}]`, Mutate: change(appended(answersTable)), Then: `[{"state":"interrupted","point":{"task":"B2"},"doubts":[]}]`},
		"62_an_open_question_beside_one_without_its_answer": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "G-004 | awaiting_answer", "G-004 | answered")),
			Want:   `[{"state":"waiting","point":{"task":"B1"},"questions":[{"task":"C2.1"},{"task":"C2.2"}],"doubts":[{"code":"file-missing"}]}]`,
			Mutate: change(appended(oneAnswer)), Then: `[{"state":"waiting","point":{"task":"B1"},"questions":[{"task":"C2.2"}],"doubts":[]}]`},
		"62_an_answer_that_is_missing_can_be_given": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "awaiting_answer", "answered")), Act: &sources.ActionRequest{Name: sources.Answer, Task: "C2.1", Text: "an hour"},
			Want:   `{"changes":[{"path":"` + index5 + `"}]}`,
			Mutate: change(appended(answersTable)), Then: `{"error":"'answer' does not apply to spec-loop:005-user-auth"}`},
		"62_the_history_may_have_the_answer": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "awaiting_answer", "answered"), appended("| G-004 | 2 | answered | Answer: \"an hour\" |\n| G-005 | 2 | answered | Answer: a page |\n")),
			Want:   `[{"point":{"task":"B2"},"protocol":{"user_answers":{"C2.1":"an hour","C2.2":"a page"}},"doubts":[]}]`,
			Mutate: change(Replace(index5, "| G-004 | 2 |", "| G-004 | 1 |")), Then: `[{"point":{"task":"B1"},"questions":[{"task":"C2.1"}],"doubts":[{"code":"file-missing"}]}]`},
		"63_a_terminated_workflow_keeps_what_it_did": {In: "clarifying.txtar", Prepare: aged(settled, status("terminated", "3 / 10")),
			Want:   `[{"state":"ended","tasks":[{"id":"A1","state":"done"},{"id":"A2","state":"done"},{"id":"A3","state":"done"},{"id":"B1","state":"done"},{"id":"B2","state":"done"},{"id":"B3","state":"done"},{"id":"C","state":"skipped"},"…"]}]`,
			Mutate: change(status("terminated", "1 / 10")), Then: `[{"tasks":[{"state":"done"},{"state":"done"},{"id":"A3","state":"done"},{"id":"B1","state":"skipped"},"…"]}]`},
		"64_a_question_that_is_open_while_validating_is_not_done": {In: "clarifying.txtar", Prepare: aged(status("validating", "2 / 10")),
			Want:   `[{"point":{"task":"B3"},"tasks":[{},{},{},{"id":"B1","state":"waiting"},"…"]}]`,
			Mutate: change(settled), Then: `[{"point":{"task":"B3"},"tasks":[{},{},{},{"id":"B1","state":"done"},"…"]}]`},
		"64_nor_in_the_last_iteration": {In: "clarifying.txtar", Prepare: aged(status("validating", "10 / 10")),
			Want:   `[{"point":{"task":"B3"},"tasks":[{},{},{},{"id":"B1","state":"waiting"},"…"]}]`,
			Mutate: change(settled), Then: `[{"point":{"task":"B3"},"tasks":[{},{},{},{"id":"B1","state":"done"},"…"]}]`},
		"74_an_iteration_that_is_no_number_is_not_the_maximum": {In: "clarifying.txtar", Prepare: aged(settled, status("validating", "? / 10")), // the same for an empty number, a word and a fraction
			Want: `[{"state":"blocked","protocol":{"valid":false,"Iteration":"unknown"},"doubts":[{"code":"state-inconsistent","severity":"blocking","text":"` + index5 + ` has the iteration ? / 10, which is not between 1 and 10"}],
				"alternatives":[{"name":"repair","text":"set the iteration to 2 / 10"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(status("validating", "9 of 10")), Then: `[{"point":{"task":"B3"},"protocol":{"valid":true,"Iteration":"9 / 10"},"doubts":[]}]`},
		"74_a_stale_count_that_is_no_number_is_not_the_maximum": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "0 / 3", " / 3")),
			Want: `[{"state":"blocked","sound":null,"doubts":[{"code":"state-inconsistent","severity":"blocking","text":"` + index5 + ` has the stale count / 3: this number of iterations without progress must be between 0 and 3"}],
				"alternatives":[{"name":"repair","text":"set the stale count to 0 / 3"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(Replace(index5, "|  / 3 |", "| 3 / 3 |")), Then: `[{"doubts":[{"code":"loop-stale","severity":"info"}]}]`},
		"74_a_stale_count_that_is_missing_is_told": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "| **Stale Count** | 0 / 3 |\n", "")),
			Want: `[{"state":"blocked","doubts":[{"severity":"blocking","text":"` + index5 + ` has the stale count (none): this number of iterations without progress must be between 0 and 3"}],
				"alternatives":[{"name":"repair"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(func(r *gittest.Repo) { act(r, sources.ActionRequest{Name: sources.Repair}) }), Then: `[{"state":"waiting","sound":"*","doubts":[]}]`},
		"75_a_broken_index_is_blocked_and_asks_nothing": {In: "clarifying.txtar", Prepare: aged(settled, status("paused", "3 / 10")),
			Want:   `[{"state":"blocked","questions":null,"point":{"task":null,"reason":"'paused' is not a known status"},"alternatives":[{"name":"repair"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(status("clarifying", "11 / 10"), Replace(index5, "G-004 | deferred", "G-004 | awaiting_answer")), Then: `[{"state":"blocked","questions":null}]`},
		"65_a_last_activity_that_is_to_come_is_told": {In: "clarifying.txtar", Prepare: aged(Replace(index5, "2026-11-14T10:30:00Z", "2036-11-14T10:30:00Z")),
			Want:   `[{"doubts":[{"code":"clock-ahead","text":"` + index5 + ` has its last activity in the future: this time or a clock is wrong"}]}]`,
			Mutate: change(Replace(index5, "2036-11-14T10:30:00Z", "2026-11-14T10:30:00Z")), Then: `[{"doubts":[]}]`},
	})
}

// A repair must fix the statuses of questions and gaps even if the loop state is broken as well.
func TestAct_repairsQuestionsAndGaps(t *testing.T) {
	t.Parallel()
	for _, broken := range []Mutation{status("clarifying", "2 / 10"), status("thinking", "2 / 10")} {
		r := place(t, "clarifying.txtar")
		aged(Replace(index5, "| Important | G-005 | clarifying | Pending C2.2 |", "| Important | G-005 | pending | |\n| Minor | G-007 | clarifying | |"), broken)(r)
		if one := Find(r, New())[0].Alternatives[0]; !strings.HasSuffix(one.Text, "G-005 to clarifying, G-007 to pending") && one.Text != "set the loop status to clarifying, the gap G-005 to clarifying, the gap G-007 to pending" {
			t.Errorf("the repair is called %q", one.Text)
		}
		f := act(r, sources.ActionRequest{Name: sources.Repair})[0]
		if f.State != sources.Waiting || len(f.Doubts) != 0 || f.Offers(sources.Repair) {
			t.Errorf("repaired, and it is %s with %v and %v", f.State, f.Doubts, f.Alternatives)
		}
		text := r.Read(index5)
		for _, row := range []string{"| Important | G-004 | clarifying | Pending C2.1 |", "| Important | G-005 | clarifying | |", "| Minor | G-007 | pending | |"} {
			if !strings.Contains(text, row) {
				t.Errorf("%q is not in\n%s", row, text)
			}
		}
	}
}
