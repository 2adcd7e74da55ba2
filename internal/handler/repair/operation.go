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
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Repairer brings git's own operations to an end.
type Repairer struct {
	*site.Site
	Staging   *staging.Stager
	Reporting *reporting.Reporter
}

// Operating says what the user chose to do about an operation of git's own, and where git may talk to him.
type Operating struct {
	// State is the operation as it was shown.
	State gitops.State
	// Choice is one of the ways that gitops offers for it.
	Choice string
	// Vouched: the user says that nobody works on it, where that cannot be seen.
	Vouched bool
	// Alone: nobody could use an editor, so that messages stay as they are.
	Alone  bool
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Before is called with what was saved and put right, before git begins to talk.
	Before func(*Operated)
}

// Operated is what was done about an operation, and what is left of it.
type Operated struct {
	State    gitops.State
	Choice   string
	Snapshot snapshot.Snapshot
	// Aside says where lock files and folders are that were moved out of the way.
	Aside map[string]string
	// Mended is what was put right; Cleared are files of the killed step that were taken away, and are in the snapshot.
	Mended  gitops.Mend
	Cleared []string
	// Ran is the command that git got, Code its exit code.
	Ran  []string
	Code int
	// Stash is the entry in which git keeps what it had put aside before it began.
	Stash string
	// Now is what is under way in that worktree afterwards; nil if nothing is.
	Now *gitops.State
}

// OperationError says why nothing was done about an operation of git's own.
type OperationError struct {
	State gitops.State
	// What is "busy", "unseen", "unresolved", "doubt", "undecided" or "choice".
	What   string
	Choice string
}

func (e *OperationError) Error() string {
	what := fmt.Sprintf("the %s in '%s'", e.State.Op, e.State.Tree.WorkTree)
	switch e.What {
	case "busy":
		return what + " is still running"
	case "unseen":
		return "whether somebody works on " + what + " cannot be seen from here"
	case "unresolved":
		return fmt.Sprintf("%s has %d unresolved paths", what, len(e.State.Unmerged))
	case "doubt":
		return what + " was cut off, and " + e.State.Crash.Why
	case "undecided":
		return what + " needs a decision that git cannot take"
	}
	return fmt.Sprintf("'%s' does not apply to %s", e.Choice, what)
}

// Operations are what git itself left half way in any worktree.
func (e *Repairer) Operations(ctx context.Context) ([]gitops.State, error) {
	return guarded(func() ([]gitops.State, error) { return gitops.All(ctx, e.Repo, e.Procs, e.Repo.Linked()) })
}

// guarded turns a crash of the reader of git's operations into an error.
func guarded(find func() ([]gitops.State, error)) (all []gitops.State, err error) {
	if failed := (&sources.View{}).Guard(candidate.GitSource, func() { all, err = find() }); failed != nil {
		return nil, failed
	}
	return all, err
}

// Operate carries out what the user chose. Everything uncommitted is in a snapshot before anything that could destroy it.
func (e *Repairer) Operate(ctx context.Context, req Operating) (*Operated, error) {
	release, err := e.Reporting.LockTree(site.AdminOf(req.State.Tree), site.OperationPatience)
	if err != nil {
		return nil, err
	}
	defer release()
	x := &operator{Repairer: e, req: req, repo: e.Repo.At(req.State.Tree)}
	defer x.repo.Close()
	if err := x.again(ctx); err != nil {
		return nil, err
	}
	x.out = &Operated{State: x.s, Choice: req.Choice, Aside: map[string]string{}}
	if err := x.allowed(); err != nil {
		return nil, err
	}
	if err := x.carryOut(ctx); err != nil {
		return x.out, err
	}
	return x.out, x.after(ctx)
}

// operator is one choice being carried out.
type operator struct {
	*Repairer
	req  Operating
	s    gitops.State
	repo *gitstate.Repo
	out  *Operated
}

// again looks once more, now that no other git-resume can be at it: what is carried out must be what was shown.
func (x *operator) again(ctx context.Context) error {
	now, err := guarded(func() ([]gitops.State, error) { return gitops.Find(ctx, x.Repo, x.Procs, x.req.State.Tree) })
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

// allowed refuses what no choice can override.
func (x *operator) allowed() error {
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
		case x.s.Crash.Mend == gitops.MendDoubt:
			return refuse("doubt")
		}
		return refuse("undecided")
	}
	return nil
}

// carryOut saves, puts right what a crash left, and lets git go on.
func (x *operator) carryOut(ctx context.Context) error {
	if x.s.Op == ongoing.HalfWorktree {
		return x.clearHusk(ctx)
	}
	// The locks first: they would keep the snapshot's ref from being written.
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
		x.s.Crash.Mend = gitops.MendPutBack // the user knows
	}
	if x.req.Choice == gitops.Continue || x.req.Choice == gitops.PutBack {
		if err := x.mend(ctx); err != nil {
			return fmt.Errorf("put right what the crash left: %w", err)
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

// save makes the snapshot. What ends an operation gets one in any case: it keeps the commits made so far from being forgotten.
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
		Run: SavedAs(&x.s), Cause: fmt.Sprintf("before %s of a %s", x.req.Choice, x.s.Op), When: when, Now: x.Now,
	})
	return err
}

// SavedAs names the snapshots that are made of an operation.
func SavedAs(s *gitops.State) string { return trash.ForOperation(s.Op, site.AdminOf(s.Tree)) }

// unlock moves the dead writer's locks out of the way.
func (x *operator) unlock() error {
	locks := slices.DeleteFunc(slices.Clone(x.s.Files), func(f string) bool { return filepath.Ext(f) != ".lock" })
	for _, shared := range x.Repo.Guard.RefLocks() { // whoever held them worked in this repository too
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

// run lets git act, with the user's terminal, editor, hooks and language.
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
			x.out.Code = git.Code // what git said, the user has read; what came of it is looked at
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// after looks at what is left.
func (x *operator) after(ctx context.Context) error {
	now, err := guarded(func() ([]gitops.State, error) { return gitops.Find(ctx, x.Repo, x.Procs, x.s.Tree) })
	if err != nil {
		return err
	}
	for i := range now {
		if now[i].Op == x.s.Op {
			x.out.Now = &now[i]
		}
	}
	if x.out.Now == nil && x.s.Autostash != "" {
		x.out.Stash = stashOf(ctx, x.repo, x.s.Autostash)
	}
	_, err = x.Staging.Expire(ctx)
	return err
}

// stashOf finds the entry in which git keeps a commit that it had put aside; empty if it was applied.
func stashOf(ctx context.Context, repo *gitstate.Repo, id object.ID) string {
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
