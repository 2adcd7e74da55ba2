package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const jobRef = "refs/heads/resume/" + job

// staged makes a repository with a staging worktree and gives both.
func staged(t testing.TB) (f, tree *fixture) {
	f = newFixture(t)
	c := f.create(f.request())
	return f, f.at(c.Tree.Path)
}

func (f *fixture) dropRequest(tree *fixture) DiscardRequest {
	return DiscardRequest{Run: job, Path: tree.dir, Branch: jobRef, Care: Forced, Now: clock}
}

func (f *fixture) discard(tree *fixture) Discarded {
	f.t.Helper()
	d, err := Discard(f.t.Context(), f.repo(), f.dropRequest(tree))
	if err != nil {
		f.t.Fatalf("discard: %v", err)
	}
	return d
}

func (f *fixture) undo() Undone {
	f.t.Helper()
	u, err := Undo(f.t.Context(), f.repo(), UndoRequest{Run: job, Now: clock})
	if err != nil {
		f.t.Fatalf("undo: %v", err)
	}
	return u
}

func (f *fixture) gc() {
	f.t.Helper()
	f.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	f.git("gc", "-q", "--prune=now")
}

// state is all that must come back: files, index, and what is under way.
type state struct {
	files map[string]string
	admin map[string]string
	lines []string
}

func (f *fixture) state(t testing.TB) state {
	t.Helper()
	admin := f.git("rev-parse", "--absolute-git-dir")
	s := state{files: dump(t, f.dir), admin: dump(t, admin, "modules")}
	for _, args := range [][]string{{"ls-files", "-s", "-v"}, {"--no-optional-locks", "status", "--porcelain=v2", "--branch"}, {"rev-parse", "HEAD"}, {"stash", "list"}} {
		out, err := f.try(args...)
		if err != nil {
			out = err.Error()
		}
		s.lines = append(s.lines, out)
	}
	return s
}

func requireState(t reporter, want, got state) {
	t.Helper()
	requireSame(t, want.files, got.files)
	requireSame(t, want.admin, got.admin)
	if !slices.Equal(want.lines, got.lines) {
		t.Errorf("git sees\n%s\nbefore\n%s", strings.Join(got.lines, "\n"), strings.Join(want.lines, "\n"))
	}
}

func TestUndo_everyByteComesBackAfterGc(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(*fixture){
		"clean tree":   func(*fixture) {},
		"a bit of all": messy,
		"merge in progress": func(f *fixture) {
			conflict(f)
			f.write("dir/b.txt", "edited in the merge\n")
		},
		"merge with a resolved side": func(f *fixture) {
			conflict(f)
			f.write("a.txt", "resolved\n")
			f.git("add", "a.txt")
		},
		"rebase in progress": func(f *fixture) {
			f.git("branch", "topic")
			stoppedRebase(f)
		},
		"amended commits in the reflog": func(f *fixture) {
			for _, text := range []string{"1", "2", "3"} {
				f.write("a.txt", text)
				f.git("commit", "-qam", text)
				f.git("reset", "-q", "--hard", "HEAD^")
			}
		},
		"commits only the branch's log knows": func(f *fixture) {
			f.write("a.txt", "aside\n")
			f.git("commit", "-qam", "aside")
			aside := f.git("rev-parse", "HEAD")
			f.git("checkout", "-q", "--detach", "HEAD^")
			f.git("branch", "-f", "resume/"+job, aside)
			f.git("reflog", "expire", "--expire=now", "HEAD")
			f.git("branch", "-f", "resume/"+job, "HEAD")
		},
		"bisect": func(f *fixture) {
			for _, text := range []string{"1", "2", "3", "4"} {
				f.write("a.txt", text)
				f.git("commit", "-qam", text)
			}
			f.git("bisect", "start", "HEAD", "HEAD~4")
		},
		"line endings and filters": func(f *fixture) {
			f.git("config", "filter.rot.clean", "tr a-z b-za")
			f.git("config", "filter.rot.smudge", "tr b-za a-z")
			f.write(".gitattributes", "*.crlf text eol=crlf\n*.rot filter=rot\n*.id ident\n")
			f.write("x.crlf", "one\r\ntwo\r\n")
			f.write("x.rot", "hello\n")
			f.write("x.id", "$Id$\n")
			f.git("add", "-A")
			f.git("commit", "-qm", "filters")
			f.remove("x.id")
			f.git("checkout", "x.id")
			f.write("y.crlf", "mixed\nendings\r\n")
		},
		"sparse": func(f *fixture) {
			f.git("sparse-checkout", "set", "--no-cone", "/a.txt")
			f.write("outside/new", "n\n")
		},
		"hidden edits": func(f *fixture) {
			f.git("update-index", "--assume-unchanged", "a.txt")
			f.git("update-index", "--skip-worktree", "dir/b.txt")
			f.write("a.txt", "hidden\n")
			f.write("dir/b.txt", "hidden too\n")
		},
		"split index": func(f *fixture) {
			f.git("update-index", "--split-index")
			f.write("dir/b.txt", "staged\n")
			f.git("add", "dir/b.txt")
		},
		"empty and odd directories": func(f *fixture) {
			f.write("empty/x", "")
			f.remove("empty/x")
			f.write("private/x", "x")
			f.chmod("private", 0o700)
			f.write("fixed/x", "x")
			f.chmod("fixed/x", 0o444)
			f.chmod("fixed", 0o555)
		},
		"detached": func(f *fixture) {
			f.git("checkout", "-q", "--detach")
			f.write("a.txt", "loose\n")
			f.git("commit", "-qam", "on no branch")
		},
		"unborn branch": func(f *fixture) { f.git("checkout", "-q", "--orphan", "fresh") },
		"intent to add": func(f *fixture) {
			f.write("soon", "soon\n")
			f.git("add", "-N", "soon")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, tree := staged(t)
			arrange(tree)
			roundTrip(t, f, tree, 2)
		})
	}
}

