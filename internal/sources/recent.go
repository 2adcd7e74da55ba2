package sources

import (
	"context"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/commitlog"
)

// These limits keep the question about recent commits short. Older commits say little about work that is still open.
const (
	recentWindow = 90 * 24 * time.Hour
	recentMost   = 4000
)

// Recent returns the newest commits of the repository. Only the first call starts git. If git fails, there are no commits: then work is
// judged by its files alone.
func (v *View) Recent(ctx context.Context) commitlog.History {
	v.recentOnce.Do(func() {
		var tips []object.ID
		add := func(id object.ID, err error) {
			if err == nil && id != "" && !slices.Contains(tips, id) {
				tips = append(tips, id)
			}
		}
		for _, t := range v.Trees {
			if t.Branch == "" {
				add(v.Head(ctx, t), nil)
			}
		}
		add(v.Repo.Refs.Ref(ctx, refs.Name("refs/remotes/origin/HEAD")))
		commits, err := past.Messages(ctx, v.Repo, v.Now.Add(-recentWindow), recentMost, tips...)
		if err == nil {
			v.recent = commitlog.NewHistory(commits)
		}
	})
	return v.recent
}

// Head returns the commit that is checked out in a worktree, or "" if there is none.
func (v *View) Head(ctx context.Context, t Tree) object.ID {
	tree := v.Repo.At(t.Place)
	defer tree.Close()
	_, at, err := tree.Refs.Head(ctx)
	if err != nil {
		return ""
	}
	return at
}
