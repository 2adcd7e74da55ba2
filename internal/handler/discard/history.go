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
)

// Changes lists the changes that a person made in this clone and that are not undone, the newest first, at most so many.
// An undo is none of them: who repeats it wants what was done before, and takes it back by a command of its own.
// A hand-over that only made a worktree is one while it stands.
func (e *Undoer) Changes(ctx context.Context, only checkpoint.RunID, most int) ([]Undoing, error) {
	var out []Undoing
	err := e.walk(ctx, only, func(h history, id checkpoint.RunID, group []checkpoint.Event) (bool, error) {
		if isUndo(group[0]) || h.handedLong(group[0]) || group[0].Event == checkpoint.RunDiscarded && h.restored(ctx, id, group[0]) {
			return true, nil
		}
		u, err := h.describe(ctx, id, group)
		if err == nil && (!u.Hands() || e.stillHanded(ctx, u)) {
			out = append(out, *u)
		}
		return len(out) < most, err
	})
	return out, err
}

// stillHanded: the work counts as handed over, or the worktree that was made for it is as it was made.
func (e *Undoer) stillHanded(ctx context.Context, u *Undoing) bool {
	ago := e.Now().Sub(u.Run.HandedAt)
	return !u.Run.HandedAt.IsZero() && ago < candidate.Quiet || e.unmakes(ctx, &u.Run, u.What) != nil
}

// undos finds the newest undo that can be taken back; nil if there is none, or something was done since.
func (e *Undoer) undos(ctx context.Context, only checkpoint.RunID) (out *Undoing, err error) {
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
func (e *Undoer) walk(ctx context.Context, only checkpoint.RunID, see func(history, checkpoint.RunID, []checkpoint.Event) (bool, error)) error {
	acts, err := e.Store.Folder().Acts()
	if err != nil {
		return fmt.Errorf("read what was done here: %w", err)
	}
	h := history{Site: e.Site, undoer: e, lines: map[checkpoint.RunID][]checkpoint.Line{}}
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
	undoer *Undoer
	lines  map[checkpoint.RunID][]checkpoint.Line
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

// handedLong: work was handed over so long ago that this means nothing any more, and is nothing that anybody would take back.
func (h history) handedLong(e checkpoint.Event) bool {
	return handsOver(e) && h.Now().Sub(e.At) >= candidate.Quiet
}

// handsOver tells a hand-over that changed nothing from the end of a pause.
func handsOver(e checkpoint.Event) bool {
	return e.Event == checkpoint.RunResumed && e.Cause == checkpoint.HandedOver
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
	return u, h.undoer.moves(ctx, u)
}

// filesBack tells what an undo does to the files of another system; what is not kept any more is told when the undo is tried.
func (h history) filesBack(ctx context.Context, id checkpoint.RunID, lines []checkpoint.Line, what checkpoint.Event) []FileBack {
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
func (e *Undoer) moves(ctx context.Context, u *Undoing) error {
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

// undoneMerge is the merge that an undo took back, also through undos of undos; nil if it was something else.
func (e *Undoer) undoneMerge(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*checkpoint.Event, error) {
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
	return before.Paused == after.Paused && before.HandedAt.Equal(after.HandedAt) && before.Finished == after.Finished && reflect.DeepEqual(before.Tasks, after.Tasks)
}

// writer is the process that wrote an event.
func writer(e checkpoint.Event) string {
	nonce, _, _ := strings.Cut(e.ID, ".")
	return nonce
}
