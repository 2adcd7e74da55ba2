package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// stage is a repository in which another system's work was interrupted some time ago.
type stage struct {
	*gittest.Repo
	ago time.Duration
}

func newStage(t *testing.T) stage {
	t.Parallel()
	r := gittest.New(t)
	r.Env = append(r.Env, "NO_COLOR=1")
	return stage{r, 2 * time.Hour}
}

// put writes state files. Their modification times, and the times in their text, are the time when the work was interrupted.
func (s stage) put(files map[string]string) {
	s.T.Helper()
	old := time.Now().Add(-s.ago)
	for name, text := range files {
		s.Write(name, strings.ReplaceAll(text, "THEN", old.UTC().Format(time.RFC3339)))
		if err := os.Chtimes(filepath.Join(s.Dir, name), old, old); err != nil {
			s.T.Fatal(err)
		}
	}
}

// hear runs git-resume and checks the exit code. It returns the output with all spaces and newlines replaced by single spaces.
func (s stage) hear(code int, args ...string) string {
	s.T.Helper()
	return s.listen(code, "git-resume", args...)
}

// converse runs git-resume at a terminal and types the answers. It checks the exit code and returns the output, as the method hear does.
func (s stage) converse(code int, answers string, args ...string) string {
	s.T.Helper()
	if runtime.GOOS != "linux" {
		s.T.Skip("a terminal is needed")
	}
	return s.listen(code, "terminal", append([]string{answers, "git-resume"}, args...)...)
}

func (s stage) listen(code int, program string, args ...string) string {
	s.T.Helper()
	out, got := s.Try(program, args...)
	if got != code {
		s.T.Fatalf("%s %q: exit code %d, want %d\n%s", program, args, got, code, out)
	}
	return strings.Join(strings.Fields(out), " ")
}

// The method "tells" checks that a text contains each part. A part that begins with "!" must not be in the text.
func (s stage) tells(text string, parts ...string) {
	s.T.Helper()
	for _, p := range parts {
		not := strings.HasPrefix(p, "!")
		if strings.Contains(text, strings.TrimPrefix(p, "!")) == not {
			s.T.Errorf("wanted %q in:\n%s", p, text)
		}
	}
}

// demand checks one row of demands.tsv in a new repository.
func demand(t *testing.T, source, name string, test func(s stage)) {
	t.Helper()
	sourcetest.Demanded(t, source, name, func(t *testing.T) { test(newStage(t)) })
}

const (
	longRun = "agent-os/specs/photo-album/.long-run/"
	asks    = "## Task Group %s: mail\n**Asked:** THEN\n**Question:** From which address?\n**Status:** pending\n**Response:**\n"
)

// The method "plans" writes state files of the long-run system: the second of three plans is interrupted after two of its four tasks.
func (s stage) plans() {
	plan := func(id, needs string) string {
		text := fmt.Sprintf("---\nplan: %q\ntask_group: group %s\ndepends_on: [%s]\n---\n", id, id, needs)
		for _, step := range []string{"add routes", "check input", "add paging", "write tests"} {
			text += "<task type=\"auto\">\n<name>" + step + "</name>\n</task>\n"
		}
		return text
	}
	head := s.Git("rev-parse", "HEAD")
	s.put(map[string]string{
		longRun + "STATE.md":                 "# Long-Run Implementation State\n\n## Current Position\nPlan: 2 of 3\nStatus: Executing\nLast activity: THEN\n",
		longRun + "plans/01-PLAN.md":         plan("01", ""),
		longRun + "plans/02-PLAN.md":         plan("02", `"01"`),
		longRun + "plans/03-PLAN.md":         plan("03", ""),
		longRun + "summaries/01-SUMMARY.md":  "---\nplan: \"01\"\nstatus: completed\ncompleted_at: THEN\n---\n",
		longRun + "plans/02-CHECKPOINT.json": fmt.Sprintf(`{"plan":"02","last_completed_task":2,"total_tasks":4,"task_commits":{"1":%q,"2":%q},"updated_at":"THEN"}`, head, head),
		longRun + "current-agent-id.txt":     "a1b2c3d",
		longRun + "agent-history.json":       `{"version":"1.0","entries":[{"agent_id":"a1b2c3d","plan":"02","timestamp":"THEN","status":"spawned"}]}`,
	})
	s.Git("config", "resume.long-run.handoff", "echo tool {task} [{agent_id}]")
}

