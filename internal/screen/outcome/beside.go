package outcome

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Beside returns a view of tasks that run at the same time. It first prints a note about the tasks in filesOnly. These tasks have no
// inputs and no check, so git-resume notices only merge conflicts between their results.
func (p *Progress) Beside(jobs int, filesOnly []plan.Task, r *checkpoint.Run) (w crew.Watcher, done func()) {
	if len(filesOnly) > 0 {
		p.Screen.Note("these tasks have neither 'inputs' nor 'verify', so only merge conflicts between their results are noticed: %s", phrase.Cut(taskList(filesOnly), 60))
	}
	s := &Side{Progress: p, jobs: jobs, lines: map[string]*sideLine{}, printers: map[string][]*prefixed{}, failed: map[string]bool{}, stop: make(chan struct{})}
	s.Tally, s.took = progressOf(r)
	for _, t := range r.Tasks {
		s.failed[string(t.ID)] = t.State == checkpoint.Failed
	}
	if p.Terminal {
		go s.tick()
	}
	return s, s.close
}

func taskList(all []plan.Task) string {
	var out []string
	for _, t := range all {
		out = append(out, quote.Clean(t.ID))
	}
	return strings.Join(out, ", ")
}

// Side shows tasks that run at the same time. On a terminal, it shows one line for each task at the bottom, and paints these lines again
// every second. Otherwise it prints every line of a task's output after the name of the task.
type Side struct {
	*Progress
	jobs  int
	mu    sync.Mutex
	lines map[string]*sideLine
	order []string
	// printers maps each running task to the writers that print its output line by line.
	printers map[string][]*prefixed
	// height is how many lines are painted at the bottom of the terminal.
	height int
	words.Tally
	all int
	// failed says which tasks failed and were not started again since.
	failed map[string]bool
	// took says how long the last attempts of tasks took, and stopping is true after a signal was passed on to all tasks.
	took     map[string]time.Duration
	stopping bool
	stop     chan struct{}
}

// sideLine is the line on the screen about one running task.
type sideLine struct {
	label string
	begun time.Time
	last  []byte
}

// Begins shows that a task has started.
func (s *Side) Begins(n, of int, t plan.Task, attempt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all, s.failed[t.ID] = of, false
	line := &sideLine{label: fmt.Sprintf("[%d/%d] %s", n, of, quote.Clean(t.ID)), begun: s.Clock()}
	if s.lines[t.ID] = line; !slices.Contains(s.order, t.ID) {
		s.order = append(s.order, t.ID)
	}
	text := line.label
	if t.Title != "" {
		text += "  " + phrase.Cut(quote.Clean(t.Title), 50)
	}
	if attempt > 1 {
		text += fmt.Sprintf("  (try %d)", attempt)
	}
	if !s.Terminal {
		s.Screen.Warn("%s\n", text)
	}
}

// Ends shows how a task ended, in lines that stay on the terminal.
func (s *Side) Ends(n, of int, t plan.Task, out *execution.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	label := fmt.Sprintf("[%d/%d] %s", n, of, quote.Clean(t.ID))
	delete(s.lines, t.ID)
	s.order = slices.DeleteFunc(s.order, func(id string) bool { return id == t.ID })
	for _, p := range s.printers[t.ID] {
		p.flush()
	}
	delete(s.printers, t.ID)
	s.erase()
	s.failed[t.ID] = out.State == checkpoint.Failed
	switch {
	case out.State == checkpoint.Done && out.Commit.ID != "":
		s.Done++
		s.took[t.ID] = out.Took
		s.Screen.Warn("%s  done in %s, committed as %s\n", label, phrase.Long(out.Took), out.Commit.ID.Short())
	case out.State == checkpoint.Done:
		s.Done++
		s.Screen.Warn("%s  done in %s, nothing to commit\n", label, phrase.Long(out.Took))
	case out.Told:
		s.Screen.Warn("%s  %s\n", label, told(out, checkpoint.TaskID(t.ID)))
		s.paint(s.Clock())
		return
	case out.State == checkpoint.Blocked, len(out.Clash) > 0, out.Cause == execution.CauseVerify:
		s.Screen.Warn("%s  %s\n", label, notTaken(out))
		for _, f := range out.Clash[:min(len(out.Clash), 5)] {
			s.Screen.Warn("      %s\n", phrase.Cut(quote.Clean(f), 70))
		}
		if out.Saved.ID != "" {
			s.Screen.Note("      the result is kept as %s", words.SavedAs(out.Saved.Label()))
		}
		s.paint(s.Clock())
		return
	default:
		failed(s.Screen, n, of, t.ID, out)
		tail(s.Screen, out)
	}
	Ended(s.Screen, out)
	s.paint(s.Clock())
}

// told describes what the worker of a task reported, for a task that ended without being done.
func told(out *execution.Outcome, id checkpoint.TaskID) string {
	t := out.Journal.Run.Task(id)
	switch {
	case t == nil:
		return "ended"
	case t.State == checkpoint.Blocked:
		return "waits for an answer: " + phrase.Cut(quote.Clean(t.Question), 60)
	case t.State == checkpoint.Failed && t.Reason != "":
		return "reported as failed: " + phrase.Cut(quote.Clean(t.Reason), 60)
	case t.State == checkpoint.Failed:
		return "reported as failed"
	case t.State == checkpoint.Skipped:
		return "skipped by its worker"
	}
	return "opened again by its worker"
}

