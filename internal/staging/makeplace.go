package staging

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree"
)

// MakePlace makes the worktree of a place at a commit, with copies of the ignored files of the run's own worktree, which is home. An existing
// worktree is used as it is. The caller records that the place is ready.
func (e *Stager) MakePlace(ctx context.Context, home *gitstate.Repo, r *checkpoint.Run, n int, at object.ID) (worktree.Tree, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return worktree.Tree{}, err
	}
	made, err := worktree.Create(ctx, home, worktree.CreateRequest{
		Run: r.ID.Place(n), Detach: true, At: at, Dir: e.treesDir(c), Ready: r.Places.At(n) != nil, CopyIgnored: []string{"*"}, Now: e.Now,
	})
	if err != nil {
		return worktree.Tree{}, fmt.Errorf("make place %d of %s: %w", n, r.ID, err)
	}
	return made.Tree, nil
}
