package statefile

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// Homes are the folders in which the family keeps state, the older name first.
var Homes = []string{".aios", ".aiox"}

// StoriesDir is where stories are.
const StoriesDir = "docs/stories"

// IsJSON tells the format by the name.
func IsJSON(name string) bool { return strings.HasSuffix(name, ".json") }

// IsEpic tells the state of an epic by the name of its file.
func IsEpic(name string) bool {
	return strings.HasPrefix(name, "epic-") && (strings.HasSuffix(name, "-state.yaml") || strings.HasSuffix(name, "-state.yml") || strings.HasSuffix(name, "-state.json"))
}

// IsWorkflow tells the state of a workflow by the name of its file.
func IsWorkflow(name string) bool {
	for _, end := range []string{"-state.yaml", "-state.yml", "-state.json"} {
		if strings.HasSuffix(name, end) {
			return !IsEpic(name) && name != "session-state.json" && name != "session-state.yaml"
		}
	}
	return false
}

// IsState tells the files that belong to a workflow alone from stories and artefacts, which are the product.
func IsState(name string) bool {
	dir, _, _ := strings.Cut(name, "/")
	switch {
	case strings.Contains(name, "/specs/") || path.Base(name) == "qa-loops-index.json":
		return false // artefacts, and an index that its tool writes anew
	case dir == ".aios" || dir == ".aiox" || dir == "plan" || dir == "qa":
		return true
	}
	return name == SessionFile
}

// SessionFile is the state of a session that goes through the stories of an epic.
const SessionFile = StoriesDir + "/.session-state.yaml"

// LoopFile is the state of a QA loop, in a folder for its story.
const LoopFile = "loop-status.json"

// Stem is what the name of a state file says before its fixed end.
func Stem(name string) string {
	base := path.Base(name)
	return base[:strings.LastIndex(base, "-state.")]
}

// EpicID is what the file's name says. A file without an id between the two fixed parts is called after the rest of its name.
func EpicID(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if id := strings.TrimSuffix(strings.TrimPrefix(base, "epic-"), "-state"); id != "" {
		return id
	}
	return "state"
}

// CompletedFields, lastFields and currentFields are the names under which states keep how far they are.
var (
	CompletedFields = []string{"phases_completed", "completed_phases", "completedPhases", "phasesCompleted"}
	LastFields      = []string{"last_completed_phase", "lastCompletedPhase"}
	CurrentFields   = []string{"current_phase", "currentPhase", "phase"}
)

// PhaseName is a phase as a state names it: by a word, or by a record that has one.
func PhaseName(v sources.Value) string {
	if v.Text() != "" {
		return v.Text()
	}
	return v.Get("name", "phase", "id").Text()
}

// SaysProgress reports whether the state names what is completed, be it nothing.
func SaysProgress(v sources.Value) bool {
	return v.Get(CompletedFields...).Is() || v.Get(LastFields...).Is() ||
		slices.ContainsFunc(Named(v.Get("phases"), "name"), func(f sources.Field) bool { return f.Value.Get("status").Text() != "" || f.Value.Text() != "" })
}

// KeepsPhases reports whether a state says which phases are over, or which one is current and nothing more.
func KeepsPhases(v sources.Value) bool {
	if v.Get("steps").IsList() || v.Get(LastFields...).Is() {
		return false
	}
	return v.Get(CompletedFields...).IsList() || !SaysProgress(v) && v.Get(CurrentFields...).Text() != ""
}

// WaveNames, StoryNames and CurrentWave are what states call the parts of an epic, and the one it is at.
var (
	WaveNames   = []string{"wave", "wave_id", "waveId", "id", "number"}
	StoryNames  = []string{"id", "story_id", "storyId", "story"}
	CurrentWave = []string{"current_wave", "currentWave"}
)
