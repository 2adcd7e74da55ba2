package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/gitstate"
	facts "github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/screen/brief"
	"github.com/git-resume/git-resume/internal/site"
)

// eventPatience is how long a hook waits while another process writes to the journal. After that, the report goes into the inbox.
const eventPatience = 200 * time.Millisecond

// agentEvent records the event of a coding agent. It prints nothing but the context of a starting session, and reports no errors.
func agentEvent(call *early.Call, out io.Writer) {
	defer func() { _ = recover() }() // not even a bug may disturb an agent
	_, _ = out.Write(hear(call))
}

// hear records the report of a hook, and returns the text that the hook prints for the agent. It returns nil if there is nothing to print.
func hear(call *early.Call) []byte {
	p := &program{ctx: context.Background(), env: early.Environ()}
	defer p.close()
	e := p.listener(call)
	if e == nil {
		return nil
	}
	late := e.Listening.KeepLate
	call.Late.Store(&late)
	h, err := e.Listening.Hear(p.ctx, call.Report)
	if err != nil || !h.Ask || h.Run == nil {
		return nil
	}
	return facts.Answer(call.Report.Agent, brief.Context(h.Run, h.Path, h.Other, clock()))
}

// listener opens the repository in which an agent works. It returns nil if git-resume is not used there, or if the repository must not be
// used.
func (p *program) listener(call *early.Call) *handler.Engine {
	place := call.Place
	repo := gitstate.Open(place, p.env)
	if info, err := os.Lstat(filepath.Join(place.CommonDir, "resume", "open")); (err != nil || !info.IsDir()) && !repo.Settings.Mentions("agents") {
		return nil // git-resume was never used here, and resume.agents=begin, which starts a run by itself, is not set
	}
	if gitstate.Accept(p.ctx, place, call.Dir, p.env) != nil {
		return nil
	}
	p.repo, p.dir = repo, call.Dir
	home, _ := os.UserHomeDir() // without a home folder, no file of an agent is found
	return handler.New(site.Site{
		Repo:  p.repo,
		Store: &journal.Store{Repo: p.repo, Now: clock, Nonce: nonce(), Patience: eventPatience},
		Now:   clock, PID: os.Getpid(), Owner: p.getenv("GIT_RESUME_OWNER"),
		Dir: call.Dir, User: p.user(), Home: home, Getenv: p.getenv, RunName: p.getenv("GIT_RESUME_RUN"), Random: randomBytes,
	})
}
