package conflicts

import (
	"strings"
	"testing"
)

func TestMatchAny_readsPatternsAsPathspecs(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/b", "a/b", true}, {"a", "a/b/c", true}, {"a/", "a/b", true}, {"a", "ab", false},
		{"*.lock", "x/y.lock", true}, {"CHANGELOG*", "docs/CHANGELOG.md", true}, {"docs/*", "docs/a/b", true},
		{"db/**", "db/x/y", true}, {"**/x", "x", true}, {"a?c", "abc", true}, {"a?c", "ac", false},
		{"", "a", false}, {"*a*a*a*a*b", strings.Repeat("a", 5000), false}, {"./a", "a", true},
	} {
		if got := matchAny([]string{tc.pattern}, tc.path); got != tc.want {
			t.Errorf("%q and %.20q: %v", tc.pattern, tc.path, got)
		}
	}
}

func TestIsManifest(t *testing.T) {
	for path, want := range map[string]bool{
		"go.mod": true, "web/package.json": true, "requirements-dev.txt": true, "x.gemspec": true, "go.mod.txt": false, "docs/requirements.md": false,
	} {
		if isManifest(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
