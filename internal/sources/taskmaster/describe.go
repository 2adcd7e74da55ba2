package taskmaster

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// mostTasks limits how many tasks are listed completely. In a longer list, only the next task, the 50 tasks before it and the 49 after it
// are listed.
const (
	mostTasks = 2000
	around    = 50
)

// describe returns the work of the current tag, and of at most mostTags other tags that have a task in progress. It leaves out tags that
// must be read in another worktree.
func (p *project) describe(all []*project) (found []sources.Found) {
	if !p.ok {
		return p.corrupt()
	}
	p.leftovers()
	var others []string
	for _, l := range p.lists {
		switch {
		case p.elsewhere(l.tag, all):
		case l.tag == p.current || len(l.active()) > 0 && len(found) < mostTags:
			found = append(found, p.found(l))
		case slices.ContainsFunc(l.leaves(), isOpen):
			others = append(others, l.tag)
		}
	}
	for i := range found {
		f := &found[i]
		if f.Protocol["current"] == true && len(others) > 0 {
			f.Context = append(f.Context, fmt.Sprintf("%s with open tasks, none in progress: %s", sources.Count(len(others), "other Taskmaster tag", "other Taskmaster tags"), sources.SomeOf(others)))
		}
	}
	return slices.DeleteFunc(found, func(f sources.Found) bool { return len(f.Tasks) == 0 && len(f.Context) == 0 })
}

// corrupt describes a file that cannot be read. It returns nil if the file is only missing.
func (p *project) corrupt() []sources.Found {
	if len(p.Doubts) == 0 {
		return nil
	}
	f := sources.Found{Source: name, ID: p.id(firstTag), State: sources.Corrupt, Home: p.Tree.WorkTree, Root: p.dir, Files: p.Files, Doubts: p.Doubts}
	f.Name, f.Headline = f.ID, p.file+" cannot be read"
	f.Active, _ = p.View.Written(p.Ctx, p.Tree, p.file)
	f.From = "the time of " + listName
	return []sources.Found{f}
}

// id returns the id for the work of a tag. The tag "master" gets the name of the project. A tag such as "main" gets the prefix "tag-",
// because otherwise the id would look like the name of a branch.
func (p *project) id(tag string) string {
	switch {
	case tag == firstTag && p.under == "":
		return p.View.Name()
	case tag == firstTag:
		return p.under
	case strings.Trim(tag, ".") == "", p.under == "" && slices.Contains([]string{p.View.Name(), "main", "trunk", "develop", "dev"}, tag):
		tag = "tag-" + tag
	}
	return path.Join(p.under, strings.ReplaceAll(tag, "/", "-"))
}

// leftovers adds notes about temporary files and a lock, which a killed Taskmaster may have left.
func (p *project) leftovers() {
	for _, file := range p.Tree.Leftovers(p.file) {
		p.Doubts.About(sources.DoubtStaleMarker, info, file, "was left by an interrupted write of Taskmaster")
	}
	if lock := p.file + ".lock"; p.Tree.Has(lock) {
		p.Doubts.About(sources.DoubtStaleMarker, info, lock, "means that Taskmaster is writing, or was killed while it wrote")
	}
}

func (p *project) found(l *list) sources.Found {
	f := sources.Found{
		Source: name, ID: p.id(l.tag), Home: p.Tree.WorkTree, Root: p.dir, Files: p.Files, Doubts: slices.Clone(p.Doubts),
		Drivers: []sources.Driver{{Program: "task-master", Option: "--tag", Name: l.tag}},
	}
	f.Name = f.ID
	if l.tag != firstTag && p.tagOf(p.Tree.Branch) == l.tag {
		f.Branch, f.Branched = p.Tree.Branch, true
		if !p.Tree.Main() {
			f.Worktree = p.Tree.WorkTree
		}
	}
	p.date(l, &f)
	p.addNamed(l)
	at := l.point(func(active []*task) *task { return p.changedLast(l, active) })
	f.State = l.state(at)
	if f.State == sources.Interrupted && !slices.ContainsFunc(l.tasks, func(t *task) bool { return t.means != sources.MeansDone && t.means != sources.MeansClosed }) {
		f.Over = "all tasks of tag '" + textdoc.OneLine(l.tag) + "' are marked as done or left out, though not all their subtasks"
	}
	l.addTasks(&f, p.file, at)
	p.support(l, &f)
	p.headline(l, &f, at)
	p.findings(l, &f, at)
	f.Alternatives = p.alternatives(l, &f, at)
	return f
}

// date finds the last activity on a tag, from the times that Taskmaster wrote into the tag's list. If the tag is the current one, or if its
// list has no such times, the time of the file counts too.
func (p *project) date(l *list, f *sources.Found) {
	r := sources.Reading{Ctx: p.Ctx, View: p.View, Tree: p.Tree}
	for _, text := range l.updated {
		if when, _, ok := sources.ParseTime(text); ok && !when.After(p.View.Now) {
			r.Saw(when, "the times in "+listName)
		}
	}
	if l.tag == p.current || r.Active.IsZero() {
		when, _ := p.View.Written(p.Ctx, p.Tree, p.file)
		r.Saw(when, "the time of "+listName)
	}
	f.Active, f.From = r.Active, r.From
}

// state returns the state of the whole list. A list with open tasks counts as interrupted only if at least one task was started or done.
func (l *list) state(at point) sources.State {
	leaves := l.leaves()
	begun := len(l.active()) > 0 || slices.ContainsFunc(leaves, func(t *task) bool { return t.means == sources.MeansDone })
	switch {
	case len(leaves) == 0:
		return sources.NotStarted
	case at.task == nil:
		return sources.Complete
	case at.review:
		return sources.Review
	case !begun:
		return sources.NotStarted
	}
	return sources.Interrupted
}

