package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func (f *fixture) request() CreateRequest {
	return CreateRequest{Run: treetest.Job, Branch: "resume/" + treetest.Job, At: object.ID(f.Git("rev-parse", "HEAD")), Now: treetest.Clock}
}

func (f *fixture) create(req CreateRequest) Created {
	f.T.Helper()
	c, err := Create(f.T.Context(), f.Open(), req)
	if err != nil {
		f.T.Fatalf("create: %v", err)
	}
	return c
}

func TestCreate_besideTheRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "uncommitted\n")
	f.Write(".env", "SECRET=1")
	c := f.create(f.request())
	if want := f.Beside("shop.worktrees/" + treetest.Job); c.Tree.Path != want || c.Inside || !c.Fresh {
		t.Errorf("%+v, want path %s", c, want)
	}
	if run, ours := c.Tree.LockedBy(); !ours || run != treetest.Job {
		t.Errorf("locked by %q %v", run, ours)
	}
	if !slices.Equal(c.Missing, []string{"a.txt"}) || !slices.Equal(c.MissingIgnored, []string{".env"}) {
		t.Errorf("missing %v, ignored %v", c.Missing, c.MissingIgnored)
	}
	if got := f.at(c.Tree.Path).Git("status", "--porcelain", "--branch"); got != "## resume/"+treetest.Job {
		t.Errorf("status %q", got)
	}
	// Cleaning the main worktree must not remove files in the worktree of a run.
	f.Git("clean", "-ffdx")
	if !treetest.Exists(filepath.Join(c.Tree.Path, "a.txt")) {
		t.Error("git clean in the main tree reached the staging tree")
	}
}

func TestCreate_twiceIsOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.create(f.request())
	f.at(first.Tree.Path).Write("work", "w")
	second := f.create(f.request())
	if second.Fresh || second.Tree.Path != first.Tree.Path || !treetest.Exists(filepath.Join(first.Tree.Path, "work")) {
		t.Errorf("%+v", second)
	}
}

func TestCreate_bringsWorkAlong(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Messy()
	f.Write(".env", "SECRET=1")
	f.Chmod(".env", 0o600)
	f.Write("node_modules/m/x.js", "x")
	f.Write("x.log", "log")
	req := f.request()
	req.Bring, req.CopyIgnored = true, []string{".env", "node_modules/m/*"}
	want := treetest.Dump(t, f.Dir, "x.log")
	c := f.create(req)
	treetest.RequireSame(t, want, treetest.Dump(t, c.Tree.Path, ".git"))
	if len(c.Missing) != 0 || !slices.Contains(c.MissingIgnored, "x.log") {
		t.Errorf("missing %v, ignored %v", c.Missing, c.MissingIgnored)
	}
	if len(c.Differs) != 0 {
		t.Errorf("differs %v", c.Differs)
	}
}

func TestCreate_insideWhenNothingCanBeBeside(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.at(filepath.Dir(f.Dir)).Write("shop.worktrees", "a file is in the way")
	c := f.create(f.request())
	if !c.Inside || c.Tree.Path != f.Path(insideDir+"/"+treetest.Job) {
		t.Errorf("%+v", c)
	}
	if got := f.Git("status", "--porcelain"); got != "" {
		t.Errorf("status shows %q", got)
	}
}

func TestCreate_missingTreeComesBack(t *testing.T) {
	t.Parallel()
	for _, prune := range []string{"registered", "pruned"} {
		t.Run(prune, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.create(f.request())
			tree := f.at(c.Tree.Path)
			tree.Write("dir/b.txt", "committed\n")
			tree.Git("commit", "-qam", "progress")
			tree.Write("a.txt", "staged\n")
			tree.Git("add", "a.txt")
			tree.Remove("")
			if prune == "pruned" {
				f.Git("worktree", "unlock", c.Tree.Path)
				f.Git("worktree", "prune", "--expire=now")
			}
			req := f.request()
			req.At, req.Ready = "", true
			again := f.create(req)
			if got, _ := os.ReadFile(filepath.Join(again.Tree.Path, "dir/b.txt")); string(got) != "committed\n" {
				t.Errorf("b.txt is %q", got)
			}
			want := ""
			if prune == "registered" { // the index is below .git/worktrees, so it still has the staged change
				want = "M  a.txt"
			}
			if got := tree.Git("status", "--porcelain"); got != want {
				t.Errorf("status %q, want %q", got, want)
			}
		})
	}
}

