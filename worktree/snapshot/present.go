package snapshot

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Present returns a git tree with the files of a worktree as a snapshot would save them now. It saves no snapshot: nothing refers to the
// tree, so git removes it later.
func Present(ctx context.Context, repo *gitstate.Repo) (object.ID, error) {
	t, err := newSnapshotJob(ctx, repo, Request{})
	if err == nil {
		err = t.read(ctx)
	}
	if err == nil {
		err = repo.Objects.Write(ctx, t.pending)
	}
	if err != nil {
		return "", fmt.Errorf("read uncommitted work: %w", err)
	}
	return t.tree, nil
}
