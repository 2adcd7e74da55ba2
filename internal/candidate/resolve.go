package candidate

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// Resolve finds the run that the user means. It takes the given name, or otherwise the name in the environment. Without a name, it takes
// the only run that works in this worktree, or otherwise the only open run.
func (e *Finder) Resolve(ctx context.Context, given string) (checkpoint.RunID, error) {
	if given == "" {
		given = e.RunName
	}
	id, err := e.resolveOwn(ctx, given)
	var none *NoneError
	if given == "" || !errors.As(err, &none) {
		return id, err
	}
	if id, ferr := e.findForeign(ctx, given); ferr == nil && id.Kind() != OwnRun {
		return "", &NoRecordError{Key: string(id)}
	} else if ferr == nil {
		return id.Run(), nil
	}
	return "", err
}

// resolveOwn is like Resolve, but finds only runs of git resume. It accepts their names and the names of the work they adopted.
func (e *Finder) resolveOwn(ctx context.Context, given string) (checkpoint.RunID, error) {
	if given != "" {
		return e.byName(ctx, given)
	}
	open, here, err := e.OpenRuns(ctx)
	switch {
	case err != nil:
		return "", err
	case len(here) == 1:
		return here[0], nil
	case len(open) == 1:
		return open[0], nil
	case len(open) == 0:
		return "", e.noOpenRunError(ctx)
	}
	return "", e.ambiguous(ctx, "", open)
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

// byName finds a run by its full id, its name without suffix, its four-character suffix, a unique beginning, or the name of the work that
// it adopted. Closed runs are searched only if no open run matches.
func (e *Finder) byName(ctx context.Context, given string) (checkpoint.RunID, error) {
	for _, mode := range []journal.ListMode{journal.OpenRuns, journal.AllRuns} {
		ids, err := e.Store.List(ctx, mode)
		if err != nil {
			return "", err
		}
		if id := checkpoint.RunID(given); slices.Contains(ids, id) {
			return id, nil
		}
		if Key(given).Kind() != OwnRun {
			if id, ok := adoptedBy(ctx, e.Store, ids, func(r *checkpoint.Run) bool { return namesWork(given, r.Source, r.SourceID) }); ok {
				return id, nil
			}
			continue
		}
		found := slices.DeleteFunc(matching(ids, given), func(id checkpoint.RunID) bool { return !exists(ctx, e.Site, id) })
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return "", e.ambiguous(ctx, given, found)
		}
		if id, ok := adoptedBy(ctx, e.Store, ids, func(r *checkpoint.Run) bool { return path.Base(r.SourceID) == given }); ok {
			return id, nil
		}
	}
	// In a clone that never fetched the run's journal, Store.Find finds the run by its commits.
	if id := checkpoint.RunID(given); id.Valid() {
		if _, err := e.Store.Find(ctx, id); err == nil {
			return id, nil
		}
	}
	return "", &NoneError{Given: given}
}

// namesWork reports whether a key means the work with this source and this id. It also accepts names that an earlier version gave to the
// work.
func namesWork(key, source, id string) bool {
	given, rest, _ := strings.Cut(key, ":")
	return rest == id && sources.SameSource(given, source)
}

// adoptedBy finds the run that adopted a piece of another system's work, even if that system's state no longer exists. It returns false if
// there is none.
func adoptedBy(ctx context.Context, store *journal.Store, ids []checkpoint.RunID, meant func(*checkpoint.Run) bool) (checkpoint.RunID, bool) {
	for _, id := range ids {
		if j, err := store.Load(ctx, id); err == nil && j.Run.Ours() && j.Run.Source != "" && meant(&j.Run) {
			return id, true
		}
	}
	return "", false
}

// exists reports whether a run exists. An interrupted start can leave a file for a run that was never created.
func exists(ctx context.Context, e *site.Site, id checkpoint.RunID) bool {
	if at, err := e.Repo.Refs.Ref(ctx, checkpoint.JournalRef(id)); err != nil || at != "" {
		return true // a ref that exists but cannot be read also proves that there is a run
	}
	var none *checkpoint.NoRunError
	_, err := e.Store.Find(ctx, id)
	return !errors.As(err, &none)
}

func matching(ids []checkpoint.RunID, given string) []checkpoint.RunID {
	tests := []func(checkpoint.RunID) bool{
		func(id checkpoint.RunID) bool { return id.Suffix() == given },
		func(id checkpoint.RunID) bool { return strings.TrimSuffix(string(id), "-"+id.Suffix()) == given },
		func(id checkpoint.RunID) bool { return strings.HasPrefix(string(id), given) },
	}
	for _, test := range tests {
		if found := slices.DeleteFunc(slices.Clone(ids), func(id checkpoint.RunID) bool { return !test(id) }); len(found) > 0 {
			return found
		}
	}
	return nil
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

// Which returns the key of the work that the user means. This is one of our runs or, if none matches, the work of another system.
func (e *Finder) Which(ctx context.Context, given string) (Key, error) {
	id, err := e.resolveOwn(ctx, given)
	var none *NoneError
	if err == nil || !errors.As(err, &none) {
		return RunKey(id), err
	}
	if given == "" && e.RunName == "" {
		return e.onlyForeignWork(ctx, err, true)
	}
	if id, ferr := e.findForeign(ctx, given); ferr == nil || !errors.As(ferr, &none) {
		return id, ferr
	}
	return "", err
}

// findForeign finds another system's work by its key, its id, its usual name, or the beginning of its key or id.
func (e *Finder) findForeign(ctx context.Context, given string) (Key, error) {
	found, ferr := e.Foreign(ctx)
	if ferr != nil {
		return "", ferr
	}
	for _, test := range []func(f *sources.Found) bool{
		func(f *sources.Found) bool { return slices.Contains(sources.KeysOf(f), given) },
		func(f *sources.Found) bool { return f.ID == given || f.Name == given },
		func(f *sources.Found) bool { return f.Called(given) },
		func(f *sources.Found) bool {
			return strings.HasPrefix(f.Key(), given) || strings.HasPrefix(f.FormerKey(), given) || strings.HasPrefix(f.ID, given)
		},
	} {
		hits := slices.DeleteFunc(slices.Clone(found), func(f sources.Found) bool { return !test(&f) })
		if len(hits) == 1 {
			return e.keyOf(ctx, &hits[0])
		}
		if len(hits) > 1 {
			several := &AmbiguousError{Given: given}
			for i := range hits {
				several.Runs = append(several.Runs, e.SummaryOf(ctx, &hits[i]))
			}
			return "", several
		}
	}
	return "", &NoneError{Given: given}
}

// keyOf returns the key of the run that adopted another system's work. If there is none, it returns the key of the work itself.
func (e *Finder) keyOf(ctx context.Context, f *sources.Found) (Key, error) {
	all, err := e.Status(ctx, journal.AllRuns)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.Found != nil && s.Found.Key() == f.Key() {
			return s.Key(), nil
		}
	}
	return FoundKey(f), nil
}
