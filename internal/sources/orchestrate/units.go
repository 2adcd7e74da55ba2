package orchestrate

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// leading gives access to the main state file of a piece of work.
type leading struct {
	*statefile.Files
	found *sources.Found
}

func (w alternativeList) leading() leading { return leading{&w.search.Files, &w.Found} }

// name returns the path of the main state file, or "" if there is none.
func (l leading) name() string { return first(stateFiles(l.found)) }

func (l leading) read() (data []byte, v textdoc.Value, err error) {
	if data, err = l.Tree.Read(l.name()); err == nil {
		v, err = statefile.Format(l.name())(data)
	}
	return data, v, err
}

func (l leading) write(was, now []byte) []sources.Change {
	return []sources.Change{{Tree: l.Tree.WorkTree, Path: l.name(), Was: was, Now: now}}
}

// unit returns the path of keys to the status of a task in the main state file, or nil if that file stores no status for
// the task.
func (l leading) unit(task string) []string {
	name := l.name()
	switch {
	case name == "" || task == "":
		return nil
	case strings.Contains(name, "/master-orchestrator/"):
		return []string{"epics", strings.TrimPrefix(task, "epic-"), "status"}
	case strings.Contains(name, "/workflow-state/"):
		return []string{"phaseResults", task, "status"}
	case strings.HasPrefix(task, "step-"):
		return []string{"steps", strings.TrimPrefix(task, "step-"), "status"}
	case statefile.IsEpic(filepath.Base(name)):
		for _, t := range l.found.Tasks {
			if wave, ok := strings.CutPrefix(t.Phase, "wave "); ok && t.ID == task {
				return statefile.EpicPlace(l.Parsed(name), wave, task)
			}
		}
	}
	return nil
}

// stateFiles returns the files that only record progress. Stories and artefacts are left out because they are results of the work.
func stateFiles(f *sources.Found) []string {
	return slices.DeleteFunc(slices.Clone(f.Files), func(name string) bool { return !statefile.IsState(name) })
}

// listsPhases reports whether the work is a workflow whose state file can be set back to an earlier phase.
func (l leading) listsPhases() bool {
	name := l.name()
	if name == "" || !statefile.IsWorkflow(filepath.Base(name)) || l.found.Rebuilt {
		return false
	}
	_, v, err := l.read()
	return err == nil && statefile.KeepsPhases(v)
}
