package discard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
)

// Undoing describes the undo of a change, or its redo, before anything is done.
type Undoing struct {
	Run checkpoint.Run
	// Lines holds the journal lines that the undo cancels. The field What holds the change itself.
	Lines []checkpoint.Event
	What  checkpoint.Event
	// Number is the number of the change in the list of changes; zero if the change is not in that list. The field By is who asked for the
	// change; nil if that is not known.
	Number int
	By     *checkpoint.Caller
	// Chosen is true if the user named the change by its number.
	Chosen bool
	// Redo is true if an undo is to be reversed. The field What then holds the change that is made again.
	Redo bool
	// Base is the branch that would be moved; empty if no branch would be moved. From and To are its commits before and after the move.
	Base     string
	From, To object.ID
	// Path is the path at which a worktree would be restored; empty if none would be.
	Path string
	// FilesBack is the worktree whose files would be changed back to those of a snapshot; nil if there is none.
	FilesBack *FilesBack
	// Files lists the files of another system that would change.
	Files []FileBack
	// Finish is true if the undo was recorded already, but killed before it had changed all files.
	Finish bool
	// Unmakes is the worktree that the change created and that the undo would remove; nil if there is none.
	Unmakes *RemovedWorktree
	// Unsure is true if nothing proves that the change was made in this clone.
	Unsure bool
	// Overtaken is true if undoing the change would no longer have any effect.
	Overtaken bool
	// Committed lists files that the undo would remove although they are committed. WentOn is when somebody last worked on the run, if
	// that was after the change; otherwise it is zero.
	Committed []string
	WentOn    time.Time
}

// Weighty reports whether others may rely on the change, so that a person has to confirm the undo.
func (u *Undoing) Weighty() bool { return len(u.Committed) > 0 || !u.WentOn.IsZero() }

// HandOver reports whether the change only handed the work over to somebody. A hand-over may create a worktree, but it changes no file of
// the other system.
func (u *Undoing) HandOver() bool { return isHandOver(u.What) || isHandOverWithTree(u.What) }

// FileBack says how an undo changes one file of another system. The field Does is "remove", "restore", "change" or "move". The field To is
// set for a move.
type FileBack struct {
	Does, Path, To, Tree string
	// The field Was holds the content before the undo, and Now the content after it. nil means that the file does not exist.
	Was, Now []byte
}

// ErrNothingToUndo says that there is nothing to undo or to redo.
var ErrNothingToUndo = errors.New("there is nothing to undo")

// NothingToUndoError says that nothing is left to undo or to redo.
type NothingToUndoError struct {
	// Run is the run that the user named; empty if none was named. The field Again is a run whose last undo can be reversed; empty if there
	// is none.
	Run, Again string
	// Redo is true if the user wanted to reverse an undo.
	Redo bool
	// Made is a worktree that was created to continue another system's work, and the field Of is the name of that work. Undo does not
	// remove this worktree, but a discard can.
	Made, Of string
}

func (e *NothingToUndoError) Error() string {
	switch {
	case e.Redo:
		return "nothing can be redone: there was no undo, or something else was changed after it"
	case e.Again != "":
		return "there is nothing more to undo"
	}
	return ErrNothingToUndo.Error()
}

func (e *NothingToUndoError) Unwrap() error { return ErrNothingToUndo }

// ErrOvertaken says that undoing the newest change would no longer have any effect.
var ErrOvertaken = fmt.Errorf("%w: because of later records of the run, undoing the last change would have no effect", ErrNothingToUndo)

// ErrRedoOvertaken says that reversing the newest undo would no longer have any effect.
var ErrRedoOvertaken = fmt.Errorf("%w or redo: because of later records of the run, redoing the last undo would have no effect", ErrNothingToUndo)

// NotHereError says that a run's last change cannot be undone, because nothing proves that it was made in this clone.
type NotHereError struct {
	Run checkpoint.RunID
	// What is the kind of the last event in the run's journal.
	What checkpoint.Kind
}

func (e *NotHereError) Error() string {
	return fmt.Sprintf("nothing proves that this user made the newest change of run '%s' in this clone, so it cannot be undone here", e.Run)
}

