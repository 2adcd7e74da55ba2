package ongoing

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
)

const someID = "0ff3bbb9c8bba2291654cd64067fa417ff54c508"

// openAt opens the repository as the program does: from a folder and an environment.
func openAt(t testing.TB, own *gittest.Repo) *gitstate.Repo {
	t.Helper()
	p, err := locate.Find(own.Dir, own.Env)
	if err != nil {
		t.Fatalf("Find: %v", err)
	}
	r := gitstate.Open(p, own.Env)
	t.Cleanup(r.Close)
	return r
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %#v\nwant %#v", what, got, want)
	}
}

func noError(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// aside lists the lock files that were moved out of git's way.
func aside(own *gittest.Repo) []string {
	names, _ := filepath.Glob(filepath.Join(common(own), "resume", "trash", "locks", "*"))
	return names
}

func common(own *gittest.Repo) string {
	return own.Git("rev-parse", "--path-format=absolute", "--git-common-dir")
}

// proving asks for the long forms of tests.
func proving() bool { return os.Getenv("GIT_RESUME_PROVE") != "" }