func TestCreate_refusals(t *testing.T) {
	t.Parallel()
	t.Run("plain directory", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.at(f.Beside("shop.worktrees/"+treetest.Job)).Write("precious", "p")
		_, err := Create(t.Context(), f.Open(), f.request())
		var taken *PathTakenError
		if !errors.As(err, &taken) || taken.Health != Plain {
			t.Errorf("got %v", err)
		}
	})
	t.Run("branch elsewhere", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Git("branch", "resume/"+treetest.Job)
		f.Write("a.txt", "x\n")
		f.Git("commit", "-qam", "on")
		_, err := Create(t.Context(), f.Open(), f.request())
		var taken *BranchTakenError
		if !errors.As(err, &taken) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("name that is no name", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		for _, run := range []string{"", "a/b", "../x", "a:b", "-x", "x.lock", "a..b"} {
			req := f.request()
			req.Run = run
			if _, err := Create(t.Context(), f.Open(), req); err == nil {
				t.Errorf("took %q", run)
			}
		}
	})
}

func TestCreate_huskWithWorkIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.create(f.request())
	if err := os.Remove(filepath.Join(c.Tree.Admin, "index")); err != nil {
		t.Fatal(err)
	}
	f.at(c.Tree.Path).Write("precious", "p")
	_, err := Create(t.Context(), f.Open(), f.request())
	var unfinished *UnfinishedError
	if !errors.As(err, &unfinished) || !slices.Equal(unfinished.Files, []string{"precious"}) {
		t.Errorf("got %v", err)
	}
	f.at(c.Tree.Path).Remove("precious")
	again := f.create(f.request())
	if !again.Fresh || again.Husk == "" {
		t.Errorf("%+v", again)
	}
	if got := f.Git("worktree", "list"); strings.Count(got, "\n") != 1 {
		t.Errorf("worktrees:\n%s", got)
	}
}

// The advice for an incomplete worktree with a user's files is to move it away. After that, Create must succeed, and keep these files.
func TestCreate_huskThatWasMovedAway(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.create(f.request())
	f.at(c.Tree.Path).Write("precious", "p")
	away := c.Tree.Path + ".mine"
	if err := errors.Join(os.Remove(filepath.Join(c.Tree.Admin, "index")), os.Rename(c.Tree.Path, away)); err != nil {
		t.Fatal(err)
	}
	if again := f.create(f.request()); !again.Fresh || again.Tree.Path != c.Tree.Path {
		t.Errorf("%+v", again)
	}
	if got, err := os.ReadFile(filepath.Join(away, "precious")); err != nil || string(got) != "p" {
		t.Errorf("the moved file: %q, %v", got, err)
	}
}

// After a power failure during "git worktree add", the folder of the new worktree in .git/worktrees may be missing, and the files of the
// worktree may be empty. Create must move these files to the trash and succeed. As long as the worktree contains a file that git did not
// write, Create must fail.
func TestCreate_treeWithoutRegistrationIsPutAside(t *testing.T) {
	for name, git := range map[string]func(path string) error{
		"leads nowhere": func(string) error { return nil },
		"empty":         func(path string) error { return os.Truncate(path, 0) },
		"missing":       os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.create(f.request())
			file := filepath.Join(c.Tree.Path, strings.Fields(f.Git("ls-files"))[0])
			if err := errors.Join(os.RemoveAll(c.Tree.Admin), git(filepath.Join(c.Tree.Path, ".git")), os.Truncate(file, 0)); err != nil {
				t.Fatal(err)
			}
			f.at(c.Tree.Path).Write("precious", "p")
			if _, err := Create(t.Context(), f.Open(), f.request()); err == nil {
				t.Error("a tree with work in it was put aside")
			}
			f.at(c.Tree.Path).Remove("precious")
			if again := f.create(f.request()); !again.Fresh || again.Husk == "" {
				t.Errorf("%+v", again)
			}
		})
	}
}

// A failing disk may leave a registered worktree without files and without an index. Create must write all files again.
func TestCreate_registrationWithoutIndexAndTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.create(f.request())
	want := f.at(c.Tree.Path).Git("ls-files")
	if err := errors.Join(os.Remove(filepath.Join(c.Tree.Admin, "index")), os.RemoveAll(c.Tree.Path)); err != nil {
		t.Fatal(err)
	}
	again := f.create(f.request())
	tree := f.at(again.Tree.Path)
	if got := tree.Git("ls-files"); !again.Fresh || want == "" || got != want || tree.Git("status", "--porcelain") != "" {
		t.Errorf("%+v has %q, want %q", again, got, want)
	}
}

func TestCreate_inABareRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bare := f.at(f.Beside("store.git"))
	f.Git("clone", "-q", "--bare", f.Dir, bare.Dir)
	req := f.request()
	c, err := Create(t.Context(), bare.Open(), req)
	if err != nil || c.Tree.Path != f.Beside("store.worktrees/"+treetest.Job) {
		t.Fatalf("%+v %v", c, err)
	}
}
