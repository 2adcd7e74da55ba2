package tasks

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

// TestRebasedOnto_oldAndNewMessages checks the messages of git 2.31 and git 2.39, and messages that do not name the commit onto which a
// rebase was finished.
func TestRebasedOnto_oldAndNewMessages(t *testing.T) {
	id := strings.Repeat("1a", 20)
	for message, want := range map[string]string{
		"rebase (finish): refs/heads/x onto " + id:            id,
		"rebase (continue) (finish): refs/heads/x onto " + id: id,
		"rebase (skip) (finish): refs/heads/x onto " + id:     id,
		"commit: a (finish): x onto " + id:                    "",
		"rebase (finish): refs/heads/x onto main":             "",
		"rebase (continue): one":                              "",
	} {
		if got, ok := rebasedOnto(message); ok != (want != "") || ok && got != object.ID(want) {
			t.Errorf("%q: %q, %v", message, got, ok)
		}
	}
}
