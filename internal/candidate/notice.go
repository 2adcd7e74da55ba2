package candidate

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/site"
)

// Notice is work that the user should know about after checking out a branch.
type Notice struct {
	Summary
	Where Where
}

// Where says how the work relates to the current checkout.
type Where int

// The possible relations.
const (
	Elsewhere Where = iota
	OnBranch
	InWorktree
)

// Noticed lists the work that concerns the branch or worktree that was just checked out, and that the user should know about.
// It writes nothing.
func (e *Finder) Noticed(ctx context.Context) ([]Notice, error) {
	if op := ongoing.OperationIn(e.Repo); op == ongoing.Rebase || op == ongoing.Bisect {
		return nil, nil // during such an operation git does the checkout, not the user
	}
	scope, err := setting(ctx, e.Repo.Settings, "resume.notice")
	if err != nil || scope == "false" || scope == "no" || scope == "off" || scope == "0" {
		return nil, err
	}
	open, err := e.Status(ctx, journal.OpenRuns)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	branch, _, err := e.Repo.Refs.Head(ctx)
	if err != nil {
		return nil, err
	}
	var out []Notice
	for _, s := range open {
		where := whereIs(e.Site, &s, branch)
		if !s.State.Announced() || where == Elsewhere && scope != "all" {
			continue
		}
		if old, err := e.tooOldToMention(ctx, &s); err != nil {
			return nil, err
		} else if !old {
			out = append(out, Notice{s, where})
		}
	}
	return out, nil
}

// whereIs compares the branch before the worktree, because people think in branches.
func whereIs(e *site.Site, s *Summary, branch refs.Name) Where {
	switch {
	case s.Run.Branch != "" && s.Run.Branch == branch:
		return OnBranch
	case e.WorksHere(&s.Run), s.Found != nil && s.Path == e.Repo.WorkTree:
		return InWorktree
	}
	return Elsewhere
}

// tooOldToMention reports whether another system's work is too old to mention at every checkout. Its state files often stay for years,
// and people would learn to ignore us. Our own runs are never too old, because somebody started them to finish them.
func (e *Finder) tooOldToMention(ctx context.Context, s *Summary) (bool, error) {
	if s.Found == nil || s.Source() == Native || s.Run.LastAt.IsZero() {
		return false, nil
	}
	limit := staleAfter
	if e.Repo.Settings.Mentions("stale") {
		var err error
		if limit, err = e.StaleAfter(ctx); err != nil {
			return false, err
		}
	}
	return e.Now().Sub(s.Run.LastAt) > limit, nil
}
