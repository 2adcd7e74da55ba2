package discard

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Undoer undoes what was done, and redoes what was undone.
type Undoer struct {
	*site.Site
	Find     *candidate.Finder
	Staging  *staging.Stager
	Adopt    *adopt.Adopter
	Dropping *Discarder
}

// Undone describes what an undo did.
type Undone struct {
	Journal *journal.Journal
	// The field What holds the change that was undone or redone.
	What checkpoint.Event
	// Redo is true if an undo was reversed.
	Redo bool
	// The field Back describes the worktree that an undo restored, or nil. The field Again describes the run that a redo discarded again,
	// or nil.
	Back  *trash.Undone
	Again *Discarded
	// Base is the branch that was moved; empty if no branch was moved. From and To are its commits before and after the
	// move.
	Base     string
	From, To object.ID
	// FilesBack is the worktree whose files are now as in a snapshot; nil if there is none.
	FilesBack *FilesBack
	// Made is a worktree that was created to continue the work and that stays; empty if there is none.
	Made string
	// Unmade is a worktree that was created to continue the work and that the undo removed; nil if there is none.
	Unmade *RemovedWorktree
}

// Undo reverses the change that the user was shown. For a redo, it makes the undone change again. Undo first searches for the change once
// more. If it now finds a different change, it returns candidate.ErrMoved.
func (e *Undoer) Undo(ctx context.Context, u *Undoing) (*Undone, error) {
	id := u.Run.ID
	now, err := obstacles{e}.findAgain(ctx, u)
	if err != nil {
		return nil, err
	}
	if now.What.ID != u.What.ID || now.Redo && now.Lines[0].ID != u.Lines[0].ID {
		return nil, candidate.ErrMoved
	}
	switch {
	case u.What.Event == checkpoint.RunDiscarded && !u.Redo:
		return e.undiscard(ctx, id, u.What)
	case u.What.Event == checkpoint.RunDiscarded:
		if place, ok := e.TreeOf(&u.Run); ok && !u.Run.Here {
			if err := e.Dropping.refuseIfUsed(id, place.WorkTree, nil); err != nil {
				return nil, err
			}
		}
		again, err := e.Dropping.Discard(ctx, id, DiscardForced)
		if err != nil {
			return nil, err
		}
		return &Undone{Journal: again.Journal, Again: again, What: u.What, Redo: true}, nil
	case isRestore(u.What):
		return unrestorer{e}.restore(ctx, now)
	}
	out, err := e.undoGroup(ctx, id, u.Lines)
	if err == nil {
		out.What, out.Redo, out.Base, out.From, out.To = u.What, u.Redo, u.Base, u.From, u.To
		if u.What.Event == checkpoint.RunActed && u.What.Name == sources.Continue && !u.Redo {
			if out.Unmade = e.removeCreatedWorktree(ctx, &u.Run, u.What); out.Unmade == nil {
				out.Made = e.createdWorktree(ctx, id)
			}
		}
	}
	return out, err
}

// findAgain searches again for a change that was shown to the user, because something may have changed meanwhile.
func (o obstacles) findAgain(ctx context.Context, u *Undoing) (*Undoing, error) {
	switch {
	case u.Redo:
		return o.undoer.Redoing(ctx, string(u.Run.ID))
	case u.Chosen:
		return o.undoer.Change(ctx, u.Number)
	}
	return o.undoer.Undoing(ctx, string(u.Run.ID))
}

func (e *Undoer) undiscard(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*Undone, error) {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	u, err := e.restore(ctx, id, &j.Run)
	if err != nil {
		return nil, err
	}
	u.What = what
	return u, e.undoFileChanges(ctx, id, what)
}

// undoFileChanges takes back what a discard changed in another system's files. It also shows the work again if it is hidden. Another
// command may have hidden it, for example an earlier discard that was killed.
func (e *Undoer) undoFileChanges(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) error {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return err
	}
	for _, l := range lines {
		hides := l.Event.Name == sources.Hide && !checkpoint.IsUndone(lines, l.Event.ID)
		if !l.Ours || l.Event.Event != checkpoint.RunActed || !hides && writer(l.Event) != writer(what) {
			continue
		}
		if _, err := e.undoGroup(ctx, id, []checkpoint.Event{l.Event}); err != nil {
			return err
		}
	}
	return nil
}

