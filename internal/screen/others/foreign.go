// Package others prints screens about work of other systems: possible actions, file changes and questions.
package others

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/advice"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// Alternatives prints a numbered list of actions from which the user can choose: those from one position to another. It names those that
// come after them.
func Alternatives(s page.Page, alts []sources.Alternative, from, to int) {
	width, more := 0, []string{}
	for i, a := range alts {
		if name := sources.ShownName(a.Name); i >= to {
			more = append(more, name)
		} else if i >= from {
			width = max(width, len(name))
		}
	}
	s.Warn("\n")
	digits := len(fmt.Sprint(to))
	defer func() {
		if len(more) > 0 {
			s.OnErr().Paragraph(fmt.Sprintf("  %*s  ", digits, prompt.MoreKey), "     ", "more: "+strings.Join(more, ", "))
		}
	}()
	for i, a := range alts[from:to] {
		first := fmt.Sprintf("  %*d  %s  ", digits, from+i+1, phrase.Pad(sources.ShownName(a.Name), width))
		for _, l := range page.Wrap(quote.Clean(a.Text), s.Width()-len(first)) {
			s.Warn("%s\n", strings.TrimRight(first+l, " "))
			first = strings.Repeat(" ", len(first))
		}
	}
}

// AtWork warns that somebody may be working. After that, the user is asked whether to act anyway.
func AtWork(s page.Page, w *adopt.AtWorkError) {
	s.OnErr().Paragraph("", "", "Somebody may be working on '"+quote.Clean(w.Key)+"' ("+quote.Clean(w.Sign)+"), and your action could interfere with that work.")
}

// Over prints that nothing of the work is left to continue.
func Over(s page.Page, m *candidate.Summary) {
	f := m.Found
	if f.State == sources.Ended && f.Headline != "" { // use the other system's own text
		s.OnErr().Paragraph("", "", fmt.Sprintf("%s: %s; nothing is left to continue", words.Name(m), quote.Clean(f.Headline)))
	} else {
		s.OnErr().Paragraph("", "", fmt.Sprintf("%s is %s; nothing is left to continue", words.Name(m), f.State))
	}
	s = s.OnErr()
	Warnings(s, f)
	if f.Offers(sources.CleanUp) {
		s.Hint(fmt.Sprintf("use %s to clean up", phrase.Double("git resume %s --choose %s", m.Called(), sources.CleanUp)))
	}
}

// Warnings prints the problems with another system's state, except those of severity Info.
func Warnings(s page.Page, f *sources.Found) {
	for _, d := range f.Doubts {
		if d.Severity > candidate.Info {
			status.Finding(s, candidate.Finding{Severity: d.Severity, Said: d.Text, Path: d.Path})
		}
	}
}

// Vanished prints why the state of another system's work cannot be found, and how to get it back if that is known. The argument "last" is
// the last change by git-resume, or nil.
func Vanished(s page.Page, m *candidate.Summary, last *discard.Undoing) {
	s.Note("%s: %s", words.Title(&m.Run), words.Gone(m))
	if m.Lost && m.LostBranch != "" {
		status.TreeBack(s, m)
		return
	}
	if last != nil {
		UndoHint(s, m, last)
	}
}

// UndoHint prints the last change that git-resume made to another system's work, and how to undo it.
func UndoHint(s page.Page, m *candidate.Summary, u *discard.Undoing) {
	s.Hint(fmt.Sprintf("use %s to undo %s", phrase.Double("git resume undo %s", m.Called()), words.Change(&u.What)))
}

