package prove

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// decisions are scenarios in which the user decides how a run continues, or undoes such a decision. In one more scenario, doctor repairs a
// run.
func decisions() []scenario {
	nothing := func(facts) error { return nil }
	return []scenario{
		{name: "resume and skip", prepare: interrupted, args: []string{"--yes", "--skip", job1}, after: nothing,
			done: closedRun, kept: both(tasksAre("done", "skipped", "done"), ranOnce), again: decideAgain("--skip")},
		{name: "resume and mark as done", prepare: interrupted, args: []string{"--yes", "--mark-done", job1}, after: nothing,
			done: closedRun, kept: both(tasksAre("done", "done", "done"), ranOnce), again: decideAgain("--mark-done")},
		{name: "resume and keep", prepare: runWithChanges, args: []string{"--yes", "--keep", job1}, after: nothing,
			done: closedRun, kept: both(tasksAre("done", "done", "done"), snapshotHolds), again: decideAgain("--keep")},
		{name: "resume from a task", prepare: interrupted, args: []string{"--yes", "--from", "a", job1}, after: nothing,
			done: closedRun, kept: tasksAre("done", "done", "done"), again: repeatUntilDone("--yes", "--from", "a", job1)},
		{name: "undo a finish", prepare: func(r *gittest.Repo) *gittest.Repo {
			active(r).MustResume("finish")
			return r
		}, args: []string{"undo", "--yes", job1}, after: nothing,
			done: func(r *gittest.Repo) bool { return !closedRun(r) },
			kept: func(r *gittest.Repo, _ witness) error {
				if out, code := r.Resume("task", "done", "a", "README"); code != 0 {
					return fmt.Errorf("the run is not open again: exit code %d\n%s", code, out)
				}
				return nil
			}},
		{name: "undo an answer", prepare: func(r *gittest.Repo) *gittest.Repo {
			active(r).MustResume("task", "block", "a", "--ask", "which?", "--option", "red", "--option", "blue")
			r.MustResume("answer", "a", "2")
			return r
		}, args: []string{"undo", "--yes", job1}, after: nothing,
			done: func(r *gittest.Repo) bool { return stateOf(r) == "waiting" },
			kept: func(r *gittest.Repo, _ witness) error {
				if got := stateOf(r); got != "waiting" {
					return fmt.Errorf("the run is %s", got)
				}
				return nil
			}},
		{name: "doctor repairs", prepare: damagedRun, args: []string{"doctor", "--fix"}, after: nothing,
			kept: func(r *gittest.Repo, w witness) error {
				if out, code := repeatUntilDone("--yes", "--retry", job1)(r); code != 0 {
					return fmt.Errorf("exit code %d\n%s", code, out)
				}
				if _, code := r.Try("git", "rev-parse", "-q", "--verify", "refs/notes/resume/"+newest(readFacts(r))); code != 0 {
					return fmt.Errorf("the notes are not back")
				}
				return checkExecuted(r, w)
			}},
	}
}

// closedRun reports whether the newest run is closed.
func closedRun(r *gittest.Repo) bool {
	f := readFacts(r)
	id := newest(f)
	return id != "" && f.runs[id].closed != ""
}

// decideAgain repeats the decision after a kill.
// If the program answers that the decision no longer applies, decideAgain completes the run without it.
func decideAgain(flag string) func(*gittest.Repo) (string, int) {
	return func(r *gittest.Repo) (out string, code int) {
		if out, code = repeatUntilDone("--yes", flag, job1)(r); code != 11 && code != 129 {
			return out, code
		}
		return repeatUntilDone("--yes", "--retry", job1)(r)
	}
}

// tasksAre checks that the three tasks of the plan ended as expected, and that the run is closed.
func tasksAre(want ...string) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, _ witness) error {
		f := readFacts(r)
		id := newest(f)
		for i, task := range []string{"a", "b", "c"} {
			if got := f.state(id, task); got != want[i] {
				return fmt.Errorf("task %s is %s, not %s", task, got, want[i])
			}
		}
		if !closedRun(r) {
			return fmt.Errorf("the run is not over")
		}
		return nil
	}
}

// ranOnce checks that the committed file fc contains the result of task c exactly once.
func ranOnce(r *gittest.Repo, _ witness) error {
	if got, code := r.Try("git", "show", "resume/"+newest(readFacts(r))+":fc"); code != 0 || got != "c\n" {
		return fmt.Errorf("task c left %q", got)
	}
	return nil
}

