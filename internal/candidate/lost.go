package candidate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// LostState describes other systems' work whose worktree was deleted. Only the branch still holds its state.
type LostState struct {
	// Keys lists the keys of the work.
	Keys []string
	// Worktree is the path of the deleted worktree. Branch is the branch that was checked out there.
	Worktree string
	Branch   refs.Name
	// Locked is true if the worktree is locked. A locked worktree may still exist on a disk that is not attached now.
	Locked bool
}

// LostStates looks for other systems' work whose worktree was deleted. It leaves out a worktree if a run in the argument "known" already
// reports it as lost.
func (e *Finder) LostStates(ctx context.Context, known []Summary) ([]LostState, error) {
	var gone []gitstate.Linked
	for _, l := range e.Look.Registered(e.Repo) {
		isKnown := func(s Summary) bool { return s.Lost && s.Run.Worktree == l.WorkTree }
		if l.Missing && l.Branch != "" && l.WorkTree != "" && !slices.ContainsFunc(known, isKnown) {
			gone = append(gone, l)
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	view := e.currentScan(ctx).view
	var out []LostState
	for _, l := range gone {
		work, err := committedWork(ctx, view, e.Repo, e.Sources, l.Branch)
		if err != nil {
			return nil, err
		}
		if work, _, err = filterShown(ctx, e.Repo, work); err != nil {
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

// committedWork finds work whose state files are on a branch but in no worktree.
func committedWork(ctx context.Context, v *sources.View, repo *gitstate.Repo, all []sources.Source, branch refs.Name) ([]sources.Found, error) {
	if tip, err := repo.Refs.Ref(ctx, branch); err != nil || tip == "" {
		return nil, nil //nolint:nilerr // a deleted branch holds nothing
	}
	folders, err := repo.Git(ctx, process.Call{Args: []string{"ls-tree", "-r", "-d", "-z", "--name-only", string(branch)}})
	if err != nil {
		return nil, err
	}
	var out []sources.Found
	for folder := range strings.SplitSeq(strings.TrimSuffix(string(folders), "\x00"), "\x00") {
		here := slices.ContainsFunc(v.Trees, func(t sources.Tree) bool { return t.Has(folder) })
		for _, s := range all {
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

// whyGone finds out why the state of adopted work is not visible: the user may have hidden the work, or its worktree may have been deleted.
func whyGone(ctx context.Context, repo *gitstate.Repo, s *Summary) {
	if !s.Vanished() || s.Run.Closed() {
		return
	}
	if repo.Settings.Mentions("resume") {
		if c, err := repo.Settings.Config(ctx); err == nil {
			s.Hidden = slices.ContainsFunc(c.All(IgnoreSetting), func(v string) bool { return HidesWork(v, s.Run.Source, s.Run.SourceID) })
		}
	}
	if _, err := os.Lstat(s.Run.Worktree); s.Run.Worktree != "" && errors.Is(err, fs.ErrNotExist) {
		s.Lost = true
		if s.LostBranch = LostBranch(repo, s.Run.Worktree); s.LostBranch == "" {
			s.LostBranch = s.Run.Branch
		}
		if tip, err := repo.Refs.Ref(ctx, s.LostBranch); s.LostBranch != "" && (err != nil || tip == "") {
			s.LostBranch = ""
		}
	}
}

// LostBranch returns the branch that git still has registered for a deleted worktree, or "" if there is none.
func LostBranch(repo *gitstate.Repo, path string) refs.Name {
	for _, l := range repo.Linked() {
		if l.Missing && l.WorkTree == path {
			return l.Branch
		}
	}
	return ""
}