// Acted prints what was done and how to undo it.
func Acted(s page.Page, p *adopt.Proposal) {
	what := "'" + sources.ShownName(p.Request.Name) + "' for"
	if p.Request.Name == sources.Answer && p.Request.Task != "" {
		what = fmt.Sprintf("the answer to %s is recorded%s in the files of", quote.Name(p.Request.Task), thenOf(p))
	}
	s.Paragraph("", "  ", fmt.Sprintf("Done: %s %s", what, words.Name(&p.Summary)))
	if p.Request.Name == sources.Answer { // before an answer, no preview has shown the files
		fileChanges(s, p, [4]string{"moved", "removed", "wrote", "changed"}, false)
	}
	undo := "To undo it: "
	if p.Request.Name == sources.Answer { // not "To undo it": after several answers, undo reverses only the last one
		undo = "To undo the last answer: "
	}
	s.Paragraph("", "  ", undo+phrase.Unbroken(quote.Command("git resume undo %s", p.Summary.Called())))
	f := p.Summary.Found
	at := ""
	if in := s.Elsewhere(cmp.Or(f.CommandIn, f.Home)); in != "" {
		at = ", in " + quote.Name(in)
	}
	switch {
	case p.Request.Name == sources.StartFresh && f.Again != "":
		s.Say("Start it in its own system%s: %s\n", at, quote.Clean(f.Again))
	case (p.Request.Name == sources.StartFresh || p.Request.Name == sources.PlanAgain) && f.Command != "":
		s.Say("Start again in its own system%s: %s\n", at, quote.Clean(f.Command))
	case p.Request.Name == sources.CleanUp && f.Again != "":
		s.Tell("To start again from scratch in its own system: %s", quote.Clean(f.Again))
	}
}

// thenOf says what else an answer changed, or returns "".
func thenOf(p *adopt.Proposal) string {
	for _, q := range p.Summary.Found.Questions {
		if q.Task == p.Request.Task && q.Then != "" {
			return " and " + quote.Clean(q.Then) + ","
		}
	}
	return ""
}

// OrHere prints the command that continues the work with git-resume.
func OrHere(s page.Page, m *candidate.Summary) {
	s.Tell("Or continue it here: %s", quote.Command("git resume %s", m.Called()))
}

// Doubts prints all problems with another system's state, with the file of each.
func Doubts(s page.Page, m *candidate.Summary) {
	for _, d := range m.Found.Doubts {
		status.Finding(s, candidate.Finding{Severity: d.Severity, Said: d.Text, Path: d.Path})
	}
}

// mostLines is the number of lines of a question that are shown as lines. What follows is shown as one line.
const mostLines = 20

// Question prints the question that another system's work is waiting for. If "numbered" is true, the possible answers get numbers. It
// must be false if a numbered list of actions follows.
func Question(s page.Page, m *candidate.Summary, numbered bool) {
	f := m.Found
	q := f.Questions[0]
	s.Say("\n")
	text := q.Text
	if !strings.Contains(text, q.Task) && slices.ContainsFunc(f.Tasks, func(t sources.Task) bool { return t.ID == q.Task }) {
		text = q.Task + ": " + text
	}
	mark := "  ? "
	for _, line := range strings.SplitN(strings.TrimSpace(text), "\n", mostLines) {
		if line = strings.TrimSpace(quote.Clean(line)); line != "" {
			s.Paragraph(mark, "    ", line)
			mark = "    "
		}
	}
	for i, o := range q.Options {
		mark := "-"
		if numbered {
			mark = fmt.Sprint(i + 1)
		}
		s.Paragraph("      "+mark+"  ", "         ", quote.Clean(o))
	}
	if n := len(f.Questions) - 1; n > 0 {
		s.Say("  %s after this one.\n", phrase.Count(n, "more question", "more questions"))
	}
}

// ContinueHint prints how to continue the work after an action.
func ContinueHint(s page.Page, m *candidate.Summary) {
	s.Hint(fmt.Sprintf("use %s to continue", phrase.Double("git resume %s", m.Called())))
}

// EditHint prints which file to edit, and how to continue the work after that.
func EditHint(s page.Page, m *candidate.Summary, file string) {
	if s.Elsewhere(m.Found.Home) != "" {
		file = s.Near(filepath.Join(m.Found.Home, filepath.FromSlash(file)))
	}
	s.Hint(fmt.Sprintf("edit %s, then use %s to continue", quote.Name(file), phrase.Double("git resume %s", m.Called())))
}

