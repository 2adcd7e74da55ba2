package longrun

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestDemands_longRun checks what users of the system expect from this package. Each expectation is a row of
// demands.tsv.
func TestDemands_longRun(t *testing.T) {
	t.Parallel()
	sourcetest.RunDemands(t, New(), map[string]sourcetest.Case{
		"87_what_an_unreadable_checkpoint_said_is_not_known": {In: "run.txtar", Prepare: both(commits("ranking: alpha", "ranking: beta"), add(plan2, "# Plan 02\n\n## Task 1: a\n\n## Task 2: b\n\n## Task 3: c\n"), add(check, `{"plan":"02","last_comp`)),
			Want: `[{"rebuilt":true,"headline":"plan 02 was interrupted; it is not known how many tasks of plan 02 are done, because its checkpoint cannot be read","stands":"plan 2 of 3",
				"protocol":{"type":"partial_plan","plan":"02","completed_tasks":null,"total_tasks":null},"point":{"task":"02","title":"Plan 02","reason":"it is not known how many tasks of plan 02 are done, because its checkpoint cannot be read"},"context":null,
				"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt","severity":"warning","text":"the progress of plan 02 is not known: its checkpoint cannot be read, and no commit has a subject such as 'feat(02): ...'"}],
				"alternatives":[{"name":"continue","text":"continue plan 02; first check in the commits what is done"},{"name":"restart-unit","text":"restart plan 02 from its beginning"},"…"]}]`,
			Mutate: add(check, checkpointOf("02", 2, 3)), Then: `[{"rebuilt":null,"protocol":{"completed_tasks":2,"total_tasks":3},"point":{"title":"task 3 of 3, c"},"alternatives":[{"name":"continue","text":"resume plan 02 from task 3"},"…"]}]`},
		"88_an_agent_beside_an_unreadable_checkpoint": {In: "run.txtar agent.txtar", Prepare: add(check, `{"plan":"02","last_comp`),
			Want:   `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z; it is not known how many tasks of plan 02 are done, because its checkpoint cannot be read","alternatives":[{"name":"resume-agent"},{"name":"respawn","text":"let a new agent continue plan 02; its checkpoint cannot be read"},"…"]}]`,
			Mutate: remove(check), Then: `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z","alternatives":[{"name":"resume-agent"},{"name":"respawn","text":"let a new agent continue plan 02, for which no checkpoint was saved"},"…"]}]`},
		"89_a_history_that_cannot_be_read_is_called_so": {In: "run.txtar agent.txtar", Prepare: add(history, `[{"agent_id": "a1b2c3d", "plan": "02", `),
			Want: `[{"headline":"an unknown plan was interrupted; agent a1b2c3d is marked as working, but agent-history.json cannot be read",
				"doubts":[{"code":"state-damaged","path":"` + history + `"},{"code":"agent-unknown","text":"agent a1b2c3d is marked as working, but its plan is not known: agent-history.json cannot be read"}]}]`,
			Mutate: remove(history), Then: `[{"headline":"an unknown plan was interrupted; agent a1b2c3d is marked as working, but agent-history.json is missing","doubts":[{"code":"agent-unknown","text":"agent a1b2c3d is marked as working, but its plan is not known: agent-history.json is missing"}]}]`},
		"90_an_agent_that_the_history_does_not_name": {In: "run.txtar agent.txtar", Prepare: add(history, `[{"agent_id":"f00dbad","plan":"01","status":"completed"}]`),
			Want:   `[{"doubts":[{"code":"agent-unknown","text":"agent a1b2c3d is marked as working, but its plan is not known: agent-history.json does not name the agent"}]}]`,
			Mutate: add(history, `[{"agent_id":"a1b2c3d","plan":"02","status":"spawned"}]`), Then: `[{"doubts":null}]`},
		"91_an_answer_is_written_as_the_file_writes_it": {In: "run.txtar", Prepare: both(replace(state, "Plan: 2 of 3", "Plan: 1 of 3"),
			add(asked, "# Clarifications\n\n## Task Group 2\n- Status: answered\n- Question: Case-sensitive?\n- Answer: no\n\n## Task Group 3\n- Status: pending\n- Question: By date or by hits?\n")), Act: &sources.ActionRequest{Name: sources.Answer, Text: "by date"},
			Want:   `{"changes":[{"path":"` + asked + `","now":"# Clarifications\n\n## Task Group 2\n- Status: answered\n- Question: Case-sensitive?\n- Answer: no\n\n## Task Group 3\n- Status: answered\n- Question: By date or by hits?\n- Answer: by date\n"}]}`,
			Mutate: add(asked, "## Task Group 3\r\nstatus: pending\r\nquestion: Which?\r\n"), Then: `{"changes":[{"now":"## Task Group 3\r\nstatus: answered\r\nquestion: Which?\r\nresponse: by date\r\n"}]}`},
		"92_while_somebody_may_be_at_work_nothing_is_called_interrupted": {In: "run.txtar agent.txtar",
			Want:   `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z","under_way":"plan 02 is in progress or was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z"}]`,
			Mutate: remove(marker), Then: `[{"headline":"stopped before plan 2; the last plan with a summary is plan 1","under_way":"plan 2 is next; the last plan with a summary is plan 1"}]`},
		"86_a_finished_plan_keeps_its_title": {In: "run.txtar", Prepare: replace(at+"plans/01-PLAN.md", "task_group: database", "task_group: tables"),
			Want:   `[{"tasks":[{"id":"01","title":"tables","state":"done"},{"title":"api"},{"title":"pages"}],"doubts":null}]`,
			Mutate: remove(at + "plans/01-PLAN.md"), Then: `[{"tasks":[{"id":"01","title":"database"},"…"]}]`},
		"8_an_empty_marker_names_no_agent": {In: "run.txtar", Prepare: add(marker, "\n"),
			Want: `[{"protocol":{"type":"between_plans"},"doubts":[{"code":"stale-marker","text":"the marker file is empty, so it names no agent; long-run itself would conclude from this marker that an agent is working: before you use long-run, remove the marker (with the choice clean-up), or tell long-run to ignore it"}],
				"alternatives":[{"name":"continue"},{"name":"skip-unit"},{"name":"start-fresh"},{"name":"clean-up","text":"remove the empty marker of an agent"}]}]`,
			Mutate: add(marker, "a1b2c3d"), Then: protocol(`"type":"active_agent","agent_id":"a1b2c3d"`)},
		"13_only_the_summary_is_missing": {In: "run.txtar", Prepare: add(check, checkpointOf("02", 4, 4)),
			Want: `[{"protocol":{"type":"between_plans"},"headline":"all 4 tasks of plan 02 are done; its summary is missing",
				"alternatives":[{"name":"continue","text":"continue with plan 02: only its summary is missing"},"…"]}]`,
			Mutate: remove(check), Then: `[{"headline":"stopped before plan 2; the last plan with a summary is plan 1","alternatives":[{"text":"continue with plan 02"},"…"]}]`},
		"21_complete_without_a_summary_is_a_choice": {In: "run.txtar", Prepare: both(add(sum2, withSummary("02", "completed")), replace(state, "Status: Executing", "Status: Complete")),
			Want: `[{"state":"review","rebuilt":true,"protocol":{"interrupted":false},"point":{"task":"03"},
				"alternatives":[{"name":"continue","text":"do plan 03; no summary says that it is completed"},{"name":"skip-unit","text":"skip plan 03"}]}]`,
			Mutate: add(at+"summaries/03-SUMMARY.md", withSummary("03", "completed")), Then: `[{"state":"complete","rebuilt":null,"alternatives":null}]`},
		"30_skip_says_what_it_blocks": {In: "run.txtar partial.txtar",
			Want:   `[{"alternatives":[{},{},{"name":"skip-unit","text":"skip plan 02; plan 03 needs it, and will be blocked"},{}]}]`,
			Mutate: add(at+"plans/04-PLAN.md", plan("04")), Then: `[{"alternatives":[{},{},{"name":"skip-unit","text":"skip plan 02 and continue with plan 04"},{}]}]`},
		"46_a_plan_that_timed_out_is_called_so": {In: "run.txtar", Prepare: add(sum2, withSummary("02", "timeout")),
			Want:   `[{"state":"failed","headline":"plan 02 timed out; 1 of 3 plans are done","point":{"task":"02"},"alternatives":[{"name":"restart-unit"},{"name":"skip-unit"},{"name":"continue"},{"name":"start-fresh"}]}]`,
			Mutate: add(sum2, withSummary("02", "partial")), Then: `[{"headline":"plan 02 was only partly finished; 1 of 3 plans are done"}]`},
		"49_an_older_temporary_file_is_no_repair": {In: "run.txtar partial.txtar", Prepare: both(add(check+".tmp.9", checkpointOf("02", 1, 4)), age(check+".tmp.9", 3*time.Hour), age(check, time.Hour)),
			Want:   `[{"protocol":{"completed_tasks":2},"doubts":[{"code":"write-interrupted","severity":"info","text":"` + check + `.tmp.9 was left by an interrupted write and is older than 02-CHECKPOINT.json, so it is not used; it stays where it is"},"…"],"alternatives":[{},{},{},{}]}]`,
			Mutate: age(check+".tmp.9", 30*time.Minute), Then: `[{"alternatives":[{},{},{},{},{"name":"repair"}]}]`},
		"50_archives_files_and_empty_folders_are_no_runs": {In: "run.txtar", Prepare: func(r *gittest.Repo) {
			remove(at)(r)
			add(".long-run", "a file\n")(r)
			add("specs/old/.long-run-archive-20260115/STATE.md", small)(r)
			if err := os.MkdirAll(filepath.Join(r.Dir, "specs/a/.long-run/plans"), 0o755); err != nil {
				r.T.Fatal(err)
			}
		}, Want: `[]`, Mutate: add("specs/a/.long-run/STATE.md", small), Then: `[{"id":"a"}]`},
		"52_a_run_in_a_linked_worktree_is_found": {Prepare: func(r *gittest.Repo) {
			r.Git("worktree", "add", "-q", "../other")
			sourcetest.Place(r.In(filepath.Join(r.Dir, "../other")), "testdata/run.txtar")
		}, Want: `[{"id":"photo-album","point":{"task":"02"}}]`, Mutate: func(r *gittest.Repo) { r.Git("worktree", "remove", "--force", "../other") }, Then: `[]`},
		"53_the_copy_that_went_further_counts": {In: "run.txtar partial.txtar", Prepare: func(r *gittest.Repo) {
			replace(check, `{"1": "1111111aaaa", "2": "2222222bbbb"}`, `{}`)(r)
			commitAll(r)
			r.Git("worktree", "add", "-q", "../other")
			replace(check, `"last_completed_task": 2`, `"last_completed_task": 3`)(r.In(filepath.Join(r.Dir, "../other")))
		}, Want: `[{"protocol":{"completed_tasks":3},"point":{"reason":"3 of 4 tasks of plan 02 are done; task 4 is next"},"doubts":[{"code":"copies-differ","severity":"warning"}]}]`,
			Mutate: replace(check, `"last_completed_task": 2`, `"last_completed_task": 3`), Then: `[{"protocol":{"completed_tasks":3},"doubts":null}]`},
		"55_an_empty_summary_is_confirmed_first": {In: "run.txtar", Prepare: add(sum1, ""),
			Want:   `[{"rebuilt":true,"protocol":{"type":"between_plans","resume_from":2,"last_completed":1},"doubts":[{"code":"state-damaged","text":"` + sum1 + ` is empty"},"…"]}]`,
			Mutate: add(sum1, withSummary("01", "completed")), Then: `[{"rebuilt":null,"doubts":null}]`},
		"59_a_plan_that_is_not_there_is_named": {In: "run.txtar done.txtar", Prepare: both(replace(state, "Status: Complete", "Status: Executing"), replace(state, "Plan: 3 of 3", "Plan: 4 of 4")),
			Want: `[{"protocol":{"type":"between_plans","resume_from":4,"last_completed":3},"point":{"task":"4","reason":"STATE.md names this plan, but there is no such plan"},
				"doubts":[{"code":"status-disagrees","text":"STATE.md says Executing, but all 3 plans are done"}]}]`,
			Mutate: add(at+"plans/04-PLAN.md", plan("04")), Then: `[{"point":{"task":"04","reason":"it is the first plan without a summary"}}]`},
		"60_a_skip_lets_the_state_file_stand_at_the_next_plan": {In: "run.txtar", Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + sum2 + `"},{"path":"` + state + `","now":"# Long-Run Implementation State\n\n## Spec Reference\nSpec: agent-os/specs/photo-album/\nStarted: 2026-01-15\n\n## Current Position\nPlan: 3 of 3\nTask Group: api\nStatus: Executing\nLast activity: 2026-01-15 - plan 01 done\nProgress: [███░░░░░░░] 33%\n\n## Session Continuity\nLast session: 2026-01-15\nStopped at: plan 02\nResume agent: None\n\n## Configuration\ntimeout_per_plan_minutes: 30\n"}]}`,
			Mutate: remove(plan3), Then: `{"changes":[{"path":"` + sum2 + `"}]}`},
		"61_doing_a_skipped_plan_first_sets_the_state_file_back": {In: "run.txtar", Prepare: both(add(sum2, withSummary("02", "skipped")), replace(state, "Plan: 2 of 3", "Plan: 03/03")), Act: &sources.ActionRequest{Name: sources.RestartUnit},
			Want:   `{"changes":[{"path":"` + sum2 + `","gone":true},{"path":"` + state + `"}]}`,
			Mutate: replace(state, "Plan: 03/03", "Plan: 02/03"), Then: `{"changes":[{"path":"` + sum2 + `","gone":true}]}`},
		"62_another_plan_that_the_system_would_take_up_is_told": {In: "run.txtar partial.txtar", Prepare: both(remove(sum1), replace(check, `{"1": "1111111aaaa", "2": "2222222bbbb"}`, `{}`)),
			Want:   `[{"point":{"task":"01"},"doubts":[{"code":"needs-not-done"},{"code":"own-check-differs","severity":"warning","text":"plan 01 is next; long-run's own check would continue with plan 02, because of its checkpoint: tell long-run to do plan 01 first"}]}]`,
			Mutate: add(sum1, withSummary("01", "completed")), Then: `[{"point":{"task":"02"},"doubts":null}]`},
		"63_a_checkpoint_of_a_finished_plan_is_told_and_removed": {In: "run.txtar done.txtar", Prepare: add(check, checkpointOf("02", 2, 4)),
			Want:   `[{"state":"complete","doubts":[{"code":"status-disagrees","severity":"warning","path":"` + check + `"}],"alternatives":[{"name":"clean-up","text":"remove the left-over checkpoint of plan 02"}]}]`,
			Mutate: add(check, checkpointOf("02", 4, 4)), Then: `[{"state":"complete","doubts":null,"alternatives":null}]`},
		"64_a_question_behind_a_plan_does_not_hide_the_plan": {In: "run.txtar question.txtar", Prepare: replace(state, "Plan: 1 of 3", "Plan: 2 of 3"),
			Want:   `[{"state":"waiting","protocol":{"type":"between_plans"},"alternatives":[{"name":"answer"},{"name":"skip-unit"},{"name":"start-fresh"},{"name":"continue","text":"continue with plan 02 without an answer"}]}]`,
			Mutate: replace(state, "Plan: 2 of 3", "Plan: 1 of 3"), Then: `[{"protocol":{"type":"pending_clarification"},"alternatives":[{"name":"answer"},{"name":"skip-unit"},{"name":"start-fresh"}]}]`},
		"65_a_gap_that_the_system_would_not_see_is_told": {In: "run.txtar", Prepare: add(at+"summaries/03-SUMMARY.md", withSummary("03", "completed")),
			Want:   `[{"point":{"task":"02"},"doubts":[{"code":"own-check-differs","severity":"warning","text":"STATE.md is at plan 2, but plan 03 already has a summary, so long-run's own check would find no interruption: tell long-run to do plan 02"}]}]`,
			Mutate: remove(at + "summaries/03-SUMMARY.md"), Then: `[{"point":{"task":"02"},"doubts":null}]`},
		"66_the_reason_is_true_where_an_earlier_plan_is_blocked": {In: "run.txtar", Prepare: both(add(plan2, plan("02", `"09"`)), add(plan3, plan("03")), replace(state, "Plan: 2 of 3", "Plan: 1 of 3")),
			Want:   `[{"point":{"task":"03","reason":"it is the next plan without a summary that can start"}}]`,
			Mutate: add(plan2, plan("02")), Then: `[{"point":{"task":"02","reason":"it is the first plan without a summary"}}]`},
		"67_a_skipped_plan_is_not_counted_as_done": {In: "run.txtar done.txtar", Prepare: add(sum2, withSummary("02", "skipped")),
			Want:   `[{"state":"complete","headline":"2 of 3 plans are done, 1 was skipped"}]`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `[{"headline":"all 3 plans are done"}]`},
		"68_before_the_first_summary_none_is_named": {In: "run.txtar", Prepare: both(remove(sum1), replace(state, "Plan: 2 of 3", "Plan: 1 of 3")),
			Want:   `[{"headline":"stopped before plan 1; no plan has a summary yet"}]`,
			Mutate: both(add(sum1, withSummary("01", "completed")), replace(state, "Plan: 1 of 3", "Plan: 2 of 3")), Then: `[{"headline":"stopped before plan 2; the last plan with a summary is plan 1"}]`},
		"72_a_summary_without_a_status_counts": {In: "run.txtar done.txtar", Prepare: both(add(sum1, "# Plan 01 Summary\n\nBuilt it, all tests pass.\n"), add(sum2, "---\nplan: \"02\"\n---\nDone.\n")),
			Want:   `[{"state":"complete","headline":"all 3 plans are done","tasks":[{"id":"01","state":"done"},{"id":"02","state":"done"},{}],"doubts":null}]`,
			Mutate: add(sum2, "# Plan 02\n\n- [ ] Task 1: routes\n"), Then: `[{"state":"review","tasks":[{},{"id":"02","state":"active"},{}],"point":{"task":"02","reason":"the summary of plan 02 says that tasks are open"}}]`},
		"73_a_lost_plan_file_does_not_hide_its_plan": {In: "run.txtar", Prepare: remove(plan2),
			Want: `[{"protocol":{"type":"between_plans","resume_from":2,"last_completed":1},"point":{"task":"02","reason":"STATE.md names this plan, but its plan file is missing"},"tasks":[{"id":"01"},{"id":"02","state":"pending"},{"id":"03"}],
				"needs":[{"path":"` + plan2 + `","missing":true,"critical":true},"…"],"doubts":null,"stands":"plan 2 of 3"}]`,
			Mutate: add(plan2, plan("02")), Then: `[{"point":{"task":"02","reason":"it is the first plan without a summary"},"needs":[{"path":"` + plan2 + `","missing":null},"…"]}]`},
		"74_a_checkpoint_that_cannot_be_read_is_never_all_done": {In: "run.txtar", Prepare: both(commits("feat(02): task 1 model", "feat(02): task 2 routes"), add(plan2, "# Plan 02\n\n## Task 1: a\n\n## Task 2: b\n\n## Task 3: c\n"), add(check, `{"plan":"02","last_comp`)),
			Want:   `[{"rebuilt":true,"protocol":{"type":"partial_plan","completed_tasks":2,"total_tasks":3},"point":{"task":"02","title":"task 3 of 3, c"},"alternatives":[{"name":"continue","text":"resume plan 02 from task 3"},{"name":"restart-unit","text":"restart plan 02 from its beginning; its commits stay"},"…"]}]`,
			Mutate: add(plan2, "# Plan 02\n"), Then: `[{"protocol":{"type":"partial_plan","completed_tasks":2,"total_tasks":null},"point":{"task":"02","reason":"2 of an unknown number of tasks of plan 02 are done"},"alternatives":[{"name":"continue","text":"resume plan 02 after its last finished task, task 2"},{"name":"restart-unit"},"…"]}]`},
		"75_a_checkpoint_without_a_total_is_never_all_done": {In: "run.txtar", Prepare: both(add(plan2, "# Plan 02\n"), add(check, `{"plan":"02","last_completed_task":1}`)),
			Want:   `[{"headline":"plan 02 was interrupted after task 1 of an unknown number; no commit recorded","doubts":[{"code":"state-inconsistent","severity":"warning","text":"02-CHECKPOINT.json does not say how many tasks plan 02 has: it is not known whether all are done"},"…"]}]`,
			Mutate: add(plan2, "# Plan 02\n\n## Task 1: a\n"), Then: `[{"headline":"the only task of plan 02 is done; its summary is missing","doubts":[{"severity":"info"},"…"]}]`},
		"76_other_layouts_of_questions_are_read": {In: "run.txtar", Prepare: both(replace(state, "Plan: 2 of 3", "Plan: 1 of 3"), add(asked, "# Clarifications\n\n## Clarification 1\n\n- **Task Group:** 3\n- **Status:** pending\n- **Question:** 15 or 60 minutes?\n")),
			Want:   `[{"state":"waiting","protocol":{"type":"pending_clarification","task_group":"3","question":"15 or 60 minutes?"},"doubts":[{"code":"status-disagrees"}]}]`,
			Mutate: add(asked, "# Clarifications\n\n| Task Group | Question | Status |\n|---|---|---|\n| 2 | Which? | answered |\n| 3 | 15 or 60? | pending |\n"), Then: `[{"state":"waiting","protocol":{"task_group":"3","question":"15 or 60?"}}]`},
		"77_questions_in_an_unknown_form_are_told": {In: "run.txtar", Prepare: both(replace(state, "Plan: 2 of 3", "Plan: 1 of 3"), add(asked, "# Clarifications\n\nGroup 3 is pending, 15 or 60 minutes\n")),
			Want:   `[{"doubts":[{"code":"state-damaged","severity":"warning","path":"` + asked + `","text":"clarifications.md has a question in an unknown form: check in that file whether something waits for an answer"},{"text":"STATE.md is at plan 1, but plan 01 already has a summary, so plan 02 is next"}]}]`,
			Mutate: add(asked, "# Clarifications\n\nWhat was asked is kept here.\n\n```\n**Status:** pending\n```\n"), Then: `[{"doubts":[{"text":"STATE.md is at plan 1, but plan 01 already has a summary, so plan 02 is next; long-run's own check would find no interruption"}]}]`},
		"78_an_answer_keeps_the_form_of_its_entry": {In: "run.txtar", Prepare: add(asked, "# Clarifications\n\n## Clarification 1\n\n- **Task Group:** 3\n- **Status:** pending\n- **Question:** How long?\n- **Answer:**\n"), Act: &sources.ActionRequest{Name: sources.Answer, Text: "60"},
			Want:   `{"changes":[{"path":"` + asked + `","now":"# Clarifications\n\n## Clarification 1\n\n- **Task Group:** 3\n- **Status:** answered\n- **Question:** How long?\n- **Answer:** 60\n"}]}`,
			Mutate: add(asked, "# Clarifications\n\n| Task Group | Question | Status |\n|---|---|---|\n| 3 | How long? | pending |\n"), Then: `{"error":"` + asked + ` is not written in a way that lets git-resume change the entry of task group 3; edit it by hand"}`},
		"79_a_history_may_be_a_plain_list": {In: "run.txtar agent.txtar", Prepare: add(history, `[{"agent_id":"a1b2c3d","plan":"02","status":"spawned","timestamp":"2026-01-15T10:20:00Z"}]`), Act: &sources.ActionRequest{Name: sources.ResumeAgent},
			Want:   `{"changes":[{"path":"` + history + `","now":"[{\"agent_id\":\"a1b2c3d\",\"plan\":\"02\",\"status\":\"interrupted\",\"timestamp\":\"2026-01-15T10:20:00Z\"}]"}]}`,
			Mutate: add(history, `{"history":[{"agent_id":"a1b2c3d","plan":"02","status":"spawned"}]}`), Then: `{"changes":[{"now":"{\"history\":[{\"agent_id\":\"a1b2c3d\",\"plan\":\"02\",\"status\":\"interrupted\"}]}"}]}`},
		"80_a_number_is_one_plan_however_it_is_written": {In: "run.txtar", Prepare: both(remove(sum1), add(at+"summaries/1-SUMMARY.md", withSummary("1", "completed"))),
			Want:   `[{"tasks":[{"id":"01","state":"done"},{"id":"02"},{"id":"03"}],"point":{"task":"02"},"doubts":null}]`,
			Mutate: add(at+"plans/1-PLAN.md", plan("1")), Then: `[{"tasks":[{},{},{"id":"02"},{"id":"03"}]}]`},
		"81_commits_as_a_list_are_read": {In: "run.txtar", Prepare: add(check, `{"plan":"02","last_completed_task":2,"total_tasks":4,"task_commits":["1111111","2222222"]}`),
			Want:   `[{"headline":"plan 02 was interrupted after task 2 of 4; commits made: 1111111, 2222222","protocol":{"last_commit":"2222222"}}]`,
			Mutate: add(check, `{"plan":"02","last_completed_task":2,"total_tasks":4,"task_commits":[null,"1111111","3333333"]}`), Then: `[{"protocol":{"last_commit":"3333333"}}]`},
		"82_a_checkpoint_that_contradicts_itself_is_told": {In: "run.txtar", Prepare: add(check, checkpointOf("03", 5, 4)),
			Want: `[{"doubts":[{"code":"state-inconsistent","severity":"warning","text":"02-CHECKPOINT.json says that 5 of 4 tasks are done, which is impossible"},
				{"code":"status-disagrees","severity":"warning","text":"02-CHECKPOINT.json says that it belongs to plan 03, but its file name says plan 02; the file name is used"},"…"]}]`,
			Mutate: add(check, checkpointOf("2", -1, 4)), Then: `[{"doubts":[{"text":"02-CHECKPOINT.json says that the last finished task is number -1, which is impossible"}]}]`},
		"83_a_position_beyond_the_plans_is_told": {In: "run.txtar", Prepare: replace(state, "Plan: 2 of 3", "Plan: 9 of 3"),
			Want:   `[{"point":{"task":"02"},"headline":"STATE.md is at plan 9, which does not exist; 1 of 3 plans are done","doubts":[{"code":"status-disagrees","severity":"warning","text":"STATE.md is at plan 9, but there is no such plan, so plan 02 is next"}]}]`,
			Mutate: replace(state, "Plan: 9 of 3", "Plan: 2 of 3"), Then: `[{"headline":"stopped before plan 2; the last plan with a summary is plan 1","doubts":null}]`},
		"84_an_open_plan_behind_the_position_is_told": {In: "run.txtar", Prepare: both(replace(state, "Plan: 2 of 3", "Plan: 3 of 3"), add(plan3, plan("03"))),
			Want:   `[{"point":{"task":"03"},"doubts":[{"code":"older-work-open","severity":"warning","text":"plan 02 has no summary, but STATE.md is already at the later plan 3"}]}]`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `[{"point":{"task":"03"},"doubts":null}]`},
		"97_a_plan_that_was_interrupted_besides_that_of_the_agent_is_told": {In: "run.txtar agent.txtar", Prepare: both(add(plan3, plan("03")), both(add(check, checkpointOf("02", 1, 3)),
			replace(history, `"plan": "02", "timestamp"`, `"plan": "03", "timestamp"`))),
			Want: `[{"point":{"task":"03","reason":"agent a1b2c3d was spawned for this plan"},"doubts":[{"code":"more-partial-plans","severity":"warning","text":"plan 02 was also interrupted; continue with plan 03 first"},
				{"code":"status-disagrees","text":"STATE.md is at plan 2, but agent a1b2c3d was spawned for a later plan, so plan 03 is next"},"…"]}]`,
			Mutate: remove(check), Then: `[{"point":{"task":"03"},"doubts":[{"code":"status-disagrees"},"…"]}]`},
		"98_an_agent_for_a_plan_that_does_not_exist_is_told": {In: "run.txtar agent.txtar", Prepare: replace(history, `"plan": "02", "timestamp"`, `"plan": "07", "timestamp"`),
			Want:   `[{"protocol":{"type":"active_agent","plan":"07"},"point":{"task":"02"},"doubts":[{"code":"status-disagrees","severity":"warning","path":"` + history + `","text":"agent a1b2c3d works on plan 07 according to agent-history.json, but there is no such plan"}]}]`,
			Mutate: replace(history, `"plan": "07", "timestamp"`, `"plan": "02", "timestamp"`), Then: `[{"protocol":{"plan":"02"},"doubts":null}]`},
		"99_a_day_without_a_time_is_no_midnight": {In: "run.txtar", Prepare: both(replace(state, "2026-01-15 - plan 01 done", "2026-11-14"), both(age(state, 3*time.Hour), both(age(plan2, time.Hour), age(plan3, 25*time.Hour)))),
			Want: `[{"active":"2026-11-14T11:00:00Z","from":"the time of 02-PLAN.md"}]`, Mutate: both(replace(state, "2026-11-14", "2026-11-14T08:00:00Z"), age(state, 3*time.Hour)), Then: `[{"active":"2026-11-14T08:00:00Z","from":"last activity in STATE.md"}]`},
		"100_the_answer_reaches_who_continues": {In: "run.txtar question.txtar", Prepare: add(asked, "# Clarifications\n\n## Task Group 1: database\n**Question:** Which?\n**Status:** answered\n**Response:** sqlite\n\n## Task Group 2: api\n**Question:** Which paging?\n- by page\n- by cursor\n**Status:** answered\n**Response:** by cursor,\nin steps of 20\n\n---\n"),
			Want:   `[{"point":{"task":"02"},"context":["answer to task group 2, Which paging? - by page - by cursor: by cursor, in steps of 20"]}]`,
			Mutate: replace(asked, "**Status:** answered\n**Response:** by cursor", "**Status:** skipped\n**Response:** by cursor"), Then: `[{"context":null}]`},
		"101_a_skip_moves_the_position_wherever_the_state_file_names_it": {In: "run.txtar", Prepare: add(state, "---\ncurrent_position:\n  plan: 2\n---\n# State\n\n## Current Position\n\nPlan: 02 of 03\nStatus: Executing\n"), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + sum2 + `"},{"path":"` + state + `","now":"---\ncurrent_position:\n  plan: 3\n---\n# State\n\n## Current Position\n\nPlan: 03 of 03\nStatus: Executing\n"}]}`,
			Mutate: add(state, "---\nplan: 2\n---\nPlan: 2 of 3\nPlan: 2 was started\n"), Then: `{"changes":[{"path":"` + sum2 + `"},{"path":"` + state + `","now":"---\nplan: 3\n---\nPlan: 3 of 3\nPlan: 2 was started\n"}]}`},
		"102_a_skip_does_not_go_back_over_a_gap": {In: "run.txtar", Prepare: both(add(plan2, plan("02")), add(plan3, plan("03")), add(at+"plans/04-PLAN.md", plan("04")), add(state, "Plan: 3 of 4\nStatus: Executing\n")), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + at + `summaries/03-SUMMARY.md"},{"path":"` + state + `","now":"Plan: 4 of 4\nStatus: Executing\n"}]}`,
			Mutate: remove(at + "plans/04-PLAN.md"), Then: `{"changes":[{"path":"` + at + `summaries/03-SUMMARY.md"},{"path":"` + state + `","now":"Plan: 2 of 4\nStatus: Executing\n"}]}`},
		"103_a_lost_commit_is_found_by_the_number_of_its_task": {In: "run.txtar partial.txtar", Prepare: commits("feat(02): task 1 of the api", "feat(02): task 2 of the api"),
			Want:   `[{"doubts":[{"code":"commit-moved"},{"code":"commit-moved"}],"context":["*","*"]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("reset", "-q", "--soft", "HEAD~1") },
			Then:   `[{"doubts":[{"code":"commit-moved"},{"code":"done-no-evidence","text":"commit 2222222bbbb of plan 02 is not in this repository, and no other commit of this plan names its task"}],"context":["*","task 2 of plan 02, 'add validation', is done according to its checkpoint, but commit 2222222 is not in this repository"]}]`},
		"104_a_count_that_is_no_number_is_told": {In: "run.txtar", Prepare: both(commits("feat(02): task 1 of the api"), add(check, `{"plan":"02","last_completed_task":"two","total_tasks":4,"task_commits":{}}`)),
			Want:   `[{"rebuilt":true,"protocol":{"type":"partial_plan","completed_tasks":1},"doubts":[{"code":"state-damaged","text":"` + check + ` says that the number of the last finished task is 'two'"},{"code":"state-rebuilt"}]}]`,
			Mutate: replace(check, `{}`, `{"1":"1111111"}`), Then: `[{"rebuilt":null,"protocol":{"completed_tasks":1},"doubts":[{"code":"state-inconsistent","text":"02-CHECKPOINT.json says that the number of the last finished task is 'two', which is impossible"},"…"]}]`},
		"105_an_answer_in_YAML_stays_YAML": {In: "run.txtar", Prepare: both(replace(state, "Plan: 2 of 3", "Plan: 1 of 3"), add(asked, "- status: pending\n  question: \"Which?\"\n")), Act: &sources.ActionRequest{Name: sources.Answer, Text: `Redis: "yes" # really`},
			Want:   `{"changes":[{"path":"` + asked + `","now":"- status: answered\n  question: \"Which?\"\n  response: \"Redis: \\\"yes\\\" # really\"\n"}]}`,
			Mutate: add(asked, "- Task Group: 3\n- Status: pending\n- Question: Which?\n"), Then: `{"changes":[{"now":"- Task Group: 3\n- Status: answered\n- Question: Which?\n- Response: Redis: \"yes\" # really\n"}]}`},
		"106_an_answer_is_written_into_a_table": {In: "run.txtar", Prepare: both(replace(state, "Plan: 2 of 3", "Plan: 1 of 3"), add(asked, "| Task Group | Question | Status | Answer |\n|---|---|---|---|\n| 3 | a \\| b? | pending | |\n")), Act: &sources.ActionRequest{Name: sources.Answer, Text: "a|b"},
			Want:   `{"changes":[{"now":"| Task Group | Question | Status | Answer |\n|---|---|---|---|\n| 3 | a \\| b? | answered | a\\|b |\n"}]}`,
			Mutate: replace(asked, " Answer |", " Who |"), Then: `{"error":"` + asked + ` is not written in a way that lets git-resume change the entry of task group 3; edit it by hand"}`},
		"107_a_question_without_a_label_is_shown": {In: "run.txtar question.txtar", Prepare: add(asked, "## Task Group 3\n\nStatus: pending\n\nRedis or Postgres?\n"),
			Want:   `[{"questions":[{"task":"3","text":"Redis or Postgres?"}]}]`,
			Mutate: add(asked, "## Task Group 3: Which database?\n\nStatus: pending\n"), Then: `[{"questions":[{"task":"3","text":"Which database?"}]}]`},
		"108_a_question_in_a_code_block_of_YAML_is_read": {In: "run.txtar question.txtar", Prepare: add(asked, "# Clarifications\n\n```yaml\n- task_group: 3\n  status: pending\n  question: \"Which?\"\n```\n"),
			Want:   `[{"state":"waiting","questions":[{"task":"3","text":"Which?"}]}]`,
			Mutate: replace(asked, `"Which?"`, `"[what is needed]"`), Then: `[{"state":"paused","questions":null}]`},
		"109_what_follows_a_question_is_shown_without_marks": {In: "run.txtar question.txtar", Prepare: add(asked, "## Task Group 3\n**Status:** pending\n**Question:** Which?\n**Options:** a / b\n**Answer:**\n"),
			Want: `[{"questions":[{"text":"Which?\nOptions: a / b"}]}]`, Mutate: replace(asked, "**Options:**", "**Asked:**"), Then: `[{"questions":[{"text":"Which?"}]}]`},
		"110_a_question_about_a_finished_plan_does_not_hold_up_the_next_one": {In: "run.txtar", Prepare: add(asked, "## Task Group 1\n- Status: pending\n- Question: Which?\n"),
			Want: `[{"state":"interrupted","headline":"stopped before plan 2; the last plan with a summary is plan 1","protocol":{"type":"between_plans"},"questions":[{"task":"1"}],
				"alternatives":[{"name":"continue"},{"name":"skip-unit","text":"skip plan 02; plan 03 needs it, and will be blocked"},{"name":"start-fresh"},{"name":"answer"}]}]`,
			Mutate: replace(asked, "Group 1", "Group 2"), Then: `[{"state":"waiting"}]`},
		"111_an_agent_that_ended_without_a_summary_is_named_with_its_plan": {In: "run.txtar agent.txtar", Prepare: both(agentIs("completed"), commits("feat(02): add routes")),
			Want: `[{"headline":"agent a1b2c3d, which worked on plan 02, has ended (completed), but the plan has no summary","point":{"task":"02","reason":"agent a1b2c3d, which worked on plan 02, has ended (completed), but the plan has no summary"},
				"context":["no file says how much of plan 02 is done, but 1 commit names it; it may belong to an earlier run","*"]}]`,
			Mutate: remove(marker), Then: `[{"headline":"stopped at plan 2: 1 commit names it, but no file says how much of it is done; the last plan with a summary is plan 1"}]`},
		"112_the_commits_of_a_restarted_plan_are_told": {In: "run.txtar", Prepare: commits("feat(02): task 1", "feat(03): task 1", "fix(02): task 2"),
			Want:   `[{"headline":"stopped at plan 2: 2 commits name it, but no file says how much of it is done; the last plan with a summary is plan 1","point":{"task":"02"},"context":["no file says how much of plan 02 is done, but 2 commits name it; they may belong to an earlier run","*","*"]}]`,
			Mutate: add(check, checkpointOf("02", 0, 4)), Then: `[{"headline":"plan 02 was interrupted after task 0 of 4; no task finished","context":null}]`},
		"123_a_commit_names_its_plan_in_other_forms_too": {In: "run.txtar", Prepare: both(commits("feat(plan-02): add routes", "feat(02-2): add validation", "Plan 02 Task 3: add paging", "fix(02-02): validate again", "feat(02-17): no", "feat(03-1): no"), add(check, `{"plan":"02","last_comp`)),
			Want:   `[{"protocol":{"type":"partial_plan","completed_tasks":3,"total_tasks":4},"point":{"title":"task 4 of 4, write tests"},"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt","text":"the progress of plan 02 was reconstructed from 4 commits that name it, because its checkpoint cannot be read"}]}]`,
			Mutate: add(at+"plans/02-2-PLAN.md", plan("02-2")), Then: `[{"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt","text":"the progress of plan 02 was reconstructed from 2 commits that name it, because its checkpoint cannot be read"}]}]`},
		"124_a_skipped_task_group_inside_a_plan_is_named": {In: "run.txtar", Prepare: both(add(plan2, "# Plan 02: API\n\nTask Groups: 3, 4\n"), add(asked, "## Task Group 3\n- Status: skipped\n- Question: Which?\n")),
			Want:   `[{"point":{"task":"02"},"doubts":[{"code":"group-skipped","severity":"info","path":"` + asked + `","text":"task group 3 of plan 02 was skipped because its question was not answered; leave this task group out"}]}]`,
			Mutate: replace(asked, "skipped", "answered"), Then: `[{"doubts":null}]`},
		"124_skipping_one_task_group_of_a_plan_keeps_the_others": {In: "run.txtar question.txtar", Prepare: both(add(plan2, "# Plan 02: API\n\nTask Groups: 3, 4\n"), add(asked, "## Task Group 3\n- Status: pending\n- Question: Which?\n")), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + asked + `","now":"## Task Group 3\n- Status: skipped\n- Question: Which?\n"}]}`,
			Mutate: replace(plan2, "Task Groups: 3, 4", "Task Groups: 3"), Then: `{"changes":[{"path":"` + asked + `"},{"path":"` + sum2 + `"},{"path":"` + state + `"}]}`},
		"125_without_a_state_file_the_times_of_the_other_files_count": {In: "run.txtar", Prepare: both(remove(state), remove(sum1), add(check, `{"plan":"02","last_completed_task":1,"total_tasks":4}`), both(age(at+"plans/01-PLAN.md", 5*time.Hour), age(plan2, 5*time.Hour), age(plan3, 5*time.Hour), age(check, 3*time.Hour))),
			Want:   `[{"active":"2026-11-14T09:00:00Z","from":"the time of 02-CHECKPOINT.json"}]`,
			Mutate: add(check, checkpointOf("02", 1, 4)), Then: `[{"active":"2026-01-15T10:45:00Z","from":"02-CHECKPOINT.json"}]`},
		"126_a_heading_above_questions_is_no_question": {In: "run.txtar", Prepare: add(asked, "# Pending clarifications\n\n## Task Group 2\n- Status: answered\n- Question: Which?\n"),
			Want: `[{"doubts":null}]`, Mutate: add(asked, "# Clarifications\n\n## Pending\n\nGroup 3: 15 or 60 minutes\n\n## Task Group 2\n- Status: answered\n- Question: Which?\n"), Then: `[{"doubts":[{"code":"state-damaged","severity":"warning"}]}]`},
		"113_the_status_of_an_agent_that_did_not_finish_is_told": {In: "run.txtar agent.txtar", Prepare: agentIs("failed"),
			Want:   `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z; its status is 'failed'"}]`,
			Mutate: agentIsFrom("failed", "spawned"), Then: `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z"}]`},
		"114_a_history_may_name_the_file_of_a_plan": {In: "run.txtar agent.txtar", Prepare: replace(history, `"plan": "02", "timestamp"`, `"plan": "plans/02-PLAN.md", "timestamp"`),
			Want:   `[{"headline":"plan 02 was interrupted; agent a1b2c3d was spawned at 2026-01-15T10:20:00Z","doubts":null}]`,
			Mutate: replace(history, "02-PLAN.md", "09-PLAN.md"), Then: `[{"doubts":[{"code":"status-disagrees"}]}]`},
		"115_an_agent_that_the_history_does_not_name_can_be_resumed": {In: "run.txtar agent.txtar", Prepare: replace(history, `"agent_id": "a1b2c3d"`, `"agent_id": "other"`),
			Want: `[{"session":"a1b2c3d"}]`, Mutate: remove(marker), Then: `[{"session":"other"}]`},
		"116_the_number_of_a_task_group_is_no_title": {In: "run.txtar question.txtar", Prepare: both(add(plan2, "---\nplan: \"02\"\ntask_group: 5\n---\n# Plan 02: API\n"), add(asked, "## Task Group 5\nStatus: pending\nQuestion: Which?\n")), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + asked + `"},{"path":"` + sum2 + `","now":"---\nversion: \"1.0\"\nplan: \"02\"\ntask_group: \"5\"\nstatus: skipped\nreason: needs-clarification\ncompleted_at: 2026-11-14T12:00:00Z\n---\n\n# Plan 02: skipped\n"},"…"]}`,
			Mutate: replace(plan2, "task_group: 5", "task_group: 2"), Then: `{"changes":[{"path":"` + asked + `"}]}`},
		"117_a_heading_gives_the_title_of_a_plan": {In: "run.txtar", Prepare: add(plan2, "---\nplan: \"02\"\ntask_group: 5\n---\n# Plan 02: API\n"),
			Want: `[{"tasks":[{},{"id":"02","title":"API"},{}]}]`, Mutate: replace(plan2, "task_group: 5", "task_group: pages"), Then: `[{"tasks":[{},{"id":"02","title":"pages"},{}]}]`},
		"118_the_command_names_the_specification": {Prepare: both(add(".long-run/STATE.md", small), add("agent-os/specs/auth/spec.md", "# Spec\n")),
			Want: `[{"command":"/long-run-implement auth"}]`, Mutate: both(add("specs/more/spec.md", "# Spec\n"), add(".long-run/STATE.md", "Spec: specs/more\n\n"+small)), Then: `[{"command":"/long-run-implement more"}]`},
	})
}

