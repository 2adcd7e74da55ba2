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

// The previous version of the program stored snapshots, discarded work and other tools' files as chains of commits. These can be read as
// they are. Before something is added, a chain is converted into a series, in the same order. The old ref is deleted only after the new
// one is on disk.

// Flatten converts what the program's previous version stored for a run into the present format. If Flatten is killed, call it again.
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
	// Report whatever could not be converted, whether or not the trash was opened.
	return errors.Join(snapshot.FlattenSnapshots(ctx, repo, run), flattenDiscards(ctx, repo, run, ""), snapshot.FlattenActed(ctx, repo, run))
}

// Chained lists the runs and the git operations for which the previous version of the program left records.
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
