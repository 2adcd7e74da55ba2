package discard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/site"
)

// BaseMovedError says that a merge cannot be undone, or made again, because the base has moved since.
type BaseMovedError struct {
	Base string
	// Want is the commit at which the base must be for the move, and Now is the commit at which it is. Now is empty if the base is gone.
	Want, Now object.ID
	// To is the commit to which the base should move. If a merge is undone, this is the base's commit before the merge. If the merge is
	// made again, this is the commit of the merge.
	To object.ID
	// Redo is true if the user wanted to reverse the undo of a merge, which would merge Run again.
	Redo bool
	Run  checkpoint.RunID
	// Own is true if the merge made a merge commit whose first parent is the commit of the base before the merge.
	Own bool
	// Single is true if the merge added a single commit, as a squash does.
	Single bool
	// Straight is true if the merge brought no merge commit to the base.
	Straight bool
	// Gone is true if the base no longer contains the merge.
	Gone bool
	// Number is the number of the change that cannot be undone, in the list of "git resume undo --list"; zero if the change is not in that
	// list.
	Number int
	// Later lists the later merges that moved the base, newest first. It is empty if something else moved the base as well.
	Later []Undoing
	// Path is the worktree in which the base is checked out; empty if it is the current one. NoTree is true if the base is checked out
	// nowhere.
	Path   string
	NoTree bool
}

func (e *BaseMovedError) Error() string {
	if e.Now == "" {
		return fmt.Sprintf("branch '%s' no longer exists", e.Base)
	}
	return fmt.Sprintf("branch '%s' has moved: it is now at %s, not at %s", e.Base, e.Now.Short(), e.Want.Short())
}

// UncommittedInBaseError says that the base cannot move because of uncommitted changes, or because of an operation in progress.
type UncommittedInBaseError struct {
	Base string
	// Path is the worktree in which the base is checked out. Files are the changed files that would be overwritten; empty if Operation is
	// set.
	Path  string
	Files []string
	// Operation is git's own operation that is in progress in that worktree; empty if Files is set.
	Operation ongoing.Operation
}

func (e *UncommittedInBaseError) Error() string {
	if e.Operation != "" {
		return fmt.Sprintf("branch '%s' cannot move while a git %s is in progress in '%s'", e.Base, e.Operation, e.Path)
	}
	return fmt.Sprintf("branch '%s' cannot move, because that would overwrite uncommitted changes", e.Base)
}

// baseMover moves the base of a run between two commits, to undo a merge or to merge again.
type baseMover struct {
	*site.Site
	run      *checkpoint.Run
	from, to object.ID
}

// refuseMove returns an error if an undo cannot move the base. The argument "later" lists the later changes of all runs, newest first.
func (o obstacles) refuseMove(ctx context.Context, u *Undoing, later []Undoing) error {
	if u.Base == "" {
		return nil
	}
	b := baseMover{o.undoer.Site, &u.Run, u.From, u.To}
	err := b.check(ctx, u.Redo)
	var moved *BaseMovedError
	if errors.As(err, &moved) {
		moved.Number, moved.Later = u.Number, mergesBetween(later, moved)
	}
	return err
}

// mergesBetween returns the later merges that moved the base from e.Want to e.Now. It returns nil if something else moved the base too.
func mergesBetween(later []Undoing, e *BaseMovedError) (out []Undoing) {
	at := e.Now
	for _, u := range later {
		if u.Base != e.Base || u.From != at {
			continue
		}
		if out, at = append(out, u), u.To; at == e.Want {
			return out
		}
	}
	return nil
}

// moveBase moves the base when a change is undone. To undo a merge, it moves the base back to the commit before the merge. To undo the undo
// of a merge, it moves the base forward to the merge again. For any other change it does nothing. The caller records the move only
// afterwards: if the program is killed between the two, the same command finds the base moved already, and only has to record that.
func (e *Undoer) moveBase(ctx context.Context, run *checkpoint.Run, what checkpoint.Event) error {
	b, err := e.baseMove(ctx, run, what)
	if err != nil || b == nil {
		return err
	}
	if err := b.check(ctx, what.Event == checkpoint.Undone); err != nil {
		return err
	}
	return b.move(ctx)
}

// baseMove returns the move of the base that undoes a change, or nil if the undo moves no base.
func (e *Undoer) baseMove(ctx context.Context, run *checkpoint.Run, what checkpoint.Event) (*baseMover, error) {
	switch what.Event {
	case checkpoint.RunMerged:
		return &baseMover{e.Site, run, what.Commit, what.BaseTip}, nil
	case checkpoint.Undone:
		merge, err := e.undoneMerge(ctx, run.ID, what)
		if err != nil || merge == nil {
			return nil, err
		}
		return &baseMover{e.Site, run, merge.BaseTip, merge.Commit}, nil
	}
	return nil, nil
}