// The method "without" removes the named state files.
func (s stage) without(names ...string) {
	for _, n := range names {
		if err := os.Remove(filepath.Join(s.Dir, longRun, n)); err != nil {
			s.T.Fatal(err)
		}
	}
}

func TestDemands_longRun(t *testing.T) {
	t.Parallel()
	const name = "long-run:photo-album"
	row := func(name string, test func(s stage)) { t.Helper(); demand(t, "long-run", name, test) }
	row("16_a_rebuilt_checkpoint_is_confirmed", func(s stage) {
		s.plans()
		s.without("current-agent-id.txt", "agent-history.json")
		s.put(map[string]string{longRun + "plans/02-CHECKPOINT.json": `{"plan":"02","last_comp`})
		s.Git("commit", "-q", "--allow-empty", "-m", "feat(02): add routes")
		s.tells(s.hear(exit.Decide, name), "reconstructed from 1 commit that names it", "--yes resume plan 02 from task 2", "!tool")
	})
	row("21_a_refusal_names_the_choices", func(s stage) {
		s.plans()
		s.without("current-agent-id.txt", "agent-history.json", "plans/02-CHECKPOINT.json", "plans/03-PLAN.md")
		s.put(map[string]string{longRun + "STATE.md": "## Current Position\nPlan: 2 of 2\nStatus: Complete\nLast activity: THEN\n"})
		s.tells(s.hear(exit.Decide, name), "error: its own records disagree about whether it is done", "--yes do plan 02", "--choose skip skip plan 02", "!rebuilt from commits", "!tool")
		s.hear(exit.Decide, name, "--auto")
		s.tells(s.converse(exit.Done, "1", name), "1 continue do plan 02; no summary says that it is completed", "tool 02")
	})
	row("28_respawn_has_the_context_of_the_checkpoint", func(s stage) {
		s.plans()
		s.tells(s.hear(exit.Done, name, "--choose", "resume-agent", "--yes"), "tool 02 [a1b2c3d]")
		s.tells(s.hear(exit.Done, name, "--choose", "respawn", "--yes"), "tool 02 []", "remove agent-os/specs/photo-album/.long-run/current-agent-id.txt")
		s.hear(exit.Done, "undo", "--yes", name)
		s.Git("config", "--unset", "resume.long-run.handoff")
		brief := s.hear(exit.Done, name, "--choose", "respawn", "--yes")
		s.tells(brief, "task 1 of plan 02, 'add routes', is done ("+s.Git("rev-parse", "--short=7", "HEAD")+")", "task 2 of plan 02, 'check input', is done", "!Its agent was")
	})
	row("29_a_skipped_plan_lets_the_next_begin_at_once", func(s stage) {
		s.plans()
		s.tells(s.hear(exit.Done, name, "--choose", "skip-unit", "--yes"), "remove "+longRun+"current-agent-id.txt", "write "+longRun+"summaries/02-SUMMARY.md", "git resume undo long-run:photo-album")
		s.tells(s.hear(exit.Done, name, "--auto"), "tool 03 []")
	})
	row("35_a_partial_plan_is_skipped_and_the_next_begins", func(s stage) {
		s.plans()
		s.without("current-agent-id.txt", "agent-history.json")
		s.hear(exit.Done, name, "--choose", "skip-unit", "--yes")
		s.tells(s.hear(exit.Done, name, "--auto"), "tool 03")
	})
	question := func(s stage) {
		s.plans()
		s.without("current-agent-id.txt", "agent-history.json", "plans/02-CHECKPOINT.json")
		s.put(map[string]string{longRun + "clarifications.md": fmt.Sprintf(asks, "2")})
	}
	row("36_a_question_names_its_task_group", func(s stage) {
		question(s)
		for _, heard := range []string{s.hear(exit.Waiting, name), s.converse(exit.No, "q", name)} {
			s.tells(heard, "waiting for clarification on task group 2", "? From which address?")
		}
	})
	row("37_a_question_stands_beside_its_options", func(s stage) {
		question(s)
		s.tells(s.converse(exit.Done, "2,y", name), "1 answer answer now 2 skip skip task group 2 3 start-fresh start fresh")
		s.tells(s.Read(longRun+"clarifications.md"), "**Status:** skipped")
	})
	row("39_an_answer_lets_it_continue_at_once", func(s stage) {
		question(s)
		s.tells(s.hear(exit.Done, name, "--choose", "answer", "--answer", "post@example.org", "--yes"), "!more question")
		s.tells(s.Read(longRun+"clarifications.md"), "**Status:** answered\n**Response:** post@example.org\n")
		s.tells(s.hear(exit.Done, name, "--auto"), "tool 02")
	})
	row("44_a_question_of_another_group_stops_nothing", func(s stage) {
		s.plans()
		s.put(map[string]string{longRun + "clarifications.md": fmt.Sprintf(asks, "3")})
		s.tells(s.hear(exit.Done, name, "--choose", "respawn", "--yes"), "a question about task group 3 is open (the system that manages this work does not wait for the answer): From which address?", "!does not depend on its answer", "tool 02 []")
		s.tells(s.hear(exit.Done, name, "--auto"), "tool 02")
	})
	row("85_a_question_about_the_next_plan_is_called_so", func(s stage) {
		s.plans()
		s.put(map[string]string{longRun + "clarifications.md": fmt.Sprintf(asks, "2")})
		s.tells(s.hear(exit.Done, name, "--choose", "respawn", "--yes"), "a question about task group 2 is open (the system that manages this work does not wait for the answer): From which address?", "!does not depend on its answer")
		s.tells(s.hear(exit.Done, "status", name), "asks From which address? (task group 2)")
	})
	row("51_of_two_specifications_one_is_asked_for", func(s stage) {
		s.plans()
		s.put(map[string]string{"specs/shop/.long-run/STATE.md": "## Current Position\nPlan: 1 of 1\nStatus: Executing\nLast activity: THEN\n", "specs/shop/.long-run/plans/01-PLAN.md": "---\nplan: \"01\"\n---\n"})
		s.tells(s.hear(exit.Decide), name, "long-run:shop", "hint: name one", "!tool")
	})
	row("54_what_others_write_is_a_sign_of_life", func(s stage) {
		s.plans()
		s.hear(exit.Done, name, "--choose", "respawn", "--yes")
		s.hear(exit.Done, "undo", "--yes", name)
		s.tells(s.hear(exit.Done, "status"), "interrupted "+name, "!running")
		s.Write(longRun+"agent-history.json", s.Read(longRun+"agent-history.json")+"\n")
		s.tells(s.hear(exit.Done, "status"), "may be running "+name)
		s.tells(s.hear(exit.Busy, name, "--auto"), "agent-history.json changed", "!tool")
	})
	row("56_old_work_is_warned_about", func(s stage) {
		s.ago = 30 * 24 * time.Hour
		s.plans()
		s.tells(s.hear(exit.Decide, name, "--auto"), "more than 7 days", "!tool 02")
	})
	row("57_a_discard_means_the_only_work_there_is", func(s stage) {
		s.plans()
		s.tells(s.hear(exit.Decide, "--discard", "--yes"), "git-resume cannot ask here, so repeat the command with this name")
		s.tells(s.converse(exit.Done, "y", "--discard"), "This hides long-run:photo-album in this clone", "Hidden.")
		s.tells(s.hear(exit.Done, "status"), "!photo-album")
		s.tells(s.Read(longRun+"current-agent-id.txt"), "a1b2c3d")
	})
	row("58_a_fresh_start_leaves_nothing_over", func(s stage) {
		s.plans()
		s.tells(s.hear(exit.Done, name, "--choose", "start-fresh", "--yes"), "git resume undo long-run:photo-album", "Start again in its own system: /long-run-implement photo-album")
		s.tells(s.hear(exit.Done, "status"), "Nothing to resume")
		s.tells(s.hear(exit.Done, "status", "--all"), "ended long-run:photo-album", "the state files of its system no longer exist", "!idle", "!0/0")
	})
}

