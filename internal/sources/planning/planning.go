// Package planning reads the .planning folder of several related systems that work in phases and plans. A plan is done
// if it has a summary. The state file and the roadmap are less certain. The package finds the next step, and computes
// how an action of the user changes the state files. It changes no file itself.
package planning

import (
	"context"

	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds projects that are planned in phases.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source in settings and in the output.
func (Source) Name() string { return name }

// Find looks for the state folder at the top of every worktree.
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
