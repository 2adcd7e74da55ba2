package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

const job = "job-a7f3"

func (f *fixture) request() CreateRequest {
	return CreateRequest{Run: job, Branch: "resume/" + job, At: object.ID(f.git("rev-parse", "HEAD")), Now: clock}
}

func (f *fixture) create(req CreateRequest) Created {
	f.t.Helper()
	c, err := Create(f.t.Context(), f.repo(), req)
	if err != nil {
		f.t.Fatalf("create: %v", err)
	}
	return c
}

func TestCreate_besideTheRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "uncommitted\n")
	f.write(".env", "SECRET=1")
	c := f.create(f.request())
	if want := f.beside("shop.worktrees/" + job); c.Tree.Path != want || c.Inside || !c.Fresh {
		t.Errorf("%+v, want path %s", c, want)
	}
	if run, ours := c.Tree.LockedBy(); !ours || run != job {
		t.Errorf("locked by %q %v", run, ours)
	}
	if !slices.Equal(c.Missing, []string{"a.txt"}) || !slices.Equal(c.MissingIgnored, []string{".env"}) {
		t.Errorf("missing %v, ignored %v", c.Missing, c.MissingIgnored)
	}
	if got := f.at(c.Tree.Path).git("status", "--porcelain", "--branch"); got != "## resume/"+job {
		t.Errorf("status %q", got)
	}
	// What cleans the main tree does not see the other.
	f.git("clean", "-ffdx")
	if !exists(filepath.Join(c.Tree.Path, "a.txt")) {
		t.Error("git clean in the main tree reached the staging tree")
	}
}

func TestCreate_twiceIsOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.create(f.request())
	f.at(first.Tree.Path).write("work", "w")
	second := f.create(f.request())
	if second.Fresh || second.Tree.Path != first.Tree.Path || !exists(filepath.Join(first.Tree.Path, "work")) {
		t.Errorf("%+v", second)
	}
}

func TestCreate_bringsWorkAlong(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	messy(f)
	f.write(".env", "SECRET=1")
	f.chmod(".env", 0o600)
	f.write("node_modules/m/x.js", "x")
	f.write("x.log", "log")
	req := f.request()
	req.Bring, req.CopyIgnored = true, []string{".env", "node_modules/m/*"}
	want := dump(t, f.dir, "x.log")
	c := f.create(req)
	requireSame(t, want, dump(t, c.Tree.Path, ".git"))
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
	f.at(filepath.Dir(f.dir)).write("shop.worktrees", "a file is in the way")
	c := f.create(f.request())
	if !c.Inside || c.Tree.Path != f.path(insideDir+"/"+job) {
		t.Errorf("%+v", c)
	}
	if got := f.git("status", "--porcelain"); got != "" {
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
			tree.write("dir/b.txt", "committed\n")
			tree.git("commit", "-qam", "progress")
			tree.write("a.txt", "staged\n")
			tree.git("add", "a.txt")
			tree.remove("")
			if prune == "pruned" {
				f.git("worktree", "unlock", c.Tree.Path)
				f.git("worktree", "prune", "--expire=now")
			}
			req := f.request()
			req.At, req.Ready = "", true
			again := f.create(req)
			if got, _ := os.ReadFile(filepath.Join(again.Tree.Path, "dir/b.txt")); string(got) != "committed\n" {
				t.Errorf("b.txt is %q", got)
			}
			want := ""
			if prune == "registered" { // the registration kept what was staged
				want = "M  a.txt"
			}
			if got := tree.git("status", "--porcelain"); got != want {
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
		f.at(f.beside("shop.worktrees/"+job)).write("precious", "p")
		_, err := Create(t.Context(), f.repo(), f.request())
		var taken *PathTakenError
		if !errors.As(err, &taken) || taken.Health != Plain {
			t.Errorf("got %v", err)
		}
	})
	t.Run("branch elsewhere", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.git("branch", "resume/"+job)
		f.write("a.txt", "x\n")
		f.git("commit", "-qam", "on")
		_, err := Create(t.Context(), f.repo(), f.request())
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
			if _, err := Create(t.Context(), f.repo(), req); err == nil {
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
	f.at(c.Tree.Path).write("precious", "p")
	_, err := Create(t.Context(), f.repo(), f.request())
	var unfinished *UnfinishedError
	if !errors.As(err, &unfinished) || !slices.Equal(unfinished.Files, []string{"precious"}) {
		t.Errorf("got %v", err)
	}
	f.at(c.Tree.Path).remove("precious")
	again := f.create(f.request())
	if !again.Fresh || again.Husk == "" {
		t.Errorf("%+v", again)
	}
	if got := f.git("worktree", "list"); strings.Count(got, "\n") != 1 {
		t.Errorf("worktrees:\n%s", got)
	}
}

// A power cut in "worktree add" may take the registration and leave the tree, its files empty.
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
			file := filepath.Join(c.Tree.Path, strings.Fields(f.git("ls-files"))[0])
			if err := errors.Join(os.RemoveAll(c.Tree.Admin), git(filepath.Join(c.Tree.Path, ".git")), os.Truncate(file, 0)); err != nil {
				t.Fatal(err)
			}
			f.at(c.Tree.Path).write("precious", "p")
			if _, err := Create(t.Context(), f.repo(), f.request()); err == nil {
				t.Error("a tree with work in it was put aside")
			}
			f.at(c.Tree.Path).remove("precious")
			if again := f.create(f.request()); !again.Fresh || again.Husk == "" {
				t.Errorf("%+v", again)
			}
		})
	}
}

// A failing disk may leave the registration of a tree that git could not write, without an index.
func TestCreate_registrationWithoutIndexAndTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.create(f.request())
	want := f.at(c.Tree.Path).git("ls-files")
	if err := errors.Join(os.Remove(filepath.Join(c.Tree.Admin, "index")), os.RemoveAll(c.Tree.Path)); err != nil {
		t.Fatal(err)
	}
	again := f.create(f.request())
	tree := f.at(again.Tree.Path)
	if got := tree.git("ls-files"); !again.Fresh || want == "" || got != want || tree.git("status", "--porcelain") != "" {
		t.Errorf("%+v has %q, want %q", again, got, want)
	}
}

func TestCreate_inABareRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bare := f.at(f.beside("store.git"))
	f.git("clone", "-q", "--bare", f.dir, bare.dir)
	req := f.request()
	c, err := Create(t.Context(), bare.repo(), req)
	if err != nil || c.Tree.Path != f.beside("store.worktrees/"+job) {
		t.Fatalf("%+v %v", c, err)
	}
}
