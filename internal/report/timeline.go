package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/resume"
)

// width is how many columns a timeline has for time.
const width = 44

// span is a stretch of time in which a task was worked on.
type span struct{ from, to time.Time }

// Timeline draws when each task of a run was worked on, and for how long it has been standing still.
func (s Screen) Timeline(m *resume.Summary, lines []checkpoint.Line) {
	r := &m.Run
	from, to := r.Started, r.LastAt
	stopped := !r.Closed() && m.State != checkpoint.Running
	if !r.Closed() {
		to = s.Now
	}
	if !to.After(from) {
		to = from.Add(time.Second)
	}
	s.say("%s  started %s from %s %s\n", title(r), from.UTC().Format("2006-01-02 15:04Z"), baseName(r), r.Base.Commit.Short())
	spans := worked(lines)
	wide := 0
	for _, t := range r.Tasks {
		wide = max(wide, len([]rune(Clean(string(t.ID)))))
	}
	wide = min(wide, 20)
	for i, t := range r.Tasks {
		bar, took := draw(spans[t.ID], t, from, to, r.LastAt)
		text := ""
		if took > 0 {
			text = Long(took)
		}
		if t.State == checkpoint.Active && stopped {
			text += fmt.Sprintf(" + stopped %s", Long(to.Sub(r.LastAt)))
		}
		s.say("%s\n", strings.TrimRight(fmt.Sprintf("  %2d %s %s %s", i+1, pad(cut(Clean(string(t.ID)), 20), wide), bar, text), " "))
	}
}

// worked collects, from the events, when each task was begun and ended.
func worked(lines []checkpoint.Line) map[checkpoint.TaskID][]span {
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

// draw makes the bar of one task: "#" for work, "-" for the time since it stopped.
func draw(spans []span, t checkpoint.Task, from, to, last time.Time) (string, time.Duration) {
	cells := []byte(strings.Repeat(" ", width))
	column := func(at time.Time) int {
		return min(width-1, max(0, int(int64(width)*int64(at.Sub(from))/int64(to.Sub(from)))))
	}
	var took time.Duration
	fill := func(a, b time.Time, c byte) {
		for i := column(a); i <= column(b); i++ {
			cells[i] = c
		}
	}
	for _, sp := range spans {
		end := sp.to
		if end.IsZero() {
			end = last
			if t.State == checkpoint.Active {
				fill(last, to, '-')
			}
		}
		took += end.Sub(sp.from)
		fill(sp.from, end, '#')
	}
	return string(cells), took
}
