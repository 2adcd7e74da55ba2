package boxes

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// noPlans lists names of documents that are not plans.
var noPlans = []string{"readme", "template", "plans", "index", "agents", "claude"}

// document returns the list in one document, for a tool that keeps all documents in one folder. It returns nil if the file is not a plan.
func (k kind) document(t sources.Tree, name string) []*list {
	stem, ok := strings.CutSuffix(name, ".md")
	file := k.parent + "/" + name
	if !ok || stem == "" || strings.HasPrefix(name, ".") || slices.Contains(noPlans, strings.ToLower(stem)) || !t.Has(file) {
		return nil
	}
	return []*list{{kind: k, tree: t, path: file, name: k.parent + "/" + stem}}
}

// within returns the boxes in the section with the tasks. Boxes elsewhere in the document are criteria or examples. If a title begins with
// the date and time at which the step was finished, within removes them from the title.
func (k kind) within(boxes []textdoc.Box, text string) []textdoc.Box {
	first, last := k.lines(text)
	from := slices.IndexFunc(boxes, func(b textdoc.Box) bool { return b.Line > first && b.Line <= last })
	if from < 0 {
		return []textdoc.Box{}
	}
	to := from
	for to < len(boxes) && boxes[to].Line <= last {
		to++
	}
	out := slices.Clone(boxes[from:to])
	for i := range out {
		out[i].Above = max(out[i].Above-from, -1)
		out[i].Title = textdoc.OneLine(out[i].Title[len(stamp.FindString(out[i].Title)):])
	}
	return out
}

// lines returns the first and the last line of the section with the tasks. The first line is its heading, which may have more words, for
// example a translation. Without such a section it returns 0, 0.
func (k kind) lines(text string) (first, last int) {
	for _, s := range textdoc.Sections(textdoc.Visible(text)) {
		word, _, _ := strings.Cut(strings.ToLower(s.Title), " ")
		if word != k.section {
			continue
		}
		last = s.Line
		if n := len(s.Body); n > 0 {
			last = s.Body[n-1].Number
		}
		return s.Line, last
	}
	return 0, 0
}

var (
	// stamp matches the date and time that stand before the title of a finished step. They are removed, so that the step has the same title
	// as when it was open.
	stamp = textdoc.NewForm(`^\(?[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]{4,15})? ?(?:Z|UTC|JST|[+-][0-9:]{4,6})?\)?(?: *[-–—:])? +`)
	// partly matches a remark that only a part of a step is done, such as "(completed: a, remaining: b)". It stands after the step's title.
	partly = textdoc.NewForm(`(?i)[(（](?:completed|done|完了) *[:：].*(?:remaining|残り) *[:：]`)
)

// isPartly reports whether an open step has a remark that a part of it is done. Such a step is in progress.
func isPartly(b textdoc.Box) bool { return !b.Done && partly.MatchString(b.Title) }

// todoFile is a common place for a list of tasks. No tool owns this file, so it counts only if it was changed within proofTime.
const todoFile = "tasks/todo.md"

// todoList returns the list in tasks/todo.md. It returns nil if the file is missing or empty.
func todoList(v *sources.View, t sources.Tree) *list {
	if !t.Has("tasks") || !t.Has(todoFile) {
		return nil
	}
	if data, err := t.Read(todoFile); err == nil && strings.TrimSpace(textdoc.Text(data)) == "" {
		return nil
	}
	return &list{kind: kind{name: "todo", source: sources.Todo}, tree: t, path: todoFile, name: v.Name()}
}

// isUnused reports whether work from tasks/todo.md is left out. This is so if the file was not changed within proofTime, or if it is not
// damaged and has fewer than two tasks.
func isUnused(v *sources.View, f *sources.Found) bool {
	few := len(f.Tasks) < 2 && f.State != sources.Corrupt
	return f.Source == sources.Todo && (few || f.Active.IsZero() || v.Now.Sub(f.Active) > proofTime)
}

// stateIn returns the state of a task, which usually depends only on the mark in its box. If k.section is set, a pending task counts as
// in progress if a remark says that a part of it is done.
func (k kind) stateIn(b textdoc.Box) checkpoint.TaskState {
	if state := k.stateOf(b); state != checkpoint.Pending || k.section == "" || !isPartly(b) {
		return state
	}
	return checkpoint.Active
}
