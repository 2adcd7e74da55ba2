// Package history prints past work: the log of a run, all earlier runs, timelines, reviews and comparisons of commits.
package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// Log prints the events of a run. The reasons of an event are printed below it.
func Log(s page.Page, id checkpoint.RunID, lines []checkpoint.Line) {
	bad, origin := 0, candidate.Origins(lines)
	for _, l := range lines {
		if l.Bad {
			bad++
			s.Say("%s\n", "unreadable  "+s.Cut(quote.Clean(l.Text), 66))
			continue
		}
		const indent = "                     " // this indent is as wide as the column with the time
		head, parts := logged(l.Event, s.Now.Location(), origin)
		if line := strings.TrimRight(head+strings.Join(parts, "  "), " "); !s.Terminal || phrase.Width(line) <= s.Width() {
			s.Say("%s\n", line)
		} else {
			s.Paragraph(head, indent, strings.Join(parts, " "))
		}
		for _, why := range l.Event.Reasons { // the reasons why the program continued the run
			s.Paragraph(indent, indent, quote.Clean(why))
		}
	}
	if bad > 0 {
		s.Note("warning: %s in the record of %s cannot be read, but nothing of the record was deleted", phrase.Count(bad, "line", "lines"), id)
	}
}

// logged formats an event. The result "head" has its time and kind, and "parts" has its details.
func logged(e checkpoint.Event, zone *time.Location, origin func(checkpoint.Event) (checkpoint.Event, int)) (head string, parts []string) {
	kind := string(e.Event)
	add := func(s string) {
		if s != "" {
			parts = append(parts, quote.Clean(s))
		}
	}
	if e.Event == checkpoint.Undone {
		first, flips := origin(e)
		if flips%2 == 0 { // an even number of undos has brought the change back
			kind = "redone"
		}
		add(words.Change(&first))
	}
	head = phrase.Moment(e.At, zone) + "  " + phrase.Pad(quote.Clean(kind), 14) + "  "
	add(string(e.Task))
	add(e.Commit.Short())
	if p := e.Place; p != nil && e.Event == checkpoint.Checkpoint {
		add(p.Commit.Short())
		if p.Done {
			add("reported done in its own worktree")
		}
	}
	if e.Event == checkpoint.Snapshot || e.Event == checkpoint.RunDiscarded {
		add(e.Tree.Short())
	}
	if e.Found {
		add("known only from its commit")
	}
	if e.Event == checkpoint.RunActed {
		e.Name = sources.ShownName(e.Name)
	}
	add(e.Name)
	add(e.Cause)
	if e.ExitCode != nil {
		add(fmt.Sprintf("exit %d", *e.ExitCode))
	}
	add(words.Until(e.Until))
	if e.Event == checkpoint.RunResumed {
		add("after " + phrase.Long(time.Duration(e.Silent)*time.Second))
		add(e.Verdict)
	}
	add(e.Text)
	if e.Epoch > 0 {
		add(fmt.Sprintf("claim %d", e.Epoch))
	}
	switch {
	case e.Actor == nil:
	case e.Actor.PID == 0 && e.Actor.Agent != "": // an agent's session, not a process
		add("by " + e.Actor.Agent)
	default:
		add(fmt.Sprintf("by %s %d on %s", words.Program(e.Actor), e.Actor.PID, e.Actor.Host))
	}
	return head, parts
}

// Runs prints all runs, including closed ones. The argument "keep" is how long a discarded run can still be restored.
func Runs(s page.Page, runs []candidate.Summary, keep time.Duration) {
	if len(runs) == 0 {
		s.Say("No run is recorded in this repository.\n")
		return
	}
	rows := make([][]string, 0, len(runs))
	for i := range runs {
		m := &runs[i]
		row := []string{quote.Clean(m.Called()), words.State(m), words.Position(m), s.When(status.LastSeen(s, m))}
		rows = append(rows, append(row, howItEnded(s, m, keep)))
	}
	s.Table(rows)
}

// howItEnded returns the last column of the list of runs, for example "kept until 2 Jan 2026" for a discarded run.
func howItEnded(s page.Page, m *candidate.Summary, keep time.Duration) string {
	r := &m.Run
	switch m.State {
	case checkpoint.Discarded:
		return "kept until " + r.LastAt.Add(keep).In(s.Now.Location()).Format("2 Jan 2006")
	case checkpoint.Interrupted, checkpoint.FailedRun:
		why := status.Remark(s, m)
		if _, t := r.Current(); t != nil && words.Stop(m) != "" {
			why += " at " + quote.Clean(string(t.ID))
		}
		return why
	}
	var parts []string
	if words.Detail(m) == words.DetailNotMerged {
		parts = append(parts, "not merged")
	}
	if r.Stops > 0 {
		parts = append(parts, phrase.Count(r.Stops, "stop", "stops"))
	}
	return strings.Join(parts, ", ")
}
