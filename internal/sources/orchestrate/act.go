package orchestrate

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// Act works out what an alternative does to the family's own files. Going on changes at most one word of a state file;
// a story is changed only by a clean-up that was asked to, and there only its status.
func (r *Reader) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok {
		return nil, fmt.Errorf("%s is not a worktree of this repository any more", f.Home)
	}
	l := &look{Files: statefile.Files{Ctx: ctx, View: v, Tree: t}}
	switch w.Name {
	case sources.Continue:
		return l.markActive(f)
	case sources.RestartUnit:
		if l.listsPhases(f) {
			return l.restartPhase(f, cmp.Or(w.Task, f.Point.Task))
		}
		return l.markUnits(f, w.Task, "pending")
	case sources.SkipUnit:
		return l.markUnits(f, w.Task, "skipped")
	case sources.StartFresh:
		if len(stateFiles(f)) > 0 {
			return l.startFresh(f)
		}
		return l.storyBack(f, "", "Draft", sources.StartFresh)
	case sources.CleanUp:
		return l.cleanUp(f, w.Task)
	case sources.Repair:
		return l.repair(f)
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}

// markActive changes the status of the leading state file back, and nothing where it says already that it goes on.
func (l *look) markActive(f *sources.Found) ([]sources.Change, error) {
	states := stateFiles(f)
	if len(states) == 0 || f.Rebuilt && f.State == sources.Corrupt {
		return nil, nil
	}
	name := states[0]
	data, err := l.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	path, word := []string{"status"}, "active"
	if statefile.IsJSON(name) {
		word = "in_progress"
	}
	v, err := statefile.Format(name)(data)
	if err != nil {
		return nil, nil // a broken file is repaired, not marked
	}
	if inner := v.Get("epic_state"); inner.IsObject() {
		v, path = inner, []string{"epic_state", "status"}
	}
	if v.Get("run_id").Is() {
		word = "running"
	}
	if v.Get("execution_id").Is() || v.Get("instance_id").Is() || v.Get("epicId").Is() {
		word = "active"
	}
	status := v.Get("status").Text()
	if !statefile.SaysStopped(status) {
		return nil, nil
	}
	if sources.FoldWord(status) == "interrupted" && word == "in_progress" {
		word = "active" // whoever calls it interrupted calls its opposite so
	}
	now, err := statefile.SetWord(name, data, word, path)
	if err != nil {
		return nil, fmt.Errorf("mark %s as %s: %w", name, word, err)
	}
	return []sources.Change{{Tree: l.Tree.WorkTree, Path: name, Was: data, Now: now}}, nil
}

// markUnits sets a task to another status: to start again, that task and all that were done after it; to skip, it alone.
func (l *look) markUnits(f *sources.Found, task, word string) ([]sources.Change, error) {
	if task == "" {
		task = f.Point.Task
	}
	name := first(stateFiles(f))
	for _, a := range f.Alternatives {
		if a.Name == sources.RestartUnit && word == "pending" && len(a.Of) > 0 && !slices.Contains(a.Of, task) && l.unit(f, task) != nil {
			return nil, fmt.Errorf("%s cannot be started again: its file is missing", task)
		}
	}
	if l.unit(f, task) == nil || statefile.IsJSON(name) && strings.HasPrefix(task, "step-") {
		return nil, &sources.NoActionError{Key: f.Key(), Name: "restart-unit or skip-unit"}
	}
	data, err := l.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	now, on := data, false
	for _, t := range f.Tasks {
		on = on || t.ID == task
		if !on || t.ID != task && (word == "skipped" || t.Raw == "" || t.Raw == word || statefile.IsEpic(filepath.Base(name))) {
			continue
		}
		if now, err = statefile.SetWord(name, now, word, l.unit(f, t.ID)); err != nil {
			return nil, fmt.Errorf("mark %s as %s: %w", t.ID, word, err)
		}
	}
	if !on {
		return nil, fmt.Errorf("%s has no %s", f.Key(), task)
	}
	if word == "pending" && statefile.IsEpic(filepath.Base(name)) {
		v, in := statefile.EpicRoot(l.Parsed(name))
		e := statefile.Edit(name, now, l.View.Now)
		if e.Written(v, in...); e.Err == nil {
			now = e.Data
		}
	}
	return []sources.Change{{Tree: l.Tree.WorkTree, Path: name, Was: data, Now: now}}, nil
}

