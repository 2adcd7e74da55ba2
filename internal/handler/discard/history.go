package discard

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// Changes lists changes that a person made in this clone and has not undone, newest first, and at most the given number. If the argument
// "only" is set, other runs are left out.
func (e *Undoer) Changes(ctx context.Context, only checkpoint.RunID, most int) ([]Undoing, error) {
	var out []Undoing
	err := e.walk(ctx, only, func(h history, a act) (bool, error) {
		u, err := h.change(ctx, a)
		if u != nil {
			out = append(out, *u)
		}
		return len(out) < most, err
	})
	return out, err
}

// change describes an act of a person. It returns nil if the act is not a change that can be undone, for example if it is an undo.
func (h history) change(ctx context.Context, a act) (*Undoing, error) {
	what := a.lines[0]
	if isUndo(what) || h.handedOverLongAgo(what) || what.Event == checkpoint.RunDiscarded && h.isRestored(ctx, a.run, what) {
		return nil, nil
	}
	u, err := h.describe(ctx, a)
	if err != nil || isHandOverWithTree(u.What) && !h.undoer.handOverCounts(ctx, u) {
		return nil, err
	}
	return u, nil
}

// handOverCounts reports whether a hand-over in a new worktree can still be undone: it is recent, or the new worktree is unchanged.
func (e *Undoer) handOverCounts(ctx context.Context, u *Undoing) bool {
	ago := e.Now().Sub(u.Run.HandedAt)
	return !u.Run.HandedAt.IsZero() && ago < candidate.Quiet || e.findUnchangedWorktree(ctx, &u.Run, u.What) != nil
}

// newestUndo finds the newest undo that can be reversed. It returns nil if there is none, or if a person has changed something else since.
func (e *Undoer) newestUndo(ctx context.Context, only checkpoint.RunID) (out *Undoing, err error) {
	err = e.walk(ctx, only, func(h history, a act) (bool, error) {
		first := a.lines[0]
		what, flips := candidate.Origin(h.of(ctx, a.run), first)
		switch {
		case !isUndo(first):
			return false, nil
		case first.Event == checkpoint.Undone && flips%2 == 0:
			return true, nil // this entry reversed an undo, so look at the next older one
		case first.Event == checkpoint.RunRestored:
			what = checkpoint.Event{Event: checkpoint.RunDiscarded, At: first.At}
		}
		u, err := h.describe(ctx, a)
		if err == nil {
			out, u.What, u.Redo = u, what, true
		}
		return false, err
	})
	return out, err
}

// isUndo reports whether an event was recorded by an undo, and not by the original change.
func isUndo(e checkpoint.Event) bool {
	return e.Event == checkpoint.Undone || e.Event == checkpoint.RunRestored
}

// act is a change that a person made. It has one or more journal lines. Its number is the position of its newest line in the file that
// Folder.Acts reads. New lines are added only at the end of that file.
type act struct {
	number int
	run    checkpoint.RunID
	lines  []checkpoint.Event
}

// walk calls the function "see" for acts in this clone that have not been undone, newest first, until see returns false or an error. If the
// argument "only" is set, other runs are left out.
func (e *Undoer) walk(ctx context.Context, only checkpoint.RunID, see func(history, act) (bool, error)) error {
	acts, err := e.Store.Folder().Acts()
	if err != nil {
		return fmt.Errorf("read the history of changes: %w", err)
	}
	h := history{Site: e.Site, undoer: e, acts: acts, lines: map[checkpoint.RunID][]checkpoint.Line{}}
	for i := 0; i < len(acts); {
		group := h.group(ctx, acts[i:])
		if len(group) > 0 && (only == "" || acts[i].Run == only) {
			if more, err := see(h, act{len(acts) - i, acts[i].Run, group}); err != nil || !more {
				return err
			}
		}
		i += max(1, len(group))
	}
	return nil
}

// history looks up in the journals what a person did. The field "acts" lists what people did in this clone, newest first.
type history struct {
	*site.Site
	undoer *Undoer
	acts   []files.Act
	lines  map[checkpoint.RunID][]checkpoint.Line
}

