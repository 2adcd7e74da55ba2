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
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Act returns the file changes that carry out an action. In a story file, it changes only the status.
func (r *Reader) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok {
		return nil, fmt.Errorf("%s is no longer a worktree of this repository", f.Home)
	}
	a := &action{leading: leading{&statefile.Files{Ctx: ctx, View: v, Tree: t}, f}}
	switch w.Name {
	case sources.Continue:
		return a.markActive()
	case sources.RestartUnit:
		if a.isSpec() {
			return a.archiveArtefacts(w.Task)
		}
		if a.listsPhases() {
			return a.restartPhase(cmp.Or(w.Task, f.Point.Task))
		}
		return a.markUnits(w.Task, "pending")
	case sources.SkipUnit:
		return a.markUnits(w.Task, "skipped")
	case sources.StartFresh:
		if a.isSpec() {
			return a.archiveArtefacts("")
		}
		if a.name() != "" {
			return a.startFresh()
		}
		return a.storyBack("", "Draft", sources.StartFresh)
	case sources.CleanUp:
		return a.cleanUp(w.Task)
	case sources.Repair:
		return a.repair()
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}

// action computes the file changes for one request about one piece of work.
type action struct {
	leading
	stories *story.Collection
}

// markActive replaces a status such as "paused" in the main state file by the word for active work. Any other status stays as it is.
func (a *action) markActive() ([]sources.Change, error) {
	name := a.name()
	if name == "" || a.found.Rebuilt && a.found.State == sources.Corrupt {
		return nil, nil
	}
	data, err := a.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	word := "active"
	if statefile.IsJSON(name) {
		word = "in_progress"
	}
	v, err := statefile.Format(name)(data)
	if err != nil {
		return nil, nil
	}
	v, in := statefile.EpicRoot(v)
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
		word = "active" // a file with the status "interrupted" uses the word "active" for active work, and not "in_progress"
	}
	now, err := statefile.SetWord(name, data, word, append(in, "status"))
	if err != nil {
		return nil, fmt.Errorf("mark %s as %s: %w", name, word, err)
	}
	return a.write(data, now), nil
}

// markUnits sets the status of a task to "pending" or "skipped". If a task of a workflow is restarted, the later tasks
// that have a status are restarted too.
func (a *action) markUnits(task, word string) ([]sources.Change, error) {
	task = cmp.Or(task, a.found.Point.Task)
	name := a.name()
	for _, way := range a.found.Alternatives {
		if way.Name == sources.RestartUnit && word == "pending" && len(way.Of) > 0 && !slices.Contains(way.Of, task) && a.unit(task) != nil {
			return nil, fmt.Errorf("%s cannot be started again: its file is missing", task)
		}
	}
	if a.unit(task) == nil || statefile.IsJSON(name) && strings.HasPrefix(task, "step-") {
		return nil, &sources.NoActionError{Key: a.found.Key(), Name: "restart or skip"}
	}
	data, err := a.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	now, on := data, false
	for _, t := range a.found.Tasks {
		on = on || t.ID == task
		if !on || t.ID != task && (word == "skipped" || t.Raw == "" || t.Raw == word || statefile.IsEpic(filepath.Base(name))) {
			continue
		}
		if now, err = statefile.SetWord(name, now, word, a.unit(t.ID)); err != nil {
			return nil, fmt.Errorf("mark %s as %s: %w", t.ID, word, err)
		}
	}
	if !on {
		return nil, fmt.Errorf("%s has no %s", a.found.Key(), task)
	}
	if word == "pending" && statefile.IsEpic(filepath.Base(name)) {
		v, in := statefile.EpicRoot(a.Parsed(name))
		e := statefile.Edit(name, now, a.View.Now)
		if e.Written(v, in...); e.Err == nil {
			now = e.Data
		}
	}
	return a.write(data, now), nil
}

// archive renames the state files by adding the date to their names. The orchestrate tools then no longer recognize them as state files.
func (a *action) archive() ([]sources.Change, error) {
	return a.setAside(stateFiles(a.found))
}

func (a *action) setAside(files []string) ([]sources.Change, error) {
	var out []sources.Change
	for _, name := range files {
		data, err := a.Tree.Read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, sources.Change{Tree: a.Tree.WorkTree, Path: name, Was: data, To: name + ".archived-" + a.View.Now.UTC().Format("20060102T150405Z")})
	}
	return out, nil
}

// isSpec reports whether the work is a spec pipeline without a state file. Its artefacts alone show how far it is.
func (a *action) isSpec() bool { return a.found.Protocol["priority"] == rankSpec }

// archiveArtefacts renames the artefact of a phase of the spec pipeline and those of all later phases. Without a phase, it renames all.
func (a *action) archiveArtefacts(phase string) ([]sources.Change, error) {
	var files, ids []string
	on := phase == ""
	for _, t := range a.found.Tasks {
		if on = on || t.ID == phase && len(t.Files) > 0; on {
			files = append(files, t.Files...)
		}
		if len(t.Files) > 0 {
			ids = append(ids, t.ID)
		}
	}
	if !on {
		return nil, fmt.Errorf("%s cannot be started again now; choose one of these tasks: %s", phase, strings.Join(ids, ", "))
	}
	return a.setAside(files)
}

