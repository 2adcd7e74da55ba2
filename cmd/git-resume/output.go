package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/page"
	"golang.org/x/term"
)

// answers wraps standard output and remembers the first write error. So lost output is reported, no matter which part of the
// program wrote it.
type answers struct {
	to io.Writer

	mu  sync.Mutex
	err error
}

// Write writes nothing more after the first error. Output with a gap in it could be misread.
func (a *answers) Write(data []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.to.Write(data)
	a.err = err
	return n, err
}

// The method "failed" returns the first write error, or nil.
func (a *answers) failed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// close closes the stream, because some file systems report only then that the disk is full.
func (a *answers) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, ok := a.to.(*os.File)
	if !ok {
		return
	}
	if err := f.Close(); a.err == nil && !errors.Is(err, fs.ErrClosed) {
		a.err = err
	}
}

// raw returns the original stream. It is needed for processes that we start, and to find out whether the stream is a terminal.
func raw(w io.Writer) io.Writer {
	if a, ok := w.(*answers); ok {
		return a.to
	}
	return w
}

// stream returns the writer for the output of a command that we start. If standard output is a terminal, the command writes to it directly.
func (p *program) stream() io.Writer {
	if isTerminal(p.out) {
		return raw(p.out)
	}
	return p.out
}

// deliver reports lost output as an error, because a script must not use an incomplete answer. A closed pipe is not an
// error, as in git.
func (p *program) deliver(code int) int {
	p.out.close()
	err := p.out.failed()
	if err == nil || errors.Is(err, syscall.EPIPE) || code == exit.Interrupted {
		return code
	}
	var cause syscall.Errno
	if errors.As(err, &cause) {
		err = cause
	}
	fmt.Fprintf(p.err, "error: cannot write to standard output: %v\n", err)
	return exit.Fatal
}

func isTerminal(w io.Writer) bool {
	f, ok := raw(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// tame returns a writer for a task's output. If w is a terminal, the writer removes control characters, so that the output cannot change
// the terminal.
func tame(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &page.Plain{W: w}
	}
	return w
}