// notTaken says why the result of a task was rejected. The result did not fit the results of tasks that ran at the same time.
func notTaken(out *execution.Outcome) string {
	switch out.Cause {
	case execution.CauseInputs:
		return "result rejected: files that the task reads were changed meanwhile"
	case execution.CauseVerify:
		return "result rejected: the task's check fails after merging with other results"
	default:
		return "result rejected: it conflicts with other results"
	}
}

// StreamsOf returns the writers for the output of one task.
func (s *Side) StreamsOf(t plan.Task) (out, err io.Writer) {
	if s.Terminal {
		w := &sideWriter{side: s, task: t.ID}
		return w, w
	}
	name := quote.Clean(t.ID) + ": "
	both := []*prefixed{{side: s, name: name, to: s.Out}, {side: s, name: name, to: s.Err}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printers[t.ID] = both
	return both[0], both[1]
}

// close removes the lines at the bottom of the terminal, and stops painting them.
func (s *Side) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.stop)
	s.erase()
}

func (s *Side) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			select {
			case <-s.stop: // the method close() was called while this goroutine waited for the mutex
			default:
				s.erase()
				s.paint(s.Clock())
			}
			s.mu.Unlock()
		}
	}
}

// erase removes the painted lines from the terminal.
func (s *Side) erase() {
	if s.height > 0 {
		s.Screen.Warn(eraseLines, s.height)
		s.height = 0
	}
}

// Stopping tells the user that all running tasks were asked to end.
func (s *Side) Stopping() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	s.erase()
	if !s.Terminal {
		s.Screen.Warn("stopping %s\n", phrase.Count(len(s.order), "task", "tasks"))
	}
	s.paint(s.Clock())
}

// paint shows one line for each task at work, and below them a line with the number of finished tasks. It does so only on a terminal.
func (s *Side) paint(now time.Time) {
	if !s.Terminal || len(s.order) == 0 {
		return
	}
	text := s.view().text(now, s.Screen.Width())
	s.Screen.Warn("%s", text)
	s.height = strings.Count(text, "\n")
}

// view returns what the screen shows about the running tasks.
func (s *Side) view() view {
	s.Failed = 0
	for _, failed := range s.failed {
		if failed {
			s.Failed++
		}
	}
	v := view{Tally: s.Tally, all: s.all, jobs: s.jobs, took: s.took, stopping: s.stopping}
	for _, id := range s.order {
		l := s.lines[id]
		v.lines = append(v.lines, viewLine{id: id, label: l.label, begun: l.begun, last: string(l.last)})
	}
	return v
}

// sideWriter keeps the last line of a task's output.
type sideWriter struct {
	side *Side
	task string
}

func (w *sideWriter) Write(b []byte) (int, error) {
	w.side.mu.Lock()
	defer w.side.mu.Unlock()
	if l := w.side.lines[w.task]; l != nil {
		l.last = lastLine(l.last, b)
	}
	return len(b), nil
}

// prefixed prints each line of a task's output after the name of the task.
type prefixed struct {
	side *Side
	name string
	to   io.Writer
	rest []byte
}

// flush prints the last line of a task's output, which may have no line end. The caller must hold the mutex.
func (p *prefixed) flush() {
	if len(p.rest) > 0 {
		fmt.Fprintf(p.to, "%s%s\n", p.name, bytes.TrimRight(p.rest, "\r"))
		p.rest = nil
	}
}

func (p *prefixed) Write(b []byte) (int, error) {
	p.side.mu.Lock()
	defer p.side.mu.Unlock()
	p.rest = append(p.rest, b...)
	for {
		i := bytes.IndexByte(p.rest, '\n')
		if i < 0 && len(p.rest) < maxPart {
			return len(b), nil
		}
		if i < 0 {
			i = len(p.rest) - 1
		}
		if _, err := fmt.Fprintf(p.to, "%s%s\n", p.name, bytes.TrimRight(p.rest[:i+1], "\r\n")); err != nil {
			return len(b), err
		}
		p.rest = p.rest[i+1:]
	}
}

// maxPart limits, in bytes, how much of an unfinished line of a task's output is held back. If the unfinished line is this long, the part
// that has arrived is printed as a line of its own.
const maxPart = 4096

// Places prints how many ignored files were removed together with the worktrees of single tasks. It also names the worktrees that were
// kept, and why.
func Places(s page.Page, p crew.Removed) {
	if p.Ignored > 0 {
		s.Note("removed %s together with the worktrees of tasks", phrase.Count(p.Ignored, "ignored file or folder", "ignored files and folders"))
	}
	for _, k := range p.Kept {
		s.Note("not removed: %s (%s)", quote.Clean(k.Path), keptBecause[k.Why])
	}
}

// keptBecause says why the worktree of a task was not removed.
var keptBecause = map[string]string{
	crew.KeptDirty:   "it has uncommitted files",
	crew.KeptCommits: "it has commits that are not on the run's branch",
	crew.KeptProcess: "a process is using it",
	crew.KeptInUse:   "a git operation is unfinished in it",
	crew.KeptFailed:  "it could not be removed",
}