// roundTrip drops the run, collects garbage and brings it back, as often as asked.
func roundTrip(t testing.TB, f, tree *fixture, times int) {
	t.Helper()
	want := tree.state(t)
	for range times {
		d := f.discard(tree)
		if exists(tree.dir) || d.Remains != "" {
			t.Fatalf("the tree is still there: %+v", d)
		}
		if _, err := f.try("rev-parse", "-q", "--verify", jobRef); err == nil {
			t.Fatal("the branch is still there")
		}
		f.fsck()
		f.gc()
		u := f.undo()
		if u.Path != tree.dir || !u.Rebuilt {
			t.Errorf("undone %+v", u)
		}
		requireState(t, want, tree.state(t))
		f.fsck()
		if t.Failed() {
			return
		}
	}
	if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(tree.dir), ".*")); len(rest) > 0 {
		t.Errorf("left behind: %v", rest)
	}
}

func TestUndo_submoduleWithUnpushedCommits(t *testing.T) {
	t.Parallel()
	sub := newFixture(t)
	f := newFixture(t)
	f.git("submodule", "add", "-q", sub.dir, "lib/sub")
	f.git("commit", "-qm", "sub")
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.git("submodule", "update", "-q", "--init")
	inner := tree.at(tree.path("lib/sub"))
	inner.write("a.txt", "unpushed\n")
	inner.git("commit", "-qam", "unpushed")
	inner.write("dir/b.txt", "not even committed\n")
	inner.write("new", "untracked\n")
	want := inner.git("rev-parse", "HEAD")
	status := inner.git("--no-optional-locks", "status", "--porcelain=v2")
	roundTrip(t, f, tree, 1)
	if got := inner.git("rev-parse", "HEAD"); got != want {
		t.Errorf("submodule at %s, want %s", got, want)
	}
	if got := inner.git("status", "--porcelain=v2"); got != status {
		t.Errorf("submodule status\n%s\nwant\n%s", got, status)
	}
	inner.fsck()
}

func TestDiscard_nestedRepositoryIsNotDeleted(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("vendor/own/file", "f")
	own := tree.at(tree.path("vendor/own"))
	own.git("init", "-q")
	own.git("add", "-A")
	own.git("commit", "-qm", "only here")
	tree.write("vendor/other", "o")
	want := tree.state(t)
	d := f.discard(tree)
	if d.Remains == "" || !exists(filepath.Join(d.Remains, "vendor/own/.git")) || exists(filepath.Join(d.Remains, "a.txt")) {
		t.Errorf("remains %q", d.Remains)
	}
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	own.git("log", "-1")
}

