package journal

import (
	"context"
	"os"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/flock"
)

// ListMode says which runs are listed.
type ListMode int

const (
	// OpenRuns lists the runs that are open in this clone, and all runs that have refs but no file in .git/resume.
	OpenRuns ListMode = iota
	// AllRuns also lists the closed runs that have a file in .git/resume.
	AllRuns
)

// List returns the sorted ids of runs. It reads no journal, and usually starts no process if no run is open.
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

// strangers returns the runs that have refs here but no file in .git/resume. They were fetched, or their files were lost.
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

// Remember caches the state of runs that have refs here but no file in .git/resume, so that readers do not have to read their journals each
// time. The runs still do not belong to this clone.
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
			_ = s.cache().writeCache(j) // ignore an error: the cache can be recomputed
		}
	}
	return nil
}

// Mismatch compares the files in .git/resume with the refs. The first result lists the runs with a file, but without a journal and a
// branch. The second result lists the runs with a journal, but without a file.
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

// Sweep removes files of open runs that were never completely started: they have no journal and no branch, and no process is starting them.
func (s *Store) Sweep(ctx context.Context) error {
	open, err := s.Folder().Names("open")
	if err != nil {
		return err
	}
	for _, id := range open {
		// Check the lock before the journal. A process that is starting the run writes the journal before it releases the lock.
		if flock.Held(s.Folder().AppendLock(id)) {
			continue
		}
		if _, err := s.tips(ctx, id); err == nil {
			continue
		}
		branch, err := s.Repo.Refs.Ref(ctx, usualBranch(id))
		if err != nil || branch != "" || s.Folder().ReadOpen(id).Journal != "" {
			continue // keep the file of the open run: something of the run exists, and the user must decide about it
		}
		base, err := s.Repo.Refs.Ref(ctx, checkpoint.BaseRef(id))
		if err == nil && base != "" {
			if err := s.Repo.Refs.Update(ctx, refs.Update{Ref: checkpoint.BaseRef(id), Old: base}); err != nil {
				continue
			}
		}
		if err := s.Folder().RemoveOpen(id); err != nil {
			return err
		}
	}
	return nil
}
