package statefile

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// Homes are the folders in which the family keeps its state, the older name first.
var Homes = []string{".aios", ".aiox"}

// StoriesDir is the folder that holds the stories.
const StoriesDir = "docs/stories"

// IsJSON reports whether a file is JSON, judging by its name.
func IsJSON(name string) bool { return strings.HasSuffix(name, ".json") }

// IsEpic reports whether a file is the state of an epic, judging by its name.
func IsEpic(name string) bool {
	return strings.HasPrefix(name, "epic-") && (strings.HasSuffix(name, "-state.yaml") || strings.HasSuffix(name, "-state.yml") || strings.HasSuffix(name, "-state.json"))
}

// IsWorkflow reports whether a file is the state of a workflow, judging by its name.
func IsWorkflow(name string) bool {
	for _, end := range []string{"-state.yaml", "-state.yml", "-state.json"} {
		if strings.HasSuffix(name, end) {
			return !IsEpic(name) && name != "session-state.json" && name != "session-state.yaml"
		}
	}
	return false
}

// IsState reports whether a file belongs to a workflow alone. Stories and artefacts do not: they are the product.
func IsState(name string) bool {
	dir, _, _ := strings.Cut(name, "/")
	switch {
	case strings.Contains(name, "/specs/") || path.Base(name) == "qa-loops-index.json":
		return false // artefacts, and an index that its tool regenerates
	case dir == ".aios" || dir == ".aiox" || dir == "plan" || dir == "qa":
		return true
	}
	return name == SessionFile
}

// SessionFile is the state file of a session that works through the stories of an epic.
const SessionFile = StoriesDir + "/.session-state.yaml"

// LoopFile is the name of a QA loop's state file, in a folder for its story.
const LoopFile = "loop-status.json"

// Stem returns the part of a state file's name before the fixed ending.
func Stem(name string) string {
	base := path.Base(name)
	return base[:strings.LastIndex(base, "-state.")]
}

// EpicID returns the epic's id from the name of its state file. A name without an id gives "state".
func EpicID(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if id := strings.TrimSuffix(strings.TrimPrefix(base, "epic-"), "-state"); id != "" {
		return id
	}
	return "state"
}

// CompletedFields, LastFields and CurrentFields are the field names under which states record their progress.
var (
	CompletedFields = []string{"phases_completed", "completed_phases", "completedPhases", "phasesCompleted"}
	LastFields      = []string{"last_completed_phase", "lastCompletedPhase"}
	CurrentFields   = []string{"current_phase", "currentPhase", "phase"}
)

// PhaseName returns the name of a phase in a state, which is either a plain word or a field of a record.
func PhaseName(v sources.Value) string {
	if v.Text() != "" {
		return v.Text()
	}
	return v.Get("name", "phase", "id").Text()
}

// SaysProgress reports whether the state says what is completed, even if that is nothing.
func SaysProgress(v sources.Value) bool {
	return v.Get(CompletedFields...).Is() || v.Get(LastFields...).Is() ||
		slices.ContainsFunc(Named(v.Get("phases"), "name"), func(f sources.Field) bool { return f.Value.Get("status").Text() != "" || f.Value.Text() != "" })
}

// KeepsPhases reports whether a state either lists the completed phases, or names only the current one.
func KeepsPhases(v sources.Value) bool {
	if v.Get("steps").IsList() || v.Get(LastFields...).Is() {
		return false
	}
	return v.Get(CompletedFields...).IsList() || !SaysProgress(v) && v.Get(CurrentFields...).Text() != ""
}

// WaveNames, StoryNames and CurrentWave are the field names that states use for waves, for stories and for the current wave.
var (
	WaveNames   = []string{"wave", "wave_id", "waveId", "id", "number"}
	StoryNames  = []string{"id", "story_id", "storyId", "story"}
	CurrentWave = []string{"current_wave", "currentWave"}
)
