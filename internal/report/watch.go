package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/resume"
)

// Progress tells on stderr how the tasks of a run go.
// On a terminal a task's output is one line that is written over; elsewhere it is passed on as it comes.
type Progress struct {
	Screen   Screen
	Clock    func() time.Time
	Terminal bool
	Out, Err io.Writer

	mu    sync.Mutex
	begun time.Time
	shown time.Time
	label string
	last  []byte
	dirty bool
}

// Begins says which task begins.
func (p *Progress) Begins(n, of int, t plan.Task, attempt int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun, p.last = p.Clock(), nil
	p.label = fmt.Sprintf("[%d/%d] %s", n, of, Clean(t.ID))
	line := p.label
	if t.Title != "" {
		line += "  " + cut(Clean(t.Title), 50)
	}
	if attempt > 1 {
		line += fmt.Sprintf("  (try %d)", attempt)
	}
	p.Screen.warn("%s\n", line)
}

// Ends says what became of it.
func (p *Progress) Ends(n, of int, t plan.Task, out *execution.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
	s := p.Screen
	took := Long(out.Took)
	switch {
	case out.State == checkpoint.Done && out.Commit.ID != "":
		s.warn("      done as %s in %s\n", out.Commit.ID.Short(), took)
	case out.State == checkpoint.Done:
		s.warn("      done in %s, nothing to commit\n", took)
	default:
		s.warn("      %s after %s\n", ending(out), took)
	}
	s.Ended(out)
}

// ending says in words how a task ended that is not done.
func ending(out *execution.Outcome) string {
	switch out.Cause {
	case execution.CauseExit:
		return fmt.Sprintf("failed with exit code %d", out.Ended.Code)
	case execution.CauseSignal:
		return "ended by " + out.Ended.Signal
	case execution.CauseTimeout:
		return "ran into its time limit and was stopped"
	case execution.CauseBranch:
		return "failed: it left another branch checked out"
	case execution.CauseOperation:
		return "failed: it left a git operation half way"
	case execution.CauseWorktree:
		return "failed: the worktree is gone"
	case execution.CauseInput:
		return "not certain: a file that it reads changed while it ran"
	case execution.CauseStart:
		return "failed: its command could not be started"
	case execution.CauseInterrupt:
		return "stopped by Ctrl-C"
	case execution.CauseTerminate:
		return "stopped by SIGTERM"
	case execution.CauseHangup:
		return "stopped: the terminal was closed"
	default:
		return "failed: " + Clean(out.Cause)
	}
}

// Ended adds what else there is to know of an outcome.
func (s Screen) Ended(out *execution.Outcome) {
	if out.Commit.Unsigned != "" {
		s.Note("warning: the commit is not signed: %s", Clean(out.Commit.Unsigned))
	}
	if out.Skipped > 0 {
		s.Note("note: %d bytes of its output were not kept in the log", out.Skipped)
	}
	if len(out.Left) > 0 {
		s.Note("note: it left processes running: %s", strings.Trim(fmt.Sprint(out.Left), "[]"))
	}
	if out.Saved.ID != "" {
		s.Note("      what is uncommitted (%s) is saved as %s", some(out.Saved.Paths), out.Saved.ID.Short())
		s.left(out.Saved.Left)
	}
}

// Streams are where output goes: to the one line on a terminal, else to the given writers.
func (p *Progress) Streams() (out, err io.Writer) {
	if p.Terminal {
		return p, p
	}
	return p.Out, p.Err
}

// Write takes a piece of output and shows its last line, at most five times a second and after a first second.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(b)
	now := p.Clock()
	if now.Sub(p.begun) < time.Second || now.Sub(p.shown) < 200*time.Millisecond {
		return len(b), nil
	}
	p.shown = now
	line := fmt.Sprintf("%s  %s  %s", p.label, Long(now.Sub(p.begun)), Clean(string(p.last)))
	p.Screen.warn("\r\x1b[K%s", cut(line, 78))
	p.dirty = true
	return len(b), nil
}

// keep remembers the last line that is not empty; only its end, for a line may have no end.
func (p *Progress) keep(b []byte) {
	const most = 400
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			p.last = append(p.last[:0], line[max(0, len(line)-most):]...)
		}
	}
}

func (p *Progress) wipe() {
	if p.dirty {
		p.Screen.warn("\r\x1b[K")
		p.dirty = false
	}
}

