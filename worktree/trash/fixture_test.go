package trash

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// fixture is a real repository in a temporary directory.
type fixture struct{ *treetest.Repo }

// newFixture makes a repository with a few committed files.
func newFixture(t testing.TB, initArgs ...string) *fixture {
	t.Helper()
	return &fixture{treetest.New(t, initArgs...)}
}

// at returns a fixture for another directory, with the same environment.
func (f *fixture) at(dir string) *fixture {
	return &fixture{&treetest.Repo{T: f.T, Dir: dir, Env: f.Env}}
}

func (f *fixture) take(req snapshot.Request) snapshot.Snapshot {
	f.T.Helper()
	if req.Run == "" {
		req.Run = "job-a7f3"
	}
	req.Now = treetest.Clock
	s, err := snapshot.Take(f.T.Context(), f.Open(), req)
	if err != nil {
		f.T.Fatalf("take: %v", err)
	}
	return s
}

func (f *fixture) show(s snapshot.Snapshot, name string) string {
	f.T.Helper()
	out, err := f.Open().Git(f.T.Context(), process.Call{Args: []string{"cat-file", "blob", string(s.ID) + ":work/" + name}})
	if err != nil {
		return "absent"
	}
	return string(out)
}

func (f *fixture) restore(id object.ID, way snapshot.Way) snapshot.Restored {
	f.T.Helper()
	done, err := snapshot.Restore(f.T.Context(), f.Open(), snapshot.RestoreRequest{Snapshot: id, Way: way, Run: "job-a7f3", Now: treetest.Clock})
	if err != nil {
		f.T.Fatalf("restore: %v", err)
	}
	return done
}

func (f *fixture) request() worktree.CreateRequest {
	return worktree.CreateRequest{Run: treetest.Job, Branch: "resume/" + treetest.Job, At: object.ID(f.Git("rev-parse", "HEAD")), Now: treetest.Clock}
}

func (f *fixture) create(req worktree.CreateRequest) worktree.Created {
	f.T.Helper()
	c, err := worktree.Create(f.T.Context(), f.Open(), req)
	if err != nil {
		f.T.Fatalf("create: %v", err)
	}
	return c
}

func (f *fixture) look(path, branch string) worktree.Tree {
	f.T.Helper()
	t, err := worktree.Look(f.T.Context(), f.Open(), worktree.Want{Path: path, Branch: refs.Branch(branch)})
	if err != nil {
		f.T.Fatal(err)
	}
	return t
}
