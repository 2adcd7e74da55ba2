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
)

// RunningError says that a spec is being built right now, so that its files must not be touched.
type RunningError struct{ Key string }

func (e *RunningError) Error() string { return e.Key + " is still running; stop it first" }

// NoItemError says that a plan has no item of this name.
type NoItemError struct{ Key, Item string }

func (e *NoItemError) Error() string { return e.Key + " has no item '" + e.Item + "'" }

// Act works out how an alternative changes the system's files. Both copies of a plan are kept alike:
// the system itself copies the one of the main worktree over the other when it starts, and would lose what is newer there.
func (s Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	switch w.Name {
	case sources.ReviewIt, sources.MergeIt, sources.Hide, sources.Discard:
		return nil, nil
	}
	l, err := look(ctx, v)
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
	if !ok || !now.Offers(w.Name) {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	a := &action{l: l, r: r, f: &now, wish: w, own: r.own()}
	if now.State == sources.Running && w.Name != sources.Continue {
		return nil, &RunningError{f.Key()}
	}
	return a.changes()
}

// action is one wish about one spec.
type action struct {
	l    *looked
	r    *reading
	f    *sources.Found
	wish sources.Wish
	own  []folder
}

func (a *action) changes() ([]sources.Change, error) {
	switch a.wish.Name {
	case sources.Continue:
		return a.carryOn()
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
	case sources.StartFresh:
		return a.archive()
	case sources.CleanUp:
		return a.cleanUp()
	}
	return nil, &sources.NoActionError{Key: a.f.Key(), Name: a.wish.Name}
}

// now is the time as the system writes it.
func (a *action) now() string { return a.l.v.Now.UTC().Format("2006-01-02T15:04:05.000Z") }

// item is the item that is meant: the named one, the resume point, or the first that waits for a person.
func (a *action) item() (item, error) {
	id := a.wish.Task
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

// carryOn prepares for the system to go on by itself. It chooses only what is pending, so that what was in progress,
// or has failed, would be passed over; it stops while a pause is marked; and it takes the main worktree's files.
func (a *action) carryOn() ([]sources.Change, error) {
	if a.f.State == sources.Running {
		return nil, nil
	}
	out, err := a.toPending(a.r.plan.interrupted(a.r.history, a.f.Point.Task))
	if err != nil {
		return nil, err
	}
	paused, err := a.unpause()
	if err != nil {
		return nil, err
	}
	return append(append(out, a.carry()...), paused...), nil
}

// interrupted are the items that are set back to pending before the system goes on: it would pass over them otherwise.
func (p *plan) interrupted(h history, point string) []item {
	var out []item
	if p == nil {
		return nil
	}
	for it := range p.all() {
		if it.state == checkpoint.Active && h.usedUp(it) == "" || it.id == point && it.state != checkpoint.Pending {
			out = append(out, it)
		}
	}
	return out
}

func (a *action) items() []item {
	if a.r.plan == nil {
		return nil
	}
	return slices.Collect(a.r.plan.all())
}

func (a *action) reset() ([]sources.Change, error) {
	if a.wish.Task != "" {
		it, err := a.item()
		if err != nil {
			return nil, err
		}
		return a.toPending([]item{it})
	}
	var all []item
	for _, it := range a.items() {
		if a.r.mayReset(it) {
			all = append(all, it)
		}
	}
	return a.toPending(all)
}

// toPending sets items back. Without any, the copies of the plan are only made alike.
func (a *action) toPending(all []item) ([]sources.Change, error) {
	var edits []sources.Edit
	var names []string
	for _, it := range all {
		if it.finished() {
			return nil, fmt.Errorf("%s of %s is completed, and stays so", it.id, a.f.Key())
		}
		names = append(names, it.id)
		for _, at := range it.at {
			edits = append(edits, sources.Edit{Path: append(slices.Clone(at), "status"), To: "pending"})
			for _, name := range []string{"actual_output", "started_at", "completed_at"} {
				edits = append(edits, sources.Edit{Path: append(slices.Clone(at), name), Drop: true})
			}
		}
	}
	if len(names) > 0 {
		edits = append(edits, a.noted("set "+some(names)+" back to pending")...)
	}
	return a.writePlan(edits)
}

// noted are the edits that say what was done, in the fields that the system has for it.
func (a *action) noted(what string) []sources.Edit {
	return []sources.Edit{
		{Path: []any{"updated_at"}, To: a.now()},
		{Path: []any{"recoveryNote"}, To: "git resume " + what + " at " + a.now()},
	}
}

// best is the text of the plan that was followed.
func (a *action) best() []byte {
	switch {
	case a.r.version != nil:
		return a.r.version.Data
	case a.r.plan != nil:
		return a.r.live[0].data
	}
	return nil
}

// writePlan edits the plan that was followed and puts it into every copy. A file that was refused is not touched.
func (a *action) writePlan(edits []sources.Edit) ([]sources.Change, error) {
	best := a.best()
	if best == nil {
		return nil, nil // there is no plan yet
	}
	text, err := sources.EditJSON(best, edits...)
	if err != nil {
		return nil, fmt.Errorf("edit the plan of %s: %w", a.f.Key(), err)
	}
	var out []sources.Change
	for _, c := range a.r.live {
		var refused *sources.RefusedError
		if string(c.data) != string(text) && !errors.As(c.err, &refused) {
			out = append(out, sources.Change{Tree: c.tree.WorkTree, Path: c.file(planFile), Was: present(c.data), Now: text})
		}
	}
	if len(a.r.live) == 0 && a.r.place.path != "" {
		out = append(out, sources.Change{Tree: a.r.place.tree.WorkTree, Path: a.r.place.file(planFile), Now: text})
	}
	return out, nil
}

// present keeps an empty file apart from none.
func present(data []byte) []byte {
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
	for _, f := range a.own {
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

// forget takes the attempts of one item out of a history, and the item off the list of those that are stuck.
func forget(data []byte, id string) ([]byte, error) {
	v, err := sources.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	var edits []sources.Edit
	for _, key := range []string{"chunks", "subtasks"} {
		if v.Get(key).Get(id).IsObject() {
			edits = append(edits, sources.Edit{Path: []any{key, id, "attempts"}, To: []any{}}, sources.Edit{Path: []any{key, id, "status"}, To: "pending"})
		}
	}
	for _, key := range []string{"stuck_chunks", "stuck_subtasks"} {
		for i, s := range v.Get(key).Items() {
			if s.Text() == id || s.Get("subtask_id", "chunk_id", "id").Text() == id {
				edits = append(edits, sources.Edit{Path: []any{key, i}, Drop: true})
			}
		}
	}
	return sources.EditJSON(data, edits...)
}

// skip passes over an item. Dependent phases begin only when all items are completed, so it is written as that,
// with a mark beside it from which we, and people, can tell that it was not done.
func (a *action) skip() ([]sources.Change, error) {
	it, err := a.item()
	if err != nil {
		return nil, err
	}
	if it.finished() {
		return nil, fmt.Errorf("%s of %s is completed already", it.id, a.f.Key())
	}
	var edits []sources.Edit
	for _, at := range it.at {
		edits = append(edits, sources.Edit{Path: append(slices.Clone(at), "status"), To: "completed"}, sources.Edit{Path: append(slices.Clone(at), skippedAt), To: a.now()})
	}
	return a.writePlan(append(edits, a.noted("skipped "+it.id)...))
}

// answer leaves a person's words where the next session of the system looks for them.
func (a *action) answer() ([]sources.Change, error) {
	text := strings.TrimSpace(a.wish.Text)
	switch strings.ToLower(text) {
	case "":
		return nil, errors.New("the answer is empty")
	case tryAgain:
		return a.restart()
	case skipIt:
		return a.skip()
	}
	var out []sources.Change
	if it, err := a.item(); err == nil && !it.finished() {
		if out, err = a.restart(); err != nil {
			return nil, err
		}
		text = it.id + ": " + text
	}
	for _, f := range a.own {
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
