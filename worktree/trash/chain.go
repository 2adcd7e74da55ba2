package trash

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// The version before kept snapshots, what a discard kept and the files of other systems as commits, each with the one before as a parent.
// They are read as they are. Whoever adds to them brings them into a series first, in their order;
// the old ref goes only when the new one is on the disk.

// Flatten brings all that the version before kept of a run into the form of today. It may be killed and called again.
func Flatten(ctx context.Context, repo *gitstate.Repo, run string) error {
	if err := series.CheckRun(run); err != nil {
		return err
	}
	if place.Present(filepath.Join(record.TrashDir(repo, run), record.OldFile)) {
		_, unlock, err := openTrash(ctx, repo, run)
		if err != nil {
			return err
		}
		defer unlock()
	}
	// Opened or not, whatever could not be brought over is told of.
	return errors.Join(snapshot.FlattenSnapshots(ctx, repo, run), flattenDiscards(ctx, repo, run, ""), snapshot.FlattenActed(ctx, repo, run))
}

// Chained lists the runs, and the operations of git's own, of which records of the version before are here.
func Chained(ctx context.Context, repo *gitstate.Repo) ([]string, error) {
	wip, err := repo.Refs.Names(ctx, string(series.WipRef("")))
	if err != nil {
		return nil, err
	}
	trash, err := repo.Refs.Names(ctx, string(series.TrashRef("")))
	if err != nil {
		return nil, err
	}
	for i, name := range trash {
		trash[i] = strings.TrimPrefix(name, series.ActedPart)
	}
	all := slices.DeleteFunc(slices.Concat(wip, trash), func(name string) bool { return series.CheckRun(name) != nil })
	slices.Sort(all)
	return slices.Compact(all), nil
}
