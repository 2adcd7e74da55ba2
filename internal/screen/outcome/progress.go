package outcome

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/staging"
)

// Progress prints on stderr how the tasks proceed. On a terminal it shows only the last line of a task's output, and overwrites it again
// and again. Otherwise it passes on all output.
type Progress struct {
	Screen   page.Page
	Clock    func() time.Time
	Terminal bool
	Out, Err io.Writer

	mu    sync.Mutex
	begun time.Time
	shown time.Time
	label string
	last  []byte
	dirty bool
	stop  chan struct{}
	// others are the files of which was said last that they are not committed.
	others []string
}

// Begins prints which task starts. If n is 0, the setup command of the worktree starts.
func (p *Progress) Begins(n, of int, t plan.Task, attempt int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun, p.last = p.Clock(), nil
	p.label = fmt.Sprintf("[%d/%d] %s", n, of, quote.Clean(t.ID))
	if n == 0 {
		p.label = quote.Clean(t.ID)
	}
	line := p.label
	if t.Title != "" {
		line += "  " + phrase.Cut(quote.Clean(t.Title), 50)
	}
	if attempt > 1 {
		line += fmt.Sprintf("  (try %d)", attempt)
	}
	p.Screen.Warn("%s\n", line)
	if p.Terminal {
		p.stop = make(chan struct{})
		go p.tick(p.stop)
	}
}

// tick updates the line regularly, even if the task prints nothing.
func (p *Progress) tick(stop <-chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			p.mu.Lock()
			select {
			case <-stop: // the task ended while this goroutine waited for the mutex
			default:
				p.paint(p.Clock())
			}
			p.mu.Unlock()
		}
	}
}

// Again prints that a finished task must run again, and why.
func (p *Progress) Again(task checkpoint.TaskID, why string) {
	p.Screen.Note("the result of task '%s' is no longer valid: %s", quote.Clean(string(task)), quote.Clean(why))
}

// SetAside prints which uncommitted files were removed from the worktree, and how to get them back.
func (p *Progress) SetAside(x staging.SetAside) { SetAside(p.Screen, x) }

// Ends prints how a task ended.
func (p *Progress) Ends(n, of int, t plan.Task, out *execution.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	if p.dirty {
		p.Screen.Warn("\r\x1b[K")
		p.dirty = false
	}
	s := p.Screen
	switch {
	case out.State == checkpoint.Done && out.Commit.ID != "":
		s.Warn("      done in %s, committed as %s\n", phrase.Long(out.Took), out.Commit.ID.Short())
	case out.State == checkpoint.Done:
		s.Warn("      done in %s, nothing to commit\n", phrase.Long(out.Took))
	default:
		failed(s, n, of, t.ID, out)
		if p.Terminal { // otherwise all of the output was just printed
			tail(s, out)
		}
	}
	if !slices.Equal(p.others, out.Others) {
		p.others = out.Others
		notCommitted(s, out)
	}
	Ended(s, out)
}

// Streams returns the writers for a task's output. On a terminal, the output updates a single line.
func (p *Progress) Streams() (out, err io.Writer) {
	if p.Terminal {
		return p, p
	}
	return p.Out, p.Err
}

// Write stores a piece of output and shows its last line. It updates the screen at most five times a second.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(b)
	if now := p.Clock(); now.Sub(p.shown) >= 200*time.Millisecond {
		p.paint(now)
	}
	return len(b), nil
}

func (p *Progress) paint(now time.Time) {
	if now.Sub(p.begun) < time.Second {
		return
	}
	p.shown, p.dirty = now, true
	line := fmt.Sprintf("%s  %s  %s", p.label, phrase.Long(now.Sub(p.begun)), quote.Clean(string(p.last)))
	p.Screen.Warn("\r\x1b[K%s", phrase.Cut(line, 78))
}

// keep stores the last line of a task's output that is not empty, at most its last 400 bytes.
func (p *Progress) keep(b []byte) { p.last = lastLine(p.last, b) }

// lastLine returns the last line of b that is not empty, at most its last 400 bytes. If b has no such line, it returns the earlier line in
// the argument "before".
func lastLine(before, b []byte) []byte {
	const most = 400
	b = bytes.TrimRight(b, " \t\r\n")
	if i := bytes.LastIndexAny(b, "\r\n"); i >= 0 {
		b = b[i+1:]
	}
	if len(b) == 0 {
		return before
	}
	return append(before[:0], b[max(0, len(b)-most):]...)
}
