package staging

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/forward"
)

// Forward moves the run's branch from its present commit to a newer one. An empty from means that the branch does not exist yet. A worktree
// that has the branch checked out gets the files; git refuses if that would overwrite changes. If the process is killed, the same call
// completes the move.
func (e *Stager) Forward(ctx context.Context, r *checkpoint.Run, from, to object.ID) error {
	var tree *gitstate.Repo
	if from != "" {
		var err error
		if tree, err = e.checkedOut(ctx, r); err != nil {
			return err
		}
	}
	if tree == nil {
		return e.Repo.Refs.Update(ctx, refs.Update{Ref: r.Branch, New: to, Old: from, Log: true})
	}
	defer tree.Close()
	m := forward.Mover{Tree: tree, Note: e.Store.Folder().Path("moving", string(r.ID)), Locks: site.MoveLocks(tree, r.Branch)}
	return m.Move(ctx, from, to)
}

// checkedOut returns the worktree in which the run's branch is checked out, or nil. This need not be the run's worktree, because the user may
// have switched to another branch there.
func (e *Stager) checkedOut(ctx context.Context, r *checkpoint.Run) (*gitstate.Repo, error) {
	if place, ok := e.TreeOf(r); ok {
		tree := e.Repo.At(place)
		branch, _, err := tree.Refs.Head(ctx)
		if err == nil && branch == r.Branch {
			return tree, nil
		}
		tree.Close()
	}
	trees, err := e.Repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if t.Branch != r.Branch {
			continue
		}
		place, err := locate.Find(t.Path, nil)
		if err != nil {
			return nil, err
		}
		return e.Repo.At(place), nil
	}
	return nil, nil
}
