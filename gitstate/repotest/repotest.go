// Package repotest opens repositories in tests as the program does.
package repotest

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
)

// Open finds and opens the repository of a folder, and closes it after the test.
func Open(t testing.TB, dir string, env []string) *gitstate.Repo {
	t.Helper()
	place, err := locate.Find(dir, env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(place, env)
	t.Cleanup(repo.Close)
	return repo
}
