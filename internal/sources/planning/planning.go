// Package planning reads the .planning folder of a family of systems that work in phases and plans.
//
// A plan with a summary beside it is done; everything else (the state file, the agents' marker and the roadmap's
// boxes) is a hint. The package says what comes next and how its files would be moved aside, and changes nothing itself.
package planning

import (
	"context"

	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds projects that are planned in phases.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source in settings and candidates.
func (Source) Name() string { return name }

// Find looks at the top of every worktree.
func (Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var all []sources.Found
	for _, t := range v.Trees {
		if !t.Has(folder) {
			continue
		}
		if p := read(ctx, v, t); !p.empty() {
			all = append(all, describe(p))
		}
	}
	return sources.MergeCopies(all), nil
}
