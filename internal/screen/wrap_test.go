package screen

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/sources"
)

// wordy returns work in which every description is a long text.
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
	a.Findings = []candidate.Finding{{Code: candidate.FindAlive, Severity: candidate.Warning, Said: text, More: []string{text}}, {Code: "other", Severity: candidate.Warning, Said: text}}
	return m, a
}

func TestScreens_breakSentencesAndCutNone(t *testing.T) {
	t.Parallel()
	breakSentences(t, "someone wrote many plain words here which cannot stand on one line and which all of the readers want to see whole", " ")
	breakSentences(t, strings.Repeat("用户登录之后要换一个新的会话，否则旧的会话还能用。", 4), "")
}

// breakSentences shows a text on many screens, at several widths. The gap is what stands between two words of its language.
func breakSentences(t *testing.T, text, gap string) {
	t.Helper()
	m, a := wordy(text)
	checked := m
	checked.Checked = &a.Picture
	for name, show := range map[string]func(page.Page){
		"Assessment": func(s page.Page) { assessment.Show(s, a) }, "Preflight": func(s page.Page) { assessment.Preflight(s, a, nil) },
		"Status": func(s page.Page) { status.List(s, []candidate.Summary{m}, status.Unlisted{}) }, "Status checked": func(s page.Page) { status.List(s, []candidate.Summary{checked}, status.Unlisted{}) },
		"Run": func(s page.Page) { status.Run(s, m) }, "Several": func(s page.Page) {
			status.Several(s, []candidate.Summary{m, m}, status.Unlisted{Work: []candidate.Summary{m}})
		},
		"Alternatives": func(s page.Page) { others.Alternatives(s, m.Found.Alternatives, 0, len(m.Found.Alternatives)) }, "ForeignQuestion": func(s page.Page) { others.Question(s, &m, true) },
		"ForeignCommands": func(s page.Page) { others.Commands(s, &m) },
	} {
		for _, columns := range []int{0, 60, 80, 120} {
			var out bytes.Buffer
			s := page.Page{Out: &out, Err: &out, Now: noon, Marks: page.ASCII, Hints: true, Terminal: columns > 0, ErrTerminal: columns > 0, Columns: columns}
			show(s)
			for line := range strings.Lines(out.String()) {
				if columns > 0 && phrase.Width(line) > columns && !strings.Contains(line, "git ") {
					t.Errorf("%s at %d columns: too long: %s", name, columns, line)
				}
			}
			if whole := strings.Join(strings.Fields(out.String()), gap); !strings.Contains(whole, text) || strings.Contains(whole, "…") {
				t.Errorf("%s at %d columns does not show all of it:\n%s", name, columns, out.String())
			}
		}
	}
}

func TestPreflight_saysWhatWasComparedAndWhatNot(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := page.Page{Out: &out, Err: &out, Now: noon, Marks: page.ASCII, Terminal: true}
	m := foreignSummary("x", "interrupted")
	a := assessed("x", m, candidate.Clean)
	assessment.Preflight(s, a, []compare.FileState{{Path: "one", Here: compare.Same, Base: compare.Same}, {Path: "two", Here: compare.Added, Base: compare.Same}, {Path: "three", Here: compare.Removed, Base: compare.Edited}})
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, " ok ") && strings.Contains(line, "not checked") {
			t.Errorf("ok and not checked at once: %s", line)
		}
	}
	for _, want := range []string{"info progress", "as committed", "new, not committed", "deleted, not committed"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("%q is not said:\n%s", want, out.String())
		}
	}
}

// A terminal breaks a line that is longer than its width in the middle of a word. So screens must not print such lines.
func TestScreens_noLineIsLongerThanTheTerminal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"migrate-authorization-7ycr", "迁移授权模块到新的服务器"} {
		noLongLine(t, name)
	}
}

func noLongLine(t *testing.T, name string) {
	t.Helper()
	command := regexp.MustCompile(`(git|mv) `)
	room := regexp.MustCompile(`^(agentsetup|history|operation|screen|sharing|undo)\.`)
	for screen, show := range screens(name) {
		if !room.MatchString(screen) {
			continue
		}
		var out bytes.Buffer
		show(page.Page{Out: &out, Err: &out, Now: noon, Marks: page.ASCII, Hints: true, Terminal: true, ErrTerminal: true, Columns: 80})
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			before := command.Split(line, 2)[0] // a command is never wrapped
			if phrase.Width(line) > 80 && strings.Contains(strings.TrimSpace(before), " ") {
				t.Errorf("%s: %d columns: %s", screen, phrase.Width(line), line)
			}
		}
	}
}
