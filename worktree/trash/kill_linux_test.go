//go:build linux && amd64

package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// helperVar is an environment variable. It makes the test program perform one operation in a separate process, which can be killed.
const helperVar = "GIT_RESUME_KILL_HELPER"

func TestMain(m *testing.M) {
	op := os.Getenv(helperVar)
	if op == "" {
		gittest.Main(m)
	}
	if err := helper(op, os.Getenv("GIT_RESUME_KILL_DIR")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// helper performs one operation for a test. It runs in a separate process.
func helper(op, dir string) error {
	place, err := locate.Find(dir, os.Environ())
	if err != nil {
		return err
	}
	repo := gitstate.Open(place, os.Environ())
	defer repo.Close()
	return operate(context.Background(), repo, op)
}

func operate(ctx context.Context, repo *gitstate.Repo, op string) (err error) {
	tree := filepath.Join(worktree.DefaultDir(repo), treetest.Job)
	switch op {
	case "snapshot":
		_, err = snapshot.Take(ctx, repo, snapshot.Request{Run: treetest.Job, Cause: "test", Now: treetest.Clock})
	case "create":
		var head object.ID
		if _, head, err = repo.Refs.Head(ctx); err == nil {
			_, err = worktree.Create(ctx, repo, worktree.CreateRequest{Run: treetest.Job, Branch: "resume/" + treetest.Job, At: head, Bring: true, CopyIgnored: []string{".env"}, Now: treetest.Clock})
		}
	case "discard":
		_, err = Discard(ctx, repo, DiscardRequest{Run: treetest.Job, Path: tree, Branch: treetest.JobRef, Care: Forced, Now: treetest.Clock})
	case "undo":
		_, err = Undo(ctx, repo, UndoRequest{Run: treetest.Job, Now: treetest.Clock})
	}
	return err
}

// killSite is a directory that is reset to its original state before each kill. It always has the same path, because git stores the path.
type killSite struct {
	t    *testing.T
	f    *fixture
	work string
	keep string
}

func newKillSite(t *testing.T, f *fixture) *killSite {
	g := &killSite{t: t, f: f, work: filepath.Dir(f.Dir), keep: t.TempDir()}
	g.copy(g.work, filepath.Join(g.keep, "w"))
	return g
}

func (g *killSite) copy(from, to string) {
	g.t.Helper()
	cmd := proc.Command{Name: "cp", Args: []string{"-a", from, to}, Env: g.f.Env}
	if _, err := cmd.Run(context.Background()); err != nil {
		g.t.Fatal(err)
	}
}

func (g *killSite) reset() {
	g.t.Helper()
	if err := os.RemoveAll(g.work); err != nil {
		g.t.Fatal(err)
	}
	g.copy(filepath.Join(g.keep, "w"), g.work)
}

// kill runs an operation, and kills it just before the system call with the given number. Only calls that change the disk have numbers. If
// the number is zero, kill only counts these calls.
func (g *killSite) kill(op string, at int) int {
	g.t.Helper()
	env := append([]string{helperVar + "=" + op, "GIT_RESUME_KILL_DIR=" + g.f.Dir, "GOMAXPROCS=1"}, g.f.Env...)
	tr := tracer{killAt: at}
	count, killed := tr.run(g.t, []string{os.Args[0]}, env)
	if at > 0 && !killed {
		g.t.Logf("%s made only %d calls, not killed at %d", op, count, at)
	}
	return count
}

func (g *killSite) do(op string) error {
	repo := g.f.Open()
	defer repo.Close()
	return operate(g.t.Context(), repo, op)
}

// killAtPoints kills an operation at chosen system calls, and calls check() after each kill.
func (g *killSite) killAtPoints(op string, check func(n int)) {
	g.t.Helper()
	total := g.kill(op, 0)
	chosen := points(total, 3)
	for _, n := range chosen {
		g.reset()
		g.kill(op, n)
		check(n)
		g.clean(n)
		if g.t.Failed() {
			g.t.Fatalf("%s killed at call %d of %d", op, n, total)
		}
	}
	g.t.Logf("%s: killed at %d of %d calls that change the disk", op, len(chosen), total)
}

// clean checks that the repository has no locks of git and that git fsck finds nothing wrong in it.
func (g *killSite) clean(n int) {
	g.t.Helper()
	g.f.Fsck()
	g.f.Git("worktree", "list")
	_ = filepath.WalkDir(g.f.Path(".git"), func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(g.f.Path(".git"), path)
		if err == nil && strings.HasSuffix(path, ".lock") && !d.IsDir() && !strings.HasPrefix(rel, "resume") {
			g.t.Errorf("lock left behind: %s (killed at %d)", path, n)
		}
		return nil
	})
}

func (g *killSite) must(op string) {
	g.t.Helper()
	if err := g.do(op); err != nil {
		g.t.Errorf("%s after the kill: %v", op, err)
	}
}

func TestKill_snapshot(t *testing.T) {
	f := newFixture(t)
	f.Messy()
	want := treetest.Dump(t, f.Dir)
	index, _ := os.ReadFile(f.Path(".git/index"))
	g := newKillSite(t, f)
	g.killAtPoints("snapshot", func(int) {
		g.must("snapshot")
		treetest.RequireSame(t, want, treetest.Dump(t, f.Dir))
		if got, _ := os.ReadFile(f.Path(".git/index")); string(got) != string(index) {
			t.Error("index changed")
		}
		if f.Git("show", string(snapshot.Ref(treetest.Job)+":0001/work/a.txt")) != "and edited" {
			t.Error("work is not in the snapshot")
		}
	})
}

func TestKill_create(t *testing.T) {
	f := newFixture(t)
	f.Messy()
	f.Write(".env", "SECRET")
	want := treetest.Dump(t, f.Dir)
	g := newKillSite(t, f)
	g.killAtPoints("create", func(int) {
		g.must("create")
		treetest.RequireSame(t, want, treetest.Dump(t, f.Beside("shop.worktrees/"+treetest.Job), ".git"))
		treetest.RequireSame(t, want, treetest.Dump(t, f.Dir))
		if list := f.Git("worktree", "list"); strings.Count(list, "\n") != 1 {
			t.Errorf("worktrees:\n%s", list)
		}
	})
}

// dropGround makes a repository and the worktree of a run. The worktree has uncommitted work, and is in the middle of a merge.
func dropGround(t *testing.T) (*fixture, *fixture) {
	f, tree := newStagedRepo(t)
	tree.Conflict()
	tree.Write("work/new", "w")
	tree.Write("x.log", "ignored")
	return f, tree
}

func withoutIgnored(s state) state {
	delete(s.files, "x.log")
	return s
}

func TestKill_discard(t *testing.T) {
	f, tree := dropGround(t)
	want := withoutIgnored(tree.state(t))
	g := newKillSite(t, f)
	g.killAtPoints("discard", func(n int) {
		if n%2 == 1 { // in half of the cases, undo the interrupted discard at once
			err := g.do("undo")
			if err != nil && !errors.Is(err, ErrNothingDiscarded) {
				t.Errorf("undo after the kill: %v", err)
			}
			requireState(t, want, withoutIgnored(tree.state(t)))
		}
		g.must("discard")
		if treetest.Exists(tree.Dir) {
			t.Error("the tree is still there")
		}
		g.must("undo")
		requireState(t, want, withoutIgnored(tree.state(t)))
		requireNoRest(t, tree)
	})
}

func TestKill_undo(t *testing.T) {
	f, tree := dropGround(t)
	want := withoutIgnored(tree.state(t))
	f.discard(tree)
	f.gc()
	g := newKillSite(t, f)
	g.killAtPoints("undo", func(n int) {
		if n%2 == 0 {
			g.must("discard") // in half of the cases, complete a discard before the undo
		}
		if err := g.do("undo"); err != nil && !errors.Is(err, ErrNothingDiscarded) {
			t.Errorf("undo after the kill: %v", err)
		}
		requireState(t, want, withoutIgnored(tree.state(t)))
		requireNoRest(t, tree)
	})
}

func requireNoRest(t *testing.T, tree *fixture) {
	t.Helper()
	if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(tree.Dir), ".*")); len(rest) > 0 {
		t.Errorf("left behind: %v", rest)
	}
}
