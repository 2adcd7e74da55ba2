package repair

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Repairer continues, skips or aborts git's own interrupted operations.
type Repairer struct {
	*site.Site
	Staging *staging.Stager
}

// Operating is a request to continue, skip or abort one of git's own operations. Its streams become the input and the outputs of git.
type Operating struct {
	// State is the operation as it was shown to the user.
	State gitops.State
	// Choice is one of the choices that gitops offers for the operation.
	Choice string
	// Vouched is true if the user says that no process is working on the operation.
	// It is needed if git-resume cannot see the processes, for example because they run on another machine.
	Vouched bool
	// Alone is true if nobody can use an editor. Git then opens no editor and uses the messages as they are.
	Alone  bool
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// The function Before, if it is set, is called just before git runs, after the snapshot and the repair.
	Before func(*Operated)
}

// Operated describes what was done with an operation, and what is left to do.
type Operated struct {
	State    gitops.State
	Choice   string
	Snapshot snapshot.Snapshot
	// The field Aside lists lock files and folders that were moved out of the way, each with its new path.
	Aside map[string]string
	// Repaired is the kind of repair that was made. Cleared lists files of the killed step that were deleted. The snapshot contains them.
	Repaired gitops.Repair
	Cleared  []string
	// Ran is the git command that was run last; empty if none was run. Code is its exit code.
	Ran  []string
	Code int
	// Stash is the autostash entry with the user's changes. It is empty if there is none, or if git has applied the changes again.
	Stash string
	// The field Now holds the operation if it is still in progress afterwards; nil if it is not.
	Now *gitops.State
}

// OperationError says why nothing was done with one of git's own operations.
type OperationError struct {
	State gitops.State
	// The field What names the problem: "busy", "unseen", "unresolved", "doubt", "undecided" or "choice".
	What   string
	Choice string
}

func (e *OperationError) Error() string {
	what := fmt.Sprintf("the %s in '%s'", e.State.Op, e.State.Tree.WorkTree)
	switch e.What {
	case "busy":
		return what + " is still running"
	case "unseen":
		return "it cannot be checked from here whether somebody is working on " + what
	case "unresolved":
		if len(e.State.Unmerged) == 1 {
			return what + " still has 1 unresolved path"
		}
		return fmt.Sprintf("%s still has %d unresolved paths", what, len(e.State.Unmerged))
	case "doubt":
		return what + " was interrupted, and " + e.State.Crash.Why
	case "undecided":
		return what + " needs a decision from you"
	}
	return fmt.Sprintf("'%s' does not apply to %s", e.Choice, what)
}

// Operations lists git's own interrupted operations in all worktrees.
func (e *Repairer) Operations(ctx context.Context) ([]gitops.State, error) {
	return recoverFind(func() ([]gitops.State, error) { return gitops.All(ctx, e.Repo, e.Procs, e.Repo.Linked()) })
}

// recoverFind calls the function "find", and returns an error if that function panics.
func recoverFind(find func() ([]gitops.State, error)) (all []gitops.State, err error) {
	if failed := (&sources.View{}).Guard(candidate.GitSource, func() { all, err = find() }); failed != nil {
		return nil, failed
	}
	return all, err
}

// Operate carries out what the user chose. Before that, it usually saves the uncommitted work in a snapshot.
func (e *Repairer) Operate(ctx context.Context, req Operating) (*Operated, error) {
	release, err := e.LockTree(site.AdminOf(req.State.Tree), site.OperationPatience)
	if err != nil {
		return nil, err
	}
	defer release()
	x := &operator{Repairer: e, req: req, repo: e.Repo.At(req.State.Tree)}
	defer x.repo.Close()
	if err := x.examineAgain(ctx); err != nil {
		return nil, err
	}
	x.out = &Operated{State: x.s, Choice: req.Choice, Aside: map[string]string{}}
	if err := x.refuseUnsafe(); err != nil {
		return nil, err
	}
	if err := x.carryOut(ctx); err != nil {
		return x.out, err
	}
	return x.out, x.examineResult(ctx)
}

// operator carries out one choice of the user.
type operator struct {
	*Repairer
	req  Operating
	s    gitops.State
	repo *gitstate.Repo
	out  *Operated
}

// examineAgain examines the operation once more under our lock. The operation must still be the one that the user was shown.
func (x *operator) examineAgain(ctx context.Context) error {
	now, err := recoverFind(func() ([]gitops.State, error) { return gitops.Find(ctx, x.Repo, x.Procs, x.req.State.Tree) })
	if err != nil {
		return err
	}
	i := slices.IndexFunc(now, func(s gitops.State) bool { return s.Op == x.req.State.Op })
	if i < 0 || !now[i].Same(&x.req.State) {
		return candidate.ErrMoved
	}
	x.s = now[i]
	return nil
}

// refuseUnsafe returns an error if the choice cannot be carried out safely, for example because git is still running.
func (x *operator) refuseUnsafe() error {
	refuse := func(what string) error { return &OperationError{State: x.s, What: what, Choice: x.req.Choice} }
	switch {
	case x.s.Life == proc.Alive:
		return refuse("busy")
	case x.s.Life == proc.Unknown && !x.req.Vouched:
		return refuse("unseen")
	case !slices.ContainsFunc(x.s.Ways(), func(w gitops.Way) bool { return w.Name == x.req.Choice }):
		if x.req.Choice != gitops.Continue {
			return refuse("choice")
		}
		switch {
		case len(x.s.Unmerged) > 0:
			return refuse("unresolved")
		case x.s.Crash.Repair == gitops.RepairDoubt:
			return refuse("doubt")
		}
		return refuse("undecided")
	}
	return nil
}

