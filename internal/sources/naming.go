package sources

import (
	"slices"
	"strings"
)

// TaskLists is the reader of Markdown task lists. It reads the lists of several tools, and each tool is a source of its own.
const TaskLists = "boxes"

// These are the sources of the reader of task lists.
const (
	SpecKit  = "spec-kit"
	Kiro     = "kiro"
	OpenSpec = "openspec"
	// Conductor is the source of the tracks of the tool of that name.
	Conductor = "conductor"
	// AgentOS and SpecWorkflow are further tools with a list for each specification.
	AgentOS      = "agent-os"
	SpecWorkflow = "spec-workflow"
	// TaskPlan is the file task_plan.md, and Plans are the lists that the setting resume.plans names.
	TaskPlan = "task-plan"
	Plans    = "plans"
)

// readers maps each source to the reader that finds its work, if the reader has another name.
var readers = map[string]string{SpecKit: TaskLists, Kiro: TaskLists, OpenSpec: TaskLists, Conductor: TaskLists, AgentOS: TaskLists, SpecWorkflow: TaskLists, TaskPlan: TaskLists, Plans: TaskLists}

// ReaderOf returns the name of the reader that finds the work of a source. Earlier versions used this name for the work itself, so records
// and settings may contain it.
func ReaderOf(source string) string {
	if reader, ok := readers[source]; ok {
		return reader
	}
	return source
}

// SameSource reports whether two names may mean the same source. One of them may be the name that earlier versions used.
func SameSource(a, b string) bool { return a == b || ReaderOf(a) == b || ReaderOf(b) == a }

// Is reports whether a record with this source and this id is about the work.
func (f *Found) Is(source, id string) bool {
	return f.ID != "" && f.ID == id && SameSource(f.Source, source)
}

// FormerKey returns the key that earlier versions used for the work. For most sources it is the same as Key.
func (f *Found) FormerKey() string { return ReaderOf(f.Source) + ":" + f.ID }

// Selects reports whether the values of the setting resume.sources let a source be read. The setting may name the source or its reader.
func Selects(values []string, source string) bool {
	var names []string
	for _, value := range values {
		names = append(names, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return len(names) == 0 || slices.Contains(names, source) || slices.Contains(names, ReaderOf(source))
}