// lockBase locks the worktree of the base if the undo of a change moves the base, and returns the function that unlocks it. Otherwise a
// merge at the same time could leave an index that is older than HEAD.
func (e *Undoer) lockBase(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (func(), error) {
	none := func() {}
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if b, err := e.baseMove(ctx, &j.Run, what); err != nil || b == nil {
		return none, err
	}
	tree, err := e.BaseTree(ctx, &j.Run)
	if err != nil {
		return none, nil // the base is not checked out, so the undo is refused, or has nothing to move
	}
	defer tree.Close()
	unlock, err := e.LockTree(site.AdminOf(tree.Place), site.OperationPatience)
	if err == nil {
		if err = e.AwaitMerge(tree); err != nil {
			unlock()
		}
	}
	return unlock, err
}

// check returns an error if the base cannot move. It returns nil if the base has moved already.
func (b baseMover) check(ctx context.Context, redo bool) error {
	now, err := b.Repo.Refs.Ref(ctx, refs.Branch(b.run.Base.Name))
	switch {
	case err != nil || now == b.to:
		return err
	case now != b.from:
		return b.describe(ctx, &BaseMovedError{Base: b.run.Base.Name, Want: b.from, Now: now, To: b.to, Run: b.run.ID, Redo: redo && !b.isAncestor(ctx, b.to, b.from)})
	}
	tree, err := b.BaseTree(ctx, b.run)
	if err != nil {
		return err
	}
	defer tree.Close()
	if op := ongoing.OperationIn(tree); op != ongoing.NoOperation && op != ongoing.Bisect {
		return &UncommittedInBaseError{Base: b.run.Base.Name, Path: tree.WorkTree, Operation: op}
	}
	return b.refuseOverwriting(ctx, tree)
}

// readTree changes the index and the files from one commit to the other. Git refuses if that would overwrite an uncommitted change.
func (b baseMover) readTree(ctx context.Context, tree *gitstate.Repo) error {
	_, err := tree.Git(ctx, process.Call{
		Args: []string{"read-tree", "-m", "-u", string(b.from), string(b.to)}, Mode: process.Write, Locks: site.MoveLocks(tree, refs.Branch(b.run.Base.Name)),
	})
	return err
}

// refuseOverwriting returns an error if uncommitted changes are in files that have to change.
func (b baseMover) refuseOverwriting(ctx context.Context, tree *gitstate.Repo) error {
	deltas, err := past.Changed(ctx, tree, b.from, b.to)
	if err != nil {
		return err
	}
	changes, err := tree.Status(ctx)
	if err != nil {
		return err
	}
	out := &UncommittedInBaseError{Base: b.run.Base.Name, Path: tree.WorkTree}
	for _, c := range changes {
		if slices.ContainsFunc(deltas, func(d past.Delta) bool { return overwrites(d, c) }) {
			out.Files = append(out.Files, c.Path)
		}
	}
	if len(out.Files) == 0 {
		return nil
	}
	return out
}

// overwrites reports whether moving the base would overwrite an uncommitted change of a file. The result is false if the file was deleted,
// or if it already has the new content because an earlier call was killed while it moved the base.
func overwrites(d past.Delta, c gitstate.Change) bool {
	at := strings.TrimSuffix(c.Path, "/")
	switch {
	case d.Path != at:
		return strings.HasPrefix(d.Path, at+"/") || strings.HasPrefix(at, d.Path+"/")
	case c.Index == '.' && c.Tree == 'D':
		return false
	case c.Index == 'D' && c.Tree == '.':
		return d.Letter != 'D'
	}
	return c.IndexID == "" || c.IndexID != d.New.ID
}

// move changes the files first and then the branch. If somebody else has moved the branch meanwhile, the files are changed back.
func (b baseMover) move(ctx context.Context) error {
	branch := refs.Branch(b.run.Base.Name)
	if now, err := b.Repo.Refs.Ref(ctx, branch); err != nil || now == b.to {
		return err
	}
	tree, err := b.BaseTree(ctx, b.run)
	if err != nil {
		return err
	}
	defer tree.Close()
	// Refresh the index first, because git treats a file with a new timestamp as changed. Ignore an error: some files may really be changed.
	_, _ = tree.Git(ctx, process.Call{Args: []string{"update-index", "-q", "--refresh"}, Mode: process.Write, Locks: site.MoveLocks(tree, branch)})
	if err := b.readTree(ctx, tree); err != nil {
		return err
	}
	err = tree.Refs.Update(ctx, refs.Update{Ref: branch, New: b.to, Old: b.from, Message: "git resume undo: moving to " + b.to.Short()})
	var stale *refs.StaleError
	if errors.As(err, &stale) {
		failed := baseMover{b.Site, b.run, b.to, b.from}.readTree(ctx, tree)
		return errors.Join(b.describe(ctx, &BaseMovedError{Base: b.run.Base.Name, Want: b.from, Now: stale.Found, To: b.to, Run: b.run.ID}), failed)
	}
	if err == nil {
		site.MergeMover(tree, branch, b.run.ID).End() // a merge that was killed at its end would seem to be under way again
	}
	return err
}

// describe fills in the fields of a BaseMovedError: what the merge added to the base, whether the base still contains the merge, and where
// the base is checked out. From these fields, the user is told how to revert the merge with new commits.
func (b baseMover) describe(ctx context.Context, out *BaseMovedError) error {
	if tree, err := b.BaseTree(ctx, b.run); err != nil {
		out.NoTree = true
	} else {
		if tree.WorkTree != b.Repo.WorkTree {
			out.Path = tree.WorkTree
		}
		tree.Close()
	}
	if out.Redo || out.Now == "" {
		return out
	}
	out.Gone = !b.isAncestor(ctx, out.Want, out.Now)
	c, err := b.Repo.Objects.Commit(ctx, string(out.Want))
	if err != nil {
		return errors.Join(out, err)
	}
	out.Own = len(c.Parents) > 1 && c.Parents[0] == out.To
	out.Single = len(c.Parents) == 1 && c.Parents[0] == out.To
	merges, err := b.Repo.Line(ctx, "rev-list", "--merges", "-1", string(out.Want), "^"+string(out.To))
	out.Straight = err == nil && merges == ""
	return out
}

func (b baseMover) isAncestor(ctx context.Context, old, young object.ID) bool {
	_, err := b.Repo.Line(ctx, "merge-base", "--is-ancestor", string(old), string(young))
	return err == nil
}
