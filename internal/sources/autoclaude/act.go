package autoclaude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// RunningError means that Auto-Claude seems to be building the spec right now, so git-resume changes none of its files.
type RunningError struct{ Key string }

func (e *RunningError) Error() string { return e.Key + " seems to be running; stop it first" }

// NoItemError means that the requested item was not found in the plan of a spec.
type NoItemError struct{ Key, Item string }

func (e *NoItemError) Error() string { return e.Key + " has no item '" + e.Item + "'" }

// Act returns the file changes that carry out an action. There are none for review, merge, hide and discard.
func (s Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	switch w.Name {
	case sources.ReviewIt, sources.MergeIt, sources.Hide, sources.Discard:
		return nil, nil
	}
	l, err := search(ctx, v)
	if err != nil {
		return nil, err
	}
	sp := l.specs[f.ID]
	if sp == nil {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	l.git.base = l.git.guessBase(ctx)
	r := l.read(ctx, sp)
	l.git.evidence(ctx, []*reading{r})
	now, ok := l.found(ctx, r)
	if !ok || !now.Offers(now.Offered(w.Name)) {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	w.Name = now.Offered(w.Name)
	a := &action{l: l, r: r, f: &now, request: w, folders: r.ownFolders()}
	if now.State == sources.Running && w.Name != sources.Continue {
		return nil, &RunningError{f.Key()}
	}
	return a.changes()
}

// action computes the file changes for one request about one spec.
type action struct {
	l       *projectFiles
	r       *reading
	f       *sources.Found
	request sources.ActionRequest
	folders []folder
}

func (a *action) changes() ([]sources.Change, error) {
	switch a.request.Name {
	case sources.Continue:
		return a.continueWork()
	case sources.Reset:
		return a.reset()
	case sources.RestartUnit:
		return a.restart()
	case sources.SkipUnit:
		return a.skip()
	case sources.Answer:
		return a.answer()
	case sources.Repair:
		return a.repair()
	case sources.PlanAgain:
		return a.archive()
	case sources.BuildAgain:
		all := a.r.withoutResults()
		return a.writePlan(append(pendingEdits(all), a.noteEdits("set "+sources.SomeOf(idsOf(all))+" back to pending, because no branch has the results")...))
	case sources.CleanUp:
		return a.cleanUp()
	}
	return nil, &sources.NoActionError{Key: a.f.Key(), Name: a.request.Name}
}

// now returns the current time in the format that Auto-Claude writes.
func (a *action) now() string { return a.l.v.Now.UTC().Format("2006-01-02T15:04:05.000Z") }

// item returns the item to act on: the item that the user named, otherwise the next item, otherwise the item of the first question. It
// fails if the plan has no such item.
func (a *action) item() (item, error) {
	id := a.request.Task
	if id == "" && a.r.isItem(a.f.Point.Task) {
		id = a.f.Point.Task
	}
	if id == "" && len(a.f.Questions) > 0 {
		id = a.f.Questions[0].Task
	}
	if a.r.plan != nil {
		if it, ok := a.r.plan.find(id); ok {
			return it, nil
		}
	}
	return item{}, &NoItemError{a.f.Key(), id}
}

// continueWork returns the changes that let Auto-Claude continue, such as the reset of interrupted items to pending. It
// changes nothing while Auto-Claude is running.
func (a *action) continueWork() ([]sources.Change, error) {
	if a.f.State == sources.Running {
		return nil, nil
	}
	out, err := a.settle(a.r.unsettled(a.f.Point.Task))
	if err != nil {
		return nil, err
	}
	paused, err := a.unpause()
	if err != nil {
		return nil, err
	}
	return append(append(out, a.copyToMain()...), paused...), nil
}

// unsettled returns the items to change before the work continues with the item "point". The result "reset" has the items to reset to
// pending, and "done" has the items to mark as completed because a commit proves them.
func (r *reading) unsettled(point string) (reset, done []item) {
	if r.plan == nil {
		return nil, nil
	}
	settled := func(it item) bool { return it.committed(r.proof.onCurrent) && it.id != point }
	for it := range r.plan.all() {
		if settled(it) && r.history.needsPerson(it) == "" {
			done = append(done, it)
		}
	}
	return slices.DeleteFunc(r.plan.interrupted(r.history, point), settled), done
}

// interrupted returns the items that must become pending again, because Auto-Claude starts only pending items. These are the active items
// that may be tried again without asking a person, and the item with the id "point" if it is not pending.
func (p *plan) interrupted(h history, point string) []item {
	var out []item
	if p == nil {
		return nil
	}
	for it := range p.all() {
		if it.state == checkpoint.Active && h.needsPerson(it) == "" || it.id == point && it.state != checkpoint.Pending {
			out = append(out, it)
		}
	}
	return out
}

func (a *action) reset() ([]sources.Change, error) {
	if a.request.Task != "" {
		it, err := a.item()
		if err != nil {
			return nil, err
		}
		return a.toPending([]item{it})
	}
	return a.toPending(a.r.resettable())
}

// toPending resets the given items to pending in all copies of the plan: each worktree may have its own copy. Without any items it only
// makes the copies equal.
func (a *action) toPending(all []item) ([]sources.Change, error) { return a.settle(all, nil) }

// settle resets the first list of items to pending and marks the second list as completed, in all copies of the plan. It refuses to reset
// a finished item.
func (a *action) settle(all, completed []item) ([]sources.Change, error) {
	var edits []textdoc.Edit
	var names []string
	for _, it := range all {
		if it.finished() {
			return nil, fmt.Errorf("%s of %s is completed, so it cannot be set back to pending", it.id, a.f.Key())
		}
		names = append(names, it.id)
	}
	edits = append(edits, pendingEdits(all)...)
	var done, notes []string
	for _, it := range completed {
		done = append(done, it.id)
		for _, at := range it.at {
			edits = append(edits, textdoc.Edit{Path: append(slices.Clone(at), "status"), To: "completed"})
		}
	}
	if len(done) > 0 {
		notes = append(notes, "marked "+sources.SomeOf(done)+" as completed, because commits carry their names")
	}
	if len(names) > 0 {
		notes = append(notes, "set "+sources.SomeOf(names)+" back to pending")
	}
	if len(notes) > 0 {
		edits = append(edits, a.noteEdits(strings.Join(notes, "; "))...)
	}
	return a.writePlan(edits)
}

// pendingEdits returns edits that set items back to pending.
func pendingEdits(all []item) (edits []textdoc.Edit) {
	for _, it := range all {
		for _, at := range it.at {
			edits = append(edits, textdoc.Edit{Path: append(slices.Clone(at), "status"), To: "pending"})
			for _, name := range []string{"actual_output", "started_at", "completed_at"} {
				edits = append(edits, textdoc.Edit{Path: append(slices.Clone(at), name), Drop: true})
			}
		}
	}
	return edits
}

// noteEdits returns edits that add a note to the plan. The note says what git-resume changed, and when.
func (a *action) noteEdits(what string) []textdoc.Edit {
	return []textdoc.Edit{
		{Path: []any{"updated_at"}, To: a.now()},
		{Path: []any{"recoveryNote"}, To: "git resume " + what + " at " + a.now()},
	}
}

// planText returns the text of the best readable version of the plan, or nil if there is none.
func (a *action) planText() []byte {
	switch {
	case a.r.version != nil:
		return a.r.version.Data
	case a.r.plan != nil:
		return a.r.live[0].data
	}
	return nil
}

// writePlan returns changes that write the edited plan to every copy of it, to the main worktree if its copy was lost, or to the spec's
// folder if there is no copy. It leaves out copies that are already equal or that must not be read.
func (a *action) writePlan(edits []textdoc.Edit) ([]sources.Change, error) {
	best := a.planText()
	if best == nil {
		return nil, nil // no version of the plan can be read
	}
	text, err := textdoc.EditJSON(best, edits...)
	if err != nil {
		return nil, fmt.Errorf("the plan of %s could not be edited: %w", a.f.Key(), err)
	}
	var out []sources.Change
	for _, c := range a.r.live {
		var refused *sources.RefusedError
		if string(c.data) != string(text) && !errors.As(c.err, &refused) {
			out = append(out, sources.Change{Tree: c.tree.WorkTree, Path: c.file(planFile), Was: nonNil(c.data), Now: text})
		}
	}
	if main, lost := a.r.lostInMain(); lost {
		out = append(out, sources.Change{Tree: main.tree.WorkTree, Path: main.file(planFile), Now: text})
	}
	if len(a.r.live) == 0 && a.r.place.path != "" {
		out = append(out, sources.Change{Tree: a.r.place.tree.WorkTree, Path: a.r.place.file(planFile), Now: text})
	}
	return out, nil
}

// nonNil replaces nil with an empty slice. In a Change, nil means that there was no file or that nothing is written, but an empty slice
// means an empty file.
func nonNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

func (a *action) restart() ([]sources.Change, error) {
	it, err := a.item()
	if err != nil {
		return nil, err
	}
	out, err := a.toPending([]item{it})
	if err != nil {
		return nil, err
	}
	for _, f := range a.folders {
		if !f.has(historyFile) {
			continue
		}
		data, err := f.read(historyFile)
		if err != nil {
			return nil, err
		}
		text, err := forget(data, it.own)
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", f.file(historyFile), err)
		}
		if string(text) != string(data) {
			out = append(out, sources.Change{Tree: f.tree.WorkTree, Path: f.file(historyFile), Was: data, Now: text})
		}
	}
	return out, nil
}

// forget removes the recorded attempts of one item, sets its recorded status to pending, and removes the item from the lists of stuck
// items.
func forget(data []byte, id string) ([]byte, error) {
	v, err := textdoc.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	var edits []textdoc.Edit
	for _, key := range []string{"chunks", "subtasks"} {
		if v.Get(key).Get(id).IsObject() {
			edits = append(edits, textdoc.Edit{Path: []any{key, id, "attempts"}, To: []any{}}, textdoc.Edit{Path: []any{key, id, "status"}, To: "pending"})
		}
	}
	for _, key := range []string{"stuck_chunks", "stuck_subtasks"} {
		for i, s := range v.Get(key).Items() {
			if s.Text() == id || s.Get("subtask_id", "chunk_id", "id").Text() == id {
				edits = append(edits, textdoc.Edit{Path: []any{key, i}, Drop: true})
			}
		}
	}
	return textdoc.EditJSON(data, edits...)
}

// skip marks an item as skipped. Its status becomes "completed", because Auto-Claude starts later phases only after completed items. An
// additional field shows that the item was not done.
func (a *action) skip() ([]sources.Change, error) {
	it, err := a.item()
	if err != nil {
		return nil, err
	}
	if it.finished() {
		return nil, fmt.Errorf("%s of %s is completed already", it.id, a.f.Key())
	}
	var edits []textdoc.Edit
	for _, at := range it.at {
		edits = append(edits, textdoc.Edit{Path: append(slices.Clone(at), "status"), To: "completed"}, textdoc.Edit{Path: append(slices.Clone(at), skippedAt), To: a.now()})
	}
	return a.writePlan(append(edits, a.noteEdits("skipped "+it.id)...))
}

// retry lets an item be tried again. Its failed attempts stay on record, because the next session must see what did not work. Only if the
// item would still need a person because of them, retry forgets them.
func (a *action) retry() ([]sources.Change, error) {
	it, err := a.item()
	if err != nil || a.r.history.needsPerson(it) != "" {
		return a.restart()
	}
	return a.toPending([]item{it})
}

// answer carries out a person's answer. The answers "try again" and "skip" retry or skip the item. Any other text is added to the file
// that the next session of Auto-Claude reads, and an unfinished item is tried again as well.
func (a *action) answer() ([]sources.Change, error) {
	text := strings.TrimSpace(a.request.Text)
	switch strings.ToLower(text) {
	case "":
		return nil, errors.New("the answer is empty")
	case tryAgain:
		return a.retry()
	case skipIt:
		return a.skip()
	}
	var out []sources.Change
	if it, err := a.item(); err == nil && !it.finished() {
		if out, err = a.retry(); err != nil {
			return nil, err
		}
		text = it.id + ": " + text
	}
	for _, f := range a.folders {
		was, err := f.read(inputFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		now := string(was)
		if now != "" && !strings.HasSuffix(now, "\n") {
			now += "\n"
		}
		out = append(out, sources.Change{Tree: f.tree.WorkTree, Path: f.file(inputFile), Was: was, Now: []byte(now + text + "\n")})
	}
	return out, nil
}

func (a *action) repair() ([]sources.Change, error) { return a.writePlan(nil) }
