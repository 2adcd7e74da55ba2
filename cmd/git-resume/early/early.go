// Package early answers the hooks of coding agents, before the rest of the program is initialized.
//
// The agent waits for its hooks. Most calls have nothing to record: the agent works in a folder without a repository, in a repository
// without runs, or says nothing new. Finding that out is faster than initializing the other packages of the program. Go initializes this
// package before the YAML library and the packages that print, because it imports neither. If Go initialized it later, the program would be
// slower, but would work as well.
package early

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
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/heard"
	"github.com/git-resume/git-resume/internal/handler/agentevent"
	"github.com/git-resume/git-resume/internal/sessions"
	"github.com/git-resume/git-resume/internal/site"
)

// Word is the command that the hooks of coding agents call.
const Word = "agent-event"

// Call is the report of a hook, and where the agent works.
type Call struct {
	Report agents.Report
	Site   site.Site
	place  locate.Place
	dir    string
	// late is called if there is no more time to record the report.
	late atomic.Pointer[func()]
}

// Hook is the call of a hook that only the whole program can answer. It is nil if the program was not called by a hook.
var Hook *Call

func init() {
	if atOnce && len(os.Args) > 1 && os.Args[1] == Word {
		Hook = Answer(limit, now, random)
	}
}

// Answer reads a report from the standard input and records it. Then it ends the program with code 0, because a hook that fails or prints
// something can stop an agent or make it loop. It returns the call if the whole program is needed: the agent is to be told the state of its
// run, or a run may have to be started. The program also ends
// with code 0 when the time limit has passed.
func Answer(limit time.Duration, now func() time.Time, random func() [4]byte) *Call {
	// First of all, ignore signals: an agent that ends sends them to its hooks, and its last event matters most.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	c := &Call{}
	time.AfterFunc(limit, func() {
		if late := c.late.Load(); late != nil {
			(*late)()
		}
		os.Exit(0)
	})
	text, err := io.ReadAll(io.LimitReader(os.Stdin, agents.MaxPayload+1))
	if err != nil {
		os.Exit(0)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // read the rest too, because an agent that cannot write all of its payload may report an error
	name, at, ok := "", now(), false
	if len(os.Args) > 2 {
		name = os.Args[2]
	}
	if c.Report, ok = agents.Read(text, name, os.Getenv, at); !ok {
		os.Exit(0)
	}
	if home, err := os.UserHomeDir(); err == nil {
		heard.Mark(heard.State(home, os.Getenv), c.Report.Agent, at)
	}
	if !c.find() || !c.open(now, random) {
		os.Exit(0)
	}
	if says := c.Report.What; says == agents.SessionStarted || says == agents.Compacted || c.Site.Repo.Settings.Mentions("agents") {
		return c
	}
	c.record()
	os.Exit(0)
	return nil
}

// record records the report.
func (c *Call) record() {
	defer func() { _ = recover() }() // not even a bug may disturb an agent
	defer c.Site.Repo.Close()
	sessions.Connect(&c.Site)
	_, _ = c.Hear(context.Background(), &agentevent.Listener{Site: &c.Site}) // there is nobody to show an error to
}

// Hear lets a listener record the report. If the time of the hook runs out meanwhile, the report goes into the inbox.
func (c *Call) Hear(ctx context.Context, l *agentevent.Listener) (agentevent.Heard, error) {
	keep := l.KeepLate
	c.late.Store(&keep)
	return l.Hear(ctx, c.Report)
}

// find looks for the repository in which the agent works. An agent can work in another folder than its hooks.
func (c *Call) find() bool {
	c.dir = c.Report.Dir
	if info, err := os.Stat(c.dir); err != nil || !info.IsDir() || !filepath.IsAbs(c.dir) {
		if c.dir, err = os.Getwd(); err != nil {
			return false
		}
	}
	place, err := locate.Find(c.dir, Environ())
	c.place = place
	return err == nil && place.WorkTree != ""
}

// patience is how long a hook waits while another process writes to the journal. After that, the report goes into the inbox.
const patience = 200 * time.Millisecond

// open opens the repository in which an agent works. It returns false if git-resume was never used there.
func (c *Call) open(now func() time.Time, random func() [4]byte) bool {
	repo := gitstate.Open(c.place, Environ())
	if info, err := os.Lstat(filepath.Join(c.place.CommonDir, "resume", "open")); (err != nil || !info.IsDir()) && !repo.Settings.Mentions("agents") {
		return false // git-resume was never used here, and resume.agents=begin, which starts a run by itself, is not set
	}
	if gitstate.Accept(context.Background(), c.place, c.dir, Environ()) != nil {
		return false
	}
	home, _ := os.UserHomeDir() // without a home folder, no file of an agent is found
	c.Site = site.Site{
		Repo:  repo,
		Store: &journal.Store{Repo: repo, Now: now, Nonce: journal.NewNonce(), Patience: patience},
		Now:   now, PID: os.Getpid(), Owner: os.Getenv("GIT_RESUME_OWNER"),
		Dir: c.dir, User: site.UserIn(Environ()), Home: home, Getenv: os.Getenv, RunName: os.Getenv("GIT_RESUME_RUN"), Random: random,
	}
	return true
}

// Environ returns the environment without the variables that name another repository than the one in which the agent works.
func Environ() locate.Environ { return locate.Environ(os.Environ()).Without(locate.LocalVars()...) }
