package worktree

import (
	"testing"

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
