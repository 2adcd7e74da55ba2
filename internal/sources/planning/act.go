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
		return []sources.Change{{Tree: t.WorkTree, Path: folder, To: archiveName(v.Now.UTC().Format("20060102T150405Z"))}}, nil
	case sources.CleanUp:
		return cleanUp(ctx, v, t)
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}

// archiveName is where the folder goes when the work starts afresh.
func archiveName(when string) string { return folder + "-archive-" + when }

// cleanUp takes away the marks that summaries overrule, as they are now.
func cleanUp(ctx context.Context, v *sources.View, t sources.Tree) ([]sources.Change, error) {
	s := read(ctx, v, t).judge()
	return t.TakeAway(s.leftovers()...)
}
