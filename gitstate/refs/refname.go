package refs

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Name is the full name of a ref, such as refs/heads/main; it is empty where there is none, as for the branch of a detached HEAD.
type Name = plumbing.ReferenceName

// heads stands before the short name of every branch.
const heads = "refs/heads/"

// Branch is the full name of the branch with a short name.
func Branch(short string) Name { return plumbing.NewBranchReferenceName(short) }

// BranchOf is the full name of a branch of which somebody wrote down the short or the full one.
func BranchOf(text string) Name { return Branch(Short(Name(text))) }

// Short is a branch without what every branch begins with; the name of any other ref stays whole, so that nobody takes it for a branch.
// The method of the same name is not used: it scans words, and so ends a name at a wide blank and replaces bytes that are no UTF-8.
func Short(name Name) string { return strings.TrimPrefix(string(name), heads) }

// maxRefName is what a file system takes, and more than anybody types.
const maxRefName = 1000

// IsName reports whether git would take a text as the full name of a ref, as "git check-ref-format" does.
func IsName(ref Name) bool {
	name := string(ref)
	if name == "" || len(name) > maxRefName || !strings.Contains(name, "/") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsFunc(name, notInRef) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

func notInRef(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) }
