package snapshot

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/worktree/series"
)

// Present returns the uncommitted work of a worktree as a snapshot that is not saved: nothing refers to its objects, so git removes them
// later. With a repository that writes its objects into a temporary store, nothing is written at all.
func Present(ctx context.Context, repo *gitstate.Repo, req Request) (Snapshot, error) {
	t, err := newSnapshotJob(ctx, repo, req)
	if err == nil {
		err = t.read(ctx)
	}
	if err == nil {
		err = repo.Objects.Write(ctx, t.pending)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("read uncommitted work: %w", err)
	}
	return t.result(series.Entry{}, false), nil
}
