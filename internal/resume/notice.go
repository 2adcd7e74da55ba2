package resume

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
)

// Noticed are the runs that concern the branch or worktree that was just checked out
// and that somebody should know of. It writes nothing.
func (e *Engine) Noticed(ctx context.Context) ([]Summary, error) {
	if op := e.Repo.Operation(); op == gitstate.Rebase || op == gitstate.Bisect {
		return nil, nil // a checkout in the middle of those is git's own
	}
	open, err := e.Status(ctx, checkpoint.OpenRuns)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	c, err := e.Repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	notice, _ := c.Get("resume.notice")
	if notice == "false" || notice == "no" || notice == "off" || notice == "0" {
		return nil, nil
	}
	branch, _, err := e.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	var out []Summary
	for _, s := range open {
		here := s.Run.Admin == e.Admin() || (s.Run.Branch != "" && s.Run.Branch == branch) || s.Found != nil && s.Path == e.Repo.WorkTree
		if s.State.Announced() && (here || notice == "all") {
			out = append(out, s)
		}
	}
	return out, nil
}
