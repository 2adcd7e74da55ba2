package planning

import (
	"context"

	"github.com/git-resume/git-resume/internal/sources"
)

// Act computes the changes in the .planning folder for the action that the user chose.
func (Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok || w.Name != sources.Continue && !f.Offers(w.Name) {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	switch w.Name {
	case sources.Continue, sources.ResumeAgent:
		return nil, nil // no changes, because the planning system reads its files and deletes the pause note itself
	case sources.StartFresh:
		return v.Archived(t, folder), nil
	case sources.CleanUp:
		return t.TakeAway(diagnose(read(ctx, v, t)).leftovers()...) // diagnose again, because a file that was outdated when the action was offered may be in use now
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}
