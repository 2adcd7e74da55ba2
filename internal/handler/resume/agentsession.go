package resume

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/proc"
)

// toAgent is the value of resume.handoff that gives a run back to the session of the coding agent that worked on it.
const toAgent = "agent"

// NotHanded says why the session of a coding agent is not continued.
type NotHanded struct {
	Why NotHandedWhy
	// Agent is the name of the agent, and Dir is the folder in which its session began. Both may be empty.
	Agent, Dir string
	// If a limit stopped the session, Until is the time at which the limit ends. It is zero if that is not known.
	Until time.Time
}

// NotHandedWhy is the reason why a session is not continued.
type NotHandedWhy string

// The possible reasons why a session is not continued.
const (
	NoSession   NotHandedWhy = "no-session"
	NotTried    NotHandedWhy = "not-tried"
	NotFound    NotHandedWhy = "not-found"
	StillAlive  NotHandedWhy = "alive"
	StillLimit  NotHandedWhy = "limit"
	NoRecord    NotHandedWhy = "no-record"
	OtherFolder NotHandedWhy = "other-folder"
)

// NotContinued returns why "git resume" would not continue the session of the agent that worked on a run. It returns nil if the session
// would be continued, or if the user has not asked for that with resume.handoff.
func (e *Resumer) NotContinued(ctx context.Context, s *candidate.Summary, dir string) *NotHanded {
	cfg, err := e.Repo.Settings.Config(ctx)
	if err != nil || handOffCommand(cfg, s.Source()) != toAgent {
		return nil
	}
	_, not := e.sessionCommand(cfg, s, dir, false)
	return not
}

// sessionCommand returns the command that continues the agent's session of a run, in a folder. If "alone" is true, the agent works without
// asking the user anything. If there is no such command, the second result says why.
func (e *Resumer) sessionCommand(cfg *settings.Config, s *candidate.Summary, dir string, alone bool) (command string, not *NotHanded) {
	k := s.Session
	if k == nil || s.Found != nil {
		return "", &NotHanded{Why: NoSession}
	}
	a, _ := agents.Lookup(k.Agent)
	c, ok := a.Continuation()
	if !ok || !agents.IsSession(k.ID) {
		return "", &NotHanded{Why: NotTried, Agent: k.Agent}
	}
	if why := e.obstacle(a, c, k, dir); why != "" {
		return "", &NotHanded{Why: why, Agent: a.Title, Dir: k.Dir, Until: k.Until}
	}
	if command = c.Attended; alone {
		command = c.Alone
	}
	return withArgs(cfg, a, command), nil
}

// withArgs puts the user's own options for an agent into a command.
func withArgs(cfg *settings.Config, a agents.Agent, command string) string {
	args, _ := cfg.Get("resume." + a.Name + ".args")
	return strings.Replace(command, "{args} ", strings.TrimLeft(strings.TrimSpace(args)+" ", " "), 1)
}

// Offer is a coding agent with which a person at a terminal can continue a run.
type Offer struct {
	Agent agents.Agent
	// Continues is true if the session that worked on the run would continue. Otherwise a new session would start.
	Continues bool
	command   string
}

// Offers lists the coding agents on PATH with which a person can continue a run, first the one whose session worked on it. It returns none
// for other systems' work, which has its own commands.
func (e *Resumer) Offers(ctx context.Context, s *candidate.Summary, dir string) (out []Offer) {
	cfg, err := e.Repo.Settings.Config(ctx)
	if err != nil || s.Found != nil {
		return nil
	}
	for _, a := range agents.All {
		c, ok := a.Continuation()
		if !ok || !e.onPath(a) {
			continue
		}
		k := s.Session
		if k != nil && k.Agent == a.Name && agents.IsSession(k.ID) && e.obstacle(a, c, k, dir) == "" {
			out = slices.Insert(out, 0, Offer{a, true, withArgs(cfg, a, c.Attended)})
			continue
		}
		out = append(out, Offer{a, false, withArgs(cfg, a, c.Open)})
	}
	return out
}

func (e *Resumer) onPath(a agents.Agent) bool {
	return proc.Command{Name: a.Program, Env: []string{"PATH=" + e.Getenv("PATH")}}.IsInstalled()
}

// obstacle returns the reason why a session cannot be continued in a folder; empty if it can.
func (e *Resumer) obstacle(a agents.Agent, c agents.Continuation, k *session.Known, dir string) NotHandedWhy {
	switch {
	case k.Fate == proc.Alive:
		return StillAlive
	case k.Limited(e.Now()):
		return StillLimit
	case c.OwnFolder && !sameFolder(k.Dir, dir):
		return OtherFolder
	case k.Transcript == "" && !c.Database:
		return NoRecord
	case !e.onPath(a):
		return NotFound
	}
	return ""
}

func sameFolder(a, b string) bool {
	a, errA := filepath.EvalSymlinks(a)
	b, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && a == b
}

// agentTurn returns the last turn of the agent's session. It returns nil if there is no session, or if the turn ended before the given
// time. It also returns nil if the turn is still open and started before that time.
func (m *continuing) agentTurn(since time.Time) *checkpoint.Turn {
	k := drivers.In(m.Site).Of(&m.out.Journal.Run)
	if k == nil || !k.Turn.Open() && k.Turn.Ended.Before(since) || k.Turn.Open() && k.Turn.Started.Before(since) {
		return nil
	}
	return &k.Turn
}

// noteQuota records that a limit stopped the agent, if the agent says so only by its exit code.
func (m *continuing) noteQuota(ctx context.Context, code int) error {
	k := m.a.Summary.Session
	if k == nil || k.Agent != "gemini" || code != agents.QuotaCode {
		return nil
	}
	return m.note(ctx, checkpoint.Event{Event: checkpoint.TurnEnded, Actor: &checkpoint.Actor{Agent: k.Agent, Session: k.ID}, Cause: string(checkpoint.TurnQuota)})
}