const (
	memoryRun  = "20261115-1000-user-auth-ab12"
	memory     = ".agent-memory/runs/" + memoryRun + "/"
	memoryName = "agent-memory:" + memoryRun
)

// memory writes state files of agent-memory: T001 is done, and T002 and T003 depend on it. The events are added to its log.
func (s stage) memory(events ...string) {
	event := `{"event_type":"task_completed","task_id":"T001","timestamp":"THEN","actor":"dev"}` + "\n"
	for _, e := range events {
		kind, task, _ := strings.Cut(e, " ")
		event += fmt.Sprintf(`{"event_type":%q,"task_id":%q,"timestamp":"THEN","actor":"dev","details":{"reason":"need API key"}}`+"\n", kind, task)
	}
	s.put(map[string]string{
		memory + "constitution.md": "# c\n", memory + "prd.md": "# p\n", memory + "plan.md": "# p\n",
		memory + "task-graph.json":    `{"tasks":[{"id":"T001","title":"schema","dependencies":[]},{"id":"T002","title":"signup","dependencies":["T001"]},{"id":"T003","title":"login","dependencies":["T001"]}]}`,
		memory + "events/dev/1.jsonl": event,
	})
	s.Git("config", "resume.agent-memory.handoff", "echo tool {task}")
}

func TestDemands_agentMemory(t *testing.T) {
	t.Parallel()
	row := func(name string, test func(s stage)) { t.Helper(); demand(t, "agent-memory", name, test) }
	row("4_a_run_is_found_by_every_name", func(s stage) {
		s.memory("task_started T002")
		for _, given := range []string{memoryRun, memoryName, "user-auth"} {
			s.tells(s.hear(exit.Done, "status", given), "run "+memoryRun+", phase 2, 1/3 tasks complete")
		}
		s.tells(s.hear(exit.Failed, "status", "user"), "there is no run 'user'")
	})
	row("19_a_blocked_task_stops_no_other", func(s stage) {
		s.memory("task_blocked T002")
		s.tells(s.hear(exit.Done, memoryName, "--auto"), "the next step does not depend on T002, which is blocked: need API key", "tool T003")
		s.tells(s.hear(exit.Done, memoryName, "--choose", "continue", "--yes"), "tool T003")
	})
	row("22_every_hint_has_the_run_s_own_id", func(s stage) {
		s.memory("task_started T002")
		s.tells(s.hear(exit.Done, memoryName, "--choose", "skip-unit", "--yes"), "To undo it: git resume undo "+memoryName, "!"+memoryRun+"-")
		s.tells(s.hear(exit.Done, "status"), "interrupted "+memoryName+" ")
		s.tells(s.hear(exit.Done, "undo", "--yes", memoryName), "undid")
	})
	row("33_a_yes_continues_where_no_event_can_be_read", func(s stage) {
		s.memory()
		s.put(map[string]string{memory + "events/dev/1.jsonl": "\x00\x00\x00\x00"})
		heard := s.hear(exit.Decide, memoryName)
		s.tells(heard, "it is not known how many tasks are complete", "error: its state was reconstructed, because its own record is missing or unclear", "--choose review", "!cannot continue:", "!tool")
		if n := strings.Count(heard, "1.jsonl:1"); n != 1 {
			t.Errorf("the damage is told %d times:\n%s", n, heard)
		}
		s.hear(exit.Decide, memoryName, "--auto")
		s.tells(s.hear(exit.Done, memoryName, "--yes"), "tool T001")
	})
	row("35_a_review_shows_what_was_built", func(s stage) {
		s.memory("task_started T002")
		s.put(map[string]string{"src/signup.go": "package signup\n"})
		s.tells(s.hear(exit.Done, memoryName, "--choose", "review"), "1 T001 schema done", "commits none known for its tasks", "uncommitted 1 file: src/signup.go")
		s.Git("add", "src")
		s.Git("commit", "-q", "-m", "[T001] make the schema")
		s.tells(s.hear(exit.Done, "review", memoryName), "T001 schema "+s.Git("rev-parse", "--short=7", "HEAD")+" [T001] make the schema 1 file changed", "uncommitted nothing but its own state", "!commits none")
	})
	row("38_an_action_lets_it_continue_at_once", func(s stage) {
		s.memory("task_started T002")
		s.hear(exit.Done, memoryName, "--choose", "skip-unit", "--yes")
		s.tells(s.hear(exit.Done, memoryName, "--auto"), "tool T003")
	})
	row("39_a_question_stands_beside_its_options", func(s stage) {
		s.memory("task_blocked T002", "task_blocked T003")
		s.tells(s.converse(exit.Done, "+,4,y", memoryName), "? T002: need API key", "1 answer say what unblocks T002, and record T002 as started again 2 review", "3 restart", "4 skip leave T002 - signup out", "5 start-fresh")
		s.tells(s.hear(exit.Waiting, memoryName), "- 2 T002 signup skipped", "? T003: need API key")
	})
}

