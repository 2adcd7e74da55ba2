package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/quote"
)

// A wrong command line is repeated, wherever its words came from; they say nothing to the terminal.
func TestUsage_hidesNothing(t *testing.T) {
	for _, word := range []string{"\x1b[31mred", "a\u202eb", "a\u200bb", "a\U000e0041b", "\u009b2J", "a\rb", "\xff"} {
		var text bytes.Buffer
		p := &program{err: &text, out: &answers{to: &text}}
		if code := p.end(usagef("'%s' is no alternative of %s", printable(word), word)); code != codeUsage {
			t.Errorf("%q: exit code %d", word, code)
		}
		if strings.ContainsFunc(strings.ReplaceAll(text.String(), "\n", ""), quote.Hidden) || !strings.HasPrefix(text.String(), "error: '") {
			t.Errorf("%q is shown as %q", word, text.String())
		}
	}
}

// cd "$(git resume start ...)" works wherever the repository lies.
func TestStart_printsAPathThatIsThere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a\tb", "a\x1b[31mb", "a\nb", " a  b ", "$(touch PWNED)", "caf\xe9", "-n"} {
		r := gittest.New(t)
		dir := filepath.Join(r.Root(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skipf("%q can be no folder here: %v", name, err)
		}
		if err := os.Rename(r.Dir, filepath.Join(dir, "repo")); err != nil {
			t.Fatal(err)
		}
		r = r.In(filepath.Join(dir, "repo"))
		out, code := r.Try("sh", "-c", `p=$(git-resume start --name job --task 'one: x' 2>/dev/null) && cd -- "$p" && git-resume status --porcelain | cut -f1,3`)
		if code != 0 || !strings.Contains(out, "run\tidle") {
			t.Errorf("%q: exit code %d\n%s", name, code, out)
		}
	}
}
