package outcome

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// view is the display of the running tasks: one line for each, and below them a line with the number of finished tasks. The command that
// runs the tasks shows this display. "git resume status --watch" shows the same in another terminal.
type view struct {
	lines []viewLine
	words.Tally
	all int
	// jobs is the largest number of tasks that run at the same time. took says how long the last attempts of tasks took.
	jobs     int
	took     map[string]time.Duration
	stopping bool
}

// viewLine is the line about one running task: its label, when it started, and the last line that it printed.
type viewLine struct {
	id, label string
	begun     time.Time
	last      string
}

// text returns the lines of the view, none of which is wider than the terminal.
func (v view) text(now time.Time, width int) string {
	var b strings.Builder
	for _, l := range v.lines {
		b.WriteString(phrase.Cut(fmt.Sprintf("%s  %s  %s", l.label, v.elapsed(l, now), quote.Clean(l.last)), min(78, width-2)) + "\n")
	}
	b.WriteString(phrase.Cut(v.count(now), min(78, width-2)) + "\n")
	return b.String()
}

// count returns the last line of the view, for example "1 of 4 done, 2 running".
func (v view) count(now time.Time) string {
	if v.stopping {
		return fmt.Sprintf("stopping; %s still running; press Ctrl-C again to end at once", phrase.Count(len(v.lines), "task is", "tasks are"))
	}
	text := fmt.Sprintf("%d of %d done%s, %d running", v.Done, v.all, v.Besides(), len(v.lines))
	if left := v.estimate(now); left >= time.Second {
		text += fmt.Sprintf(", about %s left", phrase.Long(left))
	}
	return text
}

// estimate returns how long the rest will probably take, from how long earlier attempts took. It is 0 if no attempt has ended yet.
func (v view) estimate(now time.Time) time.Duration {
	if len(v.took) == 0 {
		return 0
	}
	var sum time.Duration
	for _, d := range v.took {
		sum += d
	}
	usual := sum / time.Duration(len(v.took))
	left := usual * time.Duration(max(v.all-v.Done-v.Failed-v.Skipped-len(v.lines), 0))
	for _, l := range v.lines {
		whole, known := v.took[l.id]
		if !known {
			whole = usual
		}
		left += max(whole-now.Sub(l.begun), 0)
	}
	return left / time.Duration(max(v.jobs, 1))
}

// elapsed says how long a task has been running and, if that is known, how long its last attempt took.
func (v view) elapsed(l viewLine, now time.Time) string {
	text := phrase.Long(max(now.Sub(l.begun), 0))
	if whole, ok := v.took[l.id]; ok && whole >= time.Second {
		text += " of about " + phrase.Long(whole)
	}
	return text
}

// eraseLines moves the cursor up by some lines and removes them.
const eraseLines = "\r\x1b[%dA\x1b[J"

// progressOf returns how the tasks of a run ended, and how long each ended task took.
func progressOf(r *checkpoint.Run) (_ words.Tally, took map[string]time.Duration) {
	took = map[string]time.Duration{}
	for _, t := range r.Tasks {
		if t.State != checkpoint.Active && !t.Started.IsZero() && t.Ended.After(t.Started) {
			took[string(t.ID)] = t.Ended.Sub(t.Started)
		}
	}
	return words.TallyOf(r.Tasks), took
}

// Live shows at a terminal the progress of tasks that another process runs. It paints the same lines as that process.
type Live struct {
	Screen page.Page
	height int
	seen   map[checkpoint.TaskID]bool
}

// Show paints the tasks that are at work now. For each task that it painted before and that has ended, it prints how the task ended.
// The function "last" returns the last line that a task printed.
func (l *Live) Show(r *checkpoint.Run, now time.Time, last func(*checkpoint.Task) string) {
	l.Ended(r)
	v := view{all: len(r.Tasks)}
	v.Tally, v.took = progressOf(r)
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.State == checkpoint.Active {
			v.lines = append(v.lines, viewLine{string(t.ID), labelOf(r, i), t.Started, last(t)})
			l.seen[t.ID] = true
		}
	}
	v.jobs = len(v.lines)
	text := v.text(now, l.Screen.Width())
	l.Screen.Say("%s", text)
	l.height = strings.Count(text, "\n")
}

// Ended removes the painted lines, and prints how each painted task ended, if it has ended.
func (l *Live) Ended(r *checkpoint.Run) {
	l.Close()
	if l.seen == nil {
		l.seen = map[checkpoint.TaskID]bool{}
	}
	for i := range r.Tasks {
		if t := &r.Tasks[i]; l.seen[t.ID] && t.State != checkpoint.Active {
			l.Screen.Say("%s  %s\n", labelOf(r, i), endedWords(t))
			l.seen[t.ID] = false
		}
	}
}

func labelOf(r *checkpoint.Run, i int) string {
	return fmt.Sprintf("[%d/%d] %s", i+1, len(r.Tasks), quote.Clean(string(r.Tasks[i].ID)))
}

// Close removes the painted lines.
func (l *Live) Close() {
	if l.height > 0 {
		l.Screen.Say(eraseLines, l.height)
		l.height = 0
	}
}

// endedWords says how a task ended.
func endedWords(t *checkpoint.Task) string {
	switch t.State {
	case checkpoint.Done:
		text := "done in " + phrase.Long(max(t.Ended.Sub(t.Started), 0))
		if t.Commit == "" {
			return text + ", nothing to commit"
		}
		return text + ", committed as " + t.Commit.Short()
	case checkpoint.Failed:
		return strings.TrimSuffix("failed: "+words.Failure(t), ": ")
	case checkpoint.Blocked:
		return "waits for an answer: " + phrase.Cut(quote.Clean(t.Question), 60)
	case checkpoint.Skipped:
		return "skipped"
	}
	return "opened again"
}
