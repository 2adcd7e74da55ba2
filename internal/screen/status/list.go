// Package status prints the state of work: lists, the details of one run, and the message after a checkout.
package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// List prints the given runs, one per line, and what is not listed. The argument "systems" lists other systems in which the user can start
// new work. It is used only if there are no runs.
func List(s page.Page, runs []candidate.Summary, rest Unlisted, systems ...string) {
	if len(runs) == 0 {
		Nothing(s, systems, rest)
		return
	}
	defer Rest(s, rest)
	rows := make([][]string, 0, len(runs))
	for i := range runs {
		rows = append(rows, Row(s, &runs[i]))
	}
	rowsWithRemarks(s, rows)
	for i := range runs {
		if a := runs[i].Checked; a != nil {
			s.Say("%s: %s\n", quote.Clean(runs[i].Called()), a.Verdict)
			Findings(s, &runs[i].Run, a)
			continue
		}
		doubts(s, &runs[i])
	}
	mergeHint(s, runs)
}

// mergeHint prints the command that merges the first run in the list that is finished and not merged. If there is no such run, it prints
// nothing.
func mergeHint(s page.Page, runs []candidate.Summary) {
	var ids []string
	for i := range runs {
		if words.Detail(&runs[i]) == words.DetailNotMerged {
			ids = append(ids, runs[i].Called())
		}
	}
	if len(ids) > 0 {
		s.Hint(fmt.Sprintf("use %s to merge %s", phrase.Double("git resume merge %s", ids[0]), map[bool]string{true: "it", false: "one"}[len(ids) == 1]))
	}
}

// rowsWithRemarks prints rows whose last two cells are a time and a remark.
// If a row is too long for the terminal, all remarks are printed below their rows.
func rowsWithRemarks(s page.Page, rows [][]string) {
	const hanging = "      "
	beside := func(rows [][]string) bool {
		return !slices.ContainsFunc(page.TableRows(rows, 0), func(lines []string) bool { return phrase.Width(lines[0]) > s.Width() })
	}
	if !s.Terminal || beside(rows) {
		s.Table(rows)
		return
	}
	heads := make([][]string, len(rows))
	for i, row := range rows {
		heads[i] = row[:len(row)-1]
	}
	below := !beside(heads)
	for i := range heads {
		if below {
			heads[i] = heads[i][:len(heads[i])-1]
		}
	}
	for i, lines := range page.TableRows(heads, s.Width()) {
		for _, line := range lines {
			s.Say("%s\n", line)
		}
		last, remark := rows[i][len(rows[i])-2], rows[i][len(rows[i])-1]
		switch {
		case below && last != "":
			first := hanging + last + "  "
			s.Paragraph(first, strings.Repeat(" ", len(first)), remark)
		case remark != "":
			s.Paragraph(hanging, hanging, remark)
		}
	}
}

// Nothing is the screen for a repository without interrupted work. It lists finished runs that are not merged yet, and what is not listed
// otherwise. The argument "systems" lists other systems with which the user can start new work.
func Nothing(s page.Page, systems []string, rest Unlisted, unmerged ...candidate.Summary) {
	switch {
	case len(rest.Agents.List) > 0:
		s.Say("No run and no plan is interrupted in this repository.\n")
		Rest(s, rest)
	case len(rest.unfinished())+len(rest.Left) > 0:
		s.Say("No work is interrupted in this repository.\n")
		Rest(s, rest)
	default:
		s.Say("Nothing to resume in this repository.\n")
		defer Rest(s, rest)
	}
	if n := len(unmerged); n > 0 {
		ids := make([]string, n)
		for i := range unmerged {
			ids[i] = unmerged[i].Called()
		}
		s.Say("%s: %s\n", phrase.Count(n, "run finished, not merged", "runs finished, not merged"), phrase.Some(ids))
		mergeHint(s, unmerged)
	}
	if len(systems) > 0 && len(rest.unfinished()) > 0 { // each line above has the command that continues its work
		s.Hint("use " + phrase.Double("git resume status --all") + " to see closed work")
		return
	}
	if len(systems) > 0 {
		s.Hint(fmt.Sprintf("start new work in %s; use %s to see closed work", phrase.Some(systems), phrase.Double("git resume status --all")))
		return
	}
	s.Hint(fmt.Sprintf("use %s to start a run, %s to see closed ones", phrase.Double("git resume start PLAN"), phrase.Double("git resume status --all")))
}