func TestUndo_lfsFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if _, err := f.try("lfs", "version"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	f.git("lfs", "install", "--local")
	f.git("lfs", "track", "*.bin")
	f.write("big.bin", strings.Repeat("committed", 1000))
	f.git("add", "-A")
	f.git("commit", "-qm", "lfs")
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.write("new.bin", strings.Repeat("untracked", 1000))
	tree.write("staged.bin", strings.Repeat("staged", 1000))
	tree.git("add", "staged.bin")
	roundTrip(t, f, tree, 1)
}

func TestUndo_manyFiles(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	for i := range 50 {
		for j := range 100 {
			name := filepath.Join("many", string(rune('a'+i%26))+string(rune('a'+i/26)), string(rune('a'+j%26))+strings.Repeat("x", j/26))
			tree.write(name, name)
		}
	}
	tree.git("add", "many/aa", "many/ba")
	roundTrip(t, f, tree, 1)
}

func TestDiscard_callbacksStandBetweenTheSteps(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	var seen []string
	req := f.dropRequest(tree)
	req.Intent = func(_ context.Context, d Discarded) error {
		seen = append(seen, "intent")
		if !exists(tree.path("work")) || f.git("rev-parse", d.Ref) == "" || d.Snapshot == "" {
			t.Error("intent comes before the move and after the trash ref")
		}
		return nil
	}
	req.Record = func(_ context.Context, d Discarded) error {
		seen = append(seen, "record")
		if exists(tree.dir) || !exists(filepath.Join(d.Remains, "work")) {
			t.Error("record comes after the move and before the deletion")
		}
		if _, err := f.try("rev-parse", "-q", "--verify", jobRef); err == nil {
			t.Error("record comes after the branch")
		}
		return nil
	}
	if _, err := Discard(t.Context(), f.repo(), req); err != nil {
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
	f, tree := staged(t)
	tree.write("work", "w")
	want := tree.state(t)
	req := f.dropRequest(tree)
	req.Intent = fail
	if _, err := Discard(t.Context(), f.repo(), req); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	requireSame(t, want.files, dump(t, tree.dir))
	req.Intent, req.Record = nil, fail
	if _, err := Discard(t.Context(), f.repo(), req); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if u := f.undo(); u.Rebuilt {
		t.Error("nothing had been deleted")
	}
	requireState(t, want, tree.state(t))
	f.fsck()
}

func TestDiscard_refusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		arrange func(f, tree *fixture, req *DiscardRequest)
		want    any
	}{
		{"somebody works there", func(_, _ *fixture, r *DiscardRequest) { r.Living = "make 412" }, new(*LivingError)},
		{"locked by somebody else", func(f, tree *fixture, _ *DiscardRequest) {
			f.git("worktree", "unlock", tree.dir)
			f.git("worktree", "lock", "--reason", "mine", tree.dir)
		}, new(*LockedError)},
		{"plain directory", func(f, tree *fixture, _ *DiscardRequest) {
			tree.remove("")
			tree.write("x", "x")
		}, new(*NotRegisteredError)},
		{"in a merge", func(_, tree *fixture, r *DiscardRequest) {
			conflict(tree)
			r.Care = Careful
		}, new(*MidOperationError)},
		{"branch checked out elsewhere", func(f, tree *fixture, _ *DiscardRequest) {
			tree.git("checkout", "-q", "--detach")
			f.git("checkout", "-q", "resume/"+job)
		}, new(*BranchTakenError)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, tree := staged(t)
			req := f.dropRequest(tree)
			c.arrange(f, tree, &req)
			want := dump(t, tree.dir)
			_, err := Discard(t.Context(), f.repo(), req)
			if err == nil || !errors.As(err, c.want) {
				t.Errorf("got %v", err)
			}
			requireSame(t, want, dump(t, tree.dir))
		})
	}
	t.Run("main worktree", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		_, err := Discard(t.Context(), f.repo(), DiscardRequest{Run: job, Path: f.dir, Now: clock})
		if !errors.Is(err, ErrMainWorktree) {
			t.Errorf("got %v", err)
		}
	})
}

func TestDiscard_withoutATree(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tip := tree.git("rev-parse", "HEAD")
	tree.remove("")
	f.discard(tree)
	f.gc()
	f.undo()
	if got := f.git("rev-parse", jobRef); got != tip {
		t.Errorf("branch at %s", got)
	}
	if h := f.look(tree.dir, "resume/"+job); h.Health != Missing || h.Admin == "" {
		t.Errorf("%+v", h)
	}
}

