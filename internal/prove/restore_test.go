package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// restores are scenarios in which a snapshot is restored, or a restore is undone or redone.
func restores() []scenario {
	nothing := func(facts) error { return nil }
	copied := func(r *gittest.Repo) bool { return len(files(r.In(copyDir(r)))) > 0 }
	return []scenario{
		{name: "restore", prepare: changedTwice, args: []string{"restore", job1 + "@1", "--into-worktree"}, after: restoredOnce, removed: "fa",
			always: halfIsTold("restore"), done: treeIs("kept"), kept: both(filesAre("kept"), laterIsSaved, undoGives("later"))},
		{name: "restore of many files", prepare: manyChangedTwice, args: []string{"restore", job1 + "@1", "--into-worktree"}, after: restoredOnce, removed: "fa",
			always: halfIsTold("restore"), done: treeIs("kept"), kept: both(filesAre("kept"), undoGives("later"))},
		{name: "restore of paths", prepare: changedTwice, args: []string{"restore", job1 + "@1", "README", "dir", "--into-worktree"}, after: restoredOnce, removed: "fa",
			always: allOf(halfIsTold("restore"), noReportOnHalf), done: partIs, kept: both(pathsAre("kept", "README", "dir/new file"), pathsAre("later", "key", "late"), laterIsSaved, undoGives("later"))},
		{name: "restore to a folder", prepare: changedTwice, args: []string{"restore", job1 + "@1", "--to", "../home/copy"}, after: nothing, removed: "fa",
			done: copied, always: wholeCopyOrNone, kept: both(copyIs("kept"), filesAre("later"))},
		{name: "undo a restore", prepare: func(r *gittest.Repo) *gittest.Repo {
			changedTwice(r).MustResume("restore", job1+"@1", "--into-worktree")
			return r
		}, args: []string{"undo", "--yes", job1}, after: undoneOnce, removed: "fa", always: halfIsTold("undo"),
			done: treeIs("later"), kept: both(filesAre("later"), redoGives("kept"))},
		{name: "redo a restore", prepare: func(r *gittest.Repo) *gittest.Repo {
			changedTwice(r).MustResume("restore", job1+"@1", "--into-worktree")
			r.MustResume("undo", "--yes", job1)
			return r
		}, args: []string{"undo", "--redo", "--yes", job1}, after: nothing, removed: "fa", always: halfIsTold("undo --redo"),
			done: treeIs("kept"), kept: both(filesAre("kept"), undoGives("later"))},
	}
}

// changedTwice saves a snapshot of changes of all kinds in a run's worktree, and then makes other changes there. It stores copies of both
// states as "kept" and "later".
func changedTwice(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	tree := r.In(staging(runWithChanges(r)))
	tree.MustResume("checkpoint")
	copyTree(r, tree.Dir, "kept")
	tree.Write("README", "edited again\n")
	tree.Write("late", "staged later\n")
	tree.Git("add", "late")
	tree.Write("key", "another key")
	tree.Git("reset", "-q", "staged")
	must(r, os.Remove(filepath.Join(tree.Dir, "link")))
	tree.Write("link/file", "in the place of a link\n")
	must(r, os.RemoveAll(filepath.Join(tree.Dir, "dir")))
	must(r, os.Chmod(filepath.Join(tree.Dir, "tool.sh"), 0o644))
	copyTree(r, tree.Dir, "later")
	return r
}

// manyChangedTwice saves two snapshots of a run's worktree, with so many files that several goroutines write them in a restore. It stores
// copies of both states as "kept" and "later".
func manyChangedTwice(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	tree := r.In(staging(runWithChanges(r)))
	for _, state := range []string{"kept", "later"} {
		for i := range 90 {
			tree.Write(fmt.Sprintf("many/%d/%d", i%3, i), fmt.Sprintf("%s %d\n", state, i))
		}
		tree.MustResume("checkpoint")
		copyTree(r, tree.Dir, state)
	}
	return r
}

// copyTree copies the files of a worktree, and what git says about its index, to a folder next to the repository.
func copyTree(r *gittest.Repo, tree, name string) {
	r.T.Helper()
	to := filepath.Join(side(r), "states", name)
	must(r, os.MkdirAll(filepath.Dir(to), 0o755))
	if out, code := r.Try("cp", "-a", tree, to); code != 0 {
		r.T.Fatal(out)
	}
	put(r, to+".index", r.In(tree).Git("ls-files", "--stage"))
}

func state(r *gittest.Repo, name string) map[string]string {
	return files(r.In(filepath.Join(side(r), "states", name)))
}

func copyDir(r *gittest.Repo) string { return filepath.Join(side(r), "copy") }

// filesAre checks that the worktree of the run has the files and the index of a stored state.
func filesAre(name string) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, _ witness) error {
		tree := r.In(staging(r))
		if err := same(state(r, name), files(tree)); err != nil {
			return fmt.Errorf("the files are not as in state %q: %w", name, err)
		}
		want, err := os.ReadFile(filepath.Join(side(r), "states", name+".index"))
		if got := tree.Git("ls-files", "--stage"); err != nil || got != string(want) {
			return fmt.Errorf("the index is not as in state %q: %v\n%s\nwas\n%s", name, err, got, want)
		}
		return nil
	}
}