const (
	feature  = "specs/005-user-auth/"
	loopName = "spec-loop:005-user-auth"
)

// loop writes state files of the spec-loop system, for a loop of ten iterations that has reached the given iteration. Each question is
// an id and a status, separated by a space.
func (s stage) loop(status string, iteration int, questions ...string) {
	text := fmt.Sprintf("# Feature Index\n\n## Feature Metadata\n\n| Field | Value |\n|---|---|\n| **Feature Name** | Sign in by mail |\n\n## Priority Loop State\n\n| Field | Value |\n|---|---|\n"+
		"| **Loop Status** | %s |\n| **Current Iteration** | %d / 10 |\n| **Last Activity** | THEN |\n| **Stale Count** | 0 / 3 |\n| **Termination Reason** | stale |\n", status, iteration)
	gaps := "\n## Gap Priority Queue\n\n| Priority | Gap ID | Status | Resolution |\n|---|---|---|---|\n"
	text += "\n## Pending Questions\n\n| ID | Question Summary | Gaps | Status | Answer |\n|---|---|---|---|---|\n"
	for i, q := range questions {
		id, status, _ := strings.Cut(q, " ")
		answer := map[string]string{"answered": "15 minutes"}[status]
		text += fmt.Sprintf("| %s | How long does %s last? | G-00%d | %s | %s |\n", id, id, i, status, answer)
		gaps += fmt.Sprintf("| Important | G-00%d | clarifying | Pending %s |\n", i, id)
	}
	if status != "terminated" {
		text = strings.ReplaceAll(text, "| **Termination Reason** | stale |\n", "")
	}
	s.put(map[string]string{feature + "spec.md": "# Sign in\n", feature + ".workflow/index.md": text + gaps})
}