// Executed says where an execution came to rest, and how to go on.
func (s Screen) Executed(x *resume.Executed) {
	r := &x.Journal.Run
	id := string(r.ID)
	switch {
	case r.Finished:
		s.finishedOn(r)
	case x.Stopped, len(x.Failed) > 0 && x.Last != nil:
		s.stopped(x)
	case x.Step.Kind == resume.StepAsk:
		s.Question(r)
	case x.Step.Kind == resume.StepReport && x.Step.Task.ID != "":
		s.Note("%s goes on as a reported run: task '%s' has no command", title(r), Clean(x.Step.Task.ID))
		s.Hint(fmt.Sprintf(`report it with "git resume task start %s --run %s" and "git resume task done %s --run %s"`, x.Step.Task.ID, id, x.Step.Task.ID, id))
	case x.Step.Kind == resume.StepStuck:
		s.Note("%s: nothing more can run; see 'git resume status %s'", title(r), id)
	}
}

func (s Screen) finishedOn(r *checkpoint.Run) {
	side := s
	side.Out = s.Err
	side.Finished(r)
}

// stopped ends every stop of a run: where, that nothing is lost, and how to continue.
func (s Screen) stopped(x *resume.Executed) {
	r := &x.Journal.Run
	n, t := r.Current()
	if x.Last != nil && x.Last.State == checkpoint.Failed {
		s.tail(x.Last.Log)
	}
	if t == nil {
		return
	}
	s.Note("Stopped at task %d of %d, nothing lost. Continue with: git resume %s", n, len(r.Tasks), r.ID)
	if x.Last != nil && x.Last.Log != "" {
		s.Hint(fmt.Sprintf("whole log: git resume log %s %s", r.ID, t.ID))
	}
}

// tail shows the last lines of a failed task's output.
func (s Screen) tail(path string) {
	const most = 8
	lines := strings.Split(strings.TrimSpace(string(execution.Tail(path, 4<<10))), "\n")
	lines = lines[max(0, len(lines)-most):]
	for _, line := range lines {
		if line = Clean(line); line != "" {
			s.warn("    %s\n", cut(line, 76))
		}
	}
}

// Question shows what a run waits for.
func (s Screen) Question(r *checkpoint.Run) {
	q := r.Question()
	if q == nil {
		return
	}
	n, _ := r.Current()
	s.Note("%s is waiting for you at task %d of %d\n\n  %s %s", title(r), n, len(r.Tasks), s.Marks.Ask, Clean(q.Question))
	for i, o := range q.Options {
		s.Note("      %d  %s", i+1, Clean(o))
	}
	answer := "TEXT"
	if len(q.Options) > 0 {
		answer = "1"
	}
	s.Note("\nhint: git resume answer --run %s %s %s", r.ID.Suffix(), q.ID, answer)
}

// Trusted says which commands were approved.
func (s Screen) Trusted(r *checkpoint.Run, commands []string) {
	if len(commands) == 0 {
		s.say("%s: every command was approved before\n", title(r))
		return
	}
	for _, c := range commands {
		s.say("approved: %s\n", cut(Clean(c), 68))
	}
}

// TaskRan says on stderr what a "task run" did; its command has spoken for itself.
func (s Screen) TaskRan(ran *resume.TaskRan) {
	r, id := &ran.Journal.Run, Clean(string(ran.Task.ID))
	switch {
	case ran.Already:
		s.Note("%s: task '%s' is %s already", title(r), id, ran.Task.State)
		return
	case ran.Verified:
		s.Note("%s: task '%s' was cut off, and its check says that it is done", title(r), id)
		return
	}
	if ran.Again != "" {
		s.Note("%s: task '%s' ran again: %s", title(r), id, Clean(ran.Again))
	}
	o := ran.Outcome
	if o.State == checkpoint.Done {
		text := "done"
		if o.Commit.ID != "" {
			text = "done as " + o.Commit.ID.Short()
		}
		s.Note("%s: task '%s' %s", title(r), id, text)
	} else {
		s.Note("%s: task '%s' %s", title(r), id, ending(o))
	}
	s.Ended(o)
	if r.Finished {
		s.finishedOn(r)
	}
}

// Output shows what a task's command printed.
func (s Screen) Output(text []byte) { _, _ = s.Out.Write(text) }
