package statefile

import (
	"slices"
	"strconv"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// Editing changes values in a state file, and leaves the rest of its text as it is. Err is the error of an edit that failed, or nil.
type Editing struct {
	name string
	Data []byte
	now  string
	Err  error
	Done bool
}

// Edit returns an Editing for a state file with the given content.
func Edit(name string, data []byte, now time.Time) *Editing {
	return &Editing{name: name, Data: data, now: now.UTC().Format(time.RFC3339)}
}

// set replaces the value at a path of keys. It does nothing if the file has no such value, or if the value is already the same.
func (e *Editing) set(v textdoc.Value, word string, path ...string) {
	at := v
	for _, p := range path {
		at = child(at, p)
	}
	if e.Err != nil || !at.Is() || at.Text() == word {
		return
	}
	e.Data, e.Err = SetWord(e.name, e.Data, word, path)
}

// resetDates sets the start time and the last update to now, and the status to pending, if the file has these fields.
func (e *Editing) resetDates(v textdoc.Value, in ...string) {
	for _, name := range []string{"started_at", "startedAt"} {
		if v.Get(name).Text() != "" {
			e.setIn(in, e.now, name)
		}
	}
	e.Written(v, in...)
	if v.Get("status").Is() {
		e.setIn(in, "pending", "status")
	}
	e.Done = true
}

// Written sets the time of the last update to now, if the file has such a field. Only changes after this time are reported. The user who
// chose the action has already seen the earlier ones.
func (e *Editing) Written(v textdoc.Value, in ...string) {
	for _, name := range []string{"updated_at", "updatedAt", "last_updated"} {
		if v.Get(name).Text() != "" {
			e.setIn(in, e.now, name)
		}
	}
}

func (e *Editing) setIn(in []string, word, name string) {
	if e.Err == nil {
		e.Data, e.Err = SetWord(e.name, e.Data, word, append(slices.Clone(in), name))
	}
}

// Epic sets an epic back to the start of its first wave.
func (e *Editing) Epic(v textdoc.Value) {
	all := v
	v, in := EpicRoot(v)
	waves := Named(v.Get("waves"), WaveNames...)
	for i, wave := range waves {
		if i == 0 {
			e.point(v, CurrentWave, wave.Key, in)
		}
		at, _, _ := findPart(v.Get("waves"), wave.Key, WaveNames)
		here := append(slices.Clone(in), "waves", at)
		if wave.Value.Get("status").Is() {
			e.setIn(here, "pending", "status")
		}
		for _, s := range Named(wave.Value.Get("stories"), StoryNames...) {
			if place := EpicPlace(all, wave.Key, s.Key); place != nil {
				e.setIn(place[:len(place)-1], "pending", place[len(place)-1])
			}
		}
	}
	if len(waves) > 0 {
		e.resetDates(v, in...)
	}
}

// point changes the field that names the current wave, phase or agent. The list "names" has the possible names of this field.
func (e *Editing) point(v textdoc.Value, names []string, to string, in []string) {
	for _, name := range names {
		if was := v.Get(name).Text(); was != "" && was != to {
			e.setIn(in, to, name)
		}
	}
}

// Steps sets a workflow with a list of steps back to its first step.
func (e *Editing) Steps(v textdoc.Value) {
	for i, s := range v.Get("steps").Items() {
		if s.Get("status").Is() {
			e.set(v, "pending", "steps", strconv.Itoa(i), "status")
		}
	}
	e.set(v, "0", "current_step_index")
	if steps := v.Get("steps").Items(); len(steps) > 0 && steps[0].Get("phase").Text() != "" {
		e.set(v, steps[0].Get("phase").Text(), "current_phase")
	}
	e.resetDates(v)
}

// Loop sets a QA loop back to its first iteration.
func (e *Editing) Loop(v textdoc.Value) {
	edits := []textdoc.Edit{{Path: []any{"history"}, To: []any{}}, {Path: []any{"status"}, To: "pending"}}
	for _, name := range []string{"currentIteration", "current_iteration", "iteration"} {
		if v.Get(name).Is() {
			edits = append(edits, textdoc.Edit{Path: []any{name}, To: 1})
		}
	}
	for _, name := range []string{"startedAt", "started_at", "updatedAt", "updated_at"} {
		if v.Get(name).Is() {
			edits = append(edits, textdoc.Edit{Path: []any{name}, To: e.now})
		}
	}
	// The last verdict is removed, because a restarted loop has no verdict yet.
	for _, name := range []string{"lastVerdict", "last_verdict"} {
		edits = append(edits, textdoc.Edit{Path: []any{name}, Drop: true})
	}
	e.Data, e.Err = textdoc.EditJSON(e.Data, edits...)
	e.Done = true
}

// Phases makes a phase the current one, and removes the completed phases for which stays() returns false, or sets their status to pending.
// It also sets the agent and the
// time of the last update. For the first phase it resets the start time and the status.
func (e *Editing) Phases(v textdoc.Value, stays func(name string) bool, at int, to, agent string) {
	e.keepCompleted(v, stays)
	for _, p := range phaseStatuses(v) {
		if !stays(p.phase) {
			e.set(v, "pending", p.path...)
		}
	}
	if to != "" && e.Err == nil {
		if _, isNumber := v.Get(CurrentFields...).Int(); isNumber {
			to = strconv.Itoa(at + 1)
		}
		e.point(v, CurrentFields, to, nil)
	}
	if agent != "" {
		e.point(v, []string{"current_agent", "currentAgent"}, agent, nil)
	}
	if at == 0 {
		e.resetDates(v)
	}
	e.Written(v)
	e.Done = true
}

// keepCompleted removes the completed phases for which stays() returns false. It does nothing if the state file has no list of completed
// phases.
func (e *Editing) keepCompleted(v textdoc.Value, stays func(name string) bool) {
	at := slices.IndexFunc(CompletedFields, func(name string) bool { return v.Get(name).IsList() })
	if at < 0 {
		return
	}
	name, over := CompletedFields[at], v.Get(CompletedFields[at]).Items()
	if !IsJSON(e.name) {
		e.Data, e.Err = yamldoc.Keep(e.Data, func(i int) bool { return stays(PhaseName(over[i])) }, name)
		return
	}
	var edits []textdoc.Edit
	for i, p := range over {
		if !stays(PhaseName(p)) {
			edits = append(edits, textdoc.Edit{Path: []any{name, i}, Drop: true})
		}
	}
	e.Data, e.Err = textdoc.EditJSON(e.Data, edits...)
}

// storyWords are the words that state files use for the status of a story.
var storyWords = map[sources.Meaning]string{
	sources.MeansPending: "Draft", sources.MeansReady: "Ready", sources.MeansInProgress: "InProgress", sources.MeansReview: "InReview", sources.MeansDone: "Done",
}

// Story writes the current status of a story, the argument "now", into the state file. It does nothing if the state file has no status of
// the story, or one with the same meaning.
func (e *Editing) Story(v textdoc.Value, now sources.Meaning) {
	for _, in := range [][]string{nil, {"context"}} {
		at := v
		if in != nil {
			at = v.Get(in...)
		}
		for _, name := range []string{"story_status", "storyStatus"} {
			was, _ := MeaningOf(at.Get(name).Text())
			if word := storyWords[now]; at.Get(name).Text() != "" && word != "" && was != now {
				e.setIn(in, word, name)
			}
		}
	}
}