// addTasks adds the next task and the list of tasks to the report. Of a very long list, it adds only the tasks around the next one.
func (l *list) addTasks(f *sources.Found, file string, at point) {
	leaves := l.leaves()
	if at.task != nil {
		f.Point = sources.Point{Task: at.task.id, Title: at.task.title, Reason: at.why}
	}
	if len(leaves) > mostTasks {
		i := max(0, slices.Index(leaves, at.task))
		leaves = leaves[max(0, i-around):min(len(leaves), i+around)]
		f.Doubts = append(f.Doubts, sources.Doubt{Code: "tasks-counted", Severity: info, Path: file,
			Text: fmt.Sprintf("there are %d tasks in tag '%s'; only the %d around the next one are listed", len(l.leaves()), textdoc.OneLine(l.tag), len(leaves))})
	}
	for _, t := range leaves {
		one := sources.Task{ID: t.id, Title: t.title, State: t.state(), Raw: t.raw, Needs: t.needs, Evidence: fmt.Sprintf("%s:%d", file, t.line)}
		if t.above != nil {
			one.Phase = t.above.label()
		}
		if one.Commit = t.named; t.named != "" {
			one.Evidence += "; commit " + t.named.Short() + " names " + t.namedAs + " and is newer than the last change of the list"
		}
		f.Tasks = append(f.Tasks, one)
	}
}

// headline sets the texts that say how far along the work is.
func (p *project) headline(l *list, f *sources.Found, at point) {
	done, total, deferred := 0, 0, []string(nil)
	for _, t := range l.leaves() {
		switch {
		case t.means == sources.MeansDone:
			done++
			total++
		case isOpen(t):
			total++
		case strings.HasPrefix(sources.FoldWord(t.raw), "deferred"):
			deferred = append(deferred, t.id)
		}
	}
	f.Headline = fmt.Sprintf("tag %s: %d of %d tasks are done", textdoc.OneLine(l.tag), done, total)
	f.Stands = fmt.Sprintf("%d of %d done", done, total)
	f.Protocol = map[string]any{"tag": l.tag, "current": l.tag == p.current, "completed": done, "total": total}
	if next := l.next(toolRules); next != nil {
		f.Protocol["next"] = next.id
	}
	switch {
	case at.task == nil:
	case isActive(at.task):
		f.Headline += "; " + at.task.label() + " is in progress"
	case at.review:
		f.Headline += "; " + at.task.label() + " waits for a review"
	default:
		f.Headline += "; next is " + at.task.label()
	}
	if at.task != nil {
		f.Stands = "task " + at.task.id + ", " + f.Stands
		f.Command = p.command(l, at)
	}
	if len(deferred) > 0 {
		f.Context = append(f.Context, "deferred: "+sources.SomeOf(deferred))
	}
	if at.task != nil && len(at.task.titles) > 0 {
		f.Context = append(f.Context, "subtasks of task "+at.task.id+" that have no status: "+sources.SomeOf(at.task.titles))
	}
	if notes := path.Join(path.Dir(p.dir), "loop-progress.txt"); p.dir != formerly && p.Tree.Has(notes) {
		f.Context = append(f.Context, "notes of 'task-master loop': "+notes)
	}
}

// command returns Taskmaster's own commands to continue. For a task that waits for a review, it returns only the command that shows the
// task.
func (p *project) command(l *list, at point) string {
	form, values := " %s", []any{at.task.id}
	if l.tag != p.current || l.tag != p.stated && p.stated != "" {
		form, values = " --tag=%s %s", []any{l.tag, at.task.id}
	}
	show := quote.Command("task-master show"+form, values...)
	if at.review {
		return show
	}
	return show + " && " + quote.Command("task-master start"+form, values...)
}

func (p *project) alternatives(l *list, f *sources.Found, at point) []sources.Alternative {
	if at.task == nil && len(l.unmarked()) == 0 {
		return nil
	}
	var out []sources.Alternative
	add := func(name, format string, args ...any) {
		out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	replaced := slices.ContainsFunc(f.Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtFallback })
	if at.task != nil {
		add(sources.Continue, "continue with %s", at.task.label())
	}
	if replaced {
		return out // an older version of the file was read, so the file must not be edited
	}
	if at.task != nil {
		add(sources.SkipUnit, "mark %s as done, note in its details that it was skipped, and continue with the next", marked(at.task))
	}
	if at.task != nil && isActive(at.task) {
		add(sources.RestartUnit, "set %s back to pending", at.task.id)
	}
	switch all := l.unmarked(); len(all) {
	case 0:
	case 1:
		add(sources.Repair, "mark %s as done, because none of its subtasks is open", all[0].id)
	default:
		add(sources.Repair, "mark %d tasks as done, because none of their subtasks is open", len(all))
	}
	return out
}

// marked returns a text that names the task and the number of its open subtasks, which a skip would mark as done.
func marked(t *task) string {
	if open := len(slices.DeleteFunc(slices.Clone(t.below), (*task).closed)); open > 0 {
		return t.id + " and its " + sources.Count(open, "open subtask", "open subtasks")
	}
	return t.id
}

// unmarked returns the open tasks whose subtasks are all closed, with at least one of them done.
func (l *list) unmarked() (out []*task) {
	for _, t := range l.tasks {
		if t.whole() && !t.closed() {
			out = append(out, t)
		}
	}
	return out
}