func (h history) of(ctx context.Context, id checkpoint.RunID) []checkpoint.Line {
	lines, known := h.lines[id]
	if !known {
		lines, _ = h.Store.Lines(ctx, id) // ignore the error: a change in a journal that cannot be read cannot be undone
		h.lines[id] = lines
	}
	return lines
}

// line finds the journal line of a person's action. It returns false if this clone did not write such a line, or if the line was undone.
func (h history) line(ctx context.Context, a files.Act) (checkpoint.Event, bool) {
	lines := h.of(ctx, a.Run)
	i := slices.IndexFunc(lines, func(l checkpoint.Line) bool { return l.Ours && l.Event.ID == a.ID && l.Event.Mac == a.Mac })
	if i < 0 || checkpoint.IsUndone(lines, a.ID) {
		return checkpoint.Event{}, false
	}
	return lines[i].Event, true
}

// group returns the first action, and the actions directly after it that belong to the same change. These are of the same kind, in the same
// run, and made by the same command. For example, --from resets several tasks. Changes of another system's work are not grouped: two
// answers in one command are two changes.
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

// handedOverLongAgo reports whether an event is a hand-over that is older than candidate.Quiet. The work then no longer counts as being
// worked on, so there is nothing to undo.
func (h history) handedOverLongAgo(e checkpoint.Event) bool {
	return isHandOver(e) && h.Now().Sub(e.At) >= candidate.Quiet
}

// isHandOver reports whether an event handed work over to somebody. It is false for a run.resumed event that ended a pause.
func isHandOver(e checkpoint.Event) bool {
	return e.Event == checkpoint.RunResumed && e.Cause == checkpoint.HandedOver
}

// isRestored reports whether the discarded run was restored later.
func (h history) isRestored(ctx context.Context, id checkpoint.RunID, discard checkpoint.Event) bool {
	return slices.ContainsFunc(h.of(ctx, id), func(l checkpoint.Line) bool {
		return l.Ours && l.Event.Event == checkpoint.RunRestored && l.Event.Seq > discard.Seq
	})
}

func (h history) describe(ctx context.Context, a act) (*Undoing, error) {
	j, err := h.Store.Load(ctx, a.run)
	if err != nil {
		return nil, err
	}
	lines := h.of(ctx, a.run)
	u := &Undoing{Run: j.Run, Number: a.number, What: a.lines[0], Lines: append(a.lines, h.consequences(lines, a.lines[0])...)}
	u.Overtaken = isOvertaken(a.run, lines, u.Lines)
	u.Files = h.fileReversals(ctx, a.run, lines, u.What)
	u.By = callerOf(lines, u.What)
	return u, h.undoer.addMoves(ctx, u)
}

// fileReversals lists what an undo does to another system's files. It returns nil if the change wrote no such files, or if the old
// contents are no longer kept.
func (h history) fileReversals(ctx context.Context, id checkpoint.RunID, lines []checkpoint.Line, what checkpoint.Event) []FileBack {
	acted, flips := candidate.Origin(lines, what)
	if !candidate.WroteFiles(acted) {
		return nil
	}
	changes, err := candidate.LoadDeed(ctx, h.Repo, candidate.DeedOf(ctx, h.Repo, id, acted))
	if err != nil {
		return nil
	}
	back := flips%2 == 0
	var out []FileBack
	for _, c := range changes {
		f := FileBack{Does: "change", Path: c.Path, Tree: c.Tree, Was: c.Now, Now: c.Was}
		if !back {
			f.Was, f.Now = c.Was, c.Now
		}
		switch {
		case c.To != "" && back:
			f.Does, f.Path, f.To = "move", c.To, c.Path
		case c.To != "":
			f.Does, f.To = "move", c.To
		case c.Gone && back, c.Was == nil && !back:
			f.Does = "restore"
		case c.Gone, c.Was == nil:
			f.Does = "remove"
		}
		out = append(out, f)
	}
	return out
}

