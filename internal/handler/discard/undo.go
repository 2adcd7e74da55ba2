package discard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Undone is what an undo reversed.
type Undone struct {
	Journal *journal.Journal
	// What names the change that was reversed, or done again.
	What checkpoint.Event
	// Redo: an undo was taken back.
	Redo bool
	// Back is the worktree that came back, Again what was dropped once more.
	Back  *trash.Undone
	Again *Dropped
	// Base is the branch that moved, and From and To say where; empty if none did.
	Base     string
	From, To object.ID
	// Made is a worktree that was made to continue the work, and that stays.
	Made string
}

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

// FileBack is what becomes of one file of another system: it is removed, restored, changed back or moved to another place.
type FileBack struct{ Does, Path, To, Tree string }

// Weigh adds what others may have built on a file that an undo would remove: it was committed, or the work went on since.
// Nobody but its writer knows of a file that was made moments ago; a record that others have read is another matter.
func (e *Dropper) Weigh(ctx context.Context, u *Undoing) error {
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
	const apart = 2 * time.Second // the action itself is recorded a moment after its files
	for i := range all {
		if f := &all[i]; f.Source == u.Run.Source && f.ID == u.Run.SourceID && f.Active.After(u.What.At.Add(apart)) {
			u.WentOn = f.Active
		}
	}
	return nil
}

