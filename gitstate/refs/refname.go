package refs

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Name is the full name of a ref, such as refs/heads/main. An empty name means that there is no ref, for example no branch while HEAD is
// detached.
type Name = plumbing.ReferenceName

const heads = "refs/heads/"

// Branch returns the full name of the branch that has the given short name.
func Branch(short string) Name { return plumbing.NewBranchReferenceName(short) }

// BranchOf returns the full name of a branch, given its short or its full name.
func BranchOf(text string) Name { return Branch(Short(Name(text))) }

// Short returns the short name of a branch. Any other ref keeps its full name, so that nobody mistakes it for a branch. go-git's method
// Name.Short is not used, because it ends a name at a Unicode space and replaces bytes that are not UTF-8.
func Short(name Name) string { return strings.TrimPrefix(string(name), heads) }

// maxRefName is the longest name that we accept. File systems hardly allow longer paths.
const maxRefName = 1000

// IsName reports whether git would accept a text as the full name of a ref (see "git check-ref-format"). Unlike git, it refuses names that
// are longer than maxRefName.
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
