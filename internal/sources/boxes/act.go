package boxes

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// Act returns the change that ticks boxes in a task list. The action "skip-unit" ticks one box. The action "repair" ticks all outer boxes
// whose inner boxes are done. Continuing changes nothing, and other actions fail.
func (Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok || w.Name != sources.Continue && !f.Offers(w.Name) || len(f.Files) != 1 {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	if w.Name == sources.Continue {
		return nil, nil
	}
	data, err := t.Read(f.Files[0])
	if err != nil {
		return nil, err
	}
	l := &list{kind: kindOf(f.Source), tree: t, path: f.Files[0], data: data}
	if l.boxes, err = l.parse(data); err != nil {
		return nil, err
	}
	var which []int
	switch w.Name {
	case sources.SkipUnit:
		i, err := l.find(f, w.Task)
		if err != nil {
			return nil, err
		}
		which = []int{i}
	case sources.Repair:
		which = l.unticked()
	default:
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	now, err := l.tick(which)
	if err != nil || bytes.Equal(now, data) { // the box of a task that the user named may be ticked already
		return nil, err
	}
	return []sources.Change{{Tree: t.WorkTree, Path: l.path, Was: data, Now: now}}, nil
}

// find returns the index of the box of a task, or of the next task if the name is empty. It fails if the list has no such task.
func (l *list) find(f *sources.Found, task string) (int, error) {
	if task == "" {
		task = f.Point.Task
	}
	tasks, n := l.tasks(), 0
	for i, b := range l.boxes {
		if b.Parent {
			continue
		}
		if tasks[n].ID == task {
			return i, nil
		}
		n++
	}
	return 0, fmt.Errorf("%s has no task '%s'", f.Key(), task)
}

// tick ticks some boxes and leaves every other byte unchanged.
func (l *list) tick(which []int) ([]byte, error) {
	lines := bytes.SplitAfter(l.data, []byte("\n"))
	for _, i := range which {
		b := l.boxes[i]
		if b.Line > len(lines) {
			return nil, l.cannot()
		}
		line := string(lines[b.Line-1])
		at := strings.Index(line, "["+b.Mark+"]")
		if at < 0 {
			return nil, l.cannot()
		}
		lines[b.Line-1] = []byte(line[:at] + "[x]" + line[at+len(b.Mark)+2:])
	}
	now := bytes.Join(lines, nil)
	if err := l.check(now, which); err != nil {
		return nil, err
	}
	return now, nil
}

// check makes sure that exactly the right boxes are ticked after the edit. Unusual line ends could have shifted the line numbers.
func (l *list) check(now []byte, which []int) error {
	after, err := l.parse(now)
	if err != nil || len(after) != len(l.boxes) {
		return l.cannot()
	}
	for i, b := range after {
		if b.Title != l.boxes[i].Title || b.Done != (l.boxes[i].Done || slices.Contains(which, i)) {
			return l.cannot()
		}
	}
	return nil
}

func (l *list) cannot() error {
	return fmt.Errorf("%s is not written in a way that lets git-resume tick its boxes one by one; edit it by hand", l.path)
}
