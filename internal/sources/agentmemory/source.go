// Package agentmemory reads runs that keep their memory in .agent-memory/runs: documents, a task graph,
// and a log of events for each actor.
//
// The state of a run is a fold over the events of all actors in all worktrees; the documents tell its phase.
// It never passes a gate that a person has to pass, and changes no event that is written:
// what it proposes are new events of an actor of its own.
package agentmemory

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds such runs.
type Source struct{}

// New makes the source.
func New() Source { return Source{} }

// Name is how the source is called.
func (Source) Name() string { return "agent-memory" }

// Find reads every run of every worktree. One run that is committed is there in several: it is read as one,
// since each worktree may hold events that the others do not have.
func (s Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var found []sources.Found
	subjects := map[string][]past.Logged{}
	runs, err := v.Folders(s.Name(), memoryDir, "/runs", isRun)
	for _, f := range runs {
		found = append(found, describe(read(&memory{ctx: ctx, view: v, id: f.ID, dir: f.Dir, trees: f.Trees}, subjects)))
	}
	return found, err
}

// Claims knows a run by its name, or by the folder of its events.
func (Source) Claims(folder string) (string, bool) {
	below, ok := strings.CutPrefix(folder, memoryDir+"/runs/")
	name, rest, _ := strings.Cut(below, "/")
	return name, ok && (rest == "events" || rest == "" && called(name))
}

// called: a run is numbered, or begins with a time.
func called(name string) bool {
	number, ok := strings.CutPrefix(name, "run-")
	return ok && number != "" && strings.Trim(number, "0123456789") == "" || !stampOf(name).IsZero()
}

// isRun tells a run from other folders, such as one for archived runs: by its name, or by what is in it.
func isRun(t sources.Tree, dir string) bool {
	return called(path.Base(dir)) || slices.ContainsFunc(append(slices.Concat(documents, graphFiles), "events", "tasks", "workflow-state.json", "manifest.yaml"),
		func(file string) bool { return t.Has(dir + "/" + file) })
}
