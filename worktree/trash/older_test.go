package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// The tests in this file run the previous version of the program, and read what it wrote.

// The method older() runs the previous version of the program and returns its standard output.
func (f *fixture) older(args ...string) (string, error) {
	f.T.Helper()
	cmd := proc.Command{Name: filepath.Join(gittest.OlderBinary(f.T), "git-resume"), Args: args, Dir: f.Dir, Env: f.Env}
	out, err := cmd.Run(context.Background())
	return strings.TrimSpace(string(out.Stdout)), err
}

func (f *fixture) mustOlder(args ...string) string {
	f.T.Helper()
	out, err := f.older(args...)
	if err != nil {
		f.T.Fatalf("the version before: %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// olderRun lets the previous version of the program start a run, commits some files in it, and lets that version save five snapshots. The
// last result contains the files and the index at each snapshot.
func olderRun(t *testing.T, f *fixture) (run string, tree *fixture, shots []shot) {
	t.Helper()
	tree = f.at(f.mustOlder("start", "--name", "job", "--task", "a"))
	run = filepath.Base(tree.Dir)
	tree.commits(7)
	admin := tree.Git("rev-parse", "--absolute-git-dir")
	for i := range 5 {
		tree.edit(i)
		index, err := os.ReadFile(filepath.Join(admin, "index"))
		if err != nil {
			t.Fatal(err)
		}
		shots = append(shots, shot{files: treetest.Dump(t, tree.Dir), index: string(index)})
		tree.mustOlder("checkpoint", "-m", fmt.Sprint("edit ", i))
	}
	return run, tree, shots
}

func TestOlder_snapshotsAreReadAndRestored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	run, tree, shots := olderRun(t, f)
	old := strings.Fields(f.Git("log", "--first-parent", "--format=%H", string(series.WipRef(run))))[0]
	newest, err := snapshot.Newest(t.Context(), f.Open(), run)
	if err != nil || string(newest.ID) != old || newest.Name() != old {
		t.Fatalf("newest %+v: %v", newest, err)
	}
	tree.Write("next", "next")
	if next := tree.take(snapshot.Request{Run: run}); next.Number != 6 {
		t.Errorf("next %+v", next)
	}
	if refs := f.Git("for-each-ref", "refs/resume/wip"); refs != "" {
		t.Errorf("of the older form:\n%s", refs)
	}
	tree.Git("gc", "-q", "--prune=now")
	for i := range shots {
		snap, err := snapshot.Load(t.Context(), f.Open(), object.ID(f.Git("rev-parse", fmt.Sprintf("%s:%04d", snapshot.Ref(run), i+1))))
		if err != nil || snap.Cause != fmt.Sprint("edit ", i) || snap.Was == "" || snap.Run != run {
			t.Errorf("%d: %+v: %v", i, snap, err)
		}
		snap.Number = i + 1
		shots[i].snap = snap
	}
	tree.requireShots(t, shots)
	f.Fsck()
}

func TestOlder_discardIsUndone(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"at once", "flattened before"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			run, tree, _ := olderRun(t, f)
			ids, want := tree.Git("rev-list", "HEAD"), tree.state(t)
			f.mustOlder("--discard", "-y", run)
			f.gc()
			if way == "flattened before" {
				if err := Flatten(t.Context(), f.Open(), run); err != nil {
					t.Fatal(err)
				}
				if refs := f.Git("for-each-ref", "refs/resume/wip", "refs/resume/trash"); refs != "" {
					t.Errorf("of the older form:\n%s", refs)
				}
				if ours := f.Git("log", "--all", "--format=%s", "--grep=^snapshot of", "--grep=^discard of"); ours != "" {
					t.Errorf("commits of ours: %s", ours)
				}
				f.gc()
			}
			if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: run, Now: treetest.Clock}); err != nil {
				t.Fatal(err)
			}
			requireState(t, want, tree.state(t))
			if got := tree.Git("rev-list", "HEAD"); got != ids {
				t.Error("other commits came back")
			}
			f.gc()
			f.Fsck()
		})
	}
}

