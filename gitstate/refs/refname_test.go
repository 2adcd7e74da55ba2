package refs_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/refs"
)

func TestIsRefName_asGit(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"refs/heads/main", "refs/heads/a/b", "refs/heads/$(touch x)", "refs/heads/a..b", "refs/heads/.a", "refs/heads/a.lock",
		"refs/heads/a.lock/b", "refs/heads/a.", "refs/heads/a b", "refs/heads/a~1", "refs/heads/a^", "refs/heads/a:b", "refs/heads/a?",
		"refs/heads/a*", "refs/heads/a[b", "refs/heads/a\\b", "refs/heads/@{u}", "refs/heads/@", "refs/heads/-x", "refs/heads/ä", "refs/heads/a//b",
		"refs/heads/a/", "/refs/heads/a", "main", "", "refs/heads/a\x7f", "refs/heads/a\tb", "refs/heads/\xff",
	} {
		if strings.ContainsRune(name, 0) {
			continue
		}
		git := exec.Command("git", "check-ref-format", name).Run() == nil
		if got := refs.IsName(refs.Name(name)); got != git {
			t.Errorf("%q: %v, git says %v", name, got, git)
		}
	}
}
