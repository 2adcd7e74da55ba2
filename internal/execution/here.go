package execution

import (
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// StartKnown reports whether the record of a task's start shows which files were uncommitted in the user's own worktree before the task. A
// record of an older version may only say that there were some.
func StartKnown(t *checkpoint.Task) bool {
	return t.Before != nil && (t.Onto != "" || t.Before.Sum == sumAll(nil))
}

// OwnChanges divides the uncommitted files of the user's own worktree: made by a task since it started, and the others, which are never
// committed for it. The argument onto is the snapshot of the files that were uncommitted before the task; empty if there were none. The
// argument "hand" has the files that somebody changed by hand since.
func OwnChanges(ctx context.Context, repo *gitstate.Repo, onto object.ID, hand map[string]string) (made, others []string, err error) {
	changes, err := repo.Status(ctx)
	if err != nil || len(changes) == 0 {
		return nil, nil, err
	}
	before, err := pathsIn(ctx, repo, onto)
	if err != nil {
		return nil, nil, err
	}
	byHand, err := StillByHand(ctx, repo, hand)
	for _, c := range changes {
		if slices.Contains(others, c.Path) { // git lists a file twice that was removed from the index only
			continue
		}
		switch {
		case c.Tree == 'D' && c.HeadID == "": // the file was staged and removed again, so nothing of it is left
		case c.Unmerged, strings.HasSuffix(c.Path, "/"), before[c.Path], slices.Contains(byHand, c.Path): // a slash follows a nested repository
			others = append(others, c.Path)
		default:
			made = append(made, c.Path)
		}
	}
	return made, others, err
}

// pathsIn lists the files that were uncommitted when a snapshot was taken, even those that it does not hold.
func pathsIn(ctx context.Context, repo *gitstate.Repo, id object.ID) (map[string]bool, error) {
	out := map[string]bool{}
	if id == "" {
		return out, nil
	}
	snap, err := snapshot.Load(ctx, repo, id)
	if err != nil {
		return nil, err
	}
	items, err := snap.Items(ctx, repo)
	for _, it := range items {
		out[it.Path] = true
	}
	for _, o := range snap.Left {
		out[o.Path] = true
	}
	return out, err
}
