package snapshot

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// fixture is a real repository in a temporary directory.
type fixture struct{ *treetest.Repo }

// newFixture makes a repository with a few committed files.
func newFixture(t testing.TB, initArgs ...string) *fixture {
	t.Helper()
	return &fixture{treetest.New(t, initArgs...)}
}

func (f *fixture) at(dir string) *fixture {
	return &fixture{&treetest.Repo{T: f.T, Dir: dir, Env: f.Env}}
}

func (f *fixture) take(req Request) Snapshot {
	f.T.Helper()
	if req.Run == "" {
		req.Run = "job-a7f3"
	}
	req.Now = treetest.Clock
	s, err := Take(f.T.Context(), f.Open(), req)
	if err != nil {
		f.T.Fatalf("take: %v", err)
	}
	return s
}

func (f *fixture) show(s Snapshot, name string) string {
	f.T.Helper()
	out, err := f.Open().Git(f.T.Context(), process.Call{Args: []string{"cat-file", "blob", string(s.ID) + ":work/" + name}})
	if err != nil {
		return "absent"
	}
	return string(out)
}