// Undoing finds the newest change that a person made and that is not undone: to the named run, else to any.
// The order is that of this clone's own file of acts, never that of a clock.
func (e *Dropper) Undoing(ctx context.Context, run string) (*Undoing, error) {
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
func (e *Dropper) tellMade(ctx context.Context, only checkpoint.RunID, none *NothingToUndoError) error {
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
func (e *Dropper) madeTree(ctx context.Context, id checkpoint.RunID) string {
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
func (e *Dropper) Redoing(ctx context.Context, run string) (*Undoing, error) {
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
func (e *Dropper) onlyRun(ctx context.Context, run string) (checkpoint.RunID, error) {
	if run == "" {
		return "", nil
	}
	return e.Find.Resolve(ctx, run)
}

// LostTreeError says that a change was made in a worktree that is not there any more, so that nothing of it can be taken back.
type LostTreeError struct {
	Path string
	// Branch is what was checked out there, where git still has it on record; empty otherwise.
	Branch string
}

func (e *LostTreeError) Error() string {
	return fmt.Sprintf("it was done in the worktree '%s', which is not there any more", e.Path)
}

// possible refuses, before anybody is asked, what cannot be done.
func (e *Dropper) possible(ctx context.Context, u *Undoing) (*Undoing, error) {
	if u, err := notOvertaken(u); err != nil {
		return u, err
	}
	acted, _, err := e.Adopt.FirstOf(ctx, u.Run.ID, u.What)
	if err != nil || acted.Event != checkpoint.RunActed || acted.Name == sources.Hide {
		return u, err
	}
	changes, err := e.Find.LoadDeed(ctx, e.Find.DeedOf(ctx, u.Run.ID, acted))
	if err != nil {
		return u, nil // whoever does it says so
	}
	for _, c := range changes {
		if lost := e.lostTree(c.Tree); lost != nil {
			return u, lost
		}
	}
	return u, nil
}

// lostTree tells of a worktree that was deleted; nil if its folder is there.
func (e *Dropper) lostTree(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &LostTreeError{Path: path, Branch: e.Find.LostBranch(path)}
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
func (e *Dropper) called(ctx context.Context, id checkpoint.RunID) string {
	if id == "" {
		return ""
	}
	s := candidate.Summary{Run: checkpoint.Run{ID: id}}
	if j, err := e.Store.Load(ctx, id); err == nil {
		s.Run = j.Run
	}
	return s.Called()
}

// Changes lists the changes that a person made in this clone and that are not undone, the newest first, at most so many.
// An undo is none of them: who repeats it wants what was done before, and takes it back by a command of its own.
func (e *Dropper) Changes(ctx context.Context, only checkpoint.RunID, most int) ([]Undoing, error) {
	var out []Undoing
	err := e.walk(ctx, only, func(h history, id checkpoint.RunID, group []checkpoint.Event) (bool, error) {
		if isUndo(group[0]) || group[0].Event == checkpoint.RunDiscarded && h.restored(ctx, id, group[0]) {
			return true, nil
		}
		u, err := h.describe(ctx, id, group)
		if err == nil {
			out = append(out, *u)
		}
		return len(out) < most, err
	})
	return out, err
}

// undos finds the newest undo that can be taken back; nil if there is none, or something was done since.
func (e *Dropper) undos(ctx context.Context, only checkpoint.RunID) (out *Undoing, err error) {
	err = e.walk(ctx, only, func(h history, id checkpoint.RunID, group []checkpoint.Event) (bool, error) {
		what, flips := candidate.Origin(h.of(ctx, id), group[0])
		switch {
		case !isUndo(group[0]):
			return false, nil
		case group[0].Event == checkpoint.Undone && flips%2 == 0:
			return true, nil // it took an undo back
		case group[0].Event == checkpoint.RunRestored:
			what = checkpoint.Event{Event: checkpoint.RunDiscarded, At: group[0].At}
		}
		u, err := h.describe(ctx, id, group)
		if err == nil {
			out, u.What, u.Redo = u, what, true
		}
		return false, err
	})
	return out, err
}

// isUndo tells what an undo recorded from what a person changed.
func isUndo(e checkpoint.Event) bool {
	return e.Event == checkpoint.Undone || e.Event == checkpoint.RunRestored
}

// walk goes through the changes in this clone that still count, the newest first, until it is told to stop.
func (e *Dropper) walk(ctx context.Context, only checkpoint.RunID, see func(history, checkpoint.RunID, []checkpoint.Event) (bool, error)) error {
	acts, err := e.Store.Folder().Acts()
	if err != nil {
		return fmt.Errorf("read what was done here: %w", err)
	}
	h := history{Site: e.Site, dropper: e, lines: map[checkpoint.RunID][]checkpoint.Line{}}
	for i := 0; i < len(acts); {
		group := h.group(ctx, acts[i:])
		if len(group) > 0 && (only == "" || acts[i].Run == only) {
			if more, err := see(h, acts[i].Run, group); err != nil || !more {
				return err
			}
		}
		i += max(1, len(group))
	}
	return nil
}

// history looks acts up in the journals.
type history struct {
	*site.Site
	dropper *Dropper
	lines   map[checkpoint.RunID][]checkpoint.Line
}

func (h history) of(ctx context.Context, id checkpoint.RunID) []checkpoint.Line {
	lines, known := h.lines[id]
	if !known {
		lines, _ = h.Store.Lines(ctx, id) // what is not there cannot be undone
		h.lines[id] = lines
	}
	return lines
}

// line finds the line of an act; it must be ours, and not taken back.
func (h history) line(ctx context.Context, a files.Act) (checkpoint.Event, bool) {
	lines := h.of(ctx, a.Run)
	i := slices.IndexFunc(lines, func(l checkpoint.Line) bool { return l.Ours && l.Event.ID == a.ID && l.Event.Mac == a.Mac })
	if i < 0 || checkpoint.IsUndone(lines, a.ID) {
		return checkpoint.Event{}, false
	}
	return lines[i].Event, true
}

// group is the first of some acts with all that the same command did of that sort: going on from a task resets every one behind it.
// Changes of another system's files are taken back one by one, the newest first: two answers at one terminal are two changes.
func (h history) group(ctx context.Context, acts []files.Act) []checkpoint.Event {
	var out []checkpoint.Event
	for _, a := range acts {
		ev, ok := h.line(ctx, a)
		if len(out) > 0 && out[0].Event == checkpoint.RunActed {
			break
		}
		if !ok || len(out) > 0 && (a.Run != acts[0].Run || ev.Event != out[0].Event || writer(ev) != writer(out[0])) {
			break
		}
		out = append(out, ev)
	}
	return out
}

// restored reports whether a discard was undone.
func (h history) restored(ctx context.Context, id checkpoint.RunID, discard checkpoint.Event) bool {
	return slices.ContainsFunc(h.of(ctx, id), func(l checkpoint.Line) bool {
		return l.Ours && l.Event.Event == checkpoint.RunRestored && l.Event.Seq > discard.Seq
	})
}

func (h history) describe(ctx context.Context, id checkpoint.RunID, group []checkpoint.Event) (*Undoing, error) {
	j, err := h.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	lines := h.of(ctx, id)
	u := &Undoing{Run: j.Run, What: group[0], Lines: append(group, followed(lines, group[0])...)}
	u.Overtaken = overtaken(id, lines, u.Lines)
	u.Files = h.filesBack(ctx, id, lines, u.What)
	return u, h.dropper.moves(ctx, u)
}

// filesBack tells what an undo does to the files of another system; what is not kept any more is told when the undo is tried.
func (h history) filesBack(ctx context.Context, id checkpoint.RunID, lines []checkpoint.Line, what checkpoint.Event) []FileBack {
	acted, flips := candidate.Origin(lines, what)
	if acted.Event != checkpoint.RunActed || acted.Name == sources.Hide {
		return nil
	}
	changes, err := h.dropper.Find.LoadDeed(ctx, h.dropper.Find.DeedOf(ctx, id, acted))
	if err != nil {
		return nil
	}
	back := flips%2 == 0
	var out []FileBack
	for _, c := range changes {
		switch {
		case c.To != "" && back:
			out = append(out, FileBack{"move", c.To, c.Path, c.Tree})
		case c.To != "":
			out = append(out, FileBack{"move", c.Path, c.To, c.Tree})
		case c.Gone && back, c.Was == nil && !back:
			out = append(out, FileBack{"restore", c.Path, "", c.Tree})
		case c.Gone, c.Was == nil:
			out = append(out, FileBack{"remove", c.Path, "", c.Tree})
		default:
			out = append(out, FileBack{"change", c.Path, "", c.Tree})
		}
	}
	return out
}

// followed are lines that were recorded unasked because of a change, such as the end of a run by its last answer.
func followed(lines []checkpoint.Line, what checkpoint.Event) []checkpoint.Event {
	var out []checkpoint.Event
	for _, l := range lines {
		if l.Ours && l.Event.Event == checkpoint.RunFinished && what.Event != checkpoint.RunFinished && writer(l.Event) == writer(what) && l.Event.Seq > what.Seq && !checkpoint.IsUndone(lines, l.Event.ID) {
			out = append(out, l.Event)
		}
	}
	return out
}

// moves adds what would move besides the record.
func (e *Dropper) moves(ctx context.Context, u *Undoing) error {
	merge := &u.What
	if u.What.Event == checkpoint.Undone {
		var err error
		if merge, err = e.undoneMerge(ctx, u.Run.ID, u.What); err != nil || merge == nil {
			return err
		}
		merge.Commit, merge.BaseTip = merge.BaseTip, merge.Commit
	}
	if merge.Event == checkpoint.RunMerged {
		u.Base, u.From, u.To = u.Run.Base.Name, merge.Commit, merge.BaseTip
	}
	if u.What.Event == checkpoint.RunDiscarded {
		u.Path = u.Run.Worktree
	}
	return nil
}

// unproven is the newest change of a run that an older version recorded. Only a discard can be taken back:
// what it kept is in this clone's own files.
func (e *Dropper) unproven(ctx context.Context, id checkpoint.RunID) (*Undoing, error) {
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

// Undo takes a change back that was found and shown, or does one again whose undo is taken back.
// If something else was done since, that is ErrMoved, and nothing is taken back.
func (e *Dropper) Undo(ctx context.Context, u *Undoing) (*Undone, error) {
	id, find := u.Run.ID, e.Undoing
	if u.Redo {
		find = e.Redoing
	}
	now, err := find(ctx, string(id))
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
			if err := e.unused(id, place.WorkTree, nil); err != nil {
				return nil, err
			}
		}
		again, err := e.Discard(ctx, id, DiscardForced)
		if err != nil {
			return nil, err
		}
		return &Undone{Journal: again.Journal, Again: again, What: u.What, Redo: true}, nil
	}
	out, err := e.takeBack(ctx, id, u.Lines)
	if err == nil {
		out.What, out.Redo, out.Base, out.From, out.To = u.What, u.Redo, u.Base, u.From, u.To
		if u.What.Event == checkpoint.RunActed && u.What.Name == sources.Continue && !u.Redo {
			out.Made = e.madeTree(ctx, id)
		}
	}
	return out, err
}

func (e *Dropper) undiscard(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*Undone, error) {
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

// actedWith takes back what the same command did to the files of the work's own system, and every hiding:
// a discard that was killed and repeated has hidden the work by another command than the one that dropped it.
func (e *Dropper) actedWith(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) error {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return err
	}
	for _, l := range lines {
		hides := l.Event.Name == sources.Hide && !checkpoint.IsUndone(lines, l.Event.ID)
		if !l.Ours || l.Event.Event != checkpoint.RunActed || !hides && writer(l.Event) != writer(what) {
			continue
		}
		if _, err := e.takeBack(ctx, id, []checkpoint.Event{l.Event}); err != nil {
			return err
		}
	}
	return nil
}

// takeBack appends lines that take other ones' word away.
func (e *Dropper) takeBack(ctx context.Context, id checkpoint.RunID, group []checkpoint.Event) (*Undone, error) {
	release, err := e.Staging.Hold(id)
	if err != nil {
		return nil, err
	}
	defer release()
	now, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := site.MustOwn(&now.Run); err != nil {
		return nil, err // the branch or the files would move, and the record could not follow
	}
	if err := errors.Join(e.moveBase(ctx, id, group[0]), e.Adopt.FlipDeed(ctx, id, group[0])); err != nil {
		return nil, err
	}
	j, err := e.Store.Append(ctx, id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
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

// BaseMovedError says that a merge cannot be undone, because more was built on it.
type BaseMovedError struct {
	Base      string
	Want, Now object.ID
	// From is where the base stood before the merge.
	From object.ID
	// Redo: it is the undo of a merge that cannot be taken back, and Run would have been merged again.
	Redo bool
	Run  checkpoint.RunID
	// Own: the merge made a commit of its own, with the base as its first parent; without it the run's commits went in one by one.
	Own bool
	// Straight: none of the run's commits is a merge.
	Straight bool
}

func (e *BaseMovedError) Error() string {
	return fmt.Sprintf("branch '%s' has moved on since: it is at %s, not at %s", e.Base, e.Now.Short(), e.Want.Short())
}

// moveBase takes the base back behind a merge, or forward again when the undo of one is undone.
// It moves the base before that is recorded: a kill in between finds it moved, and only records.
func (e *Dropper) moveBase(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) error {
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
	now, err := e.Repo.Refs.Ref(ctx, "refs/heads/"+j.Run.Base.Name)
	switch {
	case err != nil || now == to:
		return err
	case now != from:
		moved := &BaseMovedError{Base: j.Run.Base.Name, Want: from, Now: now, From: to, Run: id, Redo: what.Event == checkpoint.Undone && !e.isAncestor(ctx, to, from)}
		return e.describeMove(ctx, moved)
	}
	tree, err := e.BaseTree(ctx, &j.Run)
	if err != nil {
		return err
	}
	defer tree.Close()
	// A file that was only touched counts as changed until git has looked into it. That others are changed is no fault.
	_, _ = tree.Git(ctx, process.Call{
		Args: []string{"update-index", "-q", "--refresh"}, Mode: process.Write, Locks: site.MoveLocks(tree, "refs/heads/"+j.Run.Base.Name),
	})
	// It keeps what is uncommitted there, and refuses where it could not.
	_, err = tree.Git(ctx, process.Call{
		Args: []string{"reset", "-q", "--keep", string(to)}, Mode: process.Write, Locks: site.MoveLocks(tree, "refs/heads/"+j.Run.Base.Name),
	})
	return err
}

// describeMove finds out how a merge can be taken back by commits of its own.
func (e *Dropper) describeMove(ctx context.Context, out *BaseMovedError) error {
	if out.Redo {
		return out
	}
	c, err := e.Repo.Objects.Commit(ctx, string(out.Want))
	if err != nil {
		return errors.Join(out, err)
	}
	out.Own = len(c.Parents) > 1 && c.Parents[0] == out.From
	merges, err := e.Repo.Line(ctx, "rev-list", "--merges", "-1", string(out.Want), "^"+string(out.From))
	out.Straight = err == nil && merges == ""
	return out
}

func (e *Dropper) isAncestor(ctx context.Context, a, b object.ID) bool {
	_, err := e.Repo.Line(ctx, "merge-base", "--is-ancestor", string(a), string(b))
	return err == nil
}

// undoneMerge is the merge that an undo took back, also through undos of undos; nil if it was something else.
func (e *Dropper) undoneMerge(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*checkpoint.Event, error) {
	what, flips, err := e.Adopt.FirstOf(ctx, id, what)
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

// overtaken reports that a change would be taken back in vain: what was reported since decides anyway.
// To pass on to an older change, which the user does not think of any more, would be a surprise.
func overtaken(id checkpoint.RunID, lines []checkpoint.Line, group []checkpoint.Event) bool {
	what, _ := candidate.Origin(lines, group[0])
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
		lines = append(slices.Clip(lines), checkpoint.Line{Event: line, Ours: true})
	}
	after := checkpoint.Fold(id, lines, nil)
	return before.Paused == after.Paused && before.Finished == after.Finished && reflect.DeepEqual(before.Tasks, after.Tasks)
}

// writer is the process that wrote an event.
func writer(e checkpoint.Event) string {
	nonce, _, _ := strings.Cut(e.ID, ".")
	return nonce
}
