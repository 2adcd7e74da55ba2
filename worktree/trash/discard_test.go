package trash

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// newStagedRepo makes a repository and the worktree of a run, and returns both.
func newStagedRepo(t testing.TB) (f, tree *fixture) {
	f = newFixture(t)
	c := f.create(f.request())
	return f, f.at(c.Tree.Path)
}

func (f *fixture) dropRequest(tree *fixture) DiscardRequest {
	return DiscardRequest{Run: treetest.Job, Path: tree.Dir, Branch: treetest.JobRef, Care: Forced, Now: treetest.Clock}
}

func (f *fixture) discard(tree *fixture) Discarded {
	f.T.Helper()
	d, err := Discard(f.T.Context(), f.Open(), f.dropRequest(tree))
	if err != nil {
		f.T.Fatalf("discard: %v", err)
	}
	return d
}

func (f *fixture) undo() Undone {
	f.T.Helper()
	u, err := Undo(f.T.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock})
	if err != nil {
		f.T.Fatalf("undo: %v", err)
	}
	return u
}

func (f *fixture) gc() {
	f.T.Helper()
	f.Git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	f.Git("gc", "-q", "--prune=now")
}

// state is what Undo must restore in a worktree: the files, the index, and a git operation in
// progress.
type state struct {
	files map[string]string
	admin map[string]string
	lines []string
}

func (f *fixture) state(t testing.TB) state {
	t.Helper()
	admin := f.Git("rev-parse", "--absolute-git-dir")
	s := state{files: treetest.Dump(t, f.Dir), admin: treetest.Dump(t, admin, "modules")}
	for _, args := range [][]string{{"ls-files", "-s", "-v"}, {"--no-optional-locks", "status", "--porcelain=v2", "--branch"}, {"rev-parse", "HEAD"}, {"stash", "list"}} {
		out, err := f.Try(args...)
		if err != nil {
			out = err.Error()
		}
		s.lines = append(s.lines, out)
	}
	return s
}

func requireState(t treetest.Reporter, want, got state) {
	t.Helper()
	treetest.RequireSame(t, want.files, got.files)
	treetest.RequireSame(t, want.admin, got.admin)
	if !slices.Equal(want.lines, got.lines) {
		t.Errorf("git sees\n%s\nbefore\n%s", strings.Join(got.lines, "\n"), strings.Join(want.lines, "\n"))
	}
}

func TestUndo_everyByteComesBackAfterGc(t *testing.T) {
	t.Parallel()
	arranged := map[string]func(*fixture){
		"clean tree":   func(*fixture) {},
		"a bit of all": func(f *fixture) { f.Messy() },
		"merge in progress": func(f *fixture) {
			f.Conflict()
			f.Write("dir/b.txt", "edited in the merge\n")
		},
		"merge with a resolved side": func(f *fixture) {
			f.Conflict()
			f.Write("a.txt", "resolved\n")
			f.Git("add", "a.txt")
		},
		"rebase in progress": func(f *fixture) {
			f.Git("branch", "topic")
			f.StoppedRebase()
		},
		"amended commits in the reflog": func(f *fixture) {
			for _, text := range []string{"1", "2", "3"} {
				f.Write("a.txt", text)
				f.Git("commit", "-qam", text)
				f.Git("reset", "-q", "--hard", "HEAD^")
			}
		},
		"commits only the branch's log knows": func(f *fixture) {
			f.Write("a.txt", "aside\n")
			f.Git("commit", "-qam", "aside")
			aside := f.Git("rev-parse", "HEAD")
			f.Git("checkout", "-q", "--detach", "HEAD^")
			f.Git("branch", "-f", "resume/"+treetest.Job, aside)
			f.Git("reflog", "expire", "--expire=now", "HEAD")
			f.Git("branch", "-f", "resume/"+treetest.Job, "HEAD")
		},
		"bisect": func(f *fixture) {
			for _, text := range []string{"1", "2", "3", "4"} {
				f.Write("a.txt", text)
				f.Git("commit", "-qam", text)
			}
			f.Git("bisect", "start", "HEAD", "HEAD~4")
		},
		"line endings and filters": func(f *fixture) {
			f.Git("config", "filter.rot.clean", "tr a-z b-za")
			f.Git("config", "filter.rot.smudge", "tr b-za a-z")
			f.Write(".gitattributes", "*.crlf text eol=crlf\n*.rot filter=rot\n*.id ident\n")
			f.Write("x.crlf", "one\r\ntwo\r\n")
			f.Write("x.rot", "hello\n")
			f.Write("x.id", "$Id$\n")
			f.Git("add", "-A")
			f.Git("commit", "-qm", "filters")
			f.Remove("x.id")
			f.Git("checkout", "x.id")
			f.Write("y.crlf", "mixed\nendings\r\n")
		},
		"sparse": func(f *fixture) {
			f.Git("sparse-checkout", "set", "--no-cone", "/a.txt")
			f.Write("outside/new", "n\n")
		},
		"hidden edits": func(f *fixture) {
			f.Git("update-index", "--assume-unchanged", "a.txt")
			f.Git("update-index", "--skip-worktree", "dir/b.txt")
			f.Write("a.txt", "hidden\n")
			f.Write("dir/b.txt", "hidden too\n")
		},
		"split index": func(f *fixture) {
			f.Git("update-index", "--split-index")
			f.Write("dir/b.txt", "staged\n")
			f.Git("add", "dir/b.txt")
		},
		"empty and odd directories": func(f *fixture) {
			f.Write("empty/x", "")
			f.Remove("empty/x")
			f.Write("private/x", "x")
			f.Chmod("private", 0o700)
			f.Write("fixed/x", "x")
			f.Chmod("fixed/x", 0o444)
			f.Chmod("fixed", 0o555)
		},
		"detached": func(f *fixture) {
			f.Git("checkout", "-q", "--detach")
			f.Write("a.txt", "loose\n")
			f.Git("commit", "-qam", "on no branch")
		},
		"unborn branch": func(f *fixture) { f.Git("checkout", "-q", "--orphan", "fresh") },
		"intent to add": func(f *fixture) {
			f.Write("soon", "soon\n")
			f.Git("add", "-N", "soon")
		},
	}
	for _, name := range slices.Sorted(maps.Keys(arranged)) {
		arrange := arranged[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, tree := newStagedRepo(t)
			arrange(tree)
			roundTrip(t, f, tree, 2)
		})
	}
}

