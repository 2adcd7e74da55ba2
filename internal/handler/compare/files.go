package compare

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// FileState describes one file that a run or its worktree changed. It has the version in the run's last commit, and how the file differs
// in the worktree and on the base.
type FileState struct {
	Path string
	// At holds the file's blob in the run's last commit; empty if the commit does not contain the file.
	At object.ID
	// The field Here says how the file changed in the worktree since the run's last commit. The field Base says how the file changed on the
	// base since the run started.
	Here, Base Difference
}

// Difference says how a file changed.
type Difference string

// The possible differences between two versions of a file.
const (
	Same    Difference = "same"
	Edited  Difference = "changed"
	Added   Difference = "new"
	Removed Difference = "deleted"
)

// Files lists the files that the run's commits or its worktree changed, and says how each of them differs in the worktree and on the base.
// It returns nil if the run's commits are not known.
func (e *Viewer) Files(ctx context.Context, a *assess.Assessment) ([]FileState, error) {
	r := &a.Summary.Run
	tip := a.Seen.Branch
	if tip == "" {
		tip = r.Head
	}
	base := r.Base.Commit
	if a.Summary.Found != nil && r.Branch == "" { // work without a branch has no commits, so only uncommitted changes can be shown
		tip, base = a.Snapshot.Head, a.Snapshot.Head
	}
	if tip == "" || base == "" {
		return nil, nil
	}
	touched, err := past.Changed(ctx, e.Repo, base, tip)
	if err != nil {
		return nil, err
	}
	all := map[string]*FileState{}
	for _, d := range touched {
		all[d.Path] = &FileState{Path: d.Path, At: d.New.ID, Here: Same, Base: Same}
	}
	if a.Snapshot.Tree == "" {
		if err := e.compareUncommitted(ctx, a, tip, all); err != nil {
			return nil, err
		}
	} else {
		here, err := past.Changed(ctx, e.Repo, tip, a.Snapshot.Tree)
		if err != nil {
			return nil, err
		}
		for _, d := range here {
			if all[d.Path] == nil {
				all[d.Path] = &FileState{Path: d.Path, At: d.Old.ID, Base: Same}
			}
			all[d.Path].Here = differenceOf(d)
		}
	}
	if a.Seen.Base != "" && a.Seen.Base != base && !a.OnBase() {
		meanwhile, err := past.Changed(ctx, e.Repo, base, a.Seen.Base)
		if err != nil {
			return nil, err
		}
		for _, d := range meanwhile {
			if f := all[d.Path]; f != nil {
				f.Base = differenceOf(d)
			}
		}
	}
	out := make([]FileState, 0, len(all))
	for _, f := range slices.SortedFunc(maps.Values(all), func(x, y *FileState) int { return strings.Compare(x.Path, y.Path) }) {
		out = append(out, *f)
	}
	return out, nil
}

// compareUncommitted enters into "all" how the uncommitted files differ from the commit "tip". It writes nothing, not even a git object,
// because some callers only look. So it does not compare contents: a path counts as changed if git lists it as uncommitted.
func (e *Viewer) compareUncommitted(ctx context.Context, a *assess.Assessment, tip object.ID, all map[string]*FileState) error {
	place, ok := e.TreeOf(&a.Summary.Run)
	if !ok || len(a.Uncommitted) == 0 {
		return nil
	}
	tree, err := snapshot.TreeOf(ctx, e.Repo, tip)
	if err != nil {
		return err
	}
	committed := snapshot.Edit(e.Repo, tree)
	for _, p := range a.Uncommitted {
		old, was, err := committed.Get(ctx, strings.TrimSuffix(p, "/"))
		if err != nil {
			return err
		}
		how := Edited
		_, gone := os.Lstat(filepath.Join(place.WorkTree, filepath.FromSlash(p)))
		switch is := gone == nil; {
		case !is && !was:
			continue
		case !is:
			how = Removed
		case !was:
			how = Added
		}
		if all[p] == nil {
			all[p] = &FileState{Path: p, At: old.ID, Base: Same}
		}
		all[p].Here = how
	}
	return nil
}

func differenceOf(d past.Delta) Difference {
	switch d.Letter {
	case 'A':
		return Added
	case 'D':
		return Removed
	}
	return Edited
}
