// Package record records what the hook of a coding agent reports, before the rest of the program is initialized.
//
// Go initializes this package before the YAML library, the command line and the packages that print, because it imports none of them. Most
// hooks need none of these packages.
package record

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/handler/agentevent"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

// Call is the report of a hook, and the repository in which the agent works.
type Call struct {
	*early.Call
	Site site.Site
}

// Hook is the call of a hook that this package cannot answer, because the whole program is needed. It is nil if there is no such call.
var Hook *Call

func init() {
	if early.Hook != nil { // early.Hook is nil if no hook called the program
		Hook = answer(early.Hook)
	}
}

// answer records a report and ends the program with code 0. If the whole program is needed, it returns the call instead. The whole program
// is needed to tell the agent the state of its run.
func answer(from *early.Call) *Call {
	defer early.Silence()
	c := &Call{Call: from}
	if !c.open() {
		os.Exit(0)
	}
	if says := c.Report.What; says == agents.SessionStarted || says == agents.Compacted {
		return c
	}
	c.record()
	os.Exit(0)
	return nil
}

func (c *Call) record() {
	defer c.Site.Repo.Close()
	drivers.Connect(&c.Site)
	_, _ = c.Hear(context.Background(), &agentevent.Listener{Site: &c.Site}) // there is nobody to show an error to
}

// Hear lets a listener record the report. If the time of the hook runs out meanwhile, the report is stored in the inbox.
func (c *Call) Hear(ctx context.Context, l *agentevent.Listener) (agentevent.Heard, error) {
	keep := l.KeepLate
	c.Late.Store(&keep)
	return l.Hear(ctx, c.Report)
}

// patience is how long a hook waits while another process writes to the journal. After that, the report is stored in the inbox.
const patience = 200 * time.Millisecond

// open opens the repository in which an agent works. It returns false if git-resume was never used there, or must not be used there.
func (c *Call) open() bool {
	repo := gitstate.Open(c.Place, c.Env)
	if info, err := os.Lstat(filepath.Join(c.Place.CommonDir, "resume", "open")); err != nil || !info.IsDir() {
		return false // git-resume was never used here
	}
	if gitstate.Accept(context.Background(), c.Place, c.Dir, c.Env) != nil {
		return false
	}
	home, _ := os.UserHomeDir() // without a home folder, no file of an agent is found
	c.Site = site.Site{
		Repo:  repo,
		Store: &journal.Store{Repo: repo, Now: early.Now, Nonce: journal.NewNonce(), Patience: patience},
		Now:   early.Now, PID: os.Getpid(), Owner: os.Getenv("GIT_RESUME_OWNER"), Procs: proc.Table{Alone: clone.Alone(repo)},
		Dir: c.Dir, User: site.UserIn(c.Env), Home: home, Getenv: os.Getenv, RunName: os.Getenv("GIT_RESUME_RUN"), Random: early.Random,
	}
	return true
}
