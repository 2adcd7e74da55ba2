package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func (f *fixture) pipe(in string, args ...string) string {
	f.T.Helper()
	cmd := proc.Command{Name: "git", Args: args, Dir: f.Dir, Env: f.Env, Stdin: strings.NewReader(in)}
	out, err := cmd.Run(context.Background())
	if err != nil {
		f.T.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(out.Stdout), "\n")
}

// The method commits() makes commits on the current branch: plain commits, a merge, and one with bytes that "git commit" would never write.
func (f *fixture) commits(n int) []string {
	f.T.Helper()
	for i := range n - 4 {
		f.Write("grown", strings.Repeat("line\n", i+1))
		f.Write(fmt.Sprintf("dir/file%d", i), fmt.Sprint("of commit ", i))
		f.Git("add", "-A")
		f.Git("commit", "-qm", fmt.Sprint("commit ", i))
	}
	f.Git("checkout", "-q", "-b", "aside", "HEAD~3")
	f.Write("aside", "aside\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "aside")
	f.Git("checkout", "-q", "-")
	f.Git("merge", "-q", "--no-edit", "aside")
	f.Git("branch", "-qD", "aside")
	odd := fmt.Sprintf("tree %s\nparent %s\nauthor A <a@b> 1 -0730\ncommitter B <b@c> 2 +1400\nencoding ISO-8859-1\nx-odd one\n two\n\nodd \xe4\n\nno newline at its end",
		f.Git("rev-parse", "HEAD^{tree}"), f.Git("rev-parse", "HEAD"))
	f.Git("reset", "-q", "--hard", f.pipe(odd, "hash-object", "-t", "commit", "-w", "--stdin"))
	f.Write("last", "last\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "last")
	return strings.Fields(f.Git("rev-list", "HEAD", "^main"))
}

// edit makes uncommitted changes to contents, modes, links, names and staged files. The changes depend on the number i.
func (f *fixture) edit(i int) {
	f.T.Helper()
	f.Write("a.txt", fmt.Sprintf("edit %d\n", i))
	f.Write(fmt.Sprintf("new/%d \xff", i), strings.Repeat("n", i))
	if i%2 == 0 {
		f.Git("add", "a.txt")
		f.Write("a.txt", fmt.Sprintf("edit %d, and on\n", i))
	}
	if i%3 == 0 {
		f.Remove("link")
		f.Link(fmt.Sprintf("to %d", i), "link")
		f.Remove("run.sh")
		f.Write("run.sh", fmt.Sprintf("#!/bin/sh\n# %d\n", i))
		f.Chmod("run.sh", []os.FileMode{0o755, 0o700, 0o500, 0o644}[i/3%4])
	}
	if i%10 == 9 {
		f.Git("reset", "-q")
		f.Remove("dir/b.txt")
	}
}

// shot is a snapshot, with the state of the worktree when it was taken.
type shot struct {
	snap  snapshot.Snapshot
	files map[string]string
	index string
}

// TestTrees_manySnapshotsAndALongBranch checks that snapshots and a long branch survive a discard and a gc, with the same ids. "git log
// --all" must not show additional commits.
func TestTrees_manySnapshotsAndALongBranch(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "--object-format="+format)
			tree := f.at(f.create(f.request()).Tree.Path)
			branch, saved := rounds(12, 50), rounds(15, 60)
			ids := tree.commits(branch)
			if len(ids) != branch {
				t.Fatalf("%d commits", len(ids))
			}
			count := f.Git("rev-list", "--all", "--count")
			admin := tree.Git("rev-parse", "--absolute-git-dir")
			var shots []shot
			for i := range saved {
				tree.edit(i)
				files := treetest.Dump(t, tree.Dir)
				index, err := os.ReadFile(filepath.Join(admin, "index"))
				if err != nil {
					t.Fatal(err)
				}
				shots = append(shots, shot{tree.take(snapshot.Request{Cause: fmt.Sprint(i)}), files, string(index)})
			}
			if got := f.Git("rev-list", "--all", "--count"); got != count {
				t.Errorf("%s commits after the snapshots, %s before", got, count)
			}
			want := tree.state(t)
			f.discard(tree)
			if got := f.Git("rev-list", "--all", "--count"); got != "1" {
				t.Errorf("%s commits after the discard, 1 is on main", got)
			}
			f.gc()
			if left, _ := f.Try("cat-file", "-t", ids[0]); left != "" {
				t.Error("the commits are still there as commits")
			}
			f.undo()
			requireState(t, want, tree.state(t))
			if got := strings.Fields(tree.Git("rev-list", "HEAD", "^main")); !slices.Equal(got, ids) {
				t.Errorf("%d commits came back, of %d", len(got), len(ids))
			}
			if got := f.Git("rev-list", "--all", "--count"); got != count {
				t.Errorf("%s commits after the undo, %s before", got, count)
			}
			f.Fsck()
			f.gc()
			f.Fsck()
			tree.requireShots(t, shots)
		})
	}
}

