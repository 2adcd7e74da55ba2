package taskmaster

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

const (
	info    = conflicts.Info
	warning = conflicts.Warning
)

type list struct {
	tag   string
	at    []any // the path of keys to the list in the file
	tasks []*task
	// byID maps ids to tasks and subtasks. If several have the same id, the later ones get a suffix such as "~2".
	byID     map[string]*task
	repeated []string
	// created and updated are the times that Taskmaster wrote for the tag and its tasks.
	created string
	updated []string
}

// task is a task or a subtask.
type task struct {
	id, title string
	// raw is the status word as written in the file, and the field "means" holds its meaning.
	raw      string
	means    sources.Meaning
	priority string
	needs    []string
	tested   bool // whether the task has a test strategy, which few other tools write
	above    *task
	below    []*task
	// titles are subtasks that are only texts in the file, so they have no status.
	titles []string
	at     []any
	line   int
	// named is a commit that names the task and is newer than the last change of the list. It is set only if the status says that the
	// task is not started.
	named object.ID
	// namedAs is the id in the subject of that commit: the id of the task, or of the task above it.
	namedAs string
}

// parse reads every form of the file: a list for each tag, one list of tasks, or an object that contains one list.
func parse(data []byte) ([]*list, error) {
	root, err := textdoc.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	if root.IsList() {
		return []*list{newList(firstTag, textdoc.Value{}, root, nil)}, nil
	}
	if !root.IsObject() {
		return nil, &textdoc.DamageError{Why: "is neither an object nor a list"}
	}
	var out []*list
	add := func(l *list) {
		same := func(o *list) bool { return o.tag == l.tag }
		out = append(slices.DeleteFunc(out, same), l) // if a tag occurs twice, the last one counts, as in other JSON parsers
	}
	for _, f := range root.Fields() {
		tasks := f.Value.Get("tasks")
		switch {
		case f.Key == "tasks" && f.Value.IsList():
			add(newList(firstTag, root.Get("metadata", "meta"), f.Value, []any{"tasks"}))
		case len(f.Key) > longestID:
		case tasks.IsList():
			add(newList(f.Key, f.Value.Get("metadata"), tasks, []any{f.Key, "tasks"}))
		case f.Value.IsList() && slices.ContainsFunc(f.Value.Items(), isTask):
			add(newList(f.Key, textdoc.Value{}, f.Value, []any{f.Key}))
		}
	}
	return out, nil
}

func isTask(v textdoc.Value) bool { return v.Get("title").Is() || v.Get("status").Is() }

func newList(tag string, about, tasks textdoc.Value, at []any) *list {
	l := &list{tag: tag, at: at, byID: map[string]*task{}, created: about.Get("created").Text()}
	l.updated = []string{about.Get("updated").Text(), about.Get("lastModified").Text()}
	for i, v := range tasks.Items() {
		if !v.IsObject() {
			continue
		}
		t := l.newTask(v, nil, i, at)
		l.tasks = append(l.tasks, t)
		l.addBelow(t, v.Get("subtasks"))
	}
	return l
}

func (l *list) addBelow(t *task, subtasks textdoc.Value) {
	if !subtasks.IsList() {
		return
	}
	for i, v := range subtasks.Items() {
		switch {
		case v.IsObject():
			t.below = append(t.below, l.newTask(v, t, i, append(slices.Clone(t.at), "subtasks")))
		case v.Text() != "":
			t.titles = append(t.titles, textdoc.OneLine(v.Text()))
		}
	}
}

func (l *list) newTask(v textdoc.Value, above *task, i int, at []any) *task {
	t := &task{id: textdoc.OneLine(v.Get("id").Text()), title: textdoc.OneLine(v.Get("title").Text()), above: above, raw: v.Get("status").Text()}
	t.priority, t.tested, t.line = v.Get("priority").Text(), v.Get("testStrategy").Is(), v.Line()
	t.at = append(slices.Clone(at), i)
	if status := v.Get("status"); status.Is() {
		t.line = status.Line()
	}
	if t.means = sources.MeaningOf(t.raw); t.raw == "" {
		t.means = sources.MeansPending
	}
	if t.id == "" {
		t.id = strconv.Itoa(i + 1)
	}
	if above != nil {
		t.id = above.id + "." + strings.TrimPrefix(t.id, above.id+".")
	}
	for _, need := range v.Get("dependencies").Texts() {
		if above != nil && !strings.Contains(need, ".") {
			need = above.id + "." + need // for another subtask of the same task, Taskmaster writes only the last part of the id
		}
		t.needs = append(t.needs, textdoc.OneLine(need))
	}
	if l.byID[t.id] != nil {
		l.repeated = append(l.repeated, t.id)
		t.id += "~" + strconv.Itoa(len(l.repeated)+1)
	}
	l.byID[t.id] = t
	l.updated = append(l.updated, v.Get("updatedAt").Text())
	return t
}

// The method leaves() returns the tasks at the lowest level: subtasks, and tasks without subtasks.
func (l *list) leaves() (out []*task) {
	for _, t := range l.tasks {
		if len(t.below) == 0 {
			out = append(out, t)
		}
		out = append(out, t.below...)
	}
	return out
}

// closed reports whether a task needs no more work. The subtasks of a cancelled or deferred task are closed too.
func (t *task) closed() bool {
	return t.means == sources.MeansDone || t.means == sources.MeansClosed || t.above != nil && t.above.means == sources.MeansClosed
}

// done reports whether a task is done, by its own status or because its subtasks are done.
func (t *task) done() bool { return t.means == sources.MeansDone || t.whole() }

// whole reports whether no subtask is open, and at least one of them is done.
func (t *task) whole() bool {
	return slices.ContainsFunc(t.below, func(b *task) bool { return b.means == sources.MeansDone }) && !slices.ContainsFunc(t.below, isOpen)
}

func isOpen(t *task) bool { return !t.closed() }

func isActive(t *task) bool { return t.means == sources.MeansInProgress }

// state converts the status of a task into a task state. A task in review waits for somebody else, so it is not in progress.
func (t *task) state() checkpoint.TaskState {
	switch {
	case t.means != sources.MeansDone && t.closed():
		return checkpoint.Skipped
	case t.means == sources.MeansReview:
		return sources.TaskWaiting
	}
	return t.means.TaskState()
}

// label returns the id and the title of a task, as shown to people.
func (t *task) label() string { return strings.TrimSpace(t.id + " " + t.title) }

func ids(all []*task) (out []string) {
	for _, t := range all {
		out = append(out, t.id)
	}
	return out
}