// undoGroup undoes a group of journal lines. If the change moved the base, it moves the base back. If the change wrote files of another
// system, it changes these files back. Then it appends lines that cancel the group.
func (e *Undoer) undoGroup(ctx context.Context, id checkpoint.RunID, group []checkpoint.Event) (*Undone, error) {
	unlock, err := e.lockBase(ctx, id, group[0])
	if err != nil {
		return nil, err
	}
	defer unlock()
	if !(obstacles{e}).onlyPause(ctx, id, group[0]) {
		release, err := e.Staging.Hold(id)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	now, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := site.MustOwn(&now.Run); err != nil {
		return nil, err // refuse before anything is moved, because the undo could not be recorded for a run that is not ours
	}
	if group[0].Event == checkpoint.RunMerged && now.Run.Discarded {
		return nil, candidate.ErrMoved // undoing the merge would move the base back, but perhaps only the base still has the commits of this discarded run
	}
	if err := errors.Join(e.moveBase(ctx, &now.Run, group[0]), e.Adopt.FlipDeed(ctx, id, group[0])); err != nil {
		return nil, err
	}
	j, err := e.Store.Append(ctx, id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		var out []checkpoint.Event
		// The change itself is the first event of the group. Undo it last, because a redo looks only at the newest undo.
		for _, what := range slices.Backward(group) {
			out = append(out, checkpoint.Event{Event: checkpoint.Undone, Undoes: what.ID})
		}
		return out, nil
	}})
	if err != nil {
		return nil, err
	}
	return &Undone{Journal: j, What: group[0]}, nil
}

// onlyPause reports whether a change paused the run or undid such a pause. The undo of this change only writes to the journal, and changes
// no files or branches. So the undo is allowed even while somebody executes the run.
func (o obstacles) onlyPause(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) bool {
	first, _, err := o.undoer.Adopt.FirstOf(ctx, id, what)
	return err == nil && first.Event == checkpoint.RunPaused
}

func (e *Undoer) restore(ctx context.Context, id checkpoint.RunID, r *checkpoint.Run) (*Undone, error) {
	release, err := e.Staging.Hold(id)
	if err != nil {
		return nil, err
	}
	defer release()
	out := &Undone{}
	record := func(ctx context.Context, back trash.Undone) error {
		ev := checkpoint.Event{Event: checkpoint.RunRestored}
		// Record the worktree only if it was ready before the discard and is a linked worktree now. Any other worktree may be incomplete.
		if p, err := locate.Find(back.Path, nil); r.Admin != "" && !r.Here && back.Path != "" && err == nil && site.AdminOf(p) != site.MainAdmin {
			ev.Worktree, ev.Admin = back.Path, site.AdminOf(p)
		}
		// If an older version of git-resume discarded the run, its journal has no signature. Then Append accepts a line only if Takeover is
		// set. Here Takeover has no other effect: before the run continues, a person must still take it over.
		unsigned := r.Lack == checkpoint.LackSignature
		out.Journal, err = e.Store.Append(ctx, id, journal.Batch{Takeover: unsigned, Decide: func(now *checkpoint.Run) ([]checkpoint.Event, error) {
			if !now.Discarded {
				return nil, nil
			}
			return []checkpoint.Event{ev}, nil
		}})
		return err
	}
	back, err := trash.Undo(ctx, e.Repo, trash.UndoRequest{Run: string(id), Record: record, Now: e.Now})
	if errors.Is(err, trash.ErrNothingDiscarded) && r.Here {
		return out, record(ctx, trash.Undone{})
	}
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(back.Path); err != nil {
		back.Path = "" // the worktree was already missing when the run was discarded
	}
	out.Back = &back
	return out, nil
}
