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
	"github.com/git-resume/git-resume/internal/screen/words"
)

// width is the number of columns for the bars. tick is the distance between two times above them.
const (
	width = 44
	tick  = 11
)

type span struct{ from, to time.Time }

// Timeline draws when each task of a run was worked on, and for how long an unfinished task has been stopped.
func Timeline(s page.Page, m *candidate.Summary, lines []checkpoint.Line) {
	r := &m.Run
	from, to := r.Started, r.LastAt
	stopped := !r.Closed() && m.State != checkpoint.Running
	if !r.Closed() {
		to = s.Now
	}
	if !to.After(from) {
		to = from.Add(time.Second)
	}
	s.Tell("%s  started %s from %s %s", words.Title(r), from.In(s.Now.Location()).Format("2006-01-02 15:04"), words.BaseName(r), r.Base.Commit.Short())
	spans := workPeriods(lines)
	wide := 0
	for _, t := range r.Tasks {
		wide = max(wide, phrase.Width(quote.Clean(string(t.ID))))
	}
	wide = min(wide, 12)
	s.Say("%s\n", strings.Repeat(" ", len("  12 ")+wide+1)+axis(from.In(s.Now.Location()), to))
	work, still := '#', '-'
	if s.Marks == page.UTF8 {
		work, still = '█', '░'
	}
	for i, t := range r.Tasks {
		bar, took := draw(spans[t.ID], t, period{from, to, r.LastAt, stopped}, work, still)
		text := ""
		if len(spans[t.ID]) > 0 {
			text = shortDuration(took)
		}
		if t.State == checkpoint.Active && stopped {
			text += " + stopped " + shortDuration(to.Sub(r.LastAt))
		}
		s.Say("%s\n", strings.TrimRight(fmt.Sprintf("  %2d %s %s %s", i+1, phrase.Pad(phrase.Cut(quote.Clean(string(t.ID)), wide), wide), bar, text), " "))
	}
}

// axis formats the line with the times above the bars. If the run took more than a day, it writes dates.
func axis(from, to time.Time) string {
	form := "15:04"
	if to.Sub(from) > 24*time.Hour {
		form = "2 Jan"
	}
	var b strings.Builder
	for at := 0; at < width; at += tick {
		when := from.Add(time.Duration(float64(to.Sub(from)) * float64(at) / width))
		b.WriteString(phrase.Pad(when.Format(form), tick))
	}
	return strings.TrimRight(b.String(), " ")
}

// shortDuration formats a duration as one short word, such as "5m".
func shortDuration(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// workPeriods returns when each task was started and ended, according to the events.
func workPeriods(lines []checkpoint.Line) map[checkpoint.TaskID][]span {
	out := map[checkpoint.TaskID][]span{}
	open := map[checkpoint.TaskID]time.Time{}
	for _, l := range lines {
		e := l.Event
		if l.Bad || e.Task == "" {
			continue
		}
		switch e.Event {
		case checkpoint.TaskStarted:
			open[e.Task] = e.At
		case checkpoint.TaskDone, checkpoint.TaskFailed, checkpoint.TaskBlocked, checkpoint.TaskSkipped:
			if from, ok := open[e.Task]; ok {
				out[e.Task] = append(out[e.Task], span{from, e.At})
				delete(open, e.Task)
			}
		}
	}
	for task, from := range open {
		out[task] = append(out[task], span{from: from})
	}
	return out
}

// period is the range of time in a timeline. The field "last" is the time of the run's last activity. The field "stopped" is true if nobody
// has worked on the run since then.
type period struct {
	from, to, last time.Time
	stopped        bool
}

func (p period) column(at time.Time) int {
	return min(width-1, max(0, int(float64(width)*float64(at.Sub(p.from))/float64(p.to.Sub(p.from)))))
}

// draw returns the bar of one task, and how long somebody worked on it. The argument "work" is the character for this time. The argument
// "still" is the character for the time after an unfinished task stopped.
func draw(spans []span, t checkpoint.Task, p period, work, still rune) (string, time.Duration) {
	cells := []rune(strings.Repeat(" ", width))
	fill := func(a, b time.Time, sign rune) {
		for i := p.column(a); i <= p.column(b); i++ {
			cells[i] = sign
		}
	}
	var took time.Duration
	for _, sp := range spans {
		end := sp.to
		if end.IsZero() {
			end = p.last
			switch {
			case t.State != checkpoint.Active:
			case p.stopped:
				fill(p.last, p.to, still)
			default:
				end = p.to
			}
		}
		took += end.Sub(sp.from)
		fill(sp.from, end, work)
	}
	return string(cells), took
}
