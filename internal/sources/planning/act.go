package planning

import (
	"context"

	"github.com/git-resume/git-resume/internal/sources"
)

// Act works out what an option changes below the planning folder; what was built is never part of it.
func (Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok || w.Name != sources.Continue && !f.Offers(w.Name) {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	switch w.Name {
	case sources.Continue, sources.ResumeAgent:
		return nil, nil // its own tool reads the files, and takes its note away itself
	case sources.StartFresh:
		return v.Archived(t, folder), nil
	case sources.CleanUp:
		return t.TakeAway(judge(read(ctx, v, t)).leftovers()...) // the marks that summaries overrule, as they are now
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}
