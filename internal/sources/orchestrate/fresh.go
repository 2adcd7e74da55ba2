package orchestrate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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
	now, ok := l.beginning(f, was.Path, was.Was)
	if !ok {
		return aside, nil // what cannot be read or has another form is begun by its own system
	}
	return append([]sources.Change{
		{Tree: was.Tree, Path: was.To, Now: was.Was}, {Tree: was.Tree, Path: was.Path, Was: was.Was, Now: now},
	}, aside[1:]...), nil
}

// beginning is a state as it was before anything was done.
func (l *look) beginning(f *sources.Found, name string, data []byte) ([]byte, bool) {
	v, err := format(name)(data)
	if err != nil {
		return nil, false
	}
	e := edit(name, data, l.view.Now)
	switch {
	case isEpic(filepath.Base(name)):
		e.epic(v)
	case filepath.Base(name) == loopFile:
		e.loop(v)
	case v.Get("steps").IsList() && !isJSON(name):
		e.steps(v)
	case keepsPhases(v):
		backTo(e, v, func(int) bool { return false }, 0)
	default:
		return nil, false
	}
	e.story(v, l.storyNow(f))
	return e.data, e.err == nil && e.done
}

// storyNow is what the story of a work says now.
func (l *look) storyNow(f *sources.Found) sources.Meaning {
	if l.shelf == nil {
		l.shelf = readShelf(l.tree)
	}
	for _, same := range f.Same {
		if key, ok := strings.CutPrefix(same, "story:"); ok {
			if s := l.shelf.find(key); s != nil {
				return s.meaning
			}
		}
	}
	return sources.MeansUnknown
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
	for _, a := range f.Alternatives {
		if a.Name == sources.RestartUnit && !slices.Contains(a.Of, task) {
			return nil, fmt.Errorf("%s cannot be started again as it is; choose one of %s", task, strings.Join(a.Of, ", "))
		}
	}
	e := edit(name, data, l.view.Now)
	backTo(e, v, func(i int) bool { return i < at }, at)
	e.story(v, l.storyNow(f))
	if e.err != nil {
		return nil, fmt.Errorf("start %s again from %s: %w", f.Key(), task, e.err)
	}
	return []sources.Change{{Tree: l.tree.WorkTree, Path: name, Was: data, Now: e.data}}, nil
}

// backTo keeps only some of the phases that are over, and goes on with the one at a place.
func backTo(e *editing, v sources.Value, keep func(i int) bool, at int) {
	w := &work{kind: workflowKind(v), fields: map[string]any{}, look: &look{}}
	w.workflowPhases(v)
	stays := func(p sources.Value) bool { return keep(w.phaseOf(phaseName(p), "")) }
	var p phase
	if at < len(w.phases) {
		p = w.phases[at]
	}
	e.phases(v, stays, at, p.name, p.agent)
}

// listsPhases reports whether the phases of the leading state file can be gone back to.
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
	return err == nil && keepsPhases(v)
}
