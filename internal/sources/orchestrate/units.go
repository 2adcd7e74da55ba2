package orchestrate

import (
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// unit is where the leading state file keeps the status of one task, as a path of keys; nil if it keeps none.
func (l *look) unit(f *sources.Found, task string) []string {
	name := first(stateFiles(f))
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
		for _, t := range f.Tasks {
			if wave, ok := strings.CutPrefix(t.Phase, "wave "); ok && t.ID == task {
				return statefile.EpicPlace(l.Parsed(name), wave, task)
			}
		}
	}
	return nil
}

func stateFiles(f *sources.Found) []string {
	var out []string
	for _, name := range f.Files {
		if statefile.IsState(name) {
			out = append(out, name)
		}
	}
	return out
}

// stateFiles are those that belong to the workflow alone: stories and artefacts are the product.
func (w *work) stateFiles() []string { return stateFiles(&w.Found) }

// listsPhases reports whether the phases of the leading state file can be gone back to.
func (l *look) listsPhases(f *sources.Found) bool {
	name := first(stateFiles(f))
	if name == "" || !statefile.IsWorkflow(filepath.Base(name)) || f.Rebuilt {
		return false
	}
	data, err := l.Tree.Read(name)
	if err != nil {
		return false
	}
	v, err := statefile.Format(name)(data)
	return err == nil && statefile.KeepsPhases(v)
}
