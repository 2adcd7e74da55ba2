package history

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/screen/page"
)

func TestLog_namesWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 13, 9, 0, 0, 0, time.UTC)
	line := func(id string, e checkpoint.Event) checkpoint.Line {
		e.ID, e.At = id, at
		return checkpoint.Line{Event: e, Ours: true}
	}
	lines := []checkpoint.Line{
		line("1", checkpoint.Event{Event: checkpoint.RunAdopted, Name: "012-gift-cards", Text: "found an interrupted workflow: " + strings.Repeat("word ", 12) + "end"}),
		line("2", checkpoint.Event{Event: checkpoint.RunActed, Name: "answer", Task: "C3.2", Tree: "1234567aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}),
		line("3", checkpoint.Event{Event: checkpoint.Undone, Undoes: "2"}),
		line("4", checkpoint.Event{Event: checkpoint.Undone, Undoes: "3"}),
		line("5", checkpoint.Event{Event: checkpoint.Undone, Undoes: "4"}),
		line("6", checkpoint.Event{Event: checkpoint.Undone, Undoes: "lost"}),
	}
	const rest = "2026-11-13 09:00:00  run.acted       C3.2  answer\n" +
		"2026-11-13 09:00:00  undone          the answer to 'C3.2'\n" +
		"2026-11-13 09:00:00  redone          the answer to 'C3.2'\n" +
		"2026-11-13 09:00:00  undone          the answer to 'C3.2'\n" +
		"2026-11-13 09:00:00  undone\n"
	for terminal, want := range map[bool]string{
		false: "2026-11-13 09:00:00  run.adopted     012-gift-cards  found an interrupted workflow: " + strings.Repeat("word ", 12) + "end\n" + rest,
		true: "2026-11-13 09:00:00  run.adopted     012-gift-cards found an interrupted\n" +
			"                     workflow: word word word word word word\n" +
			"                     word word word word word word end\n" + rest,
	} {
		var out bytes.Buffer
		Log(page.Page{Out: &out, Err: &out, Terminal: terminal}, "job", lines)
		if out.String() != want {
			t.Errorf("terminal %v:\n%swant:\n%s", terminal, out.String(), want)
		}
	}
}