// The previous version of the program stopped in the middle of a discard. It could not write the journal, or a gc
// prevented it from deleting files. This version must be able to finish the discard and to undo it.
func TestOlder_halfADiscardIsFinished(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		stop func(f *fixture, run string) (undo func())
	}{
		{"it could not be noted", func(f *fixture, run string) func() {
			lock := ".git/refs/resume/journal/" + run + ".lock"
			f.Write(lock, "")
			return func() { f.Remove(lock) }
		}},
		{"a gc was at work", func(f *fixture, _ string) func() {
			f.Write(".git/gc.pid", fmt.Sprintf("%d %s", os.Getpid(), proc.Table{}.Host().Name))
			return func() { f.Remove(".git/gc.pid") }
		}},
	} {
		for _, back := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, back %v", c.name, back), func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				run, tree, _ := olderRun(t, f)
				want := tree.state(t)
				branch := "refs/heads/" + tree.Git("rev-parse", "--abbrev-ref", "HEAD")
				on := c.stop(f, run)
				_, _ = f.older("--discard", "-y", run)
				on()
				if treetest.Exists(tree.Dir) || !treetest.Exists(f.Path(".git/resume/trash/"+run+"/"+record.OldFile)) {
					t.Fatal("it did not stop half way")
				}
				f.gc()
				if back {
					if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: run, Now: treetest.Clock}); err != nil {
						t.Fatal(err)
					}
					requireState(t, want, tree.state(t))
				}
				req := DiscardRequest{Run: run, Path: tree.Dir, Branch: refs.Name(branch), Now: treetest.Clock}
				if d, err := Discard(t.Context(), f.Open(), req); err != nil || treetest.Exists(tree.Dir) || d.Remains != "" {
					t.Fatalf("%+v: %v", d, err)
				}
				f.gc()
				if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: run, Now: treetest.Clock}); err != nil {
					t.Fatal(err)
				}
				requireState(t, want, tree.state(t))
				f.Fsck()
			})
		}
	}
}

// The previous version of the program saved work before it aborted a merge, and saved files of another tool before it changed these files.
// This version must convert both.
func TestOlder_otherRecordsAreBroughtOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Conflict()
	f.Write("half", "half")
	f.mustOlder("git:merge@.", "--choose", "abort", "--yes")
	const plan = `{"feature":"x","status":"in_progress","phases":[{"phase":1,"id":"phase-1","name":"one","subtasks":[{"id":"1-1","description":"first","status":"completed"},{"id":"1-2","description":"second","status":"in_progress"}]}]}`
	f.Write(".auto-claude/specs/005-x/implementation_plan.json", plan)
	long := time.Now().Add(-72 * time.Hour)
	if err := errors.Join(os.Chtimes(f.Path(".auto-claude/specs/005-x/implementation_plan.json"), long, long), os.Chtimes(f.Path(".auto-claude/specs/005-x"), long, long)); err != nil {
		t.Fatal(err)
	}
	f.mustOlder("--choose", "reset", "--yes")
	names, err := InOldFormat(t.Context(), f.Open())
	if err != nil || len(names) != 2 {
		t.Fatalf("%v %v", names, err)
	}
	acted := f.Git("for-each-ref", "--format=%(refname:lstrip=4) %(objectname)", "refs/resume/trash/acted")
	run, commit, _ := strings.Cut(acted, " ")
	for _, name := range names {
		if err := Flatten(t.Context(), f.Open(), name); err != nil {
			t.Fatal(err)
		}
	}
	if refs := f.Git("for-each-ref", "refs/resume/wip", "refs/resume/trash"); refs != "" {
		t.Errorf("of the older form:\n%s", refs)
	}
	f.gc()
	if got := f.Git("show", string(snapshot.Ref(ForOperation(ongoing.Merge, "main"))+":0001/work/half")); got != "half" {
		t.Errorf("saved before the abort: %q", got)
	}
	if got := f.Git("show", string(snapshot.Acted(t.Context(), f.Open(), run, object.ID(commit)))+":before/0"); got != plan {
		t.Errorf("kept of the plan: %q", got)
	}
	f.Fsck()
}
