package refs

import "strings"

// maxRefName is what a file system takes, and more than anybody types.
const maxRefName = 1000

// IsName reports whether git would take a text as the full name of a ref, as "git check-ref-format" does.
func IsName(name string) bool {
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
