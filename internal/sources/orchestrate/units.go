package orchestrate

import (
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// leading is the state file that leads a candidate.
type leading struct {
	*statefile.Files
	found *sources.Found
}

func (w waysOn) leading() leading { return leading{&w.look.Files, &w.Found} }

// name is empty where there is no such file.
func (l leading) name() string { return first(stateFiles(l.found)) }

// read gives its bytes and what is in them.
func (l leading) read() (data []byte, v sources.Value, err error) {
	if data, err = l.Tree.Read(l.name()); err == nil {
		v, err = statefile.Format(l.name())(data)
	}
	return data, v, err
}

// write is the change that gives it other bytes.
func (l leading) write(was, now []byte) []sources.Change {
	return []sources.Change{{Tree: l.Tree.WorkTree, Path: l.name(), Was: was, Now: now}}
}

// unit is where the leading state file keeps the status of one task, as a path of keys; nil if it keeps none.
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

// stateFiles are those that belong to the workflow alone: stories and artefacts are the product.
func stateFiles(f *sources.Found) []string {
	var out []string
	for _, name := range f.Files {
		if statefile.IsState(name) {
			out = append(out, name)
		}
	}
	return out
}

// listsPhases reports whether the phases of the leading state file can be gone back to.
func (l leading) listsPhases() bool {
	name := l.name()
	if name == "" || !statefile.IsWorkflow(filepath.Base(name)) || l.found.Rebuilt {
		return false
	}
	_, v, err := l.read()
	return err == nil && statefile.KeepsPhases(v)
}
