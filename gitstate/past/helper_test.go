package past

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
)

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