func Row(s page.Page, m *candidate.Summary) []string {
	r := &m.Run
	if m.Damaged != "" {
		return []string{"unreadable", quote.Clean(m.Called()), "", "", quote.Clean(m.Damaged)}
	}
	if m.Vanished() && !r.Closed() {
		state := "ended"
		if m.Hidden {
			state = "hidden"
		}
		return []string{state, quote.Clean(m.Called()), "", s.When(r.LastAt), words.Gone(m)}
	}
	return []string{words.State(m), quote.Clean(m.Called()), words.Position(m), s.When(LastSeen(s, m)), Remark(s, m)}
}

// LastSeen returns the time of a run's last known activity.
// It returns the zero time if there are other signs of a worker, because an old time beside them would confuse the user.
func LastSeen(s page.Page, m *candidate.Summary) time.Time {
	switch r := &m.Run; {
	case m.Handed: // printing instructions is no activity, and the last column already says when they were printed (see Remark)
		return time.Time{}
	case m.State == checkpoint.Running && r.HandedAt.After(r.LastAt):
		return r.HandedAt
	case m.State == checkpoint.Running && m.Busy != "" && s.Now.Sub(r.LastAt) >= candidate.Quiet:
		return time.Time{}
	}
	return m.Run.LastAt
}

// Remark returns the text of the last column, which explains the state of the run. It may be empty.
func Remark(s page.Page, m *candidate.Summary) string {
	r := &m.Run
	if m.Found != nil {
		return foreignRemark(s, m)
	}
	if text := words.LeftOpen(m); text != "" {
		return text
	}
	switch words.Detail(m) {
	case words.DetailElsewhere:
		return words.Elsewhere(r)
	case words.DetailLimited:
		if m.Limited {
			return words.Limit(m, s.Now)
		}
	case words.DetailNotMerged:
		return words.NotMerged(m)
	case words.DetailMerged:
		return "into " + quote.Clean(r.Base.Name)
	case words.DetailSuperseded:
		return "replaced by " + quote.Clean(r.Superseded)
	}
	switch m.State {
	case checkpoint.Running, checkpoint.Idle:
		return who(s, m) + progress(s, m)
	case checkpoint.Waiting:
		if q := r.Question(); q != nil {
			return s.Marks.Ask + " " + quote.Clean(q.Question)
		}
	case checkpoint.FailedRun:
		if _, t := r.Current(); t != nil {
			return words.Failure(t)
		}
	case checkpoint.Paused:
		return words.Pause(r)
	case checkpoint.Interrupted:
		if why := words.Stop(m); why != "" {
			return why
		}
		return who(s, m)
	}
	if r.Rebuilt {
		return "rebuilt from commits"
	}
	return ""
}

// foreignRemark explains the state of another system's work, for example by an open question or by the most serious problem. It may
// return "".
func foreignRemark(s page.Page, m *candidate.Summary) string {
	f := m.Found
	switch {
	case m.Busy != "":
		return quote.Clean(m.Busy)
	case m.HandedBefore && m.State != checkpoint.Waiting:
		return "steps to continue were printed " + s.When(m.Run.HandedAt) + "; nothing shows whether somebody follows them"
	}
	if len(f.Questions) > 0 && m.State == checkpoint.Waiting {
		text := "? " + quote.Clean(f.Questions[0].Text)
		if more := len(f.Questions) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more)", more)
		}
		if n := warningsOf(f); n != "" {
			text += "; " + n
		}
		return text
	}
	if f.Source == candidate.GitSource {
		return quote.Clean(f.Cause) + waiting(m.Also)
	}
	if text := worstWarning(f); text != "" {
		return text
	}
	if f.Listed != "" && !f.Counted() && m.State == checkpoint.Interrupted {
		return "" // the text in f.Listed already explains the state
	}
	if f.Cause != "" {
		return quote.Clean(f.Cause)
	}
	return quote.Clean(f.Point.Reason)
}