// roundTrip discards the run, runs gc and restores the run, several times.
func roundTrip(t testing.TB, f, tree *fixture, times int) {
	t.Helper()
	want := tree.state(t)
	for range times {
		d := f.discard(tree)
		if treetest.Exists(tree.Dir) || d.Remains != "" {
			t.Fatalf("the tree is still there: %+v", d)
		}
		if _, err := f.Try("rev-parse", "-q", "--verify", treetest.JobRef); err == nil {
			t.Fatal("the branch is still there")
		}
		f.Fsck()
		f.gc()
		u := f.undo()
		if u.Path != tree.Dir || !u.Rebuilt {
			t.Errorf("undone %+v", u)
		}
		requireState(t, want, tree.state(t))
		f.Fsck()
		if t.Failed() {
			return
		}
	}
	if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(tree.Dir), ".*")); len(rest) > 0 {
		t.Errorf("left behind: %v", rest)
	}
}

func TestUndo_submoduleWithUnpushedCommits(t *testing.T) {
	t.Parallel()
	sub := newFixture(t)
	f := newFixture(t)
	f.Git("submodule", "add", "-q", sub.Dir, "lib/sub")
	f.Git("commit", "-qm", "sub")
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.Git("submodule", "update", "-q", "--init")
	inner := tree.at(tree.Path("lib/sub"))
	inner.Write("a.txt", "unpushed\n")
	inner.Git("commit", "-qam", "unpushed")
	inner.Write("dir/b.txt", "not even committed\n")
	inner.Write("new", "untracked\n")
	want := inner.Git("rev-parse", "HEAD")
	status := inner.Git("--no-optional-locks", "status", "--porcelain=v2")
	roundTrip(t, f, tree, 1)
	if got := inner.Git("rev-parse", "HEAD"); got != want {
		t.Errorf("submodule at %s, want %s", got, want)
	}
	if got := inner.Git("status", "--porcelain=v2"); got != status {
		t.Errorf("submodule status\n%s\nwant\n%s", got, status)
	}
	inner.Fsck()
}

func TestDiscard_nestedRepositoryIsNotDeleted(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("vendor/own/file", "f")
	own := tree.at(tree.Path("vendor/own"))
	own.Git("init", "-q")
	own.Git("add", "-A")
	own.Git("commit", "-qm", "only here")
	tree.Write("vendor/other", "o")
	want := tree.state(t)
	d := f.discard(tree)
	if d.Remains == "" || !treetest.Exists(filepath.Join(d.Remains, "vendor/own/.git")) || treetest.Exists(filepath.Join(d.Remains, "a.txt")) {
		t.Errorf("remains %q", d.Remains)
	}
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	own.Git("log", "-1")
}

