package saved

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Keeper lists snapshots and restores them.
type Keeper struct {
	*site.Site
	Find      *candidate.Finder
	Staging   *staging.Stager
	Reporting *reporting.Reporter
}

// Listed is a snapshot in a list, with the number and size of its files.
type Listed struct {
	snapshot.Snapshot
	snapshot.Extent
}

// List returns the snapshots of one run or git operation, or of all if no name is given.
func (e *Keeper) List(ctx context.Context, name string) ([]Listed, error) {
	owners, err := snapshot.Owners(ctx, e.Repo)
	if err != nil {
		return nil, err
	}
	if name != "" {
		owner, err := e.owner(ctx, name, owners)
		if err != nil {
			return nil, err
		}
		owners = []string{owner}
	}
	var all []snapshot.Snapshot
	for _, owner := range owners {
		some, err := snapshot.All(ctx, e.Repo, owner)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 && name != "" {
		return nil, &snapshot.NoneError{Run: owners[0]}
	}
	extents, err := snapshot.Measure(ctx, e.Repo, all)
	if err != nil {
		return nil, err
	}
	out := make([]Listed, len(all))
	for i := range all {
		out[i] = Listed{all[i], extents[i]}
	}
	return out, nil
}

// owner finds the run or the git operation that a user names. A git operation can be named by its kind, such as "rebase", if only one
// worktree has snapshots of it.
func (e *Keeper) owner(ctx context.Context, name string, owners []string) (string, error) {
	if slices.Contains(owners, name) {
		return name, nil
	}
	var operations []string
	for _, o := range owners {
		if op, _, ok := trash.OperationOf(o); ok && (op == name || strings.TrimPrefix(o, "git.") == name) {
			operations = append(operations, o)
		}
	}
	id, err := e.Find.Resolve(ctx, name)
	var none *candidate.NoneError
	switch {
	case err == nil:
		return string(id), nil
	case !errors.As(err, &none) || len(operations) == 0:
		return "", err
	case len(operations) > 1:
		return "", &SeveralError{Name: name, Owners: operations}
	}
	return operations[0], nil
}

// SeveralError says that several worktrees have snapshots of the git operation that the user named.
type SeveralError struct {
	Name   string
	Owners []string
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("several worktrees have snapshots of the git operation '%s': %s", e.Name, strings.Join(e.Owners, ", "))
}

// Named returns the snapshot with a name such as "job-a7f3@2". Without a number, it returns the newest snapshot of that run or git
// operation.
func (e *Keeper) Named(ctx context.Context, name string) (snapshot.Snapshot, error) {
	run, number, err := snapshot.ParseLabel(name)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	owners, err := snapshot.Owners(ctx, e.Repo)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	owner, err := e.owner(ctx, run, owners)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	return snapshot.Numbered(ctx, e.Repo, owner, number)
}

// Diff returns the changes that a snapshot saved, as git shows them. It compares the saved files with the commit that was checked out when
// the snapshot was taken.
func (e *Keeper) Diff(ctx context.Context, name string, paths []string) (string, error) {
	snap, err := e.Named(ctx, name)
	if err != nil {
		return "", err
	}
	from, to, err := snap.Trees(ctx, e.Repo)
	if err != nil {
		return "", err
	}
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", string(from), string(to), "--"}
	for _, p := range paths {
		top, err := e.fromTop(p)
		if err != nil {
			return "", err
		}
		args = append(args, ":(top,literal)"+top)
	}
	out, err := e.Repo.Git(ctx, process.Call{Args: args})
	return string(out), err
}

// OutsideError says that a path is not inside the worktree.
type OutsideError struct{ Path, Top string }

func (e *OutsideError) Error() string { return fmt.Sprintf("'%s' is not inside '%s'", e.Path, e.Top) }

// fromTop converts a path that the user gave to a path relative to the top of the worktree.
func (e *Keeper) fromTop(path string) (string, error) {
	top := e.Reporting.FromTop(path)
	if !filepath.IsLocal(filepath.FromSlash(top)) {
		return "", &OutsideError{Path: path, Top: e.Repo.WorkTree}
	}
	return top, nil
}

// run returns the run to which the snapshots belong. It returns nil for a git operation and for a run without a journal.
func (e *Keeper) run(ctx context.Context, owner string) (*checkpoint.Run, error) {
	if _, _, ok := trash.OperationOf(owner); ok {
		return nil, nil
	}
	j, err := e.Store.Load(ctx, checkpoint.RunID(owner))
	var none *checkpoint.NoRunError
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &j.Run, nil
}
