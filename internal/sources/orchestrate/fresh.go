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
func (a *action) startFresh() ([]sources.Change, error) {
	aside, err := a.archive()
	if err != nil || len(aside) == 0 {
		return aside, err
	}
	was := aside[0]
	now, ok := a.beginning(was.Path, was.Was)
	if !ok {
		return aside, nil // what cannot be read or has another form is begun by its own system
	}
	return append([]sources.Change{
		{Tree: was.Tree, Path: was.To, Now: was.Was}, {Tree: was.Tree, Path: was.Path, Was: was.Was, Now: now},
	}, aside[1:]...), nil
}

// beginning is a state as it was before anything was done.
func (a *action) beginning(name string, data []byte) ([]byte, bool) {
	v, err := statefile.Format(name)(data)
	if err != nil {
		return nil, false
	}
	e := statefile.Edit(name, data, a.View.Now)
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
	e.Story(v, a.storyNow())
	return e.Data, e.Err == nil && e.Done
}

// storyNow is what the story of a work says now.
func (a *action) storyNow() sources.Meaning {
	if a.shelf == nil {
		a.shelf = story.Read(a.Tree)
	}
	for _, same := range a.found.Same {
		if key, ok := strings.CutPrefix(same, "story:"); ok {
			if s := a.shelf.Find(key); s != nil {
				return s.Meaning
			}
		}
	}
	return sources.MeansUnknown
}

// restartPhase takes a phase and all after it off the list of those that are over.
func (a *action) restartPhase(task string) ([]sources.Change, error) {
	data, v, err := a.read()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(a.found.Tasks, func(t sources.Task) bool { return t.ID == task })
	if at < 0 {
		return nil, fmt.Errorf("%s has no %s", a.found.Key(), task)
	}
	for _, way := range a.found.Alternatives {
		if way.Name == sources.RestartUnit && !slices.Contains(way.Of, task) {
			return nil, fmt.Errorf("%s cannot be started again as it is; choose one of %s", task, strings.Join(way.Of, ", "))
		}
	}
	e := statefile.Edit(a.name(), data, a.View.Now)
	backTo(e, v, func(i int) bool { return i < at }, at)
	e.Story(v, a.storyNow())
	if e.Err != nil {
		return nil, fmt.Errorf("start %s again from %s: %w", a.found.Key(), task, e.Err)
	}
	return a.write(data, e.Data), nil
}

// backTo keeps only some of the phases that are over, and goes on with the one at a place.
func backTo(e *statefile.Editing, v sources.Value, keep func(i int) bool, at int) {
	w := workflowReading{&work{kind: workflowKind(v), fields: map[string]any{}, look: &look{}}, v}
	w.workflowPhases()
	stays := func(p sources.Value) bool { return keep(w.phaseOf(statefile.PhaseName(p), "")) }
	var p phase
	if at < len(w.phases) {
		p = w.phases[at]
	}
	e.Phases(v, stays, at, p.name, p.agent)
}
