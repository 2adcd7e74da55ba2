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

// answers watches standard output: if an answer cannot be written, that is an error, whatever part of the program printed it.
type answers struct {
	to io.Writer

	mu  sync.Mutex
	err error
}

// Write passes data on until the first error, because after a gap the rest would be misread.
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

// failed is the first error, if any.
func (a *answers) failed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// close ends the stream, because some file systems report only then that they have no room.
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

// raw is the stream itself: it shows whether it is a terminal, and a process that we start writes directly to it.
func raw(w io.Writer) io.Writer {
	if a, ok := w.(*answers); ok {
		return a.to
	}
	return w
}

// stream is where the output of a command goes that gets the streams unchanged: directly to the terminal if there is one.
func (p *program) stream() io.Writer {
	if isTerminal(p.out) {
		return raw(p.out)
	}
	return p.out
}

// deliver reports lost output and returns the exit code, because a script must not mistake half an answer for a whole one.
// A reader who closes a pipe has read enough; git reports nothing in that case either.
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

// tame keeps a task's output from controlling the terminal.
func tame(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &page.Plain{W: w}
	}
	return w
}
