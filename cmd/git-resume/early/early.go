// Package early reads what the hook of a coding agent reports. It does so before the rest of the program is initialized, because the
// agent waits for its hooks. Many agents work in folders without a repository: then this package ends the program at once. Go
// initializes it early, because it imports hardly any other package.
package early

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/heard"
)

// Word is the command that the hooks of coding agents call.
const Word = "agent-event"

// Call has the report of a hook and the folder in which the agent works.
type Call struct {
	Report agents.Report
	Place  locate.Place
	Dir    string
	// Env is the environment without the variables that tie git to one repository, because the agent may work in another one.
	Env locate.Environ
	// Late is called if there is no more time to record the report.
	Late atomic.Pointer[func()]
}

// Hook is the call of a hook in a repository. It is nil if no hook called the program.
var Hook *Call

func init() {
	if len(os.Args) > 1 && os.Args[1] == Word {
		Hook = answer()
	}
}

// answer reads a report from the standard input. It ends the program with code 0 if there is nothing to record, because a hook that fails
// or prints something can stop an agent or make it loop.
func answer() *Call {
	// First of all, ignore signals: an agent that ends sends them to its hooks, and its last event matters most.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer Silence()
	c := &Call{}
	time.AfterFunc(limit, func() {
		if late := c.Late.Load(); late != nil {
			(*late)()
		}
		os.Exit(0)
	})
	text, err := io.ReadAll(io.LimitReader(os.Stdin, agents.MaxPayload+1))
	if err != nil {
		os.Exit(0)
	}
	if len(text) > agents.MaxPayload { // read the rest too, because an agent that cannot write all of its payload may report an error
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	name, at, ok := "", Now(), false
	if len(os.Args) > 2 {
		name = os.Args[2]
	}
	if c.Report, ok = agents.Read(text, name, os.Getenv, at); !ok {
		os.Exit(0)
	}
	if home, err := os.UserHomeDir(); err == nil {
		heard.Mark(heard.State(home, os.Getenv), c.Report.Agent, at)
	}
	if !c.find() {
		os.Exit(0)
	}
	return c
}

// Silence ends the program with code 0 if the deferring function panics: not even a bug may disturb an agent.
func Silence() {
	if recover() != nil {
		os.Exit(0)
	}
}

// find looks for the repository in which the agent works. It returns false if there is no worktree.
func (c *Call) find() bool {
	c.Dir = c.Report.Dir
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() || !filepath.IsAbs(c.Dir) {
		if c.Dir, err = os.Getwd(); err != nil {
			return false
		}
	}
	c.Env = locate.Environ(os.Environ()).Without(locate.LocalVars()...)
	place, err := locate.Find(c.Dir, c.Env)
	c.Place = place
	return err == nil && place.WorkTree != ""
}
