package orchestrate

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// homes are the folders in which the family keeps state, the older name first.
var homes = []string{".aios", ".aiox"}

// storiesDir is where stories are.
const storiesDir = "docs/stories"

func isJSON(name string) bool { return strings.HasSuffix(name, ".json") }

func isEpic(name string) bool {
	return strings.HasPrefix(name, "epic-") && (strings.HasSuffix(name, "-state.yaml") || strings.HasSuffix(name, "-state.yml") || strings.HasSuffix(name, "-state.json"))
}

func isWorkflow(name string) bool {
	for _, end := range []string{"-state.yaml", "-state.yml", "-state.json"} {
		if strings.HasSuffix(name, end) {
			return !isEpic(name) && name != "session-state.json" && name != "session-state.yaml"
		}
	}
	return false
}

func isState(name string) bool {
	dir, _, _ := strings.Cut(name, "/")
	switch {
	case strings.Contains(name, "/specs/") || path.Base(name) == "qa-loops-index.json":
		return false // artefacts, and an index that its tool writes anew
	case dir == ".aios" || dir == ".aiox" || dir == "plan" || dir == "qa":
		return true
	}
	return name == sessionFile
}

const sessionFile = storiesDir + "/.session-state.yaml"

const loopFile = "loop-status.json"

func stateStem(name string) string {
	base := path.Base(name)
	return base[:strings.LastIndex(base, "-state.")]
}

// epicID is what the file's name says. A file without an id between the two fixed parts is called after the rest of its name.
func epicID(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if id := strings.TrimSuffix(strings.TrimPrefix(base, "epic-"), "-state"); id != "" {
		return id
	}
	return "state"
}

// completedFields, lastFields and currentFields are the names under which states keep how far they are.
var (
	completedFields = []string{"phases_completed", "completed_phases", "completedPhases", "phasesCompleted"}
	lastFields      = []string{"last_completed_phase", "lastCompletedPhase"}
	currentFields   = []string{"current_phase", "currentPhase", "phase"}
)

func phaseName(v sources.Value) string {
	if v.Text() != "" {
		return v.Text()
	}
	return v.Get("name", "phase", "id").Text()
}

// saysProgress reports whether the state names what is completed, be it nothing.
func saysProgress(v sources.Value) bool {
	return v.Get(completedFields...).Is() || v.Get(lastFields...).Is() ||
		slices.ContainsFunc(named(v.Get("phases"), "name"), func(f sources.Field) bool { return f.Value.Get("status").Text() != "" || f.Value.Text() != "" })
}

// keepsPhases reports whether a state says which phases are over, or which one is current and nothing more.
func keepsPhases(v sources.Value) bool {
	if v.Get("steps").IsList() || v.Get(lastFields...).Is() {
		return false
	}
	return v.Get(completedFields...).IsList() || !saysProgress(v) && v.Get(currentFields...).Text() != ""
}

// waveNames, storyNames and currentWave are what states call the parts of an epic, and the one it is at.
var (
	waveNames   = []string{"wave", "wave_id", "waveId", "id", "number"}
	storyNames  = []string{"id", "story_id", "storyId", "story"}
	currentWave = []string{"current_wave", "currentWave"}
)
