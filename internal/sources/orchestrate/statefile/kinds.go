package statefile

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// Homes lists the folders that contain state files. The older name is first.
var Homes = []string{".aios", ".aiox"}

// StoriesDir is the folder of the story files.
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

// IsState reports whether a file only records the progress of a workflow. Stories and artefacts are results of the work, so they do not
// count.
func IsState(name string) bool {
	dir, _, _ := strings.Cut(name, "/")
	switch {
	case strings.Contains(name, "/specs/") || path.Base(name) == "qa-loops-index.json":
		return false // files in specs are results of the work; the QA index can be made again from other files
	case dir == ".aios" || dir == ".aiox" || dir == "plan" || dir == "qa":
		return true
	}
	return name == SessionFile
}

// SessionFile is the state file of a session, which works through the stories of an epic.
const SessionFile = StoriesDir + "/.session-state.yaml"

// LoopFile is the name of a QA loop's state file.
const LoopFile = "loop-status.json"

// Stem returns the name of a state file without its folder and its ending, such as "-state.yaml".
func Stem(name string) string {
	base := path.Base(name)
	return base[:strings.LastIndex(base, "-state.")]
}

// EpicID returns the epic's id from the name of its state file, or "state" if the name contains no id.
func EpicID(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if id := strings.TrimSuffix(strings.TrimPrefix(base, "epic-"), "-state"); id != "" {
		return id
	}
	return "state"
}

// CompletedFields, LastFields and CurrentFields are the possible names of the fields for the completed phases, the last completed phase
// and the current phase.
var (
	CompletedFields = []string{"phases_completed", "completed_phases", "completedPhases", "phasesCompleted"}
	LastFields      = []string{"last_completed_phase", "lastCompletedPhase"}
	CurrentFields   = []string{"current_phase", "currentPhase", "phase"}
)

// PhaseName returns the name of a phase, which is written either as a single word or as a record.
func PhaseName(v textdoc.Value) string {
	if v.Text() != "" {
		return v.Text()
	}
	return v.Get("name", "phase", "id").Text()
}

// SaysProgress reports whether the state file shows any progress. It does so if a phase has a status, or if there is a field for the
// completed phases or for the last completed phase. This field may be empty.
func SaysProgress(v textdoc.Value) bool {
	return v.Get(CompletedFields...).Is() || v.Get(LastFields...).Is() ||
		slices.ContainsFunc(Named(v.Get("phases"), "name"), func(f textdoc.Field) bool { return f.Value.Get("status").Text() != "" || f.Value.Text() != "" })
}

// KeepsPhases reports whether git-resume can set the work back to an earlier phase. This needs a list of the completed phases in the state
// file, phases with a status of their own, or a file that names the current phase and shows no other progress. It is impossible if the file
// also has a list of steps or a field for the last completed phase, because git-resume does not edit these.
func KeepsPhases(v textdoc.Value) bool {
	if v.Get("steps").IsList() || v.Get(LastFields...).Is() {
		return false
	}
	return v.Get(CompletedFields...).IsList() || len(phaseStatuses(v)) > 0 || !SaysProgress(v) && v.Get(CurrentFields...).Text() != ""
}

// phaseStatus is where the state file has the status of a phase.
type phaseStatus struct {
	phase string
	path  []string
}

// phaseStatuses returns the phases that have a status of their own, in a list or in a map.
func phaseStatuses(v textdoc.Value) []phaseStatus {
	var out []phaseStatus
	all := v.Get("phases")
	for i, f := range Named(all, "name", "phase", "id") {
		at := []string{"phases", f.Key}
		if all.IsList() {
			at[1] = strconv.Itoa(i)
		}
		switch {
		case f.Value.Get("status").Text() != "":
			out = append(out, phaseStatus{f.Key, append(at, "status")})
		case f.Value.Text() != "":
			out = append(out, phaseStatus{f.Key, at})
		}
	}
	return out
}

// WaveNames, StoryNames and CurrentWave are the possible names of three fields: the id of a wave, the id of a story, and the current
// wave.
var (
	WaveNames   = []string{"wave", "wave_id", "waveId", "id", "number"}
	StoryNames  = []string{"id", "story_id", "storyId", "story"}
	CurrentWave = []string{"current_wave", "currentWave"}
)