func TestDiscard_calledFromInsideTheTree(t *testing.T) {
	t.Parallel()
	_, tree := staged(t)
	tree.write("work", "w")
	if _, err := Discard(t.Context(), tree.repo(), tree.dropRequest(tree)); err != nil {
		t.Fatal(err)
	}
}

func TestUndo_refusesATakenPlace(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	f.discard(tree)
	tree.write("somebody else's", "x")
	_, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock})
	var taken *PathTakenError
	if !errors.As(err, &taken) {
		t.Errorf("got %v", err)
	}
	tree.remove("")
	f.git("branch", "resume/"+job, "HEAD")
	f.write("a.txt", "on\n")
	f.git("commit", "-qam", "on")
	f.git("branch", "-f", "resume/"+job, "HEAD")
	_, err = Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock})
	var branch *BranchTakenError
	if !errors.As(err, &branch) {
		t.Errorf("got %v", err)
	}
	_, err = Undo(t.Context(), f.repo(), UndoRequest{Run: "other-a7f3", Now: clock})
	if !errors.Is(err, ErrNothingDiscarded) {
		t.Errorf("got %v", err)
	}
}

func TestUndo_bringsNoLockBack(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	admin := tree.git("rev-parse", "--absolute-git-dir")
	req := f.dropRequest(tree)
	req.Intent = func(context.Context, Discarded) error { // as a gc that writes reflogs anew at this moment
		return os.WriteFile(filepath.Join(admin, "HEAD.lock"), nil, 0o644)
	}
	if _, err := Discard(t.Context(), f.repo(), req); err != nil {
		t.Fatal(err)
	}
	f.undo()
	tree.git("commit", "-q", "--allow-empty", "-m", "goes on")
}

func TestUndo_registrationNameTaken(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	want := dump(t, tree.dir, ".git")
	f.discard(tree)
	f.git("worktree", "add", "-q", f.beside(job), "-b", "squatter") // git names the registration after the directory
	f.undo()
	requireSame(t, want, dump(t, tree.dir, ".git"))
	if got := tree.git("status", "--porcelain"); got != "?? work" {
		t.Errorf("status %q", got)
	}
	if h := f.look(tree.dir, "resume/"+job); h.Health != Usable {
		t.Errorf("%+v", h)
	}
	f.fsck()
}

func TestDiscard_trashSaysWhatIsWhat(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	tip := tree.git("rev-parse", "HEAD")
	d := f.discard(tree)
	text := f.git("show", d.Ref+":0002/facts")
	if !strings.Contains(text, "branch "+tip) || !strings.Contains(text, "snapshots "+f.git("rev-parse", SnapshotsRef(job))) {
		t.Errorf("facts:\n%s", text)
	}
	newest, err := Newest(t.Context(), f.repo(), job)
	if err != nil || newest.Scope != Whole || newest.Name() != SnapshotsRef(job)+":0002" {
		t.Errorf("newest snapshot %+v: %v", newest, err)
	}
	if f.show(Snapshot{ID: d.Snapshot}, "work") != "w" {
		t.Error("snapshot lacks the work")
	}
	if _, err := os.Stat(f.path(".git/resume/trash/" + job + ".kept/admin/HEAD")); err != nil {
		t.Error(err)
	}
}

// What was staged is in the registration alone once the folder was removed by hand.
func TestDiscard_keepsWhatWasStagedInAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"this version", "the version before"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			stagedInAFolderThatIsGone(t, by == "the version before")
		})
	}
}

func stagedInAFolderThatIsGone(t *testing.T, older bool) {
	f, tree := staged(t)
	tree.write("dir/new.txt", "staged and nowhere else\n")
	tree.git("add", "dir/new.txt")
	tree.git("write-tree") // so that the index remembers trees
	if err := os.RemoveAll(tree.dir); err != nil {
		t.Fatal(err)
	}
	f.discard(tree)
	if older {
		f.unflatten(job)
		if err := Flatten(t.Context(), f.repo(), job); err != nil {
			t.Fatal(err)
		}
	}
	f.gc()
	f.undo()
	f.gc()
	f.fsck()
	at := f.at(f.dir)
	at.env = append(slices.Clone(f.env), "GIT_DIR="+f.git("rev-parse", "--absolute-git-dir")+"/worktrees/"+job)
	if got := at.git("cat-file", "blob", ":dir/new.txt"); got != "staged and nowhere else" {
		t.Errorf("staged: %q", got)
	}
}
