package quote

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile lists words that a shell, a terminal or a reader could misunderstand.
var hostile = []string{
	"", "plain/path-1", "it's", "$(touch PWNED)", "`touch PWNED`", "a;b", "a&b", "a|b", "a>b", "x'y", `x"y`, "${IFS}", "$IFS", "-n", "--run=x", "--",
	"a b", " a ", "a\nb", "a\n", "\n\n", "\n", "a\tb", "\x1b[31mred", "\u200bx", "caf\xe9", "~", "~root", "=ls", "a=b", "*", "?", "[a]", "{a,b}", "#x", "!!", "!x",
	`back\slash`, `\\server`, `end\`, `\'`, `a\'$(touch PWNED)`, `'\''`, "%s", "%d\u200b", "-\u200b", "\\044(touch PWNED)\u200b", "漢字", "é", "\x7f", "\r", "a\U000E0041b",
}

// shells lists the shells to test, because each one parses pasted text differently. Shells that are not installed are skipped.
var shells = []string{"sh", "bash", "dash", "zsh", "fish"}

// read runs a line in a shell that has a function named "it", and returns the arguments with which the line calls this function.
func read(t *testing.T, shell, line string) []string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("there is no %s", shell)
	}
	script := "it() { printf '%s\\0' \"$@\"; }\n" + line + "\n"
	args := []string{"-c", script}
	if shell == "fish" {
		args = []string{"--no-config", "-c", "function it; printf '%s\\0' $argv; end\n" + line + "\n"}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"LC_ALL=C.UTF-8", "HOME=/nonexistent"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %s: %v %s", shell, line, err, errs.String())
	}
	words := strings.Split(out.String(), "\x00")
	return words[:len(words)-1]
}

func TestWord_isOneWordInEveryShell(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell, func(t *testing.T) {
			line := "it"
			for _, w := range hostile {
				line += " " + Word(w)
			}
			if got := read(t, shell, line); !slices.Equal(got, hostile) {
				for i := range hostile {
					if i >= len(got) || got[i] != hostile[i] {
						t.Fatalf("%q is written as %s and read as %q", hostile[i], Word(hostile[i]), got[min(i, len(got)-1)])
					}
				}
				t.Fatalf("%d words become %d", len(hostile), len(got))
			}
		})
	}
}

// Word must write no hidden characters except newlines, and no more newlines than the word has.
func TestWord_showsEveryByte(t *testing.T) {
	for _, w := range hostile {
		got := Word(w)
		if _, hidden := Escape(strings.ReplaceAll(got, "\n", "")); hidden > 0 || strings.Count(got, "\n") > strings.Count(w, "\n") {
			t.Errorf("%q is written as %q", w, got)
		}
	}
	for w, want := range map[string]string{
		"job-abcd": "job-abcd", "a b": "'a b'", "x'y": `'x'\''y'`, "é": "'é'", "a\tb": `"$(printf 'a\011b')"`, "-\u200b%": `"$(printf '\055\342\200\213%%')"`,
	} {
		if got := Word(w); got != want {
			t.Errorf("%q is written as %s, not %s", w, got, want)
		}
	}
}

func TestName_isOneVisibleLine(t *testing.T) {
	for name, want := range map[string]string{"main": "main", "a b": "'a b'", "a\nb\n": `'a\nb\n'`, "x\u200b": `'x\u200b'`, "": "''", "=x": "'=x'"} {
		if got := Name(name); got != want {
			t.Errorf("%q is shown as %s, not %s", name, got, want)
		}
	}
}

func TestCommand_valuesAreWordsAndNoOptions(t *testing.T) {
	values := func(v ...any) []any { return v }
	for _, c := range []struct {
		format string
		values []any
		want   string
	}{
		{"git resume task done %s", values("one"), "git resume task done one"},
		{"git resume task done %s", values("$(x)"), "git resume task done '$(x)'"},
		{"git resume task done %s", values("-n"), "git resume task done -- -n"},
		{"git resume task done %s PATH...", values("-n"), "git resume task done -- -n PATH..."},
		{"git resume task reset %s --run %s", values("-n", "job"), "git resume task reset --run job -- -n"},
		{"git resume task reset %s --run %s", values("one", "-n"), "git resume task reset one --run=-n"},
		{"git resume %s --keep", values("-n"), "git resume --keep -- -n"},
		{"git resume answer --run %s %s TEXT", values("-a", "-b"), "git resume answer --run=-a -- -b TEXT"},
		{"git -C %s switch %s", values("-a b", "--x"), "git -C '-a b' switch -- --x"},
		{"git log --grep=%s", values("-n;"), "git log '--grep=-n;'"},
		{"mv %s %s.mine", values("/a b", "/a b"), "mv '/a b' '/a b.mine'"},
		{"git resume %s", values("undo"), "git resume -- undo"},
		{"git resume %s --skip", values("discard"), "git resume --skip -- discard"},
		{"git resume status %s", values("undo"), "git resume status undo"},
		{"git worktree prune --expire=now", nil, "git worktree prune --expire=now"},
		{"git resume %s", values("%s"), "git resume %s"},
	} {
		if got := Command(c.format, c.values...); got != c.want {
			t.Errorf("%s with %q is %s, not %s", c.format, c.values, got, c.want)
		}
	}
}

// A user may copy the quotes around a printed command together with the command. Even then, the shell must not execute any part of a name.
func TestBetween_runsNothingWithItsMarks(t *testing.T) {
	for _, w := range hostile {
		for _, mark := range []string{"'", `"`} {
			named := Between(mark, Command("git switch %s", w))
			if strings.HasPrefix(named, mark) && strings.Trim(named, bare+mark+" ") != "" {
				t.Errorf("%q is named as %s", w, named)
			}
		}
	}
	for command, want := range map[string]string{"git switch main": "'git switch main'", "git switch 'a b'": "[git switch 'a b']"} {
		if got := Between("'", command); got != want {
			t.Errorf("%s is named as %s", command, got)
		}
	}
}

// FuzzExact checks that a quoted word can be read back with the same bytes, and that Word shows no hidden characters. The function unquote
// takes the place of a shell.
func FuzzExact(f *testing.F) {
	for _, word := range hostile {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		quoted := Exact(word)
		if back, ok := unquote(quoted); !ok || back != word {
			t.Fatalf("%q is quoted as %s, which is %q", word, quoted, back)
		}
		shown := Word(word)
		if !utf8.ValidString(shown) || strings.ContainsFunc(strings.ReplaceAll(shown, "\n", ""), func(r rune) bool { return Hidden(r) && r != '\ufe0e' && r != '\ufe0f' }) {
			t.Fatalf("%q is shown as %q", word, shown)
		}
		if text, ok := strings.CutPrefix(shown, `"$(printf '`); ok {
			inner, _, _ := strings.Cut(text, "'")
			if strings.Trim(inner, bare+`\`) != "" {
				t.Fatalf("%q is shown as %q", word, shown)
			}
		} else if back, ok := unquote(shown); !ok || back != word {
			t.Fatalf("%q is shown as %s, which is %q", word, shown, back)
		}
	})
}

// unquote reads one word as a POSIX shell does. It supports only the syntax that Exact writes.
func unquote(text string) (string, bool) {
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
			return "", false // a shell would interpret this character
		default:
			out.WriteByte(text[0])
			text = text[1:]
		}
	}
	return out.String(), true
}
