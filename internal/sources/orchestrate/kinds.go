package orchestrate

import (
	"path"
	"strings"

	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

type kind struct {
	// homes and folders say where to search: each folder is looked up below each home. The folder "qa/*" means all subfolders of qa.
	homes, folders []string
	// file is the name of the state file. It is empty if the function fits() selects files by their names. If ifExists is true, a missing
	// file is skipped.
	file     string
	ifExists bool
	fits     func(name string) bool
	// The field "must" lists names of fields in a state file. A file counts as this kind of state file if it has at least one of these
	// fields.
	must []string
	read func(*treeSearch, statefile.Record) *work
}

// top is the list of homes for the state files that are not in .aios or .aiox. Its only entry is the top of the worktree.
var top = []string{""}

// kinds lists all kinds of state files, in the order in which the orchestrate tools search for them.
var kinds = []kind{
	{homes: statefile.Homes, folders: []string{""}, fits: statefile.IsEpic, must: []string{"epic_state", "waves", "epicId", "epic_id", "stories"}, read: (*treeSearch).epic},
	{homes: top, folders: []string{"qa", "qa/*"}, file: statefile.LoopFile, ifExists: true,
		must: []string{"storyId", "status", "history", "currentIteration", "iteration"}, read: (*treeSearch).loop},
	{homes: statefile.Homes, folders: []string{""}, file: "qa-loops-index.json", must: []string{"loops"}, read: (*treeSearch).indexedLoops},
	{homes: statefile.Homes, folders: []string{"", "workflows", "state"}, fits: statefile.IsWorkflow,
		must: []string{"workflow_id", "workflowId", "workflow", "instance_id", "execution_id", "steps", "phases", "phases_completed", "current_phase", "currentPhase", "workflow_type", "workflowType", "completedPhases", "completed_phases", "lastCompletedPhase"}, read: (*treeSearch).workflow},
	{homes: statefile.Homes, folders: []string{"workflow-state"}, fits: statefile.IsWorkflow, must: []string{"workflowId", "currentPhase", "phaseResults"}, read: (*treeSearch).cycle},
	{homes: top, folders: []string{""}, file: statefile.SessionFile, must: []string{"session_state"}, read: (*treeSearch).session},
	{homes: statefile.Homes, folders: []string{"master-orchestrator"}, fits: statefile.IsJSON, must: []string{"storyId", "workflowId", "epics", "status"}, read: (*treeSearch).master},
	{homes: top, folders: []string{"plan", "plan/*"}, file: "build-state.json", ifExists: true,
		must: []string{"storyId", "checkpoints", "completedSubtasks", "currentSubtask"}, read: (*treeSearch).build},
	{homes: statefile.Homes, folders: []string{"forge-runs/*"}, file: "state.json", must: []string{"run_id", "phases"}, read: (*treeSearch).forge},
}

// dirs returns the folders that match one entry of kind.folders: for "qa/*" the subfolders of qa, otherwise the entry itself.
func (l *treeSearch) dirs(in string) []string {
	if all, ok := strings.CutSuffix(in, "/*"); ok {
		return l.Folders(all, maxLoops)
	}
	return []string{in}
}

func (l *treeSearch) readIn(dir string, k kind) {
	names := []string{path.Join(dir, k.file)}
	switch {
	case k.fits != nil:
		names = l.List(dir, k.fits)
	case k.ifExists && !l.Tree.Has(names[0]):
		return
	}
	for _, name := range names {
		if r, ok := l.Load(name, statefile.Format(name, k.must...)); ok {
			l.add(k.read(l, r))
		}
	}
}
