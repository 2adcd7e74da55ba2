package journal

import (
	"context"
	"errors"
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Find loads a run. It also includes tasks whose commits exist, but were never recorded in the journal. If the journal is missing or
// unreadable, Find tries to rebuild the run from the trailers of commits.
func (s *Store) Find(ctx context.Context, id checkpoint.RunID) (*Journal, error) {
	j, err := s.Load(ctx, id)
	if err != nil {
		return s.findByTrailers(ctx, id, err)
	}
	landed, err := s.History().Landed(ctx, &j.Run)
	if err != nil {
		return nil, err
	}
	j.Run.Include(landed)
	return j, nil
}

// usualBranch returns the default branch of a run.
func usualBranch(id checkpoint.RunID) refs.Name {
	return refs.Name(checkpoint.BranchPrefix + string(id))
}

func (s *Store) findByTrailers(ctx context.Context, id checkpoint.RunID, cause error) (*Journal, error) {
	branches := []refs.Name{usualBranch(id)}
	if o := s.Folder().ReadOpen(id); o.Branch != "" {
		branches = append(branches, o.Branch)
	}
	for _, b := range append(branches, "HEAD") {
		at, err := s.Repo.Refs.Ref(ctx, b)
		if err != nil || at == "" {
			continue
		}
		if r, err := s.History().Rebuild(ctx, id, b); err == nil {
			j := &Journal{Run: *r}
			if none := new(checkpoint.NoRunError); !errors.As(cause, &none) {
				j.Damage = cause
			}
			return j, nil
		}
	}
	return nil, cause
}