// damagedRun makes an interrupted run whose notes are missing and whose worktree was moved by hand.
func damagedRun(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	interrupted(r)
	r.Git("update-ref", "-d", "refs/notes/resume/"+newest(readFacts(r)))
	must(r, os.Rename(staging(r), staging(r)+"-moved"))
	return r
}

// realMerges are scenarios that merge a run after main has moved, undo such a merge, or discard merged runs.
func realMerges() []scenario {
	nothing := func(facts) error { return nil }
	moved := func(r *gittest.Repo) *gittest.Repo {
		harmlessPlan(r).MustResume("start", "--auto", planFile(r))
		r.Write("on main", "moved\n")
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "main moves")
		r.Write("untracked", "in the main tree\n")
		return r
	}
	there := func(r *gittest.Repo, _ witness) error {
		for _, name := range []string{"fa", "fb", "fc", "on main"} {
			if _, code := r.Try("git", "cat-file", "-e", "main:"+name); code != 0 {
				return fmt.Errorf("main has no %s", name)
			}
			if _, err := os.Stat(filepath.Join(r.Dir, name)); err != nil {
				return err
			}
		}
		if got := r.Git("status", "--porcelain", "--untracked-files=no"); got != "" {
			return fmt.Errorf("the tree is not clean: %s", got)
		}
		return nil
	}
	merged := exactlyOne("run.merged", "")
	return []scenario{
		{name: "merge of both sides", prepare: moved, args: []string{"merge", job1}, after: merged, kept: there},
		{name: "merge of both sides without trailers", prepare: moved, args: []string{"merge", "--strip", job1}, after: merged, kept: there},
		{name: "squash of both sides", prepare: moved, args: []string{"merge", "--squash", job1}, after: merged, always: onMain, kept: there},
		{name: "undo a merge of both sides", prepare: func(r *gittest.Repo) *gittest.Repo {
			moved(r).MustResume("merge", job1)
			return r
		}, args: []string{"undo", "--yes", job1}, after: nothing,
			mayChange: func(path string) bool { return path == "fa" || path == "fb" || path == "fc" },
			done: func(r *gittest.Repo) bool {
				_, code := r.Try("git", "show", "main:fa")
				return code != 0
			},
			kept: func(r *gittest.Repo, _ witness) error {
				if got := r.Git("log", "-1", "--format=%s", "main"); got != "main moves" {
					return fmt.Errorf("main is at %q", got)
				}
				return nil
			}},
		{name: "discard all that is merged", prepare: func(r *gittest.Repo) *gittest.Repo {
			moved(r).MustResume("merge", job1)
			return r
		}, args: []string{"discard", "--merged", "-y"}, after: exactlyOne("run.discarded", ""),
			kept: func(r *gittest.Repo, w witness) error {
				for tree := range w.trees {
					if _, err := os.Lstat(tree); err == nil && tree != r.Dir {
						return fmt.Errorf("worktree %s is still there", tree)
					}
				}
				if out, code := r.Resume("undo", "--yes", job1); code != 0 {
					return fmt.Errorf("undo: exit code %d\n%s", code, out)
				}
				return checkFilesBack(r, w)
			}},
	}
}

// takeovers are scenarios in which this clone takes over somebody else's run.
func takeovers() []scenario {
	return []scenario{
		{name: "takeover of a run that came by fetch", prepare: func(r *gittest.Repo) *gittest.Repo {
			r.T.Helper()
			there := filepath.Join(filepath.Dir(r.Dir), "there")
			if out, code := r.Try("git", "clone", "-q", r.Dir, there); code != 0 {
				r.T.Fatal(out)
			}
			r.In(there).MustResume("start", "--name", job1, "--task", "a", "--task", "b")
			found, _ := filepath.Glob(there + ".worktrees/" + job1 + "-*")
			if len(found) != 1 {
				r.T.Fatalf("worktrees: %v", found)
			}
			tree := r.In(found[0])
			tree.MustResume("task", "start", "a")
			tree.Write("new", "new\n")
			tree.MustResume("task", "done", "a")
			tree.MustResume("task", "start", "b")
			r.Git("fetch", "-q", there, "refs/notes/resume/*:refs/notes/resume/*", "refs/heads/resume/*:refs/heads/resume/*")
			must(r, os.RemoveAll(there))
			must(r, os.RemoveAll(there+".worktrees"))
			return r
		}, args: []string{"--yes", "--takeover", job1}, after: oneOrMore("run.taken", ""),
			kept: func(r *gittest.Repo, _ witness) error {
				f := readFacts(r)
				if got := f.state(newest(f), "a") + " " + f.state(newest(f), "b"); got != "done active" {
					return fmt.Errorf("the tasks are %s", got)
				}
				if out, code := r.In(staging(r)).Resume("task", "done", "b", "--run", job1); code != 0 {
					return fmt.Errorf("task done: exit code %d\n%s", code, out)
				}
				return nil
			}},
	}
}

