package journal

import (
	"context"
	"os"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/flock"
)

// ListMode says which runs are listed.
type ListMode int

const (
	// OpenRuns lists the runs that are neither finished nor discarded.
	OpenRuns ListMode = iota
	// AllRuns lists every run that has left a trace.
	AllRuns
)

// List returns the ids of runs, sorted. It finds open runs without reading the journals of closed ones,
// and starts no process if nothing is open and refs are stored as files.
func (s *Store) List(ctx context.Context, mode ListMode) ([]checkpoint.RunID, error) {
	open, err := s.Folder().Names("open")
	if err != nil {
		return nil, err
	}
	closed, err := s.Folder().Names("closed")
	if err != nil {
		return nil, err
	}
	known := append(slices.Clone(open), closed...)
	strangers, err := s.strangers(ctx, known)
	if err != nil {
		return nil, err
	}
	out := append(open, strangers...)
	if mode == AllRuns {
		out = append(out, closed...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// strangers returns runs whose refs are here although this clone has no file about them:
// they were fetched, or the files next to the refs were lost.
func (s *Store) strangers(ctx context.Context, known []checkpoint.RunID) ([]checkpoint.RunID, error) {
	slices.Sort(known)
	var out []checkpoint.RunID
	for _, prefix := range []string{"refs/resume/journal/", "refs/notes/resume/", checkpoint.BranchPrefix} {
		names, err := s.Repo.Refs.Names(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			id := checkpoint.RunID(n)
			if _, have := slices.BinarySearch(known, id); !have && id.Valid() {
				out = append(out, id)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Remember caches the state of runs that came from elsewhere, so that readers need not read their journals each time.
// The runs stay strangers: only a person who takes one over makes it a run of this clone.
func (s *Store) Remember(ctx context.Context) error {
	open, err := s.Folder().Names("open")
	if err != nil {
		return err
	}
	closed, err := s.Folder().Names("closed")
	if err != nil {
		return err
	}
	strangers, err := s.strangers(ctx, append(open, closed...))
	if err != nil {
		return err
	}
	for _, id := range strangers {
		if _, err := os.Lstat(s.Folder().Path("cache", string(id))); err == nil {
			continue
		}
		if j, err := s.Load(ctx, id); err == nil && j.Strange == nil && !j.Foreign {
			_ = s.cache().writeCache(j) // only a hint
		}
	}
	return nil
}

// Mismatch compares the files next to the refs with the refs: it returns files whose run does not exist, and runs that have no file.
func (s *Store) Mismatch(ctx context.Context) (surplus, strangers []checkpoint.RunID, err error) {
	open, err := s.Folder().Names("open")
	if err != nil {
		return nil, nil, err
	}
	closed, err := s.Folder().Names("closed")
	if err != nil {
		return nil, nil, err
	}
	for _, id := range open {
		branch, err := s.Repo.Refs.Ref(ctx, usualBranch(id))
		if _, gone := s.tips(ctx, id); gone != nil && err == nil && branch == "" && !flock.Held(s.Folder().AppendLock(id)) {
			surplus = append(surplus, id)
		}
	}
	strangers, err = s.strangers(ctx, append(open, closed...))
	return surplus, slices.DeleteFunc(strangers, func(id checkpoint.RunID) bool {
		_, err := s.Load(ctx, id)
		return err != nil
	}), err
}

// Sweep removes open files whose run was never created and will not be:
// there is no journal, no branch, and nobody working on it.
func (s *Store) Sweep(ctx context.Context) error {
	open, err := s.Folder().Names("open")
	if err != nil {
		return err
	}
	for _, id := range open {
		// Check the lock before the journal: a start that releases the lock in between has written its journal by then.
		if flock.Held(s.Folder().AppendLock(id)) {
			continue
		}
		if _, err := s.tips(ctx, id); err == nil {
			continue
		}
		branch, err := s.Repo.Refs.Ref(ctx, usualBranch(id))
		if err != nil || branch != "" || s.Folder().ReadOpen(id).Journal != "" {
			continue // something of the run is left, and a person must see it
		}
		base, err := s.Repo.Refs.Ref(ctx, checkpoint.BaseRef(id))
		if err == nil && base != "" {
			if err := s.Repo.Refs.Update(ctx, refs.Update{Ref: checkpoint.BaseRef(id), Old: base}); err != nil {
				continue
			}
		}
		if err := files.RemoveQuiet(s.Folder().Path("open", string(id))); err != nil {
			return err
		}
	}
	return nil
}
