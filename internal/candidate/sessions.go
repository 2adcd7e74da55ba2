package candidate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/agents/heard"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sessions"
)

// Sessions is what coding agents left unfinished in the worktrees of this repository, as their own files say.
type Sessions struct {
	// List has the sessions that are worth a line: first those that ask something, and last those that cannot be continued now.
	List []sessions.Session
	// Looked says of each agent whose files are on this machine "ok", or why they were not read. It is nil if no files were searched.
	Looked map[string]string
	// First is true if this user is shown sessions for the first time.
	First bool
	// Quiet is true if no text of a session is to be shown.
	Quiet bool
}

// sessionDays is how many days old a session may be.
const sessionDays = 30

// Sessions finds the sessions of coding agents in the worktrees of this repository. The argument "person" says whether a person asked, at a
// terminal: for anybody else no agent's files are opened, unless the setting resume.agents.scan allows it. Sessions that work on one of the
// given runs, and the caller's own session, are left out.
func (e *Finder) Sessions(ctx context.Context, person bool, known []Summary) (out Sessions, err error) {
	if e.Home == "" || e.Getenv == nil {
		return out, nil // it is not known where agents keep their files
	}
	var c *settings.Config
	if all := e.Repo.Settings; all.Mentions("agents") || all.Mentions("resumesessions") { // without them, git need not be asked
		if c, err = all.Config(ctx); err != nil {
			return out, err
		}
	}
	scan, days := "", sessionDays*24*time.Hour
	if c != nil {
		scan, _ = c.Get("resume.agents.scan")
		if days, err = c.Duration("resume.agents.days", days); err != nil {
			return out, err
		}
	}
	switch always := strings.EqualFold(scan, "always"); {
	case c != nil && !c.Bool("resume.agents.scan", true), !always && (!person || e.Session != ""):
		return out, nil
	case always && !person, strings.EqualFold(scan, "quiet"):
		out.Quiet = true
	}
	trees := e.Look.Registered(e.Repo)
	var dirs []string
	for _, l := range trees {
		if l.WorkTree != "" {
			dirs = append(dirs, l.WorkTree)
		}
	}
	ground := ground{ctx, e.Repo, trees, map[string]bool{}}
	found := sessions.Read(sessions.Where{
		Home: e.Home, Env: e.Getenv, Now: e.Now(), Procs: e.Procs, Machine: proc.MachineID(),
		Days: max(1, int(days/(24*time.Hour))), // 0 would be no limit
	}, dirs)
	out.Looked = found.Looked
	for _, s := range sessions.Shown(found.Sessions, e.Now(), sessions.Ground{Uncommitted: ground.uncommitted, Touched: ground.touched}) {
		drives := func(m Summary) bool { return isOf(m.Run.Driver, &s) || isOf(m.Run.Agent, &s) }
		if s.ID != e.Session && !slices.ContainsFunc(known, drives) {
			out.List = append(out.List, s)
		}
	}
	if len(out.List) > 0 && (c == nil || c.Bool("advice.resumesessions", true)) {
		out.First = e.neverTold()
	}
	slices.SortStableFunc(out.List, func(a, b sessions.Session) int { return order(&a) - order(&b) })
	return out, nil
}

// neverTold reports whether this user has not been told yet where sessions are found, and remembers that it is told now. Where this cannot
// be remembered, it is told again.
func (e *Finder) neverTold() bool {
	folder := heard.State(e.Home, e.Getenv)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return true
	}
	f, err := os.OpenFile(filepath.Join(folder, "sessions-told"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	return !errors.Is(err, fs.ErrExist)
}

// ground answers what git knows about the folder of a session.
type ground struct {
	ctx   context.Context
	repo  *gitstate.Repo
	trees []gitstate.Linked
	// edited remembers which worktrees have uncommitted files, because many sessions can be in one.
	edited map[string]bool
}

// in calls a function with the repository as it is seen from a worktree. The answer is no if there is no such worktree.
func (g ground) in(dir string, ask func(*gitstate.Repo) bool) bool {
	at := slices.IndexFunc(g.trees, func(l gitstate.Linked) bool { return l.WorkTree == dir && !l.Missing })
	if at < 0 {
		return false
	}
	tree := g.repo.At(g.trees[at].Place)
	defer tree.Close()
	return ask(tree)
}

// says reports whether a git command prints anything.
func (g ground) says(tree *gitstate.Repo, args ...string) bool {
	text, err := tree.Git(g.ctx, process.Call{Args: args})
	return err == nil && len(text) > 0
}

func (g ground) uncommitted(dir string) bool {
	edited, known := g.edited[dir]
	if !known {
		edited = g.in(dir, func(tree *gitstate.Repo) bool { return g.says(tree, "status", "--porcelain", "-z", "--no-renames") })
		g.edited[dir] = edited
	}
	return edited
}

func (g ground) touched(dir string, since time.Time) bool {
	return g.uncommitted(dir) || g.in(dir, func(tree *gitstate.Repo) bool {
		args := []string{"rev-list", "-1", "--since=" + since.Format(time.RFC3339), "HEAD", "--not", "--remotes"}
		if branch, _, err := tree.Refs.Head(g.ctx); err == nil && branch != "" {
			args = append(args, "--exclude="+refs.Short(branch))
		}
		return g.says(tree, append(args, "--branches", "--")...)
	})
}

// isOf reports whether an actor is a session.
func isOf(a *checkpoint.Actor, s *sessions.Session) bool {
	return a != nil && a.Session == s.ID && a.Agent == s.Agent
}

// order is the place of a session in a list. Sessions with the same place stay in the order of their age.
func order(s *sessions.Session) int {
	switch {
	case s.State == sessions.Waits && !s.Soft:
		return 0
	case s.State == sessions.Limit:
		return 2
	case s.State == sessions.Running:
		return 3
	case s.Soft:
		return 4
	}
	return 1
}
