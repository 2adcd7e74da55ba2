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

// The previous version stored snapshots, discarded work and the files of other systems as chains of commits, each with its predecessor
// as a parent. They can be read as they are. Before something is added, they are converted into a series, in the same order;
// the old ref is deleted only after the new one is on disk.

// Flatten converts everything that the previous version stored of a run into the present form. After a kill, call it again.
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
	// Whether or not the trash was opened, report whatever could not be converted.
	return errors.Join(snapshot.FlattenSnapshots(ctx, repo, run), flattenDiscards(ctx, repo, run, ""), snapshot.FlattenActed(ctx, repo, run))
}

// Chained lists the runs, and git's own operations, for which the previous version left records.
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