// treeIs returns a function that reports whether a command has completed: the files are as in a stored state, and no restore is unfinished.
func treeIs(name string) func(*gittest.Repo) bool {
	return func(r *gittest.Repo) bool {
		return filesAre(name)(r, witness{}) == nil && !isHalf(r)
	}
}

// partIs reports whether the paths of a scenario are restored, and no restore is unfinished.
func partIs(r *gittest.Repo) bool {
	return pathsAre("kept", "README", "dir/new file")(r, witness{}) == nil && !isHalf(r)
}

// pathsAre checks that some files of the worktree are as in a stored state.
func pathsAre(name string, paths ...string) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, _ witness) error {
		want, got := state(r, name), files(r.In(staging(r)))
		for _, p := range paths {
			if got[p] != want[p] {
				return fmt.Errorf("file %s is %q, in state %q it is %q", p, got[p], name, want[p])
			}
		}
		return nil
	}
}

// laterIsSaved checks that a snapshot has the work that the restore replaced.
func laterIsSaved(r *gittest.Repo, _ witness) error { return anySnapshot(r, state(r, "later")) }

// undoGives checks that an undo restores the stored state with this name. redoGives does the same for a redo.
func undoGives(name string) func(*gittest.Repo, witness) error {
	return commandGives(name, "undo", "--yes", job1)
}

func redoGives(name string) func(*gittest.Repo, witness) error {
	return commandGives(name, "undo", "--redo", "--yes", job1)
}

func commandGives(name string, args ...string) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, w witness) error {
		if out, code := r.Resume(args...); code != 0 {
			return fmt.Errorf("%v: exit code %d\n%s", args, code, out)
		}
		return filesAre(name)(r, w)
	}
}

// wholeCopyOrNone checks that the new folder of a restore is complete, if the folder exists.
func wholeCopyOrNone(r *gittest.Repo, _ facts) error {
	if _, err := os.Lstat(copyDir(r)); err != nil {
		return nil
	}
	return copyIs("kept")(r, witness{})
}

func copyIs(name string) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, _ witness) error { return same(state(r, name), files(r.In(copyDir(r)))) }
}

// restoredOnce checks that the journal records exactly one restore, apart from restores that were undone. A killed restore command is
// repeated, but must not be recorded twice.
func restoredOnce(f facts) error {
	id, err := theRun(f)
	if err != nil {
		return err
	}
	n := 0
	for _, l := range f.runs[id].effective() {
		if l.Event == "snapshot.taken" && l.Cause == "restore" {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%d restores are recorded", n)
	}
	return nil
}

// undoneOnce checks that exactly one undo is recorded.
func undoneOnce(f facts) error { return exactlyOne("undone", "")(f) }

// isHalf reports whether a restore is unfinished in the run's worktree.
func isHalf(r *gittest.Repo) bool {
	_, err := os.Lstat(filepath.Join(commonDir(r), "worktrees", filepath.Base(staging(r)), "resume-restore"))
	return err == nil
}

// halfIsTold checks what status says after a restore, or an undo of one, was killed. If the restore is unfinished, status must name the
// command that finishes it. Otherwise all files must be as before or as after the restore, unless only some paths were restored: then the
// file "late", which is not among them, must be unchanged.
func halfIsTold(command string) func(*gittest.Repo, facts) error {
	return func(r *gittest.Repo, f facts) error {
		said, code := r.Resume("status")
		if told := strings.Contains(said, "files may be a mix of two states"); code != 0 || told != isHalf(r) {
			return fmt.Errorf("a restore is unfinished: %v, but status says: %s", isHalf(r), said)
		}
		if isHalf(r) {
			if !strings.Contains(said, "git resume "+command) && !strings.Contains(said, " resume "+command) {
				return fmt.Errorf("status does not name 'git resume %s': %s", command, said)
			}
			return nil
		}
		kept, later := filesAre("kept")(r, witness{}), filesAre("later")(r, witness{})
		if kept != nil && later != nil && pathsAre("later", "late")(r, witness{}) != nil {
			return fmt.Errorf("nothing is unfinished, but: %v; %v", kept, later)
		}
		return nil
	}
}

// noReportOnHalf checks that "task done" is refused while a restore is unfinished.
func noReportOnHalf(r *gittest.Repo, _ facts) error {
	if !isHalf(r) {
		return nil
	}
	if out, code := r.In(staging(r)).Resume("task", "done", "--add", "new"); code != 12 {
		return fmt.Errorf("a report on half-restored files: exit code %d\n%s", code, out)
	}
	return nil
}

func allOf(checks ...func(*gittest.Repo, facts) error) func(*gittest.Repo, facts) error {
	return func(r *gittest.Repo, f facts) error {
		for _, check := range checks {
			if err := check(r, f); err != nil {
				return err
			}
		}
		return nil
	}
}