// cleanUp archives the state files. It also gives the status Ready to each story of the work that is in progress or in review. If the
// user named a story, it changes only that story.
func (a *action) cleanUp(id string) ([]sources.Change, error) {
	out, err := a.archive()
	if err != nil {
		return nil, err
	}
	if id == "" && len(out) > 0 {
		a.stories = story.Read(a.View, a.Tree)
		return append(out, a.setBackUnfinished()...), nil
	}
	back, err := a.storyBack(id, story.SetBack, sources.CleanUp)
	if err != nil {
		return nil, err
	}
	return append(out, back...), nil
}

// storyBack resets a story to the earlier status "word". If the user named no story, it resets the story of the work itself.
func (a *action) storyBack(id, word, action string) ([]sources.Change, error) {
	a.stories = story.Read(a.View, a.Tree)
	s := a.stories.At(first(a.found.Files))
	if id != "" {
		if s = a.stories.Find(story.KeyOf(id)); s == nil {
			return nil, fmt.Errorf("there is no story %s to set back", id)
		}
	}
	if s == nil {
		return nil, &sources.NoActionError{Key: a.found.Key(), Name: action}
	}
	change, err := a.setBack(s, word)
	if err != nil {
		return nil, err
	}
	return []sources.Change{change}, nil
}

// setBackUnfinished resets the stories of the work that are in progress or in review to Ready, if they can be edited safely.
func (a *action) setBackUnfinished() []sources.Change {
	var out []sources.Change
	for _, same := range a.found.Same {
		key, isStory := strings.CutPrefix(same, "story:")
		if s := a.stories.Find(key); isStory && s != nil && s.Live() {
			if change, err := a.setBack(s, story.SetBack); err == nil {
				out = append(out, change)
			}
		}
	}
	return out
}

// setBack resets one story to the status in the argument "word". It returns an error if the story is neither in progress nor in review. A
// story with some ticked boxes may count as in progress.
func (a *action) setBack(s *story.Story, word string) (sources.Change, error) {
	if s.Meaning != sources.MeansInProgress && s.Meaning != sources.MeansReview && !s.Live() {
		return sources.Change{}, fmt.Errorf("story %s is '%s', so it was not interrupted", s.ID, statefile.Short(s.Word))
	}
	data, err := a.Tree.Read(s.Path)
	if err != nil {
		return sources.Change{}, err
	}
	now, err := s.WithStatus(data, word)
	return sources.Change{Tree: a.Tree.WorkTree, Path: s.Path, Was: data, Now: now}, err
}

// repair returns the change that replaces a broken state file with an intact version, or an error if that is not possible.
func (a *action) repair() ([]sources.Change, error) {
	name := a.name()
	none := &sources.NoActionError{Key: a.found.Key(), Name: sources.Repair}
	if name == "" || !a.found.Rebuilt {
		return nil, none
	}
	broken, err := a.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	_, whole, _ := a.Older(name, statefile.Format(name))
	if _, err := statefile.Format(name)(broken); err == nil || whole == nil {
		return nil, none
	}
	return a.write(broken, whole), nil
}

// startFresh archives the old state file and writes a new one in which nothing is done yet. Without the new file, the orchestrate tools
// would use the story's status and continue in the middle of the work.
func (a *action) startFresh() ([]sources.Change, error) {
	aside, err := a.archive()
	if err != nil || len(aside) == 0 {
		return aside, err
	}
	was := aside[0]
	now, ok := a.beginning(was.Path, was.Was)
	if !ok {
		return aside, nil // the format is unknown, so the orchestrate tools must create the new state file
	}
	return append([]sources.Change{
		{Tree: was.Tree, Path: was.To, Now: was.Was}, {Tree: was.Tree, Path: was.Path, Was: was.Was, Now: now},
	}, aside[1:]...), nil
}

// beginning returns the content of the state file for a new start, with nothing done. It returns false if the format is unknown.
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

// storyNow returns the current status of the story that the work is about, or MeansUnknown if there is no such story.
func (a *action) storyNow() sources.Meaning {
	if a.stories == nil {
		a.stories = story.Read(a.View, a.Tree)
	}
	for _, same := range a.found.Same {
		if key, ok := strings.CutPrefix(same, "story:"); ok {
			if s := a.stories.Find(key); s != nil {
				return s.Meaning
			}
		}
	}
	return sources.MeansUnknown
}

// restartPhase removes a phase and all later phases from the completed phases in the state file, and makes the phase the current one.
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
			return nil, fmt.Errorf("%s cannot be started again now; choose one of these tasks: %s", task, strings.Join(way.Of, ", "))
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

// backTo removes the completed phases for which keep() returns false. Then it makes the phase with the index "at" the current one.
func backTo(e *statefile.Editing, v textdoc.Value, keep func(i int) bool, at int) {
	w := workflowReading{&work{kind: workflowKind(v), fields: map[string]any{}, search: &treeSearch{}}, v}
	w.workflowPhases()
	stays := func(name string) bool { return keep(w.phaseOf(name, "")) }
	var p phase
	if at < len(w.phases) {
		p = w.phases[at]
	}
	to, was := p.name, v.Get(statefile.CurrentFields...).Text()
	if slices.ContainsFunc(w.phases, func(o phase) bool { return o.id == was }) {
		to = p.id // the file names phases by their ids
	}
	e.Phases(v, stays, at, to, p.agent)
}
