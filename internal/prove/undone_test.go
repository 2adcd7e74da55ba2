package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// undoings are scenarios with "git resume undo". The user undoes the newest change, or selects an older change by the number that the
// option --list shows.
func undoings() []scenario {
	nothing := func(facts) error { return nil }
	undo, first := []string{"undo", "--yes"}, []string{"undo", "--yes", "1"}
	skipped := func(r *gittest.Repo) *gittest.Repo {
		active(r).MustResume("task", "skip", "b")
		return r
	}
	paused := func(r *gittest.Repo) *gittest.Repo {
		active(r).MustResume("pause")
		return r
	}
	out := []scenario{
		{name: "undo a skip", prepare: skipped, args: undo, after: undoneOnce, done: isGone("task.skipped"), kept: noneLeft("task.skipped")},
		{name: "undo a pause", prepare: paused, args: undo, after: undoneOnce, done: isGone("run.paused"), kept: noneLeft("run.paused")},
		{name: "undo a skip by its number", prepare: func(r *gittest.Repo) *gittest.Repo {
			skipped(r).MustResume("pause")
			return r
		}, args: first, after: undoneOnce, done: isGone("task.skipped"), kept: both(noneLeft("task.skipped"), stillThere("run.paused"))},
		{name: "undo a restart", prepare: func(r *gittest.Repo) *gittest.Repo {
			interrupted(r).MustResume("--yes", "--restart", job1)
			return r
		}, args: undo, after: nothing, done: isGone("run.superseded"), kept: noneLeft("run.superseded")},
		{name: "undo a change of plan", prepare: planned, args: undo, after: nothing, done: isGone("run.planned"), kept: noneLeft("run.planned")},
		{name: "undo a change of plan by its number", prepare: func(r *gittest.Repo) *gittest.Repo {
			planned(r).MustResume("pause", job1)
			return r
		}, args: first, after: nothing, done: isGone("run.planned"), kept: both(noneLeft("run.planned"), stillThere("run.paused"))},
		{name: "undo a restore by its number", prepare: func(r *gittest.Repo) *gittest.Repo {
			changedTwice(r).MustResume("restore", job1+"@1", "--into-worktree")
			r.MustResume("pause", job1)
			return r
		}, args: first, after: undoneOnce, removed: "fa", always: halfIsTold("undo"),
			done: treeIs("later"), kept: both(filesAre("later"), stillThere("run.paused"))},
	}
	for name, args := range map[string][]string{"undo another system's change": {"undo", "--yes", "001-photo-album"}, "undo another system's change by its number": first} {
		out = append(out, scenario{name: name, prepare: tickedBox, args: args, after: nothing,
			mayChange: func(path string) bool { return strings.HasPrefix(path, "specs/") },
			done: func(r *gittest.Repo) bool {
				return !isTicked(r) && r.Git("status", "--porcelain", "specs") == "" && isGone("run.acted")(r)
			},
			kept: func(r *gittest.Repo, _ witness) error {
				if changed := r.Git("status", "--porcelain", "specs"); changed != "" {
					return fmt.Errorf("the files of the other system are not as before: %s", changed)
				}
				return noneLeft("run.acted")(r, witness{})
			}})
	}
	slices.SortFunc(out, func(a, b scenario) int { return strings.Compare(a.name, b.name) })
	return out
}

// planned makes a run whose second task fails, and then changes its plan.
func planned(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	const plan = "name: job\ntasks:\n  - id: a\n    run: echo a > fa\n  - id: b\n    run: exit 1\n"
	put(r, planFile(r), plan)
	if out, code := r.Resume("start", planFile(r)); code != 1 {
		r.T.Fatalf("the second task did not fail: exit code %d\n%s", code, out)
	}
	put(r, planFile(r)+"2.yaml", plan+"  - id: c\n    run: echo c > fc\n")
	if out, code := r.Resume(job1, "--yes", "--retry", "--plan", planFile(r)+"2.yaml"); code != 1 {
		r.T.Fatalf("the second task did not fail again: exit code %d\n%s", code, out)
	}
	return r
}

// tickedBox makes a task list of another system, in which the user has ticked a box with git-resume.
func tickedBox(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	r.Write("specs/001-photo-album/tasks.md", "# Tasks\n\n## Phase 1: Setup\n\n- [x] T001 make the project\n- [ ] T002 store albums\n- [ ] T003 show them\n")
	r.Write(".specify/memory", "x\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
	makeFilesOld(r, "specs")
	r.MustResume("boxes:001-photo-album", "--choose", "skip-unit", "--yes")
	return r
}

func isTicked(r *gittest.Repo) bool {
	return strings.Contains(r.Read("specs/001-photo-album/tasks.md"), "- [x] T002")
}

// effectiveLines counts the journal lines with this event in all runs. It leaves out lines that were undone.
func effectiveLines(r *gittest.Repo, event string) (n int) {
	for _, run := range readFacts(r).runs {
		for _, l := range run.effective() {
			if l.Event == event {
				n++
			}
		}
	}
	return n
}

// isGone returns a function that reports whether every journal line with this event was undone.
func isGone(event string) func(*gittest.Repo) bool {
	return func(r *gittest.Repo) bool { return effectiveLines(r, event) == 0 }
}

// noneLeft returns a function that fails unless every journal line with this event was undone.
func noneLeft(event string) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, _ witness) error {
		if n := effectiveLines(r, event); n != 0 {
			return fmt.Errorf("%d lines %s still count", n, event)
		}
		return nil
	}
}

// stillThere returns a function that fails if every journal line with this event was undone. The undo of another event must not do that.
func stillThere(event string) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, _ witness) error {
		if effectiveLines(r, event) == 0 {
			return fmt.Errorf("%s was undone too", event)
		}
		return nil
	}
}
