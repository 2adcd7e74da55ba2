package commit

import (
	"context"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Write writes a commit of a finished tree on top of parent. Unlike Make, it does not use the index and moves no branch. It runs the
// commit-msg hook, but not pre-commit, because that hook checks the index.
func Write(ctx context.Context, r *gitstate.Repo, q Request, tree, parent object.ID) (Result, error) {
	m := &maker{r: r, q: q, head: parent, out: Result{Tree: tree}}
	if err := m.checkAuthor(ctx); err != nil {
		return Result{}, err
	}
	message, err := m.message(ctx)
	if err != nil {
		return Result{}, err
	}
	m.out.ID, err = m.commitTree(ctx, message)
	return m.out, err
}
