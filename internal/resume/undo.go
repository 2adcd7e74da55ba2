package resume

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/worktree"
)

// Undone is what an undo reversed.
type Undone struct {
	Journal *checkpoint.Journal
	// What names the change that was reversed.
	What checkpoint.Event
	// Back is the worktree that came back, Again what was dropped once more.
	Back  *worktree.Undone
	Again *Dropped
}

// ErrNothingToUndo says that nobody changed a run in a way that can be reversed.
var ErrNothingToUndo = errors.New("there is nothing to undo")

// ErrOvertaken says that to reverse the newest change would change nothing any more.
var ErrOvertaken = fmt.Errorf("%w: the newest change makes no difference any more, for the run went on since", ErrNothingToUndo)

// personal are the changes that a person makes to a run; reports of work are never undone.
var personal = []checkpoint.Kind{
	checkpoint.RunDiscarded, checkpoint.RunRestored, checkpoint.RunFinished, checkpoint.RunPaused, checkpoint.RunSuperseded,
	checkpoint.TaskSkipped, checkpoint.TaskAnswered, checkpoint.TaskReset, checkpoint.RunPlanned, checkpoint.RunMerged, checkpoint.RunActed, checkpoint.Undone,
}

// byPerson reports a change that can be taken back. To continue a run is one only if that ended a pause:
// what was reported since is never undone, and else nothing would be different.
func byPerson(e checkpoint.Event) bool {
	return slices.Contains(personal, e.Event) || e.Event == checkpoint.RunResumed && e.Cause == endedPause
}

// endedPause is noted where a run that was stopped on purpose is continued.
const endedPause = "paused"

// Undo reverses the newest change that a person made to a run; twice is as if nothing had been done.
func (e *Engine) Undo(ctx context.Context, run string) (*Undone, error) {
	id, err := e.undoable(ctx, run)
	if err != nil {
		return nil, err
	}
	group, err := e.lastChange(ctx, id)
	if err != nil {
		return nil, err
	}
	what := group[0]
	switch what.Event {
	case checkpoint.RunDiscarded:
		return e.undiscard(ctx, id, what)
	case checkpoint.RunRestored:
		again, err := e.Discard(ctx, id, DiscardForced)
		if err != nil {
			return nil, err
		}
		return &Undone{Journal: again.Journal, Again: again, What: what}, nil
	}
	return e.takeBack(ctx, id, group)
}

func (e *Engine) undiscard(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*Undone, error) {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	u, err := e.restore(ctx, id, &j.Run)
	if err != nil {
		return nil, err
	}
	u.What = what
	return u, e.actedWith(ctx, id, what)
}

// actedWith takes back what the same command did to the files of the work's own system.
func (e *Engine) actedWith(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) error {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if l.Bad || l.Event.Event != checkpoint.RunActed || writer(l.Event) != writer(what) {
			continue
		}
		if _, err := e.takeBack(ctx, id, []checkpoint.Event{l.Event}); err != nil {
			return err
		}
	}
	return nil
}

// takeBack appends lines that take other ones' word away.
func (e *Engine) takeBack(ctx context.Context, id checkpoint.RunID, group []checkpoint.Event) (*Undone, error) {
	release, err := e.Store.Hold(id)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := errors.Join(e.moveBase(ctx, id, group[0]), e.flipDeed(ctx, id, group[0])); err != nil {
		return nil, err
	}
	j, err := e.Store.Append(ctx, id, checkpoint.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		var out []checkpoint.Event
		for _, what := range group {
			out = append(out, checkpoint.Event{Event: checkpoint.Undone, Undoes: what.ID})
		}
		return out, nil
	}})
	if err != nil {
		return nil, err
	}
	return &Undone{Journal: j, What: group[0]}, nil
}

// BaseMovedError says that a merge cannot be undone, for more was built on it.
type BaseMovedError struct {
	Base      string
	Want, Now gitstate.OID
}

func (e *BaseMovedError) Error() string {
	return fmt.Sprintf("branch '%s' has moved on since: it is at %s, not at %s", e.Base, e.Now.Short(), e.Want.Short())
}