// Weigh looks for reasons against an undo that would remove files. It puts those files that are committed into u.Committed, because other
// people may rely on them. If somebody continued the work after the change, it sets u.WentOn to the time of the last work.
func (e *Undoer) Weigh(ctx context.Context, u *Undoing) error {
	removes := slices.DeleteFunc(slices.Clone(u.Files), func(f FileBack) bool { return f.Does != "remove" })
	if len(removes) == 0 {
		return nil
	}
	view := e.Find.View(ctx)
	for _, f := range removes {
		tree, ok := view.At(f.Tree)
		if !ok {
			continue
		}
		versions, err := view.History(ctx, tree, f.Path, 1)
		if err == nil && len(versions) > 0 { // after an error, the file counts as not committed
			u.Committed = append(u.Committed, f.Path)
		}
	}
	all, err := e.Find.Foreign(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if f := &all[i]; f.Is(u.Run.Source, u.Run.SourceID) {
			return e.addWentOn(ctx, u, f)
		}
	}
	return nil
}

// addWentOn sets u.WentOn to the time of the last work on the run, if that was after the change.
func (e *Undoer) addWentOn(ctx context.Context, u *Undoing, f *sources.Found) error {
	now, err := e.Find.Lookup(ctx, candidate.FoundKey(f))
	if err != nil {
		return err
	}
	const apart = 2 * time.Second // the files that we change and our journal line about them get slightly different times
	if last := now.Run.LastAt; last.After(u.What.At.Add(apart)) {
		u.WentOn = last
	}
	return nil
}

// Undoing finds the newest change that a person made and has not undone. If the undo of a restore was killed, it returns that undo instead,
// so that it can be finished. If the argument run is empty, it looks in all runs.
func (e *Undoer) Undoing(ctx context.Context, run string) (*Undoing, error) {
	only, err := e.namedRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if u, err := (unrestorer{e}).unfinished(ctx, only, false); u != nil || err != nil {
		return u, err
	}
	all, err := e.Changes(ctx, only, 1)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		return obstacles{e}.refuseBlocked(ctx, &all[0])
	}
	if only != "" {
		if u, err := e.unsignedChange(ctx, only); u != nil || err != nil {
			return u, err
		}
	}
	none := &NothingToUndoError{Run: e.displayName(ctx, only)}
	again, err := e.newestUndo(ctx, only)
	if err == nil && again != nil && !again.Overtaken {
		none.Again = e.displayName(ctx, again.Run.ID)
	}
	return nil, e.addCreatedWorktree(ctx, only, none)
}

// addCreatedWorktree returns the given error, which says that there is nothing to undo. If a worktree was created to continue another
// system's work, it first adds the path of that worktree to the error: an undo does not remove such a worktree, but a discard can.
func (e *Undoer) addCreatedWorktree(ctx context.Context, only checkpoint.RunID, none *NothingToUndoError) error {
	all, err := e.Find.Status(ctx, journal.OpenRuns)
	if err != nil {
		return err
	}
	for i := range all {
		if s := &all[i]; none.Made == "" && s.Found != nil && (only == "" || s.Run.ID == only) {
			none.Made, none.Of = e.createdWorktree(ctx, s.Run.ID), s.Called()
		}
	}
	return none
}

// createdWorktree returns the worktree that we created last to continue another system's work. It returns "" if there is none, or if git
// no longer knows the worktree.
func (e *Undoer) createdWorktree(ctx context.Context, id checkpoint.RunID) string {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return ""
	}
	for _, l := range slices.Backward(lines) {
		if l.Ours && l.Event.Event == checkpoint.RunResumed && l.Event.Worktree != "" {
			if place, ok := e.Adopt.RegisteredAt(l.Event.Worktree); ok {
				return place.WorkTree
			}
			break
		}
	}
	return ""
}