func TestUndo_lfsFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if _, err := f.Try("lfs", "version"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	f.Git("lfs", "install", "--local")
	f.Git("lfs", "track", "*.bin")
	f.Write("big.bin", strings.Repeat("committed", 1000))
	f.Git("add", "-A")
	f.Git("commit", "-qm", "lfs")
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.Write("new.bin", strings.Repeat("untracked", 1000))
	tree.Write("staged.bin", strings.Repeat("staged", 1000))
	tree.Git("add", "staged.bin")
	roundTrip(t, f, tree, 1)
}

func TestUndo_manyFiles(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	for i := range rounds(12, 50) {
		for j := range 100 {
			name := filepath.Join("many", string(rune('a'+i%26))+string(rune('a'+i/26)), string(rune('a'+j%26))+strings.Repeat("x", j/26))
			tree.Write(name, name)
		}
	}
	tree.Git("add", "many/aa", "many/ba")
	roundTrip(t, f, tree, 1)
}

func TestDiscard_callbacksStandBetweenTheSteps(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	var seen []string
	req := f.dropRequest(tree)
	req.Intent = func(_ context.Context, d Discarded) error {
		seen = append(seen, "intent")
		if !treetest.Exists(tree.Path("work")) || f.Git("rev-parse", string(d.Ref)) == "" || d.Snapshot == "" {
			t.Error("intent comes before the move and after the trash ref")
		}
		return nil
	}
	req.Record = func(_ context.Context, d Discarded) error {
		seen = append(seen, "record")
		if treetest.Exists(tree.Dir) || !treetest.Exists(filepath.Join(d.Remains, "work")) {
			t.Error("record comes after the move and before the deletion")
		}
		if _, err := f.Try("rev-parse", "-q", "--verify", treetest.JobRef); err == nil {
			t.Error("record comes after the branch")
		}
		return nil
	}
	if _, err := Discard(t.Context(), f.Open(), req); err != nil {
		t.Fatal(err)
	}
	if d := f.discard(tree); !d.Already {
		t.Errorf("second call %+v", d)
	}
	if !slices.Equal(seen, []string{"intent", "record"}) {
		t.Errorf("called %v", seen)
	}
}

func TestDiscard_stopsWhereTheJournalFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	fail := func(context.Context, Discarded) error { return broken }
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	want := tree.state(t)
	req := f.dropRequest(tree)
	req.Intent = fail
	if _, err := Discard(t.Context(), f.Open(), req); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	treetest.RequireSame(t, want.files, treetest.Dump(t, tree.Dir))
	req.Intent, req.Record = nil, fail
	if _, err := Discard(t.Context(), f.Open(), req); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if u := f.undo(); u.Rebuilt {
		t.Error("nothing had been deleted")
	}
	requireState(t, want, tree.state(t))
	f.Fsck()
}

func TestDiscard_refusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		arrange func(f, tree *fixture, req *DiscardRequest)
		want    any
	}{
		{"somebody works there", func(_, _ *fixture, r *DiscardRequest) { r.Living = "make 412" }, new(*worktree.LivingError)},
		{"locked by somebody else", func(f, tree *fixture, _ *DiscardRequest) {
			f.Git("worktree", "unlock", tree.Dir)
			f.Git("worktree", "lock", "--reason", "mine", tree.Dir)
		}, new(*worktree.LockedError)},
		{"plain directory", func(f, tree *fixture, _ *DiscardRequest) {
			tree.Remove("")
			tree.Write("x", "x")
		}, new(*worktree.NotRegisteredError)},
		{"in a merge", func(_, tree *fixture, r *DiscardRequest) {
			tree.Conflict()
			r.Care = Careful
		}, new(*MidOperationError)},
		{"branch checked out elsewhere", func(f, tree *fixture, _ *DiscardRequest) {
			tree.Git("checkout", "-q", "--detach")
			f.Git("checkout", "-q", "resume/"+treetest.Job)
		}, new(*worktree.BranchTakenError)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, tree := newStagedRepo(t)
			req := f.dropRequest(tree)
			c.arrange(f, tree, &req)
			want := treetest.Dump(t, tree.Dir)
			_, err := Discard(t.Context(), f.Open(), req)
			if err == nil || !errors.As(err, c.want) {
				t.Errorf("got %v", err)
			}
			treetest.RequireSame(t, want, treetest.Dump(t, tree.Dir))
		})
	}
	t.Run("main worktree", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		_, err := Discard(t.Context(), f.Open(), DiscardRequest{Run: treetest.Job, Path: f.Dir, Now: treetest.Clock})
		if !errors.Is(err, errMainWorktree) {
			t.Errorf("got %v", err)
		}
	})
}

func TestDiscard_withoutATree(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tip := tree.Git("rev-parse", "HEAD")
	tree.Remove("")
	f.discard(tree)
	f.gc()
	f.undo()
	if got := f.Git("rev-parse", treetest.JobRef); got != tip {
		t.Errorf("branch at %s", got)
	}
	if h := f.look(tree.Dir, "resume/"+treetest.Job); h.Health != worktree.Missing || h.Admin == "" {
		t.Errorf("%+v", h)
	}
}

