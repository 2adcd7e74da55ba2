package assess

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
)

// Detail is Summary with a look at where the finished tasks' commits are now.
func (e *Judge) Detail(ctx context.Context, id checkpoint.RunID) (candidate.Summary, error) {
	s, err := e.Find.Summary(ctx, id)
	if err != nil {
		return s, err
	}
	if s.Moved, err = e.Store.History().Relocate(ctx, &s.Run); err != nil || s.Life.Held() {
		return s, err
	}
	s.Invalid, err = e.Tasks.Validity(ctx, &s.Run)
	return s, err
}

// Checked is Detail with verdict and findings; it writes nothing.
func (e *Judge) Checked(ctx context.Context, id checkpoint.RunID) (candidate.Summary, error) {
	a, err := e.Assess(ctx, id, OnlyLook)
	if err != nil {
		return candidate.Summary{}, err
	}
	s := a.Summary
	s.Checked = &a.Picture
	return s, nil
}
