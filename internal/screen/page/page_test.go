package page

import (
	"bytes"
	"strings"
	"testing"
)

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

func TestParagraph_givesALongWordALineOfItsOwn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("runs/0123/", 7) + "file"
	for _, c := range []struct{ first, indent, text, want string }{
		{"  warning  ", "           ", long + " was cut", "  warning\n      " + long + "\n           was cut\n"},
		{"  saved    ", "           ", "a as " + long, "  saved    a as\n      " + long + "\n"},
		{"  warning  ", "           ", long + long, "  warning\n  " + long + long + "\n"},
		{"| ", "| ", "in " + long + "1234567 too", "| in\n| " + long + "1234567\n| too\n"},
		{"", "  ", "kept as " + long + "12345678", "kept as\n" + "  " + long + "12345678\n"},
		{"  info     ", "           ", "its uncommitted work was last saved as job-1a2b@3 (git resume restore job-1a2b@3)", "  info     its uncommitted work was last saved as job-1a2b@3\n           (git resume restore job-1a2b@3)\n"},
	} {
		var out bytes.Buffer
		Page{Out: &out, Terminal: true}.Paragraph(c.first, c.indent, c.text)
		if out.String() != c.want {
			t.Errorf("%q:\n%swant:\n%s", c.text, out.String(), c.want)
		}
	}
}

func TestNote_endsItsLinesAtWords(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("eight te ", 8))
	command := "'git resume undo --redo auto-claude:007-search'"
	for _, c := range []struct{ text, want string }{
		{"error: " + long + " end", "error: " + long + "\n       end\n"},
		{"\nerror: " + long + " end\nhint: short", "\nerror: " + long + "\n       end\nhint: short\n"},
		{"note: use " + command + " to take this very undo back", "note: use " + command + " to take this very undo\n      back\n"},
		{"hint: " + long[:50] + " with " + command, "hint: " + long[:50] + " with\n      " + command + "\n"},
		{"  1  indented " + long, "  1  indented " + long[:62] + "\n     " + long[63:] + "\n"},
	} {
		var out bytes.Buffer
		Page{Err: &out, ErrTerminal: true}.Note("%s", c.text)
		if out.String() != c.want {
			t.Errorf("%q, want %q", out.String(), c.want)
		}
		out.Reset()
		Page{Err: &out}.Note("%s", c.text)
		if out.String() != c.text+"\n" {
			t.Errorf("without a terminal: %q", out.String())
		}
	}
}

func TestAsk_endsItsLinesAtWords(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("eight te ", 9))
	for terminal, want := range map[bool]string{true: "\n" + long[:77] + "\n" + long[78:] + "? [y,N] ", false: "\n" + long + "? [y,N] "} {
		var out bytes.Buffer
		Page{Err: &out, ErrTerminal: terminal}.Ask("\n%s? [y,N] ", long)
		if out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

func TestLines_keepTabs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	Page{Out: &out}.Lines("+\ta\x1b[31m\tb\n c")
	if got, want := out.String(), "+\ta\tb\n c\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
