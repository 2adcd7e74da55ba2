package refs_test

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/refs"
)

// TestShort_odd checks Short, Branch and BranchOf: they must only remove or add the prefix refs/heads/. It also shows that go-git's
// method Short gives other results for some names. This is why we do not use that method.
func TestShort_odd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, method string }{
		{"refs/heads/main", "main"},
		{"refs/heads/a/b", "a/b"},
		{"refs/heads/refs/heads/x", "refs/heads/x"},
		{"refs/heads/heads/x", "heads/x"},
		{"refs/heads/%s", "%s"},
		{"refs/heads/ä", "ä"},
		{"HEAD", "HEAD"},
		{"", ""},
		{"refs/heads/", "heads/"},
		{"refs/heads", "heads"},
		{"refs/heads/a\u00a0b", "a"},
		{"refs/heads/\u3000b", "b"},
		{"refs/heads/a\xffb", "a\ufffdb"},
		{"refs/remotes/origin/x", "origin/x"},
		{"refs/notes/resume/x", "notes/resume/x"},
		{"refs/tags/v1", "v1"},
	} {
		byHand := strings.TrimPrefix(c.name, "refs/heads/")
		if got := refs.Short(refs.Name(c.name)); got != byHand {
			t.Errorf("Short(%q) is %q, by hand %q", c.name, got, byHand)
		}
		if got := refs.Name(c.name).Short(); got != c.method {
			t.Errorf("the method makes %q of %q, and not %q", got, c.name, c.method)
		}
		if got, byHand := refs.Name(c.name).IsBranch(), strings.HasPrefix(c.name, "refs/heads/"); got != byHand {
			t.Errorf("%q is a branch: %v, by hand %v", c.name, got, byHand)
		}
		if got, byHand := refs.Branch(c.name), "refs/heads/"+c.name; string(got) != byHand {
			t.Errorf("Branch(%q) is %q, by hand %q", c.name, got, byHand)
		}
		if got, byHand := refs.BranchOf(c.name), "refs/heads/"+byHand; string(got) != byHand {
			t.Errorf("BranchOf(%q) is %q, by hand %q", c.name, got, byHand)
		}
	}
}