func TestDemands_specLoop(t *testing.T) {
	t.Parallel()
	row := func(name string, test func(s stage)) { t.Helper(); demand(t, "spec-loop", name, test) }
	row("3_it_is_found_by_every_name", func(s stage) {
		s.loop("validating", 2)
		for _, name := range []string{"005-user-auth", "user-auth", "sign in by mail", loopName} {
			s.tells(s.hear(exit.Done, "status", name), "found an interrupted workflow for '005-user-auth'")
		}
		for _, name := range []string{"User Auth", "USER-AUTH", "005 user auth", "Sign-in by mail"} {
			s.tells(s.hear(exit.Done, "status", name), "found an interrupted workflow for '005-user-auth'")
		}
		s.tells(s.hear(exit.Failed, "status", "mail"), "there is no run 'mail'", "did you mean "+loopName+"?")
		s.tells(s.hear(exit.Failed, "status", "payment"), "there is no run 'payment'", "!did you mean")
	})
	row("76_open_work_is_named_before_new_work_starts", func(s stage) {
		s.loop("clarifying", 2, "C2.1 awaiting_answer", "C2.2 awaiting_answer")
		for _, name := range []string{"005-user-auth", "user-auth", "User Auth"} {
			s.tells(s.hear(exit.Decide, "start", "--name", name, "--task", "a: b"), "is already open", "waiting "+loopName)
		}
		s.hear(exit.Done, "answer", "C2.1", "long")
		s.tells(s.hear(exit.Decide, "start", "--name", "user-auth", "--task", "a: b"), "waiting "+loopName, "!may be running", "!no longer exist")
	})
	row("7_the_heading_stands_above_a_question", func(s stage) {
		s.loop("clarifying", 2, "C2.1 awaiting_answer")
		for _, heard := range []string{s.hear(exit.Waiting, loopName), s.converse(exit.No, "q", loopName), s.hear(exit.Waiting, loopName, "--preflight")} {
			s.tells(heard, "found an interrupted workflow for '005-user-auth': clarifying, iteration 2 / 10, pending clarifications 1, last activity 20", "? How long does C2.1 last?")
		}
		s.tells(s.hear(exit.Done, "status"), "iteration 2 of 10, step B1")
		s.tells(s.hear(exit.Usage, "--json"), "option '--json' belongs to 'git resume status'")
	})
	row("8_options_are_shown_whole", func(s stage) {
		s.loop("validating", 2)
		s.tells(s.converse(exit.No, "q", loopName), "1 continue continue from iteration 2 with B3: validate the specification again 2 start-fresh move its folder aside (specs/005-user-auth), so that the workflow starts at A1", "!…")
		s.tells(s.hear(exit.Decide, loopName, "--preflight"), "of 7 steps done", "!iterations done")
	})
	row("9_a_workflow_that_waits_can_ask_again", func(s stage) {
		s.loop("clarifying", 2, "C2.1 awaiting_answer")
		s.tells(s.hear(exit.Done, loopName, "--choose", "continue", "--yes"), "B1: ask the pending questions", "/humaninloop:specify")
	})
	row("18_a_terminated_workflow_tells_why", func(s stage) {
		s.loop("terminated", 3)
		s.tells(s.hear(exit.Done, loopName), "the workflow of '005-user-auth' was terminated: stale; nothing is left to continue")
		s.tells(s.hear(exit.Done, "status", "--all"), "ended "+loopName, "stale", "!discarded")
	})
	row("26_the_brief_repeats_the_answers", func(s stage) {
		s.loop("clarifying", 2, "C2.1 answered")
		s.tells(s.hear(exit.Done, loopName, "--auto"), "B2: apply the answers", "answer to C2.1, How long does C2.1 last?: 15 minutes")
	})
	row("27_an_open_question_comes_before_an_answer", func(s stage) {
		s.loop("clarifying", 2, "C2.1 answered", "C2.2 awaiting_answer")
		s.tells(s.hear(exit.Waiting, loopName, "--auto"), "How long does C2.2 last?")
		s.tells(s.hear(exit.Done, "status"), "waiting "+loopName, "How long does C2.2 last?")
		s.tells(s.hear(exit.Done, loopName, "--choose", "answer", "--answer", "long", "--yes", "--force"), "!more question")
		s.tells(s.Read(feature+".workflow/index.md"), "| C2.2 | How long does C2.2 last? | G-001 | answered | long |")
	})
	row("30_a_fresh_start_names_how_to_begin", func(s stage) {
		s.loop("validating", 2)
		s.tells(s.hear(exit.Done, loopName, "--choose", "start-fresh", "--yes"), "Start again in its own system: /humaninloop:specify")
	})
	row("38_a_repair_lets_it_continue_at_once", func(s stage) {
		s.loop("frobnicating", 2)
		s.hear(exit.Conflicts, loopName, "--auto")
		s.tells(s.hear(exit.Done, loopName, "--choose", "repair", "--yes"), "- | **Loop Status** | frobnicating | ", "+ | **Loop Status** | validating | ")
		s.tells(s.hear(exit.Done, loopName, "--auto"), "B3: validate the specification again")
	})
	row("39_the_manual_way_names_file_and_fault", func(s stage) {
		s.loop("frobnicating", 2)
		s.tells(s.hear(exit.Done, loopName, "--choose", "review"), feature+".workflow/index.md has the loop status 'frobnicating', which is not one of not_started")
	})
	row("44_old_work_is_warned_about", func(s stage) {
		s.ago = 30 * 24 * time.Hour
		s.loop("validating", 2)
		s.tells(s.hear(exit.Decide, loopName, "--auto"), "more than 7 days")
	})
	row("46_an_answer_without_a_text_is_asked_for_it", func(s stage) {
		s.loop("clarifying", 2, "C2.1 awaiting_answer", "C2.2 awaiting_answer")
		s.tells(s.hear(exit.Usage, loopName, "--choose", "answer"), "'--choose answer' also needs '--answer TEXT'")
		s.tells(s.hear(exit.Done, loopName, "--choose", "answer", "--answer", "short", "--yes"), "1 more question waits: How long does C2.2 last?")
		s.loop("clarifying", 2, "C2.1 awaiting_answer", "C2.2 awaiting_answer")
		s.converse(exit.Done, "1,15 minutes,an hour", loopName)
		s.tells(s.Read(feature+".workflow/index.md"), "| answered | 15 minutes |", "| answered | an hour |")
	})
	row("75_a_blocked_workflow_is_listed_and_asked_about", func(s stage) {
		s.loop("paused", 3)
		s.tells(s.hear(exit.Decide), "blocked "+loopName, "has the loop status 'paused', which is not one of", "!not started")
		s.tells(s.hear(exit.Stopped, "status", "--exit-code"), "blocked "+loopName)
		s.tells(s.converse(exit.Conflicts, "q"), "1 repair", "2 start-fresh", "3 review")
		s.hear(exit.Decide, "--auto")
		s.hear(exit.Conflicts, "--auto", loopName)
	})
}
