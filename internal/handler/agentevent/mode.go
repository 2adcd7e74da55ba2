package agentevent

import (
	"context"

	"github.com/git-resume/git-resume/internal/site"
)

// Mode is the value of the setting resume.agents.
type Mode string

const (
	// Track records what the sessions that work on a run report about their turns.
	Track Mode = "track"
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
	if v, _ := c.Get("resume.agents"); Mode(v) == Off {
		return Off
	}
	return Track
}