// requireShots compares the trees of all snapshots. It also restores every ninth one and compares the files.
func (f *fixture) requireShots(t *testing.T, shots []shot) {
	t.Helper()
	admin := f.Git("rev-parse", "--absolute-git-dir")
	for i, s := range shots {
		at := f.Git("rev-parse", s.snap.Name())
		if at != string(s.snap.ID) || s.snap.Number != i+1 || f.Git("rev-parse", s.snap.Name()+"/work") != string(s.snap.Tree) {
			t.Errorf("%s is %s, was %s", s.snap.Name(), at, s.snap.ID)
		}
		if i%9 != 0 {
			continue
		}
		f.restore(s.snap.ID, snapshot.Exact)
		treetest.RequireSame(t, s.files, treetest.Dump(t, f.Dir))
		if index, _ := os.ReadFile(filepath.Join(admin, "index")); s.snap.Index != "" && string(index) != s.index {
			t.Errorf("snapshot %d: the index is not byte for byte what it was", s.snap.Number)
		}
	}
}

// A run is discarded, then its base branch is deleted and a gc runs. Undo must still restore the run's commits.
func TestUndo_whatItStandsOnWasDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "feature")
	for i := range 3 {
		f.Write("feature", fmt.Sprint(i))
		f.Git("add", "-A")
		f.Git("commit", "-qm", fmt.Sprint("feature ", i))
	}
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.Write("own", "own")
	tree.Git("add", "-A")
	tree.Git("commit", "-qm", "own")
	log := tree.Git("log", "--format=%H %s")
	f.discard(tree)
	f.Git("checkout", "-q", "main")
	f.Git("branch", "-qD", "feature")
	f.gc()
	f.undo()
	if got := tree.Git("log", "--format=%H %s"); got != log {
		t.Errorf("history is\n%s\nwas\n%s", got, log)
	}
	f.Fsck()
	// When the discard has expired, a gc must succeed, and all refs of the run must be gone.
	f.discard(tree)
	if _, err := Expire(t.Context(), f.Open(), Expiry{Now: treetest.Clock().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	f.gc()
	if refs := f.Git("for-each-ref", "refs/resume"); refs != "" {
		t.Errorf("refs left:\n%s", refs)
	}
	if _, err := f.Try("cat-file", "-e", strings.Fields(log)[0]); err == nil {
		t.Error("its commits were kept for ever")
	}
}

// The commits on which a discarded branch is based are lost. Undo must return an error and must not create an incomplete branch.
func TestUndo_refusesABranchOnNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "feature")
	f.Write("feature", "f")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "feature")
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.Write("own", "own")
	tree.Git("add", "-A")
	tree.Git("commit", "-qm", "own")
	f.discard(tree)
	f.Git("checkout", "-q", "main")
	f.Git("branch", "-qD", "feature")
	for _, ref := range strings.Fields(f.Git("for-each-ref", "--format=%(refname)", "refs/resume/on")) {
		f.Git("update-ref", "-d", ref)
	}
	f.gc()
	_, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock})
	if err == nil || !strings.Contains(err.Error(), "some commits in its history no longer exist") {
		t.Errorf("got %v", err)
	}
	if _, err := f.Try("rev-parse", "-q", "--verify", treetest.JobRef); err == nil || treetest.Exists(tree.Dir) {
		t.Error("something came back")
	}
	if got := f.Git("show", string(DiscardedRef(treetest.Job)+":0002/snapshots/0001/work/own")); got != "own" {
		t.Errorf("what was kept is gone: %q", got)
	}
}

