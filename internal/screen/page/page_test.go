package page

import (
	"bytes"
	"strings"
	"testing"
)

// Long lines end at words on a terminal, and stay one line elsewhere.
func TestParagraph_endsItsLinesAtWords(t *testing.T) {
	t.Parallel()
	text := strings.TrimSpace(strings.Repeat("eight te ", 12))
	for terminal, want := range map[bool]int{true: 2, false: 1} {
		var out bytes.Buffer
		Page{Out: &out, Terminal: terminal}.Paragraph("  ", "  ", text)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != want || strings.Join(strings.Fields(out.String()), " ") != text {
			t.Errorf("terminal %v: %q", terminal, lines)
		}
		for _, l := range lines {
			if terminal && len(l) > Usual {
				t.Errorf("%q is too long", l)
			}
		}
	}
}