// Redoing finds the newest undo. It returns an error if there is none, or if a person has changed something since. If the argument run is
// empty, it looks in all runs.
func (e *Undoer) Redoing(ctx context.Context, run string) (*Undoing, error) {
	only, err := e.namedRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if u, err := (unrestorer{e}).unfinished(ctx, only, true); u != nil || err != nil {
		return u, err
	}
	u, err := e.newestUndo(ctx, only)
	if err != nil {
		return nil, err
	}
	if u == nil {
		return nil, &NothingToUndoError{Run: e.displayName(ctx, only), Redo: true}
	}
	if err := (obstacles{e}).refuseMove(ctx, u, nil); err != nil {
		return u, err
	}
	return e.refuseImpossible(ctx, u)
}

// namedRun returns the run that the user named; empty if none was named.
func (e *Undoer) namedRun(ctx context.Context, run string) (checkpoint.RunID, error) {
	if run == "" {
		return "", nil
	}
	return e.Find.Resolve(ctx, run)
}

// LostTreeError says that a change cannot be undone because it was made in a worktree that no longer exists.
type LostTreeError struct {
	Path string
	// Branch is the branch that was checked out in that worktree; empty if git no longer knows.
	Branch refs.Name
}

func (e *LostTreeError) Error() string {
	return fmt.Sprintf("the change was made in the worktree '%s', which no longer exists", e.Path)
}

// refuseImpossible returns an error for an undo that is known not to work. Otherwise it adds to u which files the undo would restore, and
// which worktree it would remove.
func (e *Undoer) refuseImpossible(ctx context.Context, u *Undoing) (*Undoing, error) {
	if u, err := notOvertaken(u); err != nil {
		return u, err
	}
	if err := (unrestorer{e}).find(ctx, u); err != nil {
		return u, err
	}
	acted, _, err := e.Adopt.FirstOf(ctx, u.Run.ID, u.What)
	if err != nil || acted.Event != checkpoint.RunActed || acted.Name == sources.Hide {
		return u, err
	}
	if candidate.WroteFiles(acted) {
		changes, err := candidate.LoadDeed(ctx, e.Repo, candidate.DeedOf(ctx, e.Repo, u.Run.ID, acted))
		if err != nil {
			return u, nil // the old contents of the files cannot be loaded, and the undo itself will report that
		}
		for _, c := range changes {
			if lost := e.checkWorktreeExists(c.Tree); lost != nil {
				return u, lost
			}
		}
	}
	if u.What.Name == sources.Continue && !u.Redo {
		u.Unmakes = e.findUnchangedWorktree(ctx, &u.Run, u.What)
	}
	return u, nil
}

// checkWorktreeExists returns an error for a worktree whose folder was deleted.
func (e *Undoer) checkWorktreeExists(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &LostTreeError{Path: path, Branch: candidate.LostBranch(e.Repo, path)}
}

func notOvertaken(u *Undoing) (*Undoing, error) {
	switch {
	case u.Overtaken && u.Redo:
		return u, ErrRedoOvertaken
	case u.Overtaken:
		return u, ErrOvertaken
	}
	return u, nil
}

// displayName returns the name by which people know a run; empty for no run.
func (e *Undoer) displayName(ctx context.Context, id checkpoint.RunID) string {
	if id == "" {
		return ""
	}
	s := candidate.Summary{Run: checkpoint.Run{ID: id}}
	if j, err := e.Store.Load(ctx, id); err == nil {
		s.Run = j.Run
	}
	return s.Called()
}

// unsignedChange returns the newest change of a run if this clone recorded it as a discard without a signature, as older versions of
// git-resume did. Otherwise it returns no change, and a *NotHereError if the run is not ours.
func (e *Undoer) unsignedChange(ctx context.Context, id checkpoint.RunID) (*Undoing, error) {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if j.Run.LastEvent == checkpoint.RunDiscarded && j.Run.Lack == checkpoint.LackSignature && e.Store.Folder().ClosedHere(id) {
		return &Undoing{Run: j.Run, What: checkpoint.Event{Event: checkpoint.RunDiscarded, At: j.Run.LastAt}, Path: j.Run.Worktree, Unsure: true}, nil
	}
	if !j.Run.Ours() {
		return nil, &NotHereError{Run: id, What: j.Run.LastEvent}
	}
	return nil, nil
}