// makeFilesOld gives all files in a folder an old time, so that nobody seems to be working there.
func makeFilesOld(r *gittest.Repo, dir string) {
	r.T.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(filepath.Join(r.Dir, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	must(r, err)
}

// adoption returns a scenario that continues another system's work. The configured tool only records that it was called.
func adoption(source, name, dir string, state map[string]string) scenario {
	calls := func(r *gittest.Repo) string {
		text, _ := os.ReadFile(filepath.Join(side(r), "tool"))
		return string(text)
	}
	return scenario{
		name: "work of " + source + " is continued",
		prepare: func(r *gittest.Repo) *gittest.Repo {
			for path, text := range state {
				r.Write(path, text)
			}
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "state")
			makeFilesOld(r, dir)
			r.Git("config", "resume."+source+".handoff", `echo called >> "$HOME/tool"`)
			return r
		},
		args: []string{name, "--yes"}, after: func(facts) error { return nil },
		mayChange: func(path string) bool { return strings.HasPrefix(path, dir+"/") },
		again: func(r *gittest.Repo) (string, int) {
			if calls(r) != "" {
				return "", 0 // the tool was called, so there is nothing to repeat
			}
			makeFilesOld(r, dir) // otherwise our own recent change would look as if somebody were working there
			return r.Resume(name, "--yes")
		},
		kept: func(r *gittest.Repo, _ witness) error {
			if calls(r) == "" {
				return fmt.Errorf("the tool was not called")
			}
			return nil
		},
	}
}

// adoptions returns scenarios that continue the work of other systems, and scenarios that mark a task in the file of another system.
func adoptions() []scenario {
	const (
		chunks = `{"feature": "login", "phases": [{"phase": 1, "name": "Schema", "chunks": [` +
			`{"id": "chunk-1-1", "description": "add the table", "status": "completed"}, {"id": "chunk-1-2", "description": "fill it", "status": "pending"}]}]}` + "\n"
		boxes = "# Tasks\n\n## Phase 1: Setup\n\n- [x] T001 make the project\n- [x] T002 add the linter\n- [ ] T003 store albums\n- [ ] T004 show them\n"
		sdc   = "execution_id: sdc-001\nworkflow: sdc\nstarted_at: \"2026-01-15T10:00:00Z\"\nupdated_at: \"2026-01-15T10:30:00Z\"\n" +
			"current_phase: implement\ncurrent_agent: dev\nstatus: interrupted\nphases_completed:\n" +
			"  - {phase: create, agent: sm, output: docs/stories/4.2.story.md}\n  - {phase: validate, agent: po}\ncontext:\n  story: \"4.2\"\n"
		loop = "| Field | Value |\n|-------|-------|\n| **Loop Status** | spec_writing |\n| **Current Iteration** | 1 / 10 |\n| **Stale Count** | 0 / 3 |\n" +
			"| **Last Activity** | 2026-01-15T10:30:00Z |\n"
		created = `{"event_type":"task-created","task_id":"T001","timestamp":"2026-01-15T10:30:00Z"}` + "\n"
		memory  = ".agent-memory/runs/20260115-0900-user-auth-a1b2/"
		dated   = "docs/superpowers/plans/2026-01-10-gift-cards.md"
		plan    = "# Gift cards\n\n> Use superpowers:subagent-driven-development\n\n### Task 1: Store cards\n\n- [x] build it\n\n### Task 2: Sell cards\n\n- [ ] build it\n"
	)
	skipped := func(r *gittest.Repo) bool {
		_, err := os.Stat(filepath.Join(r.Dir, ".superpowers/sdd/2026-01-10-gift-cards/progress.md"))
		return err == nil
	}
	phases := map[string]string{".planning/2026-01-10-cards/task_plan.md": "## Phases\n\n### Phase 1: Store cards\n- **Status:** complete\n\n### Phase 2: Sell cards\n- [x] page\n- [ ] payment\n- **Status:** in_progress\n"}
	album := map[string]string{"specs/001-photo-album/tasks.md": boxes, ".specify/memory": "x\n"}
	cards := map[string]string{".taskmaster/tasks/tasks.json": `{"master": {"tasks": [{"id": 1, "title": "store cards", "status": "done"}, ` +
		`{"id": 2, "title": "sell cards", "status": "in-progress", "details": "a page"}, {"id": 3, "title": "redeem cards", "status": "pending"}]}}` + "\n"}
	tracks := map[string]string{"conductor/tracks.md": "# Tracks\n\n- [~] **Track: Sell cards**\n  *Link: [./tracks/sell_20260105/](./tracks/sell_20260105/)*\n",
		"conductor/tracks/sell_20260105/plan.md": "# Plan\n\n## Phase 1: Page\n\n- [x] Task: Draw it\n- [~] Task: Print it\n- [ ] Task: Send it\n"}
	reset := map[string]string{".agent-os/specs/2026-01-05-reset/tasks.md": "# Tasks\n\n- [x] 1. Tokens\n- [ ] 2. Mail\n- [ ] 3. Page\n"}
	health := map[string]string{"execplans/health.md": "# Health\n\n## Progress\n\n- [x] (2026-01-05 13:00Z) Add it.\n- [ ] Ping it.\n- [ ] Show it.\n"}
	search := map[string]string{".spec-workflow/specs/search/tasks.md": boxes}
	todo := map[string]string{"tasks/todo.md": "# Health\n\n- [x] Add it\n- [ ] Ping it\n- [ ] Show it\n"}
	ticked := func(r *gittest.Repo) bool {
		return strings.Contains(r.Read("specs/001-photo-album/tasks.md"), "- [x] T003")
	}
	return []scenario{
		adoption("auto-claude", "auto-claude:005-user-auth", ".auto-claude", map[string]string{
			".auto-claude/specs/005-user-auth/spec.md": "# Users log in\n", ".auto-claude/specs/005-user-auth/implementation_plan.json": chunks}),
		adoption("spec-kit", "spec-kit:001-photo-album", "specs", album),
		adoption("orchestrate", "orchestrate:sdc-001", ".aios", map[string]string{
			".aios/sdc-001-state.yaml": sdc, "docs/stories/4.2.story.md": "# Story 4.2: sign in\n\n**Status:** InProgress\n"}),
		adoption("planning", "planning:repo", ".planning", map[string]string{
			".planning/STATE.md":                          "# State\n\n## Current Position\n\nPhase: 2 of 3\nPlan: 1 of 1\nStatus: In progress\nLast activity: 2026-01-15\n",
			".planning/PROJECT.md":                        "# shop\n",
			".planning/ROADMAP.md":                        "- [x] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n",
			".planning/phases/01-ground/01-01-PLAN.md":    "---\nplan: 01\n---\n",
			".planning/phases/01-ground/01-01-SUMMARY.md": "done\n",
			".planning/phases/02-editor/02-01-PLAN.md":    "---\nplan: 01\n---\n<objective>\nWrite texts.\n</objective>\n"}),
		adoption("spec-loop", "spec-loop:005-user-auth", "specs", map[string]string{
			"specs/005-user-auth/spec.md": "# Sign in\n", "specs/005-user-auth/.workflow/index.md": loop}),
		adoption("agent-memory", "agent-memory:20260115-0900-user-auth-a1b2", ".agent-memory", map[string]string{
			memory + "prd.md": "x\n", memory + "plan.md": "x\n", memory + "constitution.md": "x\n",
			memory + "task-graph.json": `{"tasks":[{"id":"T001","title":"add the table"}]}` + "\n", memory + "events/planner/a.jsonl": created}),
		skipping("a box of another system is ticked", "spec-kit:001-photo-album", "specs", album, ticked),
		adoption("bmad", "bmad:repo", "_bmad-output", map[string]string{"_bmad-output/implementation-artifacts/sprint-status.yaml": "development_status:\n  1-1-store-cards: done\n  1-2-sell-cards: in-progress\n"}),
		adoption("taskmaster", "taskmaster:repo", ".taskmaster", cards),
		skipping("a task of another system is marked in its file", "taskmaster:repo", ".taskmaster", cards, func(r *gittest.Repo) bool {
			return !strings.Contains(r.Read(".taskmaster/tasks/tasks.json"), `"in-progress"`)
		}),
		adoption("conductor", "conductor:sell_20260105", "conductor", tracks),
		skipping("a box of a track is ticked", "conductor:sell_20260105", "conductor", tracks, func(r *gittest.Repo) bool {
			return !strings.Contains(r.Read("conductor/tracks/sell_20260105/plan.md"), "[~]")
		}),
		adoption("agent-os", "agent-os:2026-01-05-reset", ".agent-os", reset),
		skipping("a box of agent-os is ticked", "agent-os:2026-01-05-reset", ".agent-os", reset, func(r *gittest.Repo) bool {
			return strings.Contains(r.Read(".agent-os/specs/2026-01-05-reset/tasks.md"), "- [x] 2.")
		}),
		adoption("spec-workflow", "spec-workflow:search", ".spec-workflow", search),
		skipping("a box of spec-workflow is ticked", "spec-workflow:search", ".spec-workflow", search, func(r *gittest.Repo) bool {
			return strings.Contains(r.Read(".spec-workflow/specs/search/tasks.md"), "- [x] T003")
		}),
		adoption("todo", "todo:repo", "tasks", todo),
		skipping("a box of a to-do list is ticked", "todo:repo", "tasks", todo, func(r *gittest.Repo) bool {
			return strings.Contains(r.Read("tasks/todo.md"), "- [x] Ping")
		}),
		adoption("planning-files", "planning-files:2026-01-10-cards", ".planning", phases),
		skipping("a phase of a plan is closed in its file", "planning-files:2026-01-10-cards", ".planning", phases, func(r *gittest.Repo) bool {
			return !strings.Contains(r.Read(".planning/2026-01-10-cards/task_plan.md"), "in_progress")
		}),
		adoption("execplans", "execplans:health", "execplans", health),
		skipping("a step of an ExecPlan is ticked", "execplans:health", "execplans", health, func(r *gittest.Repo) bool {
			return strings.Contains(r.Read("execplans/health.md"), "- [x] Ping")
		}),
		adoption("superpowers", "superpowers:2026-01-10-gift-cards", "docs", map[string]string{dated: plan}),
		{name: "a task of superpowers is skipped", prepare: func(r *gittest.Repo) *gittest.Repo {
			r.Write(dated, plan)
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "state")
			makeFilesOld(r, "docs")
			return r
		}, args: []string{"superpowers:2026-01-10-gift-cards", "--choose", "skip-unit", "--yes"}, after: func(facts) error { return nil },
			mayChange: func(path string) bool { return strings.HasPrefix(path, ".superpowers/") }, done: skipped,
			kept: func(r *gittest.Repo, w witness) error {
				if out, code := r.Resume("undo", "--yes", "superpowers:2026-01-10-gift-cards"); code != 0 {
					return fmt.Errorf("undo: exit code %d\n%s", code, out)
				}
				return checkFilesBack(r, w)
			}},
	}
}

// skipping returns a scenario that marks a task as done in another system's file, and then undoes that.
func skipping(what, key, dir string, state map[string]string, done func(*gittest.Repo) bool) scenario {
	return scenario{name: what, prepare: func(r *gittest.Repo) *gittest.Repo {
		for path, text := range state {
			r.Write(path, text)
		}
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "state")
		makeFilesOld(r, dir)
		return r
	}, args: []string{key, "--choose", "skip-unit", "--yes"}, after: func(facts) error { return nil },
		mayChange: func(path string) bool { return strings.HasPrefix(path, dir+"/") }, done: done,
		kept: func(r *gittest.Repo, w witness) error {
			if out, code := r.Resume("undo", "--yes", key); code != 0 {
				return fmt.Errorf("undo: exit code %d\n%s", code, out)
			}
			return checkFilesBack(r, w)
		}}
}