// A history that is too long to be copied is protected by refs instead. Undo must restore it as well.
func TestUndo_aHistoryTooLongToBeCopied(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	var in strings.Builder
	for i := range 5010 {
		fmt.Fprintf(&in, "commit refs/heads/long\ncommitter A <a@b> %d +0000\ndata 1\nx\nM 644 inline f\ndata <<E\n%d\nE\n\n", 1000+i, i)
	}
	f.pipe(in.String(), "fast-import", "--quiet")
	tip := f.Git("rev-parse", "long")
	tree.Git("reset", "-q", "--hard", tip)
	f.Git("branch", "-qD", "long")
	tree.Write("work", "w")
	want, ids := tree.state(t), tree.Git("rev-list", "HEAD")
	f.discard(tree)
	if f.Git("rev-parse", "refs/resume/on/discarded/"+treetest.Job+"/"+tip) != tip {
		t.Error("no ref keeps it")
	}
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	if tree.Git("rev-list", "HEAD") != ids {
		t.Error("other commits came back")
	}
	// A snapshot of a detached HEAD with a long history must be protected by a ref too.
	tree.Git("checkout", "-q", "--detach")
	f.Git("update-ref", "-d", treetest.JobRef)
	tree.Write("work", "more")
	tree.take(snapshot.Request{Run: "other-a7f3"})
	if f.Git("rev-parse", "refs/resume/on/snapshots/other-a7f3/"+tip) != tip {
		t.Error("no ref keeps it")
	}
	f.Fsck()
}

func TestUndo_refusesADamagedCommit(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("own", "own")
	tree.Git("add", "-A")
	tree.Git("commit", "-qm", "own")
	tip := tree.Git("rev-parse", "HEAD")
	f.discard(tree)
	entries := strings.Fields(f.Git("ls-tree", "--name-only", string(DiscardedRef(treetest.Job))))
	root := ""
	for _, n := range entries {
		list := f.Git("ls-tree", string(DiscardedRef(treetest.Job))+":"+n)
		commits := f.pipe("100644 blob "+f.pipe("forged", "hash-object", "-w", "--stdin")+"\t"+tip+"\n", "mktree")
		list = strings.ReplaceAll(list, f.Git("rev-parse", string(DiscardedRef(treetest.Job))+":"+n+"/commits"), commits)
		root += "040000 tree " + f.pipe(list+"\n", "mktree") + "\t" + n + "\n"
	}
	f.Git("update-ref", string(DiscardedRef(treetest.Job)), f.pipe(root, "mktree"))
	f.gc()
	_, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock})
	var damaged *series.DamagedCommitError
	if !errors.As(err, &damaged) || string(damaged.ID) != tip {
		t.Errorf("got %v", err)
	}
}

// TestSettle_waitsForNoGcForEver checks that Undo does not wait for a gc that never ends. The next command must then look for objects that
// the gc has deleted.
func TestSettle_waitsForNoGcForEver(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("own", "own")
	tree.Git("add", "-A")
	tree.Git("commit", "-qm", "own")
	tip, want := tree.Git("rev-parse", "HEAD"), tree.state(t)
	f.discard(tree)
	f.gc()
	host := proc.Table{}.Host().Name
	f.Write(".git/gc.pid", fmt.Sprintf("%d %s", os.Getpid(), host)) // the file makes this test process look like a running gc
	f.undo()
	requireState(t, want, tree.state(t))
	if !treetest.Exists(f.Path(".git/resume/trash/" + treetest.Job + ".kept/" + record.File)) {
		t.Fatal("nobody will look again")
	}
	// The gc started before the branch was restored, so it deletes a commit of the branch. Then the gc ends.
	f.Remove(".git/objects/" + tip[:2] + "/" + tip[2:])
	f.Remove(".git/gc.pid")
	if _, err := f.Try("log", treetest.JobRef); err == nil {
		t.Fatal("the commit is still there")
	}
	if runs, err := Expire(t.Context(), f.Open(), Expiry{Now: treetest.Clock().Add(-time.Hour)}); err != nil || len(runs) > 0 {
		t.Fatal(runs, err)
	}
	requireState(t, want, tree.state(t))
	f.Fsck()
	if treetest.Exists(f.Path(".git/resume/trash/" + treetest.Job + ".kept")) {
		t.Error("the record is still there")
	}
	if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock}); !errors.Is(err, ErrNothingDiscarded) {
		t.Errorf("got %v", err)
	}
}
