package orchestrate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
)

// startFresh keeps the state under a dated name and puts one in its place that stands at the beginning:
// without it the status of the story alone would lead back to the middle of the work.
func (l *look) startFresh(f *sources.Found) ([]sources.Change, error) {
	aside, err := l.archive(f)
	if err != nil || len(aside) == 0 {
		return aside, err
	}
	was := aside[0]
	now, ok := l.beginning(was.Path, was.Was)
	if !ok {
		return aside, nil // what cannot be read or has another form is begun by its own system
	}
	return append([]sources.Change{
		{Tree: was.Tree, Path: was.To, Now: was.Was}, {Tree: was.Tree, Path: was.Path, Was: was.Was, Now: now},
	}, aside[1:]...), nil
}

// beginning is a state as it was before anything was done.
func (l *look) beginning(name string, data []byte) ([]byte, bool) {
	v, err := format(name)(data)
	if err != nil {
		return nil, false
	}
	e := editing{name: name, data: data, now: l.now.UTC().Format(time.RFC3339)}
	switch inner := v.Get("epic_state"); {
	case isEpic(filepath.Base(name)) && inner.IsObject():
		e.epic(inner)
	case filepath.Base(name) == loopFile:
		e.loop(v)
	case v.Get("steps").IsList() && !isJSON(name):
		e.steps(v)
	case v.Get(phaseLists...).IsList():
		e.phases(v, func(int) bool { return false }, 0)
	default:
		return nil, false
	}
	return e.data, e.err == nil && e.done
}

// editing changes one word of a state file after the other; the first fault ends it.
type editing struct {
	name string
	data []byte
	now  string
	err  error
	done bool
}

// set changes a word that is there and says something else.
func (e *editing) set(v sources.Value, word string, path ...string) {
	at := v
	for _, p := range path {
		at = child(at, p)
	}
	if e.err != nil || !at.Is() || at.Text() == word {
		return
	}
	e.data, e.err = setWord(e.name, e.data, word, path)
}

func child(v sources.Value, name string) sources.Value {
	if i, err := strconv.Atoi(name); err == nil && v.IsList() && i < len(v.Items()) {
		return v.Items()[i]
	}
	return v.Get(name)
}

// dates says that it begins now, and is in nobody's hands.
func (e *editing) dates(v sources.Value, in ...string) {
	for _, name := range []string{"started_at", "startedAt", "updated_at", "updatedAt", "last_updated"} {
		if v.Get(name).Text() != "" {
			e.rooted(in, e.now, name)
		}
	}
	if v.Get("status").Is() {
		e.rooted(in, "pending", "status")
	}
	e.done = true
}

func (e *editing) rooted(in []string, word, name string) {
	if e.err == nil {
		e.data, e.err = setWord(e.name, e.data, word, append(slices.Clone(in), name))
	}
}

func (e *editing) epic(v sources.Value) {
	for i, wave := range v.Get("waves").Fields() {
		if i == 0 && v.Get("current_wave").Text() != "" && v.Get("current_wave").Text() != wave.Key {
			e.rooted([]string{"epic_state"}, wave.Key, "current_wave")
		}
		if wave.Value.Get("status").Is() {
			e.rooted([]string{"epic_state", "waves", wave.Key}, "pending", "status")
		}
		for _, s := range wave.Value.Get("stories").Fields() {
			if s.Value.Get("status").Is() {
				e.rooted([]string{"epic_state", "waves", wave.Key, "stories", s.Key}, "pending", "status")
			} else if s.Value.Text() != "" {
				e.rooted([]string{"epic_state", "waves", wave.Key, "stories"}, "pending", s.Key)
			}
		}
	}
	e.dates(v, "epic_state")
}

func (e *editing) steps(v sources.Value) {
	for i, s := range v.Get("steps").Items() {
		if s.Get("status").Is() {
			e.set(v, "pending", "steps", strconv.Itoa(i), "status")
		}
	}
	e.set(v, "0", "current_step_index")
	if steps := v.Get("steps").Items(); len(steps) > 0 && steps[0].Get("phase").Text() != "" {
		e.set(v, steps[0].Get("phase").Text(), "current_phase")
	}
	e.dates(v)
}

func (e *editing) loop(v sources.Value) {
	edits := []sources.Edit{{Path: []any{"history"}, To: []any{}}, {Path: []any{"status"}, To: "pending"}}
	for _, name := range []string{"currentIteration", "current_iteration", "iteration"} {
		if v.Get(name).Is() {
			edits = append(edits, sources.Edit{Path: []any{name}, To: 1})
		}
	}
	for _, name := range []string{"startedAt", "started_at", "updatedAt", "updated_at"} {
		if v.Get(name).Is() {
			edits = append(edits, sources.Edit{Path: []any{name}, To: e.now})
		}
	}
	e.data, e.err = sources.EditJSON(e.data, edits...)
	e.done = true
}

// phaseLists are the names under which a state keeps the phases that are over.
var phaseLists = []string{"phases_completed", "completed_phases"}

// phases keeps only some of the phases that are over, and goes on with the one at a place.
func (e *editing) phases(v sources.Value, keep func(i int) bool, at int) {
	w := &work{kind: workflowKind(v), fields: map[string]any{}, look: &look{}}
	w.workflowPhases(v)
	name := phaseLists[0]
	if !v.Get(name).IsList() {
		name = phaseLists[1]
	}
	over := v.Get(name).Items()
	stays := func(i int) bool { return keep(w.phaseOf(phaseName(over[i]), "")) }
	if isJSON(e.name) {
		var left []any
		for i, p := range over {
			if stays(i) {
				left = append(left, p.Plain())
			}
		}
		if left == nil {
			left = []any{}
		}
		e.data, e.err = sources.EditJSON(e.data, sources.Edit{Path: []any{name}, To: left})
	} else {
		e.data, e.err = sources.KeepYAML(e.data, stays, name)
	}
	if at < len(w.phases) && v.Get("current_phase").Text() != "" && e.err == nil {
		e.rooted(nil, w.phases[at].name, "current_phase")
	}
	if w.phases[at].agent != "" && v.Get("current_agent").Text() != "" {
		e.rooted(nil, w.phases[at].agent, "current_agent")
	}
	if at == 0 {
		e.dates(v)
	}
	e.done = true
}

// restartPhase takes a phase and all after it off the list of those that are over.
func (l *look) restartPhase(f *sources.Found, task string) ([]sources.Change, error) {
	name := first(stateFiles(f))
	data, err := l.tree.Read(name)
	if err != nil {
		return nil, err
	}
	v, err := format(name)(data)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(f.Tasks, func(t sources.Task) bool { return t.ID == task })
	if at < 0 {
		return nil, fmt.Errorf("%s has no %s", f.Key(), task)
	}
	e := editing{name: name, data: data, now: l.now.UTC().Format(time.RFC3339)}
	e.phases(v, func(i int) bool { return i < at }, at)
	if e.err != nil {
		return nil, fmt.Errorf("start %s again from %s: %w", f.Key(), task, e.err)
	}
	return []sources.Change{{Tree: l.tree.WorkTree, Path: name, Was: data, Now: e.data}}, nil
}

// listsPhases reports whether the leading state file keeps a list of the phases that are over.
func (l *look) listsPhases(f *sources.Found) bool {
	name := first(stateFiles(f))
	if name == "" || !isWorkflow(filepath.Base(name)) || f.Rebuilt {
		return false
	}
	data, err := l.tree.Read(name)
	if err != nil {
		return false
	}
	v, err := format(name)(data)
	return err == nil && v.Get(phaseLists...).IsList() && !v.Get("steps").IsList()
}
