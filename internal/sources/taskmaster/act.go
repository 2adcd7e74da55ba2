package taskmaster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// skipped is added to the details of a skipped task, whose status becomes "done". The status "cancelled" is not used, because in
// Taskmaster a task that depends on a cancelled one can never start.
const skipped = "Skipped with git resume: it was marked as done without being carried out."

// Act computes how the chosen action changes the file. It changes only the values of the affected tasks. Other tags and the layout of the
// file stay the same.
func (Source) Act(_ context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	refused := &sources.NoActionError{Key: f.Key(), Name: w.Name}
	t, ok := v.At(f.Home)
	if !ok || w.Name != sources.Continue && !f.Offers(w.Name) || len(f.Files) != 1 {
		return nil, refused
	}
	if w.Name == sources.Continue {
		return nil, nil // Taskmaster itself sets the status when it starts a task
	}
	data, err := t.Read(f.Files[0])
	if err != nil {
		return nil, err
	}
	l, err := listOf(data, f)
	if err != nil {
		return nil, err
	}
	id := cmp.Or(w.Task, f.Point.Task)
	one := l.byID[id]
	if w.Name != sources.Repair && one == nil {
		return nil, fmt.Errorf("%s has no task '%s'", f.Key(), id)
	}
	var now []byte
	switch w.Name {
	case sources.SkipUnit:
		now, err = skip(data, one)
	case sources.RestartUnit:
		if !isActive(one) {
			return nil, refused
		}
		now, err = set(data, "pending", one)
	case sources.Repair:
		now, err = set(data, "done", l.unmarked()...)
	default:
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	return []sources.Change{{Tree: t.WorkTree, Path: f.Files[0], Was: data, Now: now}}, nil
}

// listOf parses the current content of the file, and returns the list of the work's tag.
func listOf(data []byte, f *sources.Found) (*list, error) {
	lists, err := parse(data)
	if err != nil {
		return nil, err
	}
	tag, _ := f.Protocol["tag"].(string)
	i := slices.IndexFunc(lists, func(l *list) bool { return l.tag == tag })
	if i < 0 {
		return nil, fmt.Errorf("%s has no tag '%s' any more", f.Files[0], tag)
	}
	return lists[i], nil
}

func set(data []byte, word string, tasks ...*task) ([]byte, error) {
	var edits []textdoc.Edit
	for _, t := range tasks {
		edits = append(edits, textdoc.Edit{Path: t.key("status"), To: word})
	}
	return textdoc.EditJSON(data, edits...)
}

// key returns the path of a field of the task in the file.
func (t *task) key(name string) []any { return append(slices.Clone(t.at), name) }

// skip marks a task and its open subtasks as done, and adds a note about the skip to the details of the task. Details that are a list or an
// object stay unchanged.
func skip(data []byte, t *task) ([]byte, error) {
	open := slices.DeleteFunc(slices.Clone(t.below), (*task).closed)
	now, err := set(data, "done", append(open, t)...)
	if err != nil {
		return nil, err
	}
	root, err := textdoc.ParseJSON(now)
	if err != nil {
		return nil, err
	}
	edit := textdoc.Edit{Path: t.key("details"), To: skipped}
	switch details := root.At(t.at...).Get("details"); {
	case details.Kind() == textdoc.TextKind && details.Raw() != "":
		if edit, err = textdoc.Append(now, t.key("details"), details, "\n\n"+skipped); err != nil {
			return nil, err
		}
	case details.IsObject() || details.IsList():
		return now, nil // the details are not a text, so they stay unchanged
	}
	return textdoc.EditJSON(now, edit)
}
