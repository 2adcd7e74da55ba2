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

// HandOver: it takes back that work was given to somebody, and changes no file.
func (u *Undoing) HandOver() bool { return handsOver(u.What) }

// Undoing is a change that can be taken back, as it is shown before anything is done.
type Undoing struct {
	Run checkpoint.Run
	// Lines are what the change consists of, the newest first; What is the change itself.
	Lines []checkpoint.Event
	What  checkpoint.Event
	// Redo: it is an undo that is taken back; What is the change that is done again.
	Redo bool
	// Base, From and To say which branch would move, and where; empty if none does.
	Base     string
	From, To object.ID
	// Path is where a worktree would come back to.
	Path string
	// Files are those of another system that would change.
	Files []FileBack
	// Unmakes is the worktree that was made by it and would be removed again; nil if none would.
	Unmakes *Unmade
	// Unsure: nothing proves that somebody did this here; a person must say so at a terminal.
	Unsure bool
	// Overtaken: it would change nothing any more.
	Overtaken bool
	// Committed are files that would be removed and that were committed meanwhile; WentOn is when the work's own system acted on it since.
	Committed []string
	WentOn    time.Time
}

// Weighty: others may rely on what would be taken back, so that a person has to say yes to it.
func (u *Undoing) Weighty() bool { return len(u.Committed) > 0 || !u.WentOn.IsZero() }

// Hands: the work was handed over in a worktree that was made for it, and no file of its system was changed.
func (u *Undoing) Hands() bool {
	return u.What.Event == checkpoint.RunActed && u.What.Name != sources.Hide && !candidate.WroteFiles(u.What)
}

// FileBack is what becomes of one file of another system: it is removed, restored, changed back or moved to another place.
type FileBack struct{ Does, Path, To, Tree string }

// ErrNothingToUndo says that nobody changed a run in a way that can be reversed.
var ErrNothingToUndo = errors.New("there is nothing to undo")

// NothingToUndoError says that nothing is left to take back, or to do again.
type NothingToUndoError struct {
	// Run is the run that was named, if one was; Again the one whose last undo can be taken back.
	Run, Again string
	// Redo: an undo was to be taken back.
	Redo bool
	// Made is a worktree that was made to continue other systems' work, and Of that work: it is dropped by a discard.
	Made, Of string
}

func (e *NothingToUndoError) Error() string {
	switch {
	case e.Redo:
		return "there is no undo to take back, or something else was done since"
	case e.Again != "":
		return "there is nothing more to undo"
	}
	return ErrNothingToUndo.Error()
}

func (e *NothingToUndoError) Unwrap() error { return ErrNothingToUndo }

// ErrOvertaken says that to reverse the newest change would change nothing any more.
var ErrOvertaken = fmt.Errorf("%w: the newest change makes no difference any more, for the run went on since", ErrNothingToUndo)

// ErrRedoOvertaken says that to take the newest undo back would change nothing any more.
var ErrRedoOvertaken = fmt.Errorf("%w: to do that again would make no difference any more, for the run went on since", ErrNothingToUndo)

// NotHereError says that the newest change of a run is not on record as one that a person made in this clone.
type NotHereError struct {
	Run  checkpoint.RunID
	What checkpoint.Kind
}

func (e *NotHereError) Error() string {
	return fmt.Sprintf("the newest change of run '%s' was not made in this clone by this user", e.Run)
}

// Weigh adds what others may have built on a file that an undo would remove: it was committed, or the work went on since.
// Nobody but its writer knows of a file that was made moments ago; a record that others have read is another matter.
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
		if err == nil && len(versions) > 0 { // a branch without a commit has none
			u.Committed = append(u.Committed, f.Path)
		}
	}
	all, err := e.Find.Foreign(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if f := &all[i]; f.Source == u.Run.Source && f.ID == u.Run.SourceID {
			return e.wentOn(ctx, u, f)
		}
	}
	return nil
}

// wentOn adds when somebody else worked on it since; what we wrote ourselves, by an undo too, is nobody's work.
func (e *Undoer) wentOn(ctx context.Context, u *Undoing, f *sources.Found) error {
	now, err := e.Find.Lookup(ctx, candidate.FoundKey(f))
	if err != nil {
		return err
	}
	const apart = 2 * time.Second // the action itself is recorded a moment after its files
	if last := now.Run.LastAt; last.After(u.What.At.Add(apart)) {
		u.WentOn = last
	}
	return nil
}

