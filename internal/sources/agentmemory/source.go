// Package agentmemory reads runs that keep their state in .agent-memory/runs: documents, a task graph, and a log of
// events for each actor. The events of all worktrees show the states of the tasks, and the documents show the phase of
// the run. The package never gives an approval that only a person may give. It changes no existing event, and adds
// events only under the name git-resume.
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

// Find reads every run of every worktree. The copies of a run in different worktrees are combined into one run, because each worktree may
// contain events that the others do not have.
func (s Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var found []sources.Found
	subjects := map[string][]past.Logged{}
	runs, err := v.Folders(s.Name(), memoryDir, "/runs", isRun)
	for _, f := range runs {
		found = append(found, describe(read(&memory{ctx: ctx, view: v, id: f.ID, dir: f.Dir, trees: f.Trees}, subjects)))
	}
	return found, err
}

// Claims recognizes a run by its name or by its folder of events.
func (Source) Claims(folder string) (string, bool) {
	below, ok := strings.CutPrefix(folder, memoryDir+"/runs/")
	name, rest, _ := strings.Cut(below, "/")
	return name, ok && (rest == "events" || rest == "" && called(name))
}

// called reports whether a folder name is the name of a run: "run-" with a number, or a name that starts with a time.
func called(name string) bool {
	number, ok := strings.CutPrefix(name, "run-")
	return ok && number != "" && strings.Trim(number, "0123456789") == "" || !stampOf(name).IsZero()
}

// isRun reports whether a folder is a run, by its name or by the files in it. A folder with archived runs, for example, is not a run
// itself.
func isRun(t sources.Tree, dir string) bool {
	return called(path.Base(dir)) || slices.ContainsFunc(append(slices.Concat(documents, graphFiles), "events", "tasks", "workflow-state.json", "manifest.yaml"),
		func(file string) bool { return t.Has(dir + "/" + file) })
}