func TestDiscard_calledFromInsideTheTree(t *testing.T) {
	t.Parallel()
	_, tree := newStagedRepo(t)
	tree.Write("work", "w")
	if _, err := Discard(t.Context(), tree.Open(), tree.dropRequest(tree)); err != nil {
		t.Fatal(err)
	}
}

func TestUndo_refusesATakenPlace(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	f.discard(tree)
	tree.Write("somebody else's", "x")
	_, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock})
	var taken *worktree.PathTakenError
	if !errors.As(err, &taken) {
		t.Errorf("got %v", err)
	}
	tree.Remove("")
	f.Git("branch", "resume/"+treetest.Job, "HEAD")
	f.Write("a.txt", "on\n")
	f.Git("commit", "-qam", "on")
	f.Git("branch", "-f", "resume/"+treetest.Job, "HEAD")
	_, err = Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock})
	var branch *worktree.BranchTakenError
	if !errors.As(err, &branch) {
		t.Errorf("got %v", err)
	}
	_, err = Undo(t.Context(), f.Open(), UndoRequest{Run: "other-a7f3", Now: treetest.Clock})
	if !errors.Is(err, ErrNothingDiscarded) {
		t.Errorf("got %v", err)
	}
}

func TestUndo_bringsNoLockBack(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	admin := tree.Git("rev-parse", "--absolute-git-dir")
	req := f.dropRequest(tree)
	req.Intent = func(context.Context, Discarded) error { // create a lock file, as a gc does while it rewrites reflogs
		return os.WriteFile(filepath.Join(admin, "HEAD.lock"), nil, 0o644)
	}
	if _, err := Discard(t.Context(), f.Open(), req); err != nil {
		t.Fatal(err)
	}
	f.undo()
	tree.Git("commit", "-q", "--allow-empty", "-m", "goes on")
}

func TestUndo_registrationNameTaken(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	want := treetest.Dump(t, tree.Dir, ".git")
	f.discard(tree)
	f.Git("worktree", "add", "-q", f.Beside(treetest.Job), "-b", "squatter") // git gives the new worktree the name that the discarded worktree had in .git/worktrees
	f.undo()
	treetest.RequireSame(t, want, treetest.Dump(t, tree.Dir, ".git"))
	if got := tree.Git("status", "--porcelain"); got != "?? work" {
		t.Errorf("status %q", got)
	}
	if h := f.look(tree.Dir, "resume/"+treetest.Job); h.Health != worktree.Usable {
		t.Errorf("%+v", h)
	}
	f.Fsck()
}

func TestDiscard_trashSaysWhatIsWhat(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	tip := tree.Git("rev-parse", "HEAD")
	d := f.discard(tree)
	text := f.Git("show", string(d.Ref+":0002/facts"))
	if !strings.Contains(text, "branch "+tip) || !strings.Contains(text, "snapshots "+f.Git("rev-parse", string(snapshot.Ref(treetest.Job)))) {
		t.Errorf("facts:\n%s", text)
	}
	newest, err := snapshot.Newest(t.Context(), f.Open(), treetest.Job)
	if err != nil || newest.Scope != snapshot.Whole || newest.Name() != string(snapshot.Ref(treetest.Job))+":0002" {
		t.Errorf("newest snapshot %+v: %v", newest, err)
	}
	if f.show(snapshot.Snapshot{ID: d.Snapshot}, "work") != "w" {
		t.Error("snapshot lacks the work")
	}
	if _, err := os.Stat(f.Path(".git/resume/trash/" + treetest.Job + ".kept/admin/HEAD")); err != nil {
		t.Error(err)
	}
}

// Somebody stages files and then deletes the worktree's folder. The staged files now exist only in the index below .git/worktrees, and
// Discard must save them.
func TestDiscard_keepsWhatWasStagedInAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("dir/new.txt", "staged and nowhere else\n")
	tree.Git("add", "dir/new.txt")
	tree.Git("write-tree") // git now caches tree ids in the index
	if err := os.RemoveAll(tree.Dir); err != nil {
		t.Fatal(err)
	}
	f.discard(tree)
	f.gc()
	f.undo()
	f.gc()
	f.Fsck()
	at := f.at(f.Dir)
	at.Env = append(slices.Clone(f.Env), "GIT_DIR="+f.Git("rev-parse", "--absolute-git-dir")+"/worktrees/"+treetest.Job)
	if got := at.Git("cat-file", "blob", ":dir/new.txt"); got != "staged and nowhere else" {
		t.Errorf("staged: %q", got)
	}
}
