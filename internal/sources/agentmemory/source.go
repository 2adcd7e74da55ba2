// Package agentmemory reads runs that keep their memory in .agent-memory/runs: documents, a task graph,
// and a log of events for each actor.
//
// The state of a run is computed from the events of all actors in all worktrees; the documents show its phase.
// The package never passes a gate that only a person may pass, and never changes an event that is already written:
// it only proposes new events of its own actor.
package agentmemory

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds agent-memory runs.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source.
func (Source) Name() string { return "agent-memory" }

// Find reads every run of every worktree. A committed run exists in several worktrees and is read as one run,
// because each worktree may hold events that the others do not have.
func (s Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var found []sources.Found
	subjects := map[string][]past.Logged{}
	runs, err := v.Folders(s.Name(), memoryDir, "/runs", isRun)
	for _, f := range runs {
		found = append(found, describe(read(&memory{ctx: ctx, view: v, id: f.ID, dir: f.Dir, trees: f.Trees}, subjects)))
	}
	return found, err
}

// Claims recognizes a run by its name, or by the folder of its events.
func (Source) Claims(folder string) (string, bool) {
	below, ok := strings.CutPrefix(folder, memoryDir+"/runs/")
	name, rest, _ := strings.Cut(below, "/")
	return name, ok && (rest == "events" || rest == "" && called(name))
}

// called reports whether a name is that of a run: "run-" and a number, or a time at the beginning.
func called(name string) bool {
	number, ok := strings.CutPrefix(name, "run-")
	return ok && number != "" && strings.Trim(number, "0123456789") == "" || !stampOf(name).IsZero()
}

// isRun distinguishes a run from other folders, such as one for archived runs, by its name or by the files in it.
func isRun(t sources.Tree, dir string) bool {
	return called(path.Base(dir)) || slices.ContainsFunc(append(slices.Concat(documents, graphFiles), "events", "tasks", "workflow-state.json", "manifest.yaml"),
		func(file string) bool { return t.Has(dir + "/" + file) })
}
