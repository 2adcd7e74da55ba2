package candidate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
)

// Resolve finds the run that the user means. It takes the given name, or otherwise the name in the environment. Without a name, it takes
// the run that works in this worktree, or otherwise the only open run.
func (e *Finder) Resolve(ctx context.Context, given string) (checkpoint.RunID, error) {
	key, err := e.meant(ctx, given)
	if err == nil && key.Kind() != OwnRun {
		return "", &NoRecordError{Key: string(key)}
	}
	return key.Run(), err
}

// Which is like Resolve, but also finds work that other systems started and that no run has adopted.
func (e *Finder) Which(ctx context.Context, given string) (Key, error) {
	key, err := e.meant(ctx, given)
	if none := new(NoneError); errors.As(err, &none) && none.Given == "" {
		return e.onlyForeignWork(ctx, err, true)
	}
	return key, err
}

func (e *Finder) meant(ctx context.Context, given string) (Key, error) {
	if given = cmp.Or(given, e.RunName); given != "" {
		return naming{e}.byName(ctx, given)
	}
	id, err := e.withoutName(ctx)
	return RunKey(id), err
}

// withoutName finds the run that a command acts on if no run is named.
func (e *Finder) withoutName(ctx context.Context) (checkpoint.RunID, error) {
	open, here, err := e.OpenRuns(ctx)
	switch {
	case err != nil:
		return "", err
	case len(here) == 1:
		return here[0], nil
	case len(here) == 0:
		if id := e.ClosedHere(ctx); id != "" {
			return id, nil
		}
	}
	switch len(open) {
	case 0:
		return "", e.noOpenRunError(ctx)
	case 1:
		return open[0], nil
	}
	return "", e.ambiguous(ctx, "", open)
}

// ClosedHere returns the closed run to which the current worktree belongs, or "" if there is none. In the worktree of a finished run, a
// command must not act on another run that is open somewhere else.
func (e *Finder) ClosedHere(ctx context.Context) checkpoint.RunID {
	id := checkpoint.RunID(worktree.RunOf(e.Repo.GitDir))
	if !id.Valid() {
		return ""
	}
	j, err := e.Store.Load(ctx, id)
	if err != nil || !j.Run.Closed() || !j.Run.Ours() || !e.WorksHere(&j.Run) {
		return ""
	}
	return id
}

// noOpenRunError says that no run is open, or that every open run was recorded elsewhere and must be named.
func (e *Finder) noOpenRunError(ctx context.Context) error {
	all, err := e.Summaries(ctx, journal.OpenRuns)
	if err != nil {
		return err
	}
	if all = slices.DeleteFunc(all, func(s Summary) bool { return s.Run.Ours() || s.Run.Source != "" }); len(all) > 0 {
		return &ElsewhereOnlyError{Runs: all}
	}
	return &NoneError{}
}

// OpenRuns returns our open runs, and those of them that work in this worktree. A run that cannot be read counts as open. Otherwise another
// run could look like the only open one.
func (e *Finder) OpenRuns(ctx context.Context) (open, here []checkpoint.RunID, err error) {
	ids, err := e.Store.List(ctx, journal.OpenRuns)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		j, err := e.Store.Load(ctx, id)
		var none *checkpoint.NoRunError
		if errors.As(err, &none) {
			if j, err = e.Store.Find(ctx, id); err != nil {
				continue // the start of this run was interrupted before the run existed
			}
		}
		if err == nil && (j.Run.Closed() || !j.Run.Ours()) {
			continue
		}
		open = append(open, id)
		if err == nil && (e.WorksHere(&j.Run) || site.PlaceHere(e.Site, &j.Run) != nil) {
			here = append(here, id)
		}
	}
	return open, here, nil
}

func (e *Finder) ambiguous(ctx context.Context, given string, ids []checkpoint.RunID) error {
	out := &AmbiguousError{Given: given}
	for _, id := range ids {
		s, err := e.Summary(ctx, id)
		if err != nil {
			return err
		}
		out.Runs = append(out.Runs, s)
	}
	return out
}
