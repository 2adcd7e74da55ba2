package orchestrate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
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
	v, err := statefile.Format(name)(data)
	if err != nil {
		return nil, false
	}
	e := statefile.Edit(name, data, l.View.Now)
	switch {
	case statefile.IsEpic(filepath.Base(name)):
		e.Epic(v)
	case filepath.Base(name) == statefile.LoopFile:
		e.Loop(v)
	case v.Get("steps").IsList() && !statefile.IsJSON(name):
		e.Steps(v)
	case statefile.KeepsPhases(v):
		backTo(e, v, func(int) bool { return false }, 0)
	default:
		return nil, false
	}
	e.Story(v, l.storyNow(f))
	return e.Data, e.Err == nil && e.Done
}

// storyNow is what the story of a work says now.
func (l *look) storyNow(f *sources.Found) sources.Meaning {
	if l.shelf == nil {
		l.shelf = story.Read(l.Tree)
	}
	for _, same := range f.Same {
		if key, ok := strings.CutPrefix(same, "story:"); ok {
			if s := l.shelf.Find(key); s != nil {
				return s.Meaning
			}
		}
	}
	return sources.MeansUnknown
}

// restartPhase takes a phase and all after it off the list of those that are over.
func (l *look) restartPhase(f *sources.Found, task string) ([]sources.Change, error) {
	name := first(stateFiles(f))
	data, err := l.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	v, err := statefile.Format(name)(data)
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
	e := statefile.Edit(name, data, l.View.Now)
	backTo(e, v, func(i int) bool { return i < at }, at)
	e.Story(v, l.storyNow(f))
	if e.Err != nil {
		return nil, fmt.Errorf("start %s again from %s: %w", f.Key(), task, e.Err)
	}
	return []sources.Change{{Tree: l.Tree.WorkTree, Path: name, Was: data, Now: e.Data}}, nil
}

// backTo keeps only some of the phases that are over, and goes on with the one at a place.
func backTo(e *statefile.Editing, v sources.Value, keep func(i int) bool, at int) {
	w := &work{kind: workflowKind(v), fields: map[string]any{}, look: &look{}}
	w.workflowPhases(v)
	stays := func(p sources.Value) bool { return keep(w.phaseOf(statefile.PhaseName(p), "")) }
	var p phase
	if at < len(w.phases) {
		p = w.phases[at]
	}
	e.Phases(v, stays, at, p.name, p.agent)
}
