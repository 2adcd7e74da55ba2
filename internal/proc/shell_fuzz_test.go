package proc

import (
	"strings"
	"testing"
)

// FuzzShell: a quoted word is one word to a shell, and stays what it was; any command line is of one kind at most.
func FuzzShell(f *testing.F) {
	for _, word := range []string{"", "plain/path-1", "it's", "$(x)`y`\n;", "'", "\x00", "~", "a=b", "-c"} {
		f.Add(word, "sh")
	}
	f.Fuzz(func(t *testing.T, word, program string) {
		quoted := QuoteShell(word)
		back, ok := unquoteShell(quoted)
		if !ok || back != word {
			t.Fatalf("%q is quoted as %s, which is %q", word, quoted, back)
		}
		args := strings.Split(program+"\x00"+word, "\x00")
		if IsTerminalShell(args) && IsScript(args) || isCarrier(args) && IsTerminalShell(args) {
			t.Fatalf("%q is two things at once", args)
		}
	})
}

// unquoteShell reads one word as a POSIX shell does, as far as it may be written: plain signs, quotes, and a quote behind a backslash.
func unquoteShell(text string) (string, bool) {
	var out strings.Builder
	for text != "" {
		switch {
		case text[0] == '\'':
			inner, rest, ok := strings.Cut(text[1:], "'")
			if !ok {
				return "", false
			}
			out.WriteString(inner)
			text = rest
		case strings.HasPrefix(text, `\'`):
			out.WriteByte('\'')
			text = text[2:]
		case strings.ContainsRune("|&;<>()$`\\\"' \t\n*?[#~!{}", rune(text[0])):
			return "", false // it would mean something
		default:
			out.WriteByte(text[0])
			text = text[1:]
		}
	}
	return out.String(), true
}
