package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	facts "github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/agentevent"
	"github.com/git-resume/git-resume/internal/handler/agentsetup"
	"github.com/git-resume/git-resume/internal/screen/brief"
	"github.com/git-resume/git-resume/internal/site"
)

// agentEventWord is the command that the hooks of coding agents call.
const agentEventWord = "agent-event"

// eventPatience is how long a hook waits while somebody else records something. Then the report goes into the inbox.
const eventPatience = 200 * time.Millisecond

// agentEvent records the event of a coding agent. It always ends with code 0, and prints nothing but the context of a starting session,
// because a hook that fails or prints something can stop an agent or make it loop.
func agentEvent(args []string, in io.Reader, out io.Writer) {
	// First of all, signals are ignored: agents send them to their hooks when they end, which is when an event matters most.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	var at atomic.Pointer[agentevent.Listener]
	time.AfterFunc(eventLimit, func() {
		if l := at.Load(); l != nil {
			l.KeepLate()
		}
		os.Exit(0)
	})
	defer func() { _ = recover() }() // not even a bug may disturb an agent
	text, err := io.ReadAll(io.LimitReader(in, facts.MaxPayload+1))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, in) // an agent that cannot write all of its payload may report an error
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	now := clock()
	rep, ok := facts.Read(text, name, os.Getenv, now)
	if !ok {
		return
	}
	if home, err := os.UserHomeDir(); err == nil {
		(&agentsetup.Setup{State: agentState(home, os.Getenv)}).Mark(rep.Agent, now)
	}
	_, _ = out.Write(hear(rep, &at))
}

// hear records a report, and returns what the agent is told. It says in at who records it.
func hear(rep facts.Report, at *atomic.Pointer[agentevent.Listener]) []byte {
	p := &program{ctx: context.Background(), env: locate.Environ(os.Environ()).Without(locate.LocalVars()...)}
	defer p.close()
	e := p.listener(rep.Dir)
	if e == nil {
		return nil
	}
	at.Store(e.Listening)
	h, err := e.Listening.Hear(p.ctx, rep)
	if err != nil || !h.Ask || h.Run == nil {
		return nil
	}
	return facts.Answer(rep.Agent, brief.Context(h.Run, h.Path, h.Other, clock()))
}

// listener opens the repository in which an agent works. It returns nil if there is none, or if git-resume was never used there. An agent can
// work in another folder than its hooks.
func (p *program) listener(dir string) *handler.Engine {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
		if dir, err = os.Getwd(); err != nil {
			return nil
		}
	}
	place, err := locate.Find(dir, p.env)
	if err != nil || place.WorkTree == "" {
		return nil
	}
	repo := gitstate.Open(place, p.env)
	if info, err := os.Lstat(filepath.Join(place.CommonDir, "resume", "open")); (err != nil || !info.IsDir()) && !repo.Settings.Mentions("agents") {
		return nil // the setting resume.agents=begin is for repositories too in which there was no run yet
	}
	if gitstate.Accept(p.ctx, place, dir, p.env) != nil {
		return nil
	}
	p.repo, p.dir = repo, dir
	home, _ := os.UserHomeDir() // without a home folder, no file of an agent is found
	return handler.New(site.Site{
		Repo:  p.repo,
		Store: &journal.Store{Repo: p.repo, Now: clock, Nonce: nonce(), Patience: eventPatience},
		Now:   clock, PID: os.Getpid(), Owner: p.getenv("GIT_RESUME_OWNER"),
		Dir: dir, User: p.user(), Home: home, Getenv: p.getenv, RunName: p.getenv("GIT_RESUME_RUN"), Random: randomBytes,
	})
}
