package candidate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/sources"
)

// LostState is state of other systems that only the branch of a deleted worktree holds.
type LostState struct {
	// Keys name the work.
	Keys []string
	// Worktree is where it was, Branch what was checked out there.
	Worktree, Branch string
	// Locked: the worktree may only be out of reach, on a disk that is not here.
	Locked bool
}

// LostStates looks for such state; what is known already of the worktree of a run is left out.
// It costs a process for each worktree that is registered and not there, and nothing where all are.
func LostStates(ctx context.Context, e *Finder, known []Summary) ([]LostState, error) {
	var gone []gitstate.Linked
	for _, l := range e.Repo.Linked() {
		isKnown := func(s Summary) bool { return s.Lost && s.Run.Worktree == l.WorkTree }
		if l.Missing && l.Branch != "" && l.WorkTree != "" && !slices.ContainsFunc(known, isKnown) {
			gone = append(gone, l)
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	view := e.View(ctx)
	var out []LostState
	for _, l := range gone {
		work, err := committedWork(ctx, e, view, l.Branch)
		if err != nil {
			return nil, err
		}
		if work, err = e.wanted(ctx, work); err != nil {
			return nil, err
		}
		lost := LostState{Worktree: l.WorkTree, Branch: l.Branch, Locked: l.Locked}
		for i := range work {
			lost.Keys = append(lost.Keys, work[i].Key())
		}
		if len(lost.Keys) > 0 {
			out = append(out, lost)
		}
	}
	return out, nil
}

// committedWork names the work whose state a branch holds and no worktree does.
func committedWork(ctx context.Context, e *Finder, v *sources.View, branch string) ([]sources.Found, error) {
	if tip, err := e.Repo.Refs.Ref(ctx, branch); err != nil || tip == "" {
		return nil, nil //nolint:nilerr // a branch that is gone too holds nothing
	}
	folders, err := e.Repo.Git(ctx, process.Call{Args: []string{"ls-tree", "-r", "-d", "-z", "--name-only", branch}})
	if err != nil {
		return nil, err
	}
	var out []sources.Found
	for folder := range strings.SplitSeq(strings.TrimSuffix(string(folders), "\x00"), "\x00") {
		here := slices.ContainsFunc(v.Trees, func(t sources.Tree) bool { return t.Has(folder) })
		for _, s := range e.Sources {
			c, ok := s.(sources.Claimer)
			if !ok || here {
				continue
			}
			f := sources.Found{Source: s.Name()}
			if f.ID, ok = c.Claims(folder); !ok {
				continue
			}
			if f.ID == "" {
				f.ID = filepath.Base(v.Name())
			}
			if !slices.ContainsFunc(out, func(o sources.Found) bool { return o.Key() == f.Key() }) {
				out = append(out, f)
			}
		}
	}
	return out, nil
}
