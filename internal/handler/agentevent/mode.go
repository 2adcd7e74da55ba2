package agentevent

import (
	"context"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/site"
)

// Mode is the value of the setting resume.agents.
type Mode string

const (
	// Track records what agents report about runs in the worktree in which the agents work.
	Track Mode = "track"
	// Begin also starts a run for an agent's new task list, if no run works in the worktree.
	Begin Mode = "begin"
	// Off ignores all reports.
	Off Mode = "off"
)

// ModeIn returns the value of resume.agents. If the setting is missing, unreadable or unknown, it returns Track, because a hook cannot
// complain.
func ModeIn(ctx context.Context, s *site.Site) Mode {
	if !s.Repo.Settings.Mentions("agents") { // most people have no such setting, and asking git takes long
		return Track
	}
	c, err := s.Repo.Settings.Config(ctx)
	if err != nil {
		return Track
	}
	switch v, _ := c.Get("resume.agents"); Mode(v) {
	case Begin:
		return Begin
	case Off:
		return Off
	}
	return Track
}

// isPlan reports whether a task list is worth a run: it has several items, and at least one is open.
func isPlan(rep agents.Report) bool {
	open := 0
	for _, i := range rep.Items {
		if i.Title != "" && i.State != agents.Done && i.State != agents.Dropped {
			open++
		}
	}
	return rep.What == agents.Listed && len(rep.Items) > 1 && open > 0
}