// If the user skips a plan, its agent must no longer be offered for resuming.
func TestFind_forgetsTheAgentOfASkippedPlan(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, name := range []string{"run.txtar", "agent.txtar"} {
		sourcetest.Place(r, filepath.Join("testdata", name))
	}
	if f := sourcetest.Find(r, New())[0]; f.Session != "a1b2c3d" {
		t.Fatalf("its agent is %q", f.Session)
	}
	sourcetest.Do(r, New(), sources.ActionRequest{Name: sources.SkipUnit})
	if f := sourcetest.Find(r, New())[0]; f.Session != "" || f.Point.Task != "03" {
		t.Errorf("skipped, and %q would be resumed for plan %s", f.Session, f.Point.Task)
	}
}

// A list counts the finished plans of a run, also if the headline begins with the plan at which it stands.
func TestFind_countsPlans(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, name := range []string{"run.txtar", "agent.txtar"} {
		sourcetest.Place(r, filepath.Join("testdata", name))
	}
	if f := sourcetest.Find(r, New())[0]; !f.Counted() || f.Listed != "plan 02" {
		t.Errorf("%s: a list says only %q", f.Headline, f.Listed)
	}
}

// age makes a file older: it sets the modification time to the given duration before now.
func age(file string, by time.Duration) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		at := sourcetest.Now.Add(-by)
		if err := os.Chtimes(filepath.Join(r.Dir, file), at, at); err != nil {
			r.T.Fatal(err)
		}
	}
}