// archive moves the state files aside, under a dated name in their own folder, which no reader takes for a state.
func (l *look) archive(f *sources.Found) ([]sources.Change, error) {
	var out []sources.Change
	for _, name := range stateFiles(f) {
		data, err := l.Tree.Read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, sources.Change{Tree: l.Tree.WorkTree, Path: name, Was: data, To: name + ".archived-" + l.View.Now.UTC().Format("20060102T150405Z")})
	}
	return out, nil
}

// cleanUp archives the state, and sets back the stories of it that were left half way, or only the one that was named.
func (l *look) cleanUp(f *sources.Found, id string) ([]sources.Change, error) {
	out, err := l.archive(f)
	if err != nil {
		return nil, err
	}
	if id == "" && len(out) > 0 {
		l.shelf = story.Read(l.Tree)
		return append(out, l.halfWay(f)...), nil
	}
	back, err := l.storyBack(f, id, "Ready", sources.CleanUp)
	if err != nil {
		return nil, err
	}
	return append(out, back...), nil
}

// storyBack sets one story back to an earlier word: the one that is named, or the one that is all there is of the work.
func (l *look) storyBack(f *sources.Found, id, word, action string) ([]sources.Change, error) {
	l.shelf = story.Read(l.Tree)
	s := l.shelf.At(first(f.Files))
	if id != "" {
		if s = l.shelf.Find(story.KeyOf(id)); s == nil {
			return nil, fmt.Errorf("there is no story %s to set back", id)
		}
	}
	if s == nil {
		return nil, &sources.NoActionError{Key: f.Key(), Name: action}
	}
	change, err := l.setBack(s, word)
	if err != nil {
		return nil, err
	}
	return []sources.Change{change}, nil
}

// halfWay sets back the stories that the work names and that are in progress or in review. One whose status is not
// a word of its own stays as it is: who names it is told why.
func (l *look) halfWay(f *sources.Found) []sources.Change {
	var out []sources.Change
	for _, same := range f.Same {
		key, isStory := strings.CutPrefix(same, "story:")
		if s := l.shelf.Find(key); isStory && s != nil && s.Live() {
			if change, err := l.setBack(s, "Ready"); err == nil {
				out = append(out, change)
			}
		}
	}
	return out
}

// setBack changes one word: the status of a story that was left half way.
func (l *look) setBack(s *story.Story, word string) (sources.Change, error) {
	if s.Meaning != sources.MeansInProgress && s.Meaning != sources.MeansReview {
		return sources.Change{}, fmt.Errorf("story %s is '%s', which nobody left half way", s.ID, statefile.Short(s.Word))
	}
	data, err := l.Tree.Read(s.Path)
	if err != nil {
		return sources.Change{}, err
	}
	now, err := s.WithStatus(data, word)
	return sources.Change{Tree: l.Tree.WorkTree, Path: s.Path, Was: data, Now: now}, err
}

// repair puts the version that could be read in the place of a broken state.
func (l *look) repair(f *sources.Found) ([]sources.Change, error) {
	name := first(stateFiles(f))
	if name == "" || !f.Rebuilt {
		return nil, &sources.NoActionError{Key: f.Key(), Name: sources.Repair}
	}
	broken, err := l.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	if _, err := statefile.Format(name)(broken); err == nil {
		return nil, &sources.NoActionError{Key: f.Key(), Name: sources.Repair}
	}
	_, whole, _ := l.Older(name, statefile.Format(name))
	if whole == nil {
		return nil, &sources.NoActionError{Key: f.Key(), Name: sources.Repair}
	}
	return []sources.Change{{Tree: l.Tree.WorkTree, Path: name, Was: broken, Now: whole}}, nil
}
