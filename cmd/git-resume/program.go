package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/site"
	"golang.org/x/term"
)

// program is one call of git-resume.
type program struct {
	ctx context.Context
	out *answers
	err io.Writer
	env []string
	// args are the arguments before they are reordered.
	args []string
	repo *gitstate.Repo
	// dir is the user's current directory. It is empty until a command needs it.
	dir string
	// If "said" is set, it is called after all output has been printed. Fault sets it to nil after a failure, because the user will then
	// repeat the command.
	said func()
	// If "looked" is set, it removes the line that says that the program looks for work.
	looked func()
	// stdin is the reader for answers. It is opened at the first question.
	stdin *bufio.Reader
}

func (p *program) getenv(name string) string {
	for i := len(p.env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(p.env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func (p *program) close() {
	if p.repo != nil {
		p.repo.Close()
	}
}

// engine opens the repository of the current directory.
func (p *program) engine() (*handler.Engine, error) {
	dir, err := currentDir()
	if err != nil {
		return nil, err
	}
	place, err := locate.Find(dir, p.env)
	if err != nil {
		return nil, err
	}
	if err := gitstate.Accept(p.ctx, place, dir, p.env); err != nil {
		return nil, err
	}
	p.repo, p.dir = gitstate.Open(place, p.env), dir
	p.repo.SetPatience(p.patience())
	agent, session := p.agent()
	home, _ := os.UserHomeDir() // without a home folder, no session of an agent is found
	return handler.New(site.Site{
		Repo:  p.repo,
		Store: &journal.Store{Repo: p.repo, Now: early.Now, Nonce: journal.NewNonce()},
		Now:   early.Now, PID: os.Getpid(), Owner: p.getenv("GIT_RESUME_OWNER"), Procs: proc.Table{Alone: clone.Alone(p.repo)},
		Dir: dir, User: site.UserIn(p.env), Home: home, Getenv: p.getenv, Agent: agent, Session: session, RunName: p.getenv("GIT_RESUME_RUN"), Random: early.Random,
		Outputs: p.outputs(),
	}, readers()...), nil
}

func (p *program) outputs() []*os.File {
	var out []*os.File
	for _, w := range []io.Writer{p.out, p.err} {
		if f, ok := raw(w).(*os.File); ok {
			out = append(out, f)
		}
	}
	return out
}

// currentDir returns the user's current directory.
func currentDir() (string, error) {
	dir, err := os.Getwd()
	if errors.Is(err, fs.ErrNotExist) {
		err = locate.ErrNoDirectory
	}
	return dir, err
}

func (p *program) agent() (name, session string) {
	for _, v := range agents.Variables {
		if id := quote.Clean(p.getenv(v.Name)); id != "" && len(id) <= 200 {
			return v.Agent, id
		}
	}
	return "", ""
}

// size returns the width and the height of the terminal, or zeros if they are not known.
func (p *program) size() (columns, rows int) {
	for _, w := range []io.Writer{p.out, p.err} {
		if f, ok := raw(w).(*os.File); ok {
			if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				return w, h
			}
		}
	}
	return 0, 0
}

// Screen returns the page that prints text for people.
func (p *program) Screen() page.Page {
	s := page.Page{Out: p.painted(p.out), Err: p.painted(p.err), Now: early.Now(), Marks: page.ASCII, Hints: p.hints(), Dir: p.dir}
	s.Terminal = isTerminal(p.out) || p.getenv("GIT_PAGER_IN_USE") != ""
	s.ErrTerminal = isTerminal(p.err)
	s.Columns, s.Rows = p.size()
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(p.getenv(name)); v != "" {
			if strings.Contains(v, "utf-8") || strings.Contains(v, "utf8") {
				s.Marks = page.UTF8
			}
			break
		}
	}
	return s
}
