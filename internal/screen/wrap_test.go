package screen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// wordy is work with short names of which long sentences are told.
func wordy(text string) (candidate.Summary, *assess.Assessment) {
	m := foreignSummary("x", checkpoint.Interrupted)
	f := m.Found
	f.Headline, f.Listed, f.Stands, f.Cause, f.Status = text, text, text, text, text
	f.Point = sources.Point{Task: "x", Title: text, Reason: text}
	f.Doubts = []sources.Doubt{{Severity: candidate.Warning, Text: text}}
	f.Alternatives = []sources.Alternative{{Name: sources.RestartUnit, Text: text}, {Name: sources.Answer, Text: text}}
	f.Questions = []sources.Question{{Task: "x", Text: text, Options: []string{text}}}
	m.Run.Tasks = []checkpoint.Task{{ID: "x", Title: text, State: checkpoint.Failed, Reason: text}}
	a := assessed("x", m, candidate.Warnings)
	a.Findings = []candidate.Finding{{Code: candidate.FindAlive, Severity: candidate.Warning, Text: text, More: []string{text}}, {Code: "other", Severity: candidate.Warning, Text: text}}
	return m, a
}

// No sentence is cut, on a terminal or elsewhere; on a terminal it is broken at words, except within a command.
func TestScreens_breakSentencesAndCutNone(t *testing.T) {
	t.Parallel()
	const text = "someone wrote many plain words here which cannot stand on one line and which all of the readers want to see whole"
	m, a := wordy(text)
	checked := m
	checked.Checked = &a.Picture
	for name, show := range map[string]func(Screen){
		"Assessment": func(s Screen) { Assessment(s, a) }, "Preflight": func(s Screen) { Preflight(s, a, nil) },
		"Status": func(s Screen) { Status(s, []candidate.Summary{m}) }, "Status checked": func(s Screen) { Status(s, []candidate.Summary{checked}) },
		"Run": func(s Screen) { Run(s, m) }, "Several": func(s Screen) { Several(s, []candidate.Summary{m, m}, 0) },
		"Alternatives": func(s Screen) { Alternatives(s, m.Found.Alternatives) }, "ForeignQuestion": func(s Screen) { ForeignQuestion(s, &m) },
		"ForeignCommands": func(s Screen) { ForeignCommands(s, &m) },
	} {
		for _, columns := range []int{0, 60, 80, 120} {
			var out bytes.Buffer
			s := Screen{Out: &out, Err: &out, Now: noon, Marks: ASCII, Hints: true, Terminal: columns > 0, ErrTerminal: columns > 0, Columns: columns}
			show(s)
			for line := range strings.Lines(out.String()) {
				if columns > 0 && len([]rune(line)) > columns+1 && !strings.Contains(line, "git ") {
					t.Errorf("%s at %d columns: too long: %s", name, columns, line)
				}
			}
			if whole := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(whole, text) || strings.Contains(whole, "…") {
				t.Errorf("%s at %d columns does not show all of it:\n%s", name, columns, out.String())
			}
		}
	}
}

// A command that is named in a hint is not broken.
func TestWrap_keepsCommandsWhole(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := Screen{Err: &out, Hints: true, ErrTerminal: true, Columns: 50}
	s.Hint("use " + double("git resume undo --redo %s", "auto-claude:001-login") + " to take this undo back, if nothing else was done since")
	if got := out.String(); strings.Count(got, "\n") < 2 || !strings.Contains(got, `"git resume undo --redo auto-claude:001-login"`) {
		t.Error(got)
	}
}

// A check that nobody made is not called ok, and the files are compared in words.
func TestPreflight_saysWhatWasComparedAndWhatNot(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := Screen{Out: &out, Err: &out, Now: noon, Marks: ASCII, Terminal: true}
	m := foreignSummary("x", "interrupted")
	a := assessed("x", m, candidate.Clean)
	Preflight(s, a, []compare.FileState{{Path: "one", Here: compare.Same, Base: compare.Same}, {Path: "two", Here: compare.Added, Base: compare.Same}, {Path: "three", Here: compare.Removed, Base: compare.Edited}})
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, " ok ") && strings.Contains(line, "not checked") {
			t.Errorf("ok and not checked at once: %s", line)
		}
	}
	for _, want := range []string{"not checked tasks", "as committed", "new, not committed", "deleted, not committed"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("%q is not said:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "at checkpoint") {
		t.Errorf("the columns are back:\n%s", out.String())
	}
}

// Of a worktree that others share, only the files of the work are named.
func TestSavedNames_nameOnlyTheWorksOwn(t *testing.T) {
	t.Parallel()
	f := &sources.Found{Root: "specs/one", Files: []string{"STATE.md"}, Tasks: []sources.Task{{Files: []string{"src/a.go"}}}}
	a := &assess.Assessment{Summary: candidate.Summary{Found: f}}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"specs/one/plan.md", "STATE.md", "src/a.go"}, "specs/one/plan.md, STATE.md, src/a.go"},
		{[]string{"specs/one/plan.md", "specs/two/plan.md", "b"}, "specs/one/plan.md, and 2 uncommitted files of this worktree that its state does not name,"},
		{[]string{"specs/onesie", "b"}, "2 uncommitted files of this worktree that its state does not name,"},
	} {
		a.Snapshot = snapshot.Snapshot{ID: "1", Paths: c.paths}
		if got := savedNames(a); got != c.want {
			t.Errorf("%v: %q", c.paths, got)
		}
	}
}

// One long name does not break the lines of the others, and a branch that does not fit stands below its worktree.
func TestTable_onlyTheRowThatIsTooLongIsBroken(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long-name-", 6)
	var out bytes.Buffer
	s := Screen{Out: &out, Terminal: true, Dir: "/x/y"}
	s.table([][]string{{"running", "short", "1/2 a", "just now", "bash 12"}, {"interrupted", long, "task 2 of 3", "3d ago", "it was in progress"}})
	if want := "running      short  1/2 a  just now  bash 12\ninterrupted  " + long + "\n      task 2 of 3  3d ago  it was in progress\n"; out.String() != want {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	checkRow(s, "info", "uncommitted", "some/"+long+"/"+long+", b; saved in a snapshot")
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > columns+1 || strings.Contains(line, "saved") && !strings.Contains(line, "b; saved in a snapshot") {
			t.Errorf("%s", out.String())
		}
	}
	out.Reset()
	s.where("/x/y", "  (main)")
	s.where("/x/y/"+long, "  ("+long+")")
	if want := "  where    this folder  (main)\n  where    " + long + "\n           (" + long + ")\n"; out.String() != want {
		t.Errorf("%s", out.String())
	}
}
