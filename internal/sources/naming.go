package sources

import (
	"path"
	"slices"
	"strings"
)

// TaskLists is the name of the reader of Markdown task lists. This reader reads the lists of several tools. Each of these tools counts as a
// source with its own name.
const TaskLists = "boxes"

// These are the names of the sources whose work is found in Markdown task lists.
const (
	SpecKit  = "spec-kit"
	Kiro     = "kiro"
	OpenSpec = "openspec"
	// Conductor is the source of the tracks of the tool Conductor.
	Conductor = "conductor"
	// AgentOS and SpecWorkflow are further tools with a list for each specification.
	AgentOS      = "agent-os"
	SpecWorkflow = "spec-workflow"
	// ExecPlans is the source of plans that have their tasks in a section called Progress. Todo is the source of the file tasks/todo.md.
	ExecPlans = "execplans"
	Todo      = "todo"
	// Plans is the source of the lists that the setting resume.plans names.
	Plans = "plans"
)

// PlanningFiles is the source of plans in files called task_plan.md. Earlier versions of git-resume called this source TaskLists, or
// TaskPlan for a plan at the top of the worktree.
const (
	PlanningFiles = "planning-files"
	TaskPlan      = "task-plan"
	topPlan       = "task_plan"
	// PlanFile is the file name of a plan. PlanFolders is the folder with one subfolder for each plan that is not at the top of the
	// worktree.
	PlanFile    = topPlan + ".md"
	PlanFolders = ".planning"
)

// IsPlanFolder reports whether a folder with this name in PlanFolders may contain a plan, by the rules of planning-with-files.
func IsPlanFolder(name string) bool {
	const signs = "._-"
	plain := func(r rune) bool {
		return r < 0x80 && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '_')
	}
	for i, r := range name {
		if !plain(r) && (i == 0 || !strings.ContainsRune(signs, r)) {
			return false
		}
	}
	return name != "" && !slices.Contains([]string{"templates", "skills", "archive"}, name)
}

// IsPlanningFile reports whether a file is read as a planning file. Such a file must not be reported as a task list by another reader.
func IsPlanningFile(v *View, file string) bool {
	parts := strings.Split(file, "/")
	if parts[len(parts)-1] != PlanFile || v.Setting != nil && !Selects(v.Setting("resume.sources"), PlanningFiles) {
		return false
	}
	if len(parts) == 1 {
		return true
	}
	dir := path.Dir(file)
	if path.Base(path.Dir(dir)) != PlanFolders || !IsPlanFolder(path.Base(dir)) {
		return false
	}
	above := parts[:len(parts)-3]
	return len(above) < 2 || len(above) == 2 && slices.Contains(groups, above[0])
}

// readers maps a source to the reader that finds its work, if they have different names.
var readers = map[string]string{
	SpecKit: TaskLists, Kiro: TaskLists, OpenSpec: TaskLists, Conductor: TaskLists, AgentOS: TaskLists, SpecWorkflow: TaskLists,
	ExecPlans: TaskLists, Todo: TaskLists, Plans: TaskLists,
	TaskPlan: PlanningFiles,
}

// former maps a source to the names that earlier versions of git-resume used for its work, the oldest first.
var former = map[string][]string{PlanningFiles: {TaskLists, TaskPlan}}

// ReaderOf returns the name of the reader that finds the work of a source.
func ReaderOf(source string) string {
	if reader, ok := readers[source]; ok {
		return reader
	}
	return source
}

// NamesOf returns all names that settings may use for a source: its own name, the name of its reader, and names that earlier versions of
// git-resume used.
func NamesOf(source string) []string {
	return append([]string{source, ReaderOf(source)}, former[source]...)
}

// SameSource reports whether two names may mean the same source. One of them may be the name of a reader, or a name that earlier
// versions of git-resume used.
func SameSource(a, b string) bool {
	return slices.Contains(NamesOf(a), b) || slices.Contains(NamesOf(b), a)
}

// Is reports whether a record with this source and this id is about the work.
func (f *Found) Is(source, id string) bool {
	return f.ID != "" && f.ID == id && SameSource(f.Source, source)
}

// FormerKey returns the key that earlier versions of git-resume used for the work. It may be the same as Key.
func (f *Found) FormerKey() string {
	if names := former[f.Source]; len(names) > 0 && f.ID == topPlan {
		return names[0] + ":" + f.ID
	}
	return ReaderOf(f.Source) + ":" + f.ID
}

// KeysOf returns the key of the work and all keys that earlier versions of git-resume used for it.
func KeysOf(f *Found) []string {
	out := []string{f.Key(), f.FormerKey()}
	if f.ID == topPlan {
		for _, name := range former[f.Source] {
			out = append(out, name+":"+f.ID)
		}
	}
	return out
}

// Selects reports whether the setting resume.sources allows a source to be read. Its values can be names of sources or of readers,
// including names that earlier versions of git-resume used. If there are no values, every source is read.
func Selects(values []string, source string) bool {
	var names []string
	for _, value := range values {
		names = append(names, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return SameSource(name, source) })
}