// consequences lists the events that a change caused and that finished the run. For example, the last answer can finish a run. These events
// are undone together with the change.
func (h history) consequences(lines []checkpoint.Line, what checkpoint.Event) []checkpoint.Event {
	closes := what.Event == checkpoint.TaskSkipped || what.Event == checkpoint.TaskAnswered
	var out []checkpoint.Event
	for _, l := range lines {
		e := l.Event
		if !l.Ours || e.Event != checkpoint.RunFinished || what.Event == checkpoint.RunFinished || e.Seq < what.Seq || checkpoint.IsUndone(lines, e.ID) {
			continue
		}
		asked := slices.ContainsFunc(h.acts, func(a files.Act) bool { return a.ID == e.ID })
		if writer(e) == writer(what) || closes && !asked {
			out = append(out, e)
		}
	}
	return out
}

// callerOf returns who asked for a change; nil if that is not known. Lines of older versions do not say this. For such a line, callerOf
// looks for another line of the same process that names its agent.
func callerOf(lines []checkpoint.Line, what checkpoint.Event) *checkpoint.Caller {
	if what.By != nil {
		return what.By
	}
	for _, l := range lines {
		if a := l.Event.Actor; l.Ours && a != nil && writer(l.Event) == writer(what) {
			return &checkpoint.Caller{Host: a.Host, Agent: a.Agent, Session: a.Session}
		}
	}
	return nil
}

// addMoves adds to u the branch or worktree that the undo would move or restore.
func (e *Undoer) addMoves(ctx context.Context, u *Undoing) error {
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

// undoneMerge returns the merge at the start of a chain of undos: the event "what" undoes that merge, or undoes an undo of it, and so on.
// The result says how to undo "what": the base must move from the result's BaseTip to the result's Commit. undoneMerge returns nil if the
// chain starts with another kind of change.
func (e *Undoer) undoneMerge(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*checkpoint.Event, error) {
	what, flips, err := e.Adopt.FirstOf(ctx, id, what)
	if err != nil {
		return nil, err
	}
	if what.Event != checkpoint.RunMerged {
		return nil, nil
	}
	if flips%2 == 0 { // the merge is in effect again, so undoing it once more must move the base from the merge back to the earlier commit
		what.Commit, what.BaseTip = what.BaseTip, what.Commit
	}
	return &what, nil
}

// isOvertaken reports whether undoing a change would have no effect, for example because of later reports.
func isOvertaken(id checkpoint.RunID, lines []checkpoint.Line, group []checkpoint.Event) bool {
	what, _ := candidate.Origin(lines, group[0])
	switch what.Event {
	case checkpoint.RunPaused, checkpoint.RunResumed, checkpoint.TaskSkipped, checkpoint.TaskAnswered, checkpoint.TaskReset, checkpoint.TaskAdded:
	case "":
		return true // our journal lines do not contain the original change, so an undo would have no effect
	default:
		return false // undoing any other kind of change always has an effect, whatever was reported later
	}
	before := checkpoint.Fold(id, lines, nil)
	last := before.Seq
	for i, e := range group {
		last++
		line := checkpoint.Event{Seq: fmt.Sprintf("%010d", last), ID: fmt.Sprintf("~.%d", i), Event: checkpoint.Undone, Undoes: e.ID}
		lines = append(slices.Clip(lines), checkpoint.Line{Event: line, Ours: true})
	}
	after := checkpoint.Fold(id, lines, nil)
	return before.Paused == after.Paused && before.HandedAt.Equal(after.HandedAt) && before.Finished == after.Finished && reflect.DeepEqual(before.Tasks, after.Tasks)
}

// writer returns the random id of the process that wrote an event.
func writer(e checkpoint.Event) string {
	nonce, _, _ := strings.Cut(e.ID, ".")
	return nonce
}

// isHandOverWithTree reports whether an event handed work over in a new worktree. The journal records such a hand-over as an action that
// changed no file.
func isHandOverWithTree(e checkpoint.Event) bool {
	return e.Event == checkpoint.RunActed && e.Name != sources.Hide && !candidate.WroteFiles(e)
}
