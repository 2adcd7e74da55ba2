package planning

import (
	"context"

	"github.com/git-resume/git-resume/internal/sources"
)

// Act computes the changes for an alternative. They are all below the planning folder, and never in the code that was built.
func (Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok || w.Name != sources.Continue && !f.Offers(w.Name) {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	switch w.Name {
	case sources.Continue, sources.ResumeAgent:
		return nil, nil // the system's own tool reads the files and removes its note
	case sources.StartFresh:
		return v.Archived(t, folder), nil
	case sources.CleanUp:
		return t.TakeAway(diagnose(read(ctx, v, t)).leftovers()...) // read again, so that only files that are stale now are removed
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}