// Continuation says what git-resume does when the user continues another system's work.
type Continuation struct {
	// Changes lists the changes that git-resume makes to files before it prints or starts anything. Known is false if these changes could
	// not be computed.
	Changes []sources.Change
	Known   bool
	// HandsOff is true if the user's hand-off command gets the work. Otherwise a text is printed, and nothing is started.
	HandsOff bool
	// Reports is true if "git resume" with the name of the work shows the pre-flight report, even if no option asks for it.
	Reports bool
}

// StartsNothing prints what those actions do that continue the work: they may change files and print what to do next, but start nothing. It
// prints nothing if the user's hand-off command gets the work, or if no action continues the work.
func StartsNothing(s page.Page, alts []sources.Alternative, c Continuation) {
	var others []string // other actions that continue the work; they show each change of a file before they make it
	continues := false
	for _, a := range alts {
		continues = continues || a.Name == sources.Continue
		if sources.Proceeds(a.Name) && a.Name != sources.Continue {
			others = append(others, "'"+sources.ShownName(a.Name)+"'")
		}
	}
	var parts []string
	if text := changing(c.Changes); continues && text != "" {
		parts = append(parts, "'continue' "+text+" and prints what to do next")
	} else if continues {
		parts = append(parts, "'continue' prints what to do next")
	}
	switch len(others) {
	case 0:
	case 1:
		parts = append(parts, others[0]+" shows each change of a file first, then prints what to do next")
	default:
		parts = append(parts, strings.Join(others, " and ")+" show each change of a file first, then print what to do next")
	}
	if len(parts) > 0 && !c.HandsOff {
		s.Hint(strings.Join(parts, "; ") + "; nothing is started here")
	}
}

// ProceedHint says what happens if the user proceeds after the pre-flight report. If there are several ways to continue, it names the
// command that offers all of them.
func ProceedHint(s page.Page, m *candidate.Summary, c Continuation) {
	text, ends := changing(c.Changes), "prints what to do next"
	if c.HandsOff {
		ends = "gives the work to your hand-off command"
	}
	switch {
	case text != "":
		ends = text + " and " + ends
	case c.Known:
		ends += " and changes no file"
	}
	if !c.HandsOff {
		ends += "; nothing is started here"
	}
	if n := len(m.Alternatives()); n > 1 {
		if m.Found.Offers(sources.Continue) {
			n--
		}
		command := phrase.Double("git resume %s", m.Called())
		if c.Reports {
			command = phrase.Double("git resume %s --mode=interactive", m.Called())
		}
		ends += fmt.Sprintf("; %s offers %s", command, phrase.Count(n, "other action", "other actions"))
	}
	s.Hint("'proceed' " + ends)
}

// NextQuestion prints the next open question after an answer.
func NextQuestion(s page.Page, m *candidate.Summary) {
	s.Say("%s: %s\n", phrase.Count(len(m.Found.Questions), "more question waits", "more questions wait"), quote.Clean(m.Found.Questions[0].Text))
	s.Hint(fmt.Sprintf("use %s to answer", phrase.Double("git resume %s --choose answer --answer TEXT", m.Called())))
}

// Commands prints one command for each action. It is used without a terminal, where the user cannot type a number.
func Commands(s page.Page, m *candidate.Summary) {
	var ways [][2]string
	for _, a := range m.Alternatives() {
		way := [2]string{advice.Chooses(m, a), quote.Clean(a.Text)}
		if a.Name == sources.Answer {
			way[0] = answers(m)
		}
		if a.On == "" && a.Name != sources.ReviewIt { // nobody can be asked here whether to do it
			way[0] += " --yes"
		}
		ways = append(ways, way)
	}
	if len(ways) > 0 {
		s.Warn("\nOne of:\n")
		s.Ways(ways)
	}
	if c := m.Found.Command; c != "" && !m.Found.Offers(sources.Answer) {
		s.Hint("answer it in its own system: " + phrase.Unbroken(quote.Clean(c)))
	}
}

// answers returns the command that answers the open question.
func answers(m *candidate.Summary) string {
	answer := "TEXT"
	if len(m.Found.Questions) > 0 && len(m.Found.Questions[0].Options) > 0 {
		answer = "1"
	}
	return quote.Command("git resume %s --choose answer --answer %s", m.Called(), answer)
}
