package execution

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		p, q string
		want bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"a", "a/b/c", true},
		{"a/", "a/*.go", true},
		{"*.go", "x.*", true},
		{"*.go", "*.md", false},
		{"db/**", "db/migrations/*.sql", true},
		{"db/**", "docs/**", false},
		{"**", "x", true},
		{"**/x.go", "a/b/*.go", true},
		{"**/x.go", "a/b/y.md", true}, // both patterns match the path a/b/y.md/x.go
		{"a/**/z", "a/z", true},
		{"a/**/z", "b/**/z", false},
		{"[ab].go", "c.go", true}, // a class counts as any character
		{"?.go", "ab.go", false},
		{"a*b*c", "abc", true},
		{"a*b*c", "acb", false},
		{"x1", "x10", false},
	} {
		if got := Overlap([]string{c.p}, []string{c.q}); got != c.want {
			t.Errorf("%s and %s: %v", c.p, c.q, got)
		}
		if got := Overlap([]string{c.q}, []string{c.p}); got != c.want {
			t.Errorf("%s and %s: %v", c.q, c.p, got)
		}
	}
	if Overlap(nil, []string{"**"}) {
		t.Error("no patterns match a path")
	}
}

// TestOverlap_missesNothing makes random patterns and paths. Whenever one path matches two patterns, these must overlap.
func TestOverlap_missesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	pattern := func() string {
		parts := make([]string, 1+r.IntN(4))
		for i := range parts {
			switch r.IntN(5) {
			case 0:
				parts[i] = "**"
			case 1:
				parts[i] = "[^a]" + word("ab*", 2)
			default:
				parts[i] = strings.ReplaceAll(word("ab?*", 3), "**", "*")
			}
		}
		return strings.Join(parts, "/")
	}
	both := 0
	for range 200_000 {
		p, q := []string{pattern()}, []string{pattern()}
		parts := make([]string, 1+r.IntN(4))
		for i := range parts {
			parts[i] = word("ab", 3)
		}
		path := strings.Join(parts, "/")
		if !Matches(p, path) || !Matches(q, path) {
			continue
		}
		both++
		if !Overlap(p, q) {
			t.Fatalf("%s matches %s and %s, which do not overlap", path, p[0], q[0])
		}
	}
	if both < 1000 {
		t.Fatalf("only %d paths matched two patterns", both)
	}
}