// Undoing finds the newest change that a person made and that is not undone: to the named run, else to any.
// The order is that of this clone's own file of acts, never that of a clock.
func (e *Undoer) Undoing(ctx context.Context, run string) (*Undoing, error) {
	only, err := e.onlyRun(ctx, run)
	if err != nil {
		return nil, err
	}
	all, err := e.Changes(ctx, only, 1)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		return e.possible(ctx, &all[0])
	}
	if only != "" {
		if u, err := e.unproven(ctx, only); u != nil || err != nil {
			return u, err
		}
	}
	none := &NothingToUndoError{Run: e.called(ctx, only)}
	again, err := e.undos(ctx, only)
	if err == nil && again != nil && !again.Overtaken {
		none.Again = e.called(ctx, again.Run.ID)
	}
	return nil, e.tellMade(ctx, only, none)
}

// tellMade adds a worktree that was made to continue work of another system: an undo takes back what was written, and a discard drops it.
func (e *Undoer) tellMade(ctx context.Context, only checkpoint.RunID, none *NothingToUndoError) error {
	all, err := e.Find.Status(ctx, journal.OpenRuns)
	if err != nil {
		return err
	}
	for i := range all {
		if s := &all[i]; none.Made == "" && s.Found != nil && (only == "" || s.Run.ID == only) {
			none.Made, none.Of = e.madeTree(ctx, s.Run.ID), s.Called()
		}
	}
	return none
}

// madeTree is the worktree that we made to continue work of another system, as long as it is there.
func (e *Undoer) madeTree(ctx context.Context, id checkpoint.RunID) string {
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

// Redoing finds the newest undo, if nothing else was done since: to the named run, else to any.
func (e *Undoer) Redoing(ctx context.Context, run string) (*Undoing, error) {
	only, err := e.onlyRun(ctx, run)
	if err != nil {
		return nil, err
	}
	u, err := e.undos(ctx, only)
	if err != nil {
		return nil, err
	}
	if u == nil {
		return nil, &NothingToUndoError{Run: e.called(ctx, only), Redo: true}
	}
	return e.possible(ctx, u)
}

// onlyRun is the run that is named; empty where none is.
func (e *Undoer) onlyRun(ctx context.Context, run string) (checkpoint.RunID, error) {
	if run == "" {
		return "", nil
	}
	return e.Find.Resolve(ctx, run)
}

// LostTreeError says that a change was made in a worktree that is not there any more, so that nothing of it can be taken back.
type LostTreeError struct {
	Path string
	// Branch is what was checked out there, where git still has it on record; empty otherwise.
	Branch refs.Name
}

func (e *LostTreeError) Error() string {
	return fmt.Sprintf("it was done in the worktree '%s', which is not there any more", e.Path)
}

// possible refuses, before anybody is asked, what cannot be done.
func (e *Undoer) possible(ctx context.Context, u *Undoing) (*Undoing, error) {
	if u, err := notOvertaken(u); err != nil {
		return u, err
	}
	acted, _, err := e.Adopt.FirstOf(ctx, u.Run.ID, u.What)
	if err != nil || acted.Event != checkpoint.RunActed || acted.Name == sources.Hide {
		return u, err
	}
	if candidate.WroteFiles(acted) {
		changes, err := candidate.LoadDeed(ctx, e.Repo, candidate.DeedOf(ctx, e.Repo, u.Run.ID, acted))
		if err != nil {
			return u, nil // whoever does it says so
		}
		for _, c := range changes {
			if lost := e.lostTree(c.Tree); lost != nil {
				return u, lost
			}
		}
	}
	if u.What.Name == sources.Continue && !u.Redo {
		u.Unmakes = e.unmakes(ctx, &u.Run, u.What)
	}
	return u, nil
}

// lostTree tells of a worktree that was deleted; nil if its folder is there.
func (e *Undoer) lostTree(path string) error {
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

// called is the name under which people know a run; empty for none.
func (e *Undoer) called(ctx context.Context, id checkpoint.RunID) string {
	if id == "" {
		return ""
	}
	s := candidate.Summary{Run: checkpoint.Run{ID: id}}
	if j, err := e.Store.Load(ctx, id); err == nil {
		s.Run = j.Run
	}
	return s.Called()
}

// unproven is the newest change of a run that an older version recorded. Only a discard can be taken back:
// what it kept is in this clone's own files.
func (e *Undoer) unproven(ctx context.Context, id checkpoint.RunID) (*Undoing, error) {
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