// carryOut takes a snapshot, repairs what a crash left behind, and runs the git command that the user chose. For some operations no git
// command is needed, because their leftovers are only moved aside.
func (x *operator) carryOut(ctx context.Context) error {
	if x.s.Op == ongoing.HalfWorktree {
		return x.clearIncompleteWorktree(ctx)
	}
	// Move the locks first: while they exist, git cannot write the snapshot's ref.
	if err := x.unlock(); err != nil {
		return err
	}
	if err := x.save(ctx); err != nil {
		return err
	}
	switch x.s.Op {
	case ongoing.StaleLock:
		return nil
	case ongoing.FilterBranch:
		return x.shelveFolder()
	}
	if x.s.Stop == ongoing.StopClearing {
		return x.shelve(filepath.Join(x.repo.GitDir, x.s.Dir))
	}
	way := x.way()
	if x.s.Unnoted && x.req.Choice != gitops.Quit {
		if err := x.noteBranch(); err != nil {
			return err
		}
	}
	if x.req.Choice == gitops.PutBack {
		x.s.Crash.Repair = gitops.RepairPutBack // the user chose to run the interrupted command again from its start
	}
	if x.req.Choice == gitops.Continue || x.req.Choice == gitops.PutBack {
		if err := x.repair(ctx); err != nil {
			return fmt.Errorf("the state that the crash left could not be repaired: %w", err)
		}
	}
	if x.req.Before != nil {
		x.req.Before(x.out)
	}
	return x.run(ctx, way)
}

func (x *operator) way() gitops.Way {
	ways := x.s.Ways()
	return ways[slices.IndexFunc(ways, func(w gitops.Way) bool { return w.Name == x.req.Choice })]
}

// save takes a snapshot. It usually does so even if nothing is uncommitted, because the snapshot also keeps the commits that the operation
// has made so far. It takes no snapshot of a clean worktree if no such commit can be lost: the user chose to continue, or the operation is
// a bisect or a merge of notes, which add no commits to HEAD.
func (x *operator) save(ctx context.Context) error {
	if x.s.Tree.WorkTree == "" {
		return nil
	}
	when := snapshot.Always
	if x.req.Choice == gitops.Continue || x.s.Op == ongoing.Bisect || x.s.Op == ongoing.NotesMerge {
		when = snapshot.IfNeeded
	}
	var err error
	x.out.Snapshot, err = snapshot.Take(ctx, x.repo, snapshot.Request{
		Run: SavedAs(&x.s), Cause: fmt.Sprintf("before '%s' of a %s", x.req.Choice, x.s.Op), When: when, Now: x.Now,
	})
	return err
}

// SavedAs returns the name under which an operation's snapshots are kept.
func SavedAs(s *gitops.State) string { return trash.ForOperation(s.Op, site.AdminOf(s.Tree)) }

// unlock moves the locks of killed processes out of the way.
func (x *operator) unlock() error {
	locks := slices.DeleteFunc(slices.Clone(x.s.Files), func(f string) bool { return filepath.Ext(f) != ".lock" })
	for _, shared := range x.Repo.Guard.RefLocks() { // the killed git may also have locked refs, which all worktrees share
		if !slices.Contains(locks, shared) {
			locks = append(locks, shared)
		}
	}
	if len(locks) == 0 {
		return nil
	}
	aside, err := x.repo.Guard.SetAside(locks)
	for lock, to := range aside {
		x.out.Aside[lock] = to
	}
	return err
}

// run runs the git commands of the choice with the user's streams, until one of them fails.
func (x *operator) run(ctx context.Context, way gitops.Way) error {
	for _, args := range way.Git {
		x.out.Ran = args
		call := process.Call{Args: args, Mode: process.User, Stdin: x.req.Stdin, Stdout: x.req.Stdout, Stderr: x.req.Stderr}
		if x.req.Alone {
			call.Env = []string{"GIT_EDITOR=:"}
		}
		_, err := x.repo.Git(ctx, call)
		var git *process.Error
		if errors.As(err, &git) {
			x.out.Code = git.Code // git has already shown its error message, and examineResult checks the outcome
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// examineResult finds out what is left of the operation. It also calls Expire, which deletes runs that were discarded long ago.
func (x *operator) examineResult(ctx context.Context) error {
	now, err := recoverFind(func() ([]gitops.State, error) { return gitops.Find(ctx, x.Repo, x.Procs, x.s.Tree) })
	if err != nil {
		return err
	}
	for i := range now {
		if now[i].Op == x.s.Op {
			x.out.Now = &now[i]
			if err := now[i].Examine(ctx, x.Repo); err != nil {
				return err
			}
		}
	}
	if x.out.Now == nil && x.s.Autostash != "" {
		x.out.Stash = findStash(ctx, x.repo, x.s.Autostash)
	}
	_, err = x.Staging.Expire(ctx)
	return err
}

// findStash finds the stash entry for the changes that git had put aside; empty if there is no such entry.
func findStash(ctx context.Context, repo *gitstate.Repo, id object.ID) string {
	out, err := repo.Line(ctx, "stash", "list", "--format=%H %gd")
	if err != nil {
		return ""
	}
	for rest := out; rest != ""; {
		var line string
		line, rest = cutLine(rest)
		if len(line) > len(id) && line[:len(id)] == string(id) {
			return line[len(id)+1:]
		}
	}
	return ""
}
