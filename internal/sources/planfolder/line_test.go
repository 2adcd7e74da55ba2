package planfolder

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The hand-written parsers must accept exactly the lines that these regular expressions match.
var (
	planTaskMark = regexp.MustCompile(`^[ \t]*<task\b(?:[ \t]+type="([^"]{0,60})")?[^>]{0,200}>`)
	planNameMark = regexp.MustCompile(`^[ \t]*<name>(.{0,500}?)</name>`)
)

var (
	tagParts = []string{" ", "\t", "<task", "<tasks", "<name>", "</name>", ` type="`, `type="`, `"`, ">", "auto", "é",
		strings.Repeat("k", 58), strings.Repeat("l", 199), strings.Repeat("m", 499), "<"}
)

func TestLines_asTheirExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := drawLine(t, tagParts)
		m := planTaskMark.FindStringSubmatch(line)
		if kind, ok := planTask(line); ok != (m != nil) || ok && kind != m[1] {
			t.Fatalf("%q: %q (%v), by the expression %q", line, kind, ok, m)
		}
		m = planNameMark.FindStringSubmatch(line)
		if name, ok := planName(line); ok != (m != nil) || ok && name != m[1] {
			t.Fatalf("%q: %q (%v), by the expression %q", line, name, ok, m)
		}
	})
}

func drawLine(t *rapid.T, parts []string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "parts"), "")
}