// waiting says which runs have to wait until git's operation in their worktree is over.
func waiting(runs []string) string {
	switch len(runs) {
	case 0:
		return ""
	case 1:
		return "; " + quote.Clean(runs[0]) + " waits for it"
	}
	return "; " + phrase.Some(runs) + " wait for it"
}

// worstWarning returns the text of the most serious problem with another system's work. If several problems block the work, the text also
// says how many others there are. It returns "" if there is neither a blocking problem nor a warning.
func worstWarning(f *sources.Found) string {
	var all []candidate.Finding
	for _, d := range f.Doubts {
		all = append(all, candidate.Finding{Severity: d.Severity, Said: d.Text})
	}
	for _, m := range candidate.Missing(f) {
		all = append(all, candidate.Finding{Severity: m.Severity, Said: m.Path + " " + words.Text(m)})
	}
	for _, level := range []candidate.Severity{candidate.Blocking, candidate.Warning} {
		same := slices.DeleteFunc(slices.Clone(all), func(x candidate.Finding) bool { return x.Severity != level })
		switch {
		case len(same) > 1 && level == candidate.Blocking:
			return quote.Clean(same[0].Said) + fmt.Sprintf(", and %s", phrase.Count(len(same)-1, "more conflict", "more conflicts"))
		case len(same) > 0:
			return quote.Clean(same[0].Said)
		}
	}
	return ""
}

// Several prints a list of runs from which the user can choose, and counts the rest.
func Several(s page.Page, runs []candidate.Summary, rest Unlisted) {
	s.Warn("%s in this repository\n\n", phrase.Count(len(runs), "run is open", "runs are open"))
	numberedRuns(s.OnErr(), runs)
	Rest(s.OnErr(), rest)
}

// numberedRuns prints a numbered table of runs. The position of a run can be a long text from another system (Found.Listed). If one of the
// runs has such a text, each position is printed below its row instead of in a column.
func numberedRuns(s page.Page, shown []candidate.Summary) {
	listed := slices.ContainsFunc(shown, func(m candidate.Summary) bool { return m.Found != nil && m.Found.Listed != "" && !m.Found.Counted() })
	rows := [][]string{{"    ", "work", "state", "at", "last", "check"}}
	for i := range shown {
		m := &shown[i]
		rows = append(rows, []string{fmt.Sprintf("%4d", i+1), quote.Clean(m.Called()), words.State(m), words.Position(m), s.When(LastSeen(s, m)), checkWord(m)})
	}
	if listed {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 3, 4)
		}
	}
	last := len(rows[0]) - 1
	if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[last] != "" }) {
		rows[0][last] = "" // no head above an empty column
	}
	lines, heads := page.TableRows(rows, 0), 1
	if s.Terminal && slices.ContainsFunc(lines, func(row []string) bool { return phrase.Width(row[0]) > s.Width() }) { // then no column stands below its head
		lines, heads = page.TableRows(rows[1:], s.Width()), 0
	}
	for i, row := range lines {
		for _, line := range row {
			s.Say("%s\n", line)
		}
		if listed && i >= heads {
			s.Paragraph("      ", "      ", words.Position(&shown[i-heads]))
		}
	}
}

// checkWord describes the result of the checks in a few words, for example "2 warnings". It returns "" if the run was not checked and no
// problem is known.
func checkWord(m *candidate.Summary) string {
	if a := m.Checked; a != nil {
		switch n := words.Blocking(a); {
		case a.Verdict == candidate.Warnings:
			return phrase.Count(words.Warnings(a), "warning", "warnings")
		case a.Verdict == candidate.Blocked && n > 0:
			return phrase.Count(n, "conflict", "conflicts")
		}
		return string(a.Verdict)
	}
	if m.Found == nil {
		return ""
	}
	for _, d := range m.Found.Doubts {
		if d.Severity == candidate.Blocking {
			return quote.Clean(d.Text)
		}
	}
	return warningsOf(m.Found)
}

// warningsOf counts the warnings about another system's work, for example "2 warnings". It returns "" if there are none.
func warningsOf(f *sources.Found) string {
	n := 0
	for _, d := range f.Doubts {
		if d.Severity == candidate.Warning {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return phrase.Count(n, "warning", "warnings")
}
