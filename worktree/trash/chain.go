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

// The previous version of the program stored snapshots, discarded work and other tools' files as chains of commits. This program can still
// read them. Before it adds an entry, it converts the chain into a series, and then deletes the old ref.

// Flatten converts the data of a run to the current format, if the previous version of the program stored it. If Flatten is killed, calling
// it again completes the work.
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
	// Try all three conversions, even if one fails, and report every error.
	return errors.Join(snapshot.FlattenSnapshots(ctx, repo, run), flattenDiscards(ctx, repo, run, ""), snapshot.FlattenActed(ctx, repo, run))
}

// InOldFormat lists the runs and the git operations for which the previous version of the program left records.
func InOldFormat(ctx context.Context, repo *gitstate.Repo) ([]string, error) {
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
