package textdoc

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// These regular expressions are equivalent to the hand-written line parsers.
var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	itemLine    = regexp.MustCompile(`^([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(.*)$`)
	fenceLine   = regexp.MustCompile("^[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})([^`]*)$")
	boxMark     = regexp.MustCompile(`^\[([^\[\]]{0,20})\](\*?)(?:[ \t]+(.*)|$)`)
)

// pieces are the pieces from which the test builds random lines.
var pieces = []string{" ", "  ", "\t", "#", "##", "######", "#######", "-", "*", "+", "1", "123456789", "0", ".", ")", "```", "`", "~~~", "~~~~",
	"[", "]", "[x]", "[ ]", "[ü]", "[ready to start now!!]", "[ready to start now!!!]", "*", "a", "word", "é", "\xff", "—"}

func TestLines_asTheirExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := ""
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 7).Draw(t, "parts") {
			line += p
		}
		level, title, ok := Heading(line)
		agree(t, line, headingLine, ok, func(m []string) bool { return len(m[1]) == level && m[2] == title })
		indent, content, ok := listItem(line)
		agree(t, line, itemLine, ok, func(m []string) bool { return m[1] == indent && m[2] == content })
		mark := fenceOf(line)
		agree(t, line, fenceLine, mark != "", func(m []string) bool { return m[1] == mark })
		inner, star, text, ok := cutMark(line)
		agree(t, line, boxMark, ok, func(m []string) bool {
			return slices.Equal(m[1:], []string{inner, map[bool]string{true: "*"}[star], text})
		})
	})
}

func agree(t *rapid.T, line string, as *regexp.Regexp, found bool, equal func([]string) bool) {
	t.Helper()
	m := as.FindStringSubmatch(line)
	if (m != nil) != found || m != nil && !equal(m) {
		t.Fatalf("%q: %s gives %q, by hand it was found: %v", line, as, m, found)
	}
}

// labelMark matches exactly the lines that Label accepts.
var (
	labelMark  = regexp.MustCompile(`^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?([A-Za-z][A-Za-z0-9_ ]{0,40}?)(?:[ \t]*:(?:\*\*|__)|(?:\*\*|__)?[ \t]*:)(?:[ \t]+(.*))?$`)
	labelParts = []string{" ", "\t", "-", "*", "+", "**", "__", "_", ":", "Status", "Plan 2", "x", "7", "é", strings.Repeat("n", 40), "/", "a: b"}
)

func TestLabel_asItsExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := drawLine(t, labelParts)
		m := labelMark.FindStringSubmatch(line)
		name, value, ok := Label(line)
		if ok != (m != nil) || ok && (name != strings.ToLower(strings.TrimSpace(m[1])) || value != strings.TrimSpace(m[2])) {
			t.Fatalf("%q: %q and %q (%v), by the expression %q", line, name, value, ok, m)
		}
	})
}

func drawLine(t *rapid.T, parts []string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "parts"), "")
}