// moveBase takes the base back behind a merge, or forward again when the undo of one is undone.
// It moves the base before that is recorded: a kill in between finds it moved, and only records.
func (e *Engine) moveBase(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) error {
	from, to := what.Commit, what.BaseTip
	if what.Event == checkpoint.Undone {
		merge, err := e.undoneMerge(ctx, id, what)
		if err != nil || merge == nil {
			return err
		}
		from, to = merge.BaseTip, merge.Commit
	} else if what.Event != checkpoint.RunMerged {
		return nil
	}
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	now, err := e.Repo.Ref(ctx, "refs/heads/"+j.Run.Base.Name)
	switch {
	case err != nil || now == to:
		return err
	case now != from:
		return &BaseMovedError{j.Run.Base.Name, from, now}
	}
	tree, err := e.baseTree(ctx, &j.Run)
	if err != nil {
		return err
	}
	defer tree.Close()
	// It keeps what is uncommitted there, and refuses where it could not.
	_, err = tree.Git(ctx, gitstate.Call{
		Args: []string{"reset", "-q", "--keep", string(to)}, Mode: gitstate.Write, Locks: moveLocks(tree, "refs/heads/"+j.Run.Base.Name),
	})
	return err
}

// undoneMerge is the merge that an undo took back, also through undos of undos; nil if it was something else.
func (e *Engine) undoneMerge(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*checkpoint.Event, error) {
	what, flips, err := e.firstOf(ctx, id, what)
	if err != nil {
		return nil, err
	}
	if what.Event != checkpoint.RunMerged {
		return nil, nil
	}
	if flips%2 == 0 { // the newest undo had brought the merge back: now it goes again
		what.Commit, what.BaseTip = what.BaseTip, what.Commit
	}
	return &what, nil
}

// lastChange is the newest personal change, with all that the same command did of that sort:
// going on from a task resets every one behind it.
func (e *Engine) lastChange(ctx context.Context, id checkpoint.RunID) ([]checkpoint.Event, error) {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return nil, err
	}
	group := newest(lines)
	switch {
	case len(group) == 0:
		return nil, ErrNothingToUndo
	case overtaken(id, lines, group):
		return group, ErrOvertaken
	}
	return group, nil
}

func newest(lines []checkpoint.Line) (group []checkpoint.Event) {
	for _, l := range slices.Backward(lines) {
		switch {
		case l.Bad || !byPerson(l.Event):
		case len(group) == 0, l.Event.Event == group[0].Event && writer(l.Event) == writer(group[0]):
			group = append(group, l.Event)
		default:
			return group
		}
	}
	return group
}

// overtaken reports that a change would be taken back in vain: what was reported since decides anyway.
// To pass on to an older change, which the user does not think of any more, would be a surprise.
func overtaken(id checkpoint.RunID, lines []checkpoint.Line, group []checkpoint.Event) bool {
	what, _ := origin(lines, group[0])
	switch what.Event {
	case checkpoint.RunPaused, checkpoint.RunResumed, checkpoint.TaskSkipped, checkpoint.TaskAnswered, checkpoint.TaskReset:
	case "":
		return true // about nothing that is here
	default:
		return false // there is more to it than its word
	}
	before := checkpoint.Fold(id, lines, nil)
	last := before.Seq
	for i, e := range group {
		last++
		line := checkpoint.Event{Seq: fmt.Sprintf("%010d", last), ID: fmt.Sprintf("~.%d", i), Event: checkpoint.Undone, Undoes: e.ID}
		lines = append(slices.Clip(lines), checkpoint.Line{Event: line})
	}
	after := checkpoint.Fold(id, lines, nil)
	return before.Paused == after.Paused && before.Finished == after.Finished && reflect.DeepEqual(before.Tasks, after.Tasks)
}

// writer is the process that wrote an event.
func writer(e checkpoint.Event) string {
	nonce, _, _ := strings.Cut(e.ID, ".")
	return nonce
}

// undoable finds the run that is meant: the named one, else the one that a person changed last.
func (e *Engine) undoable(ctx context.Context, run string) (checkpoint.RunID, error) {
	if run != "" {
		return e.Resolve(ctx, run)
	}
	all, err := e.summaries(ctx, checkpoint.AllRuns)
	if err != nil {
		return "", err
	}
	var found checkpoint.RunID
	var newest time.Time
	for _, s := range all { // the most recently active first
		if s.Run.LastAt.Before(newest) {
			break
		}
		group, err := e.lastChange(ctx, s.Run.ID)
		if (err == nil || errors.Is(err, ErrOvertaken)) && group[0].At.After(newest) {
			found, newest = s.Run.ID, group[0].At
		}
	}
	if found == "" {
		return "", ErrNothingToUndo
	}
	return found, nil
}
