package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/screen/phrase"
)

func TestWrap_keepsCommandsWhole(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := Page{Err: &out, Hints: true, ErrTerminal: true, Columns: 50}
	s.Hint("use " + phrase.Double("git resume undo --redo %s", "auto-claude:001-login") + " to redo it, if nothing else was done since")
	if got := out.String(); strings.Count(got, "\n") < 2 || !strings.Contains(got, `"git resume undo --redo auto-claude:001-login"`) {
		t.Error(got)
	}
}

func TestTable_onlyTheRowThatIsTooLongIsBroken(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long-name-", 6)
	var out bytes.Buffer
	s := Page{Out: &out, Terminal: true, Dir: "/x/y"}
	s.Table([][]string{{"running", "short", "1/2 a", "just now", "bash 12"}, {"interrupted", long, "task 2 of 3", "3d ago", "it was in progress"}})
	if want := "running      short  1/2 a  just now  bash 12\ninterrupted  " + long + "\n      task 2 of 3  3d ago  it was in progress\n"; out.String() != want {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	s.Where("/x/y", "  (main)")
	s.Where("/x/y/"+long, "  ("+long+")")
	if want := "  where    this folder  (main)\n  where    " + long + "\n           (" + long + ")\n"; out.String() != want {
		t.Errorf("%s", out.String())
	}
}

func TestWrap_keepsTheGapsOfColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"main  Robin Doe  2521dcb", 24, "main  Robin Doe  2521dcb"},
		{" main  Robin Doe ", 24, "main  Robin Doe"},
		{"one  two  three  four", 15, "one  two  three|four"},
		{"", 15, ""},
	} {
		if got := strings.Join(Wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q in %d columns becomes %q, not %q", c.text, c.width, got, c.want)
		}
	}
}
