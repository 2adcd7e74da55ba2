package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/remotework"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// CanAnswer reports whether a person can answer questions. It returns false without a terminal, if CI, AI_AGENT or CLAUDECODE is set, and
// if GIT_TERMINAL_PROMPT=0 or TERM=dumb is set.
func (p *program) CanAnswer() bool { return p.silenced() == "" && onTerminal() }

// silenced returns the variable because of which no question is asked, or "".
func (p *program) silenced() string {
	for _, name := range []string{"CI", "AI_AGENT", "CLAUDECODE"} {
		if p.getenv(name) != "" {
			return name
		}
	}
	for _, v := range [][2]string{{"GIT_TERMINAL_PROMPT", "0"}, {"TERM", "dumb"}} {
		if p.getenv(v[0]) == v[1] {
			return v[0] + "=" + v[1]
		}
	}
	return ""
}

// onTerminal reports whether questions and answers would go over a terminal.
func onTerminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd()))
}

// Line reads the next answer. ok is false at the end of the input and after Ctrl-C.
func (p *program) Line() (text string, ok bool) {
	if p.stdin == nil {
		p.stdin = bufio.NewReader(os.Stdin)
	}
	type line struct {
		text  string
		typed bool
	}
	answer := make(chan line, 1)
	// Read in a goroutine, because a signal does not end a read. Otherwise the user would have to press return after Ctrl-C.
	go func() {
		text, err := p.stdin.ReadString('\n')
		answer <- line{strings.TrimSpace(text), err == nil} // a last line without a newline is not an answer
	}()
	select {
	case l := <-answer:
		text, ok = l.text, l.typed
	case <-p.ctx.Done():
	}
	if !ok {
		fmt.Fprintln(p.err) // start the next message on a new line
	}
	return text, ok
}

// WhenSaid registers a function that is called after all output has been printed. It is not called after a failure, or if the output could
// not be written.
func (p *program) WhenSaid(do func()) { p.said = do }

// talk opens the repository and returns a Talk, which asks the user questions.
func (p *program) talk(c *cli.Context) (*conversation.Talk, error) {
	e, err := p.engine()
	if err != nil {
		return nil, err
	}
	e.Sharing.Exchange.Terminal = p.CanAnswer()
	t := &conversation.Talk{
		Context: p.ctx, Engine: e, Person: p, Options: options(c), Clock: early.Now,
		Streams: conversation.Streams{In: os.Stdin, Out: raw(p.out), Err: p.err, Env: p.env, Editor: p.getenv("GIT_EDITOR") != "", Terminal: ownTerminal},
	}
	remotework.Attach(t, p.getenv)
	return t, nil
}

// ownTerminal returns standard input if it is a terminal and we are in its foreground, so that a process that we start can
// use it. Otherwise it returns nil.
func ownTerminal() *os.File {
	if isTerminal(os.Stdin) && proc.Foreground(os.Stdin) {
		return os.Stdin
	}
	return nil
}
