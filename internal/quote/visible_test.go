package quote

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanAndEscape(t *testing.T) {
	for _, c := range []struct {
		name, text, clean, escaped string
		hidden                     int
	}{
		{"plain", "make check", "make check", "make check", 0},
		{"letters", "é 漢 ✓ ü", "é 漢 ✓ ü", "é 漢 ✓ ü", 0},
		{"backslashes stay", `a\tb`, `a\tb`, `a\tb`, 0},
		{"tab and line end", "a\tb\nc\r", "a b c", `a\tb\nc\r`, 3},
		{"escape sequence", "a\x1b[31mb\x07", "ab", `a\u001b[31mb\u0007`, 2},
		{"colours of a program", "\x1b[1;38;5;9m\x1b[Kerror:\x1b[m\x1b[K no", "error: no", `\u001b[1;38;5;9m\u001b[Kerror:\u001b[m\u001b[K no`, 4},
		{"another sequence hides no word", "a\x1b[2Jb\x1b]0;c\x07", "a[2Jb]0;c", `a\u001b[2Jb\u001b]0;c\u0007`, 3},
		{"a colour inside a sequence", "\x1b\x1b[m[m", "[m", `\u001b\u001b[m[m`, 2},
		{"delete and C1", "a\x7f\u009bb", "ab", `a\u007f\u009bb`, 2},
		{"zero width", "a\u200b\u200c\u200d\u200e\u200fb", "ab", `a\u200b\u200c\u200d\u200e\u200fb`, 5},
		{"joiners and invisible signs", "a\u2060\u2061\u2062\u2063\u2064\u2065b", "ab", `a\u2060\u2061\u2062\u2063\u2064\u2065b`, 6},
		{"byte order mark", "\ufeffa", "a", `\ufeffa`, 1},
		{"tags", "a\U000e0001\U000e0041\U000e007fb", "ab", `a\U000e0001\U000e0041\U000e007fb`, 3},
		{"direction", "a\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061cb", "ab", `a\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061cb`, 10},
		{"soft hyphen", "a\u00adb", "ab", `a\u00adb`, 1},
		{"line and paragraph", "a\u2028b\u2029", "ab", `a\u2028b\u2029`, 2},
		{"interlinear", "a\ufff9\ufffa\ufffbb", "ab", `a\ufff9\ufffa\ufffbb`, 3},
		{"fillers", "a\u115f\u1160\u3164\uffa0\u034f\u17b4b", "ab", `a\u115f\u1160\u3164\uffa0\u034f\u17b4b`, 6},
		{"old format signs", "a\u206a\u206f\u180eb", "ab", `a\u206a\u206f\u180eb`, 3},
		{"emoji keeps its look", "❤\ufe0f ☎\ufe0e ℹ\ufe0f 1\ufe0f\u20e3", "❤\ufe0f ☎\ufe0e ℹ\ufe0f 1\ufe0f\u20e3", "❤\ufe0f ☎\ufe0e ℹ\ufe0f 1\ufe0f\u20e3", 0},
		{"selector behind a letter", "rm\ufe0f x1\ufe0f", "rm x1", `rm\ufe0f x1\ufe0f`, 2},
		{"selector twice", "❤\ufe0f\ufe0f", "❤\ufe0f", `❤` + "\ufe0f" + `\ufe0f`, 1},
		{"other selectors", "❤\ufe00\U000e0100\u180b", "❤", `❤\ufe00\U000e0100\u180b`, 3},
		{"not valid", "a\xff\xc3b", "ab", `a\xff\xc3b`, 2},
		{"replacement sign", "a\ufffdb", "ab", `a\ufffdb`, 1},
		{"other blanks", "a\u00a0b\u3000c\u2800", "a\u00a0b\u3000c\u2800", `a\u00a0b\u3000c\u2800`, 3},
		{"drawn though of format", "\u0600١", "\u0600١", "\u0600١", 0},
	} {
		if got := Clean(c.text); got != c.clean {
			t.Errorf("%s: %q is shown as %q, not %q", c.name, c.text, got, c.clean)
		}
		if got, n := Escape(c.text); got != c.escaped || n != c.hidden {
			t.Errorf("%s: %q is escaped as %q with %d, not %q with %d", c.name, c.text, got, n, c.escaped, c.hidden)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := Clean(text)
		shown, n := Escape(text)
		if !utf8.ValidString(clean) || Clean(clean) != clean || len(clean) > len(text) {
			t.Fatalf("%q is shown as %q", text, clean)
		}
		if again, more := Escape(shown); more > 0 || again != shown {
			t.Fatalf("%q is escaped as %q, and that holds %d more", text, shown, more)
		}
		if n == 0 && shown != text {
			t.Fatalf("%q is escaped as %q, and nothing was counted", text, shown)
		}
		for _, r := range clean + shown {
			if Hidden(r) && r != '\ufe0e' && r != '\ufe0f' || strings.ContainsRune("\n\t\x1b", r) {
				t.Fatalf("%q is shown as %q or %q", text, clean, shown)
			}
		}
	})
}
