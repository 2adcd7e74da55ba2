package boxes

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func hidden(file string, err error) sources.Doubt {
	return sources.Doubt{Code: "tasks-hidden", Severity: conflicts.Warning, Path: file, Text: err.Error()}
}

func describeLists(ctx context.Context, v *sources.View, all []*list) ([]sources.Found, error) {
	if len(all) == 0 {
		return nil, nil
	}
	branches, err := v.Repo.Refs.Names(ctx, "refs/heads/")
	if err != nil {
		return nil, err
	}
	found := make([]sources.Found, 0, len(all))
	names := map[string]string{}
	for _, l := range all {
		f := l.found(ctx, v, slices.Contains(branches, l.slug()))
		if l.kind.source != sources.Todo { // tasks/todo.md is an exception: its work is named after the repository
			names[l.tree.WorkTree+"\x00"+l.path] = l.name
		}
		found = append(found, f)
	}
	if err := date(ctx, v, all, found); err != nil {
		return nil, err
	}
	dateRest(ctx, v, found)
	prove(ctx, v, all, found)
	for i, l := range all {
		l.finish(&found[i])
	}
	sources.NameByFolder(found, func(f *sources.Found) string { return names[f.Home+"\x00"+f.Files[0]] })
	return slices.DeleteFunc(sources.MergeCopies(found), func(f sources.Found) bool { return isUnused(v, &f) }), nil
}

// changeVerbs are the verbs with which the names of changes in OpenSpec begin. Commits usually leave them out: "feat(repo-connection)" is
// about the change add-repo-connection.
var changeVerbs = []string{"add", "create", "enable", "enhance", "fix", "implement", "improve", "introduce", "migrate", "refactor", "remove", "support", "update"}

// found describes the work in one task list. The argument "branch" says whether a branch with the name of the work exists.
func (l *list) found(ctx context.Context, v *sources.View, branch bool) sources.Found {
	f := sources.Found{
		Source: l.kind.source, Home: l.tree.WorkTree, Root: path.Dir(l.path), Files: []string{l.path}, Tasks: l.tasks(), Doubts: l.doubts,
		Command: l.kind.command, Branched: l.kind.branched,
	}
	if l.kind.section != "" || l.kind.source == sources.Todo {
		f.Root = l.path // each document in the folder is a piece of work of its own
		f.ID, f.Name = path.Base(l.name), path.Base(l.name)
	}
	if verb, object, ok := strings.Cut(path.Base(l.name), "-"); ok && l.kind.source == sources.OpenSpec && slices.Contains(changeVerbs, verb) && strings.Contains(object, "-") {
		f.Names = append(f.Names, object)
	}
	if l.kind.parent != "" {
		f.Same = []string{"spec:" + f.Root}
	}
	switch {
	case l.track != nil:
		f.Command = l.implement()
	case strings.HasSuffix(f.Command, " "):
		f.Command = quote.Command(f.Command+"%s", path.Base(l.name))
	}
	if ref := l.branchOf(); ref != "" && branch {
		f.Branch = ref
		if t, ok := v.OnBranch(ref); ok {
			f.Worktree = t.WorkTree
		}
	}
	l.judge(&f)
	return f
}

// finish describes where the work continues, and which actions the user can choose. It is called after the tasks were compared with
// commits.
func (l *list) finish(f *sources.Found) {
	if l.approval != nil {
		l.approve(f)
	}
	next, later := l.next(f.Tasks)
	if next >= 0 && f.State.Open() && f.State != sources.Corrupt {
		t := f.Tasks[next]
		if made(t.ID) {
			f.Listed = fmt.Sprintf("box %d", next+1) // an id that git-resume made up would mean nothing to people
		}
		f.Point = sources.Point{Task: t.ID, Title: t.Title, Reason: "the first open checkbox"}
		switch passed := slices.IndexFunc(f.Tasks, unticked); {
		case t.State == checkpoint.Active:
			f.Point.Reason = "the first checkbox that is in progress"
		case passed < next && f.Tasks[passed].State == checkpoint.Blocked:
			f.Point.Reason = "the first open checkbox that is not blocked"
		case l.belowActive(f.Tasks) == next:
			f.Point.Reason = "the first open checkbox below one that is in progress"
		case later:
			f.Point.Reason = "the first open checkbox in or after the section where checkboxes were ticked last"
		case passed < next && l.passed(f.Tasks)[passed]:
			f.Point.Reason = "the first open checkbox after the sections that are complete"
		case passed < next:
			f.Point.Reason = "the first open checkbox without a commit"
		}
	}
	l.compare(f)
	done, total := countOf(f.Tasks)
	f.Headline = fmt.Sprintf("%d of %d tasks are ticked", done, total)
	if f.Point.Task != "" {
		f.Headline += "; next is " + strings.TrimSpace(labelOf(f.Tasks[next]))
	}
	f.Protocol = map[string]any{"kind": l.kind.name, "completed": done, "total": total}
	for _, file := range l.kind.beside {
		if file = path.Join(path.Dir(l.path), file); l.tree.Has(file) {
			f.Needs = append(f.Needs, sources.File{Path: file})
		}
	}
	f.Alternatives = l.alternatives(f, next)
	if l.kind.dated {
		f.Protocol["feature_name"] = l.slug() // people use the name without the date
	}
	if l.track != nil {
		l.tell(f)
	}
	if l.approval != nil {
		l.tellApproval(f)
	}
}

// labelOf returns the text by which a person recognizes a task: its id and its title, or only its title if git-resume made the id.
func labelOf(t sources.Task) string {
	if made(t.ID) {
		return t.Title
	}
	return t.ID + " " + t.Title
}

// shortOf returns the id of a task. If the task list has no id for the task, so that git-resume made one, it returns the title in quotation
// marks.
func shortOf(t sources.Task) string {
	if made(t.ID) {
		return "'" + t.Title + "'"
	}
	return t.ID
}

// tasks returns every box that has no boxes below it as a task.
func (l *list) tasks() []sources.Task {
	var out []sources.Task
	taken, numbered := map[string]bool{}, l.numbered()
	for i, b := range l.boxes {
		if b.Parent {
			continue
		}
		t := sources.Task{ID: b.ID, Title: b.Title, Phase: b.Phase, State: l.kind.stateIn(b), Optional: b.Optional || isWish(l.boxes, b), Evidence: fmt.Sprintf("%s:%d", l.path, b.Line)}
		t.Aside = numbered && b.ID == ""
		if left(t) && droppedTitle.MatchString(b.Title) {
			t.State = checkpoint.Skipped
		}
		if h := l.done.At(b.Line); h != "" && (t.State == checkpoint.Pending || t.State == checkpoint.Active) {
			t.State = checkpoint.Done
			t.Evidence += "; the heading '" + h + "' says that it is done"
		} else if why := l.settled(i); why != "" && t.State == checkpoint.Pending {
			t.State = checkpoint.Done
			t.Evidence += "; " + why
		}
		if b.Mark != " " && !b.Done {
			t.Raw = b.Mark
		}
		if left(t) { // an uncommitted change of such a file shows that somebody is at work on the list
			t.Files = namedFiles(b.Title)
		}
		if t.ID == "" || taken[t.ID] {
			t.ID = makeID(len(out)+1, b.Title)
		}
		taken[t.ID] = true
		out = append(out, t)
	}
	if l.track != nil {
		l.enter(out)
	}
	return out
}

// next returns the task to continue with: a task below a box that is in progress, otherwise the task that goneOn returns, otherwise the
// task that firstOf returns. The result "later" is true if the task comes from goneOn.
func (l *list) next(tasks []sources.Task) (n int, later bool) {
	if n := l.belowActive(tasks); n >= 0 {
		return n, false
	}
	first := firstOf(l, tasks)
	if n := goneOn(l, tasks, first); n >= 0 {
		return n, true
	}
	return first, false
}

// firstOf returns the task to continue with, no matter in which order the boxes were ticked. It lets nextOf choose among the tasks that
// were not passed over. If none of them is left, it chooses a task that was passed over.
func firstOf(l *list, tasks []sources.Task) int {
	passed := l.passed(tasks)
	if !slices.Contains(passed, true) {
		return nextOf(tasks)
	}
	ahead := slices.Clone(tasks)
	for n := range ahead {
		if passed[n] {
			ahead[n].State = checkpoint.Skipped
		}
	}
	if next := nextOf(ahead); next >= 0 {
		return next
	}
	return nextOf(tasks)
}

// numbered reports whether most tasks of the list have an id. In such a list a box without an id belongs to a checklist for the whole work.
func (l *list) numbered() bool {
	with, without := 0, 0
	for _, b := range l.boxes {
		switch {
		case b.Parent:
		case b.ID != "":
			with++
		default:
			without++
		}
	}
	return with > without
}

// makeID creates an id from the position and the text of a box. It is used if the box has no id, or an id that is already used.
func makeID(place int, title string) string {
	return fmt.Sprintf("%d~%x", place, sha256.Sum256([]byte(title)))[:len(fmt.Sprint(place))+7]
}

func made(id string) bool { return strings.Contains(id, "~") }

// stateOf converts the mark in a box into a task state. The meaning that the tool gives to a mark has priority over the usual one.
func (k kind) stateOf(b textdoc.Box) checkpoint.TaskState {
	if state, ok := k.marks[strings.TrimSpace(b.Mark)]; ok {
		return state
	}
	return stateOf(b)
}

// stateOf converts the mark in a box into a task state. Symbols have their usual meaning, and words are read as status words.
func stateOf(b textdoc.Box) checkpoint.TaskState {
	switch {
	case b.Done:
		return checkpoint.Done
	case b.Dropped:
		return checkpoint.Skipped
	}
	switch strings.TrimSpace(b.Mark) {
	case "":
		return checkpoint.Pending
	case "-", "~", "/", ">":
		return checkpoint.Active
	}
	return sources.MeaningOf(b.Mark).TaskState()
}

// nextOf returns the index of the task to continue with. It takes the first that exists of these: a task in progress, an open task without
// a commit that is not blocked, a blocked task without a commit, any open task. The result is -1 if none of these exists.
func nextOf(tasks []sources.Task) int {
	if i := slices.IndexFunc(tasks, func(t sources.Task) bool { return t.State == checkpoint.Active && !t.Aside }); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(tasks, func(t sources.Task) bool { return due(t) && t.State != checkpoint.Blocked }); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(tasks, due); i >= 0 {
		return i
	}
	return slices.IndexFunc(tasks, unticked)
}

// countOf counts the ticked tasks, and the ticked and open tasks together. Skipped tasks do not count, and neither do the boxes of a
// checklist for the whole work. Optional tasks count only if they are ticked.
func countOf(tasks []sources.Task) (done, total int) {
	for _, t := range tasks {
		switch {
		case t.Aside:
		case t.State == checkpoint.Done:
			done++
			total++
		case unticked(t):
			total++
		}
	}
	return done, total
}

func (l *list) state(tasks []sources.Task) sources.State {
	begun := slices.ContainsFunc(tasks, func(t sources.Task) bool { return (t.State != checkpoint.Pending || t.Commit != "") && !t.Aside })
	switch next, _ := l.next(tasks); {
	case !l.ok:
		return sources.Corrupt
	case len(tasks) == 0:
		return sources.Unknown // the list has no visible boxes
	case next < 0:
		return sources.Complete
	case !begun:
		return sources.NotStarted
	case tasks[next].State == sources.TaskWaiting:
		return sources.Waiting
	case tasks[next].State == checkpoint.Blocked:
		return sources.Blocked
	}
	return sources.Interrupted
}

// compare adds warnings about unknown marks in boxes, and about ticked boxes with open boxes below them.
func (l *list) compare(f *sources.Found) {
	doubt := func(code string, grade conflicts.Severity, format string, args ...any) {
		f.Doubts = append(f.Doubts, sources.Doubt{Code: code, Severity: grade, Path: l.path, Text: fmt.Sprintf(format, args...)})
	}
	below := map[string]int{} // for each heading, how many open boxes count as done because of it
	for _, i := range leaves(l.boxes) {
		if b := l.boxes[i]; !b.Done && !b.Dropped && !b.Optional {
			below[l.done.At(b.Line)]++
		}
	}
	for _, s := range l.done {
		if n := below[s.Title]; n > 0 {
			doubt(sources.DoubtDiscrepancy, conflicts.Info, "%s open below '%s'; %s done, because the heading says so", sources.Count(n, "box is", "boxes are"), s.Title, map[bool]string{true: "it counts as", false: "they count as"}[n == 1])
			delete(below, s.Title)
		}
	}
	whole, open := l.wholeBelow(), map[int]bool{} // open has true for each box with a task below it that counts as open
	for _, i := range leaves(l.boxes) {
		if b := l.boxes[i]; !b.Done && !b.Dropped && l.done.At(b.Line) == "" && (l.settled(i) == "" || l.kind.stateIn(b) != checkpoint.Pending) {
			for at := b.Above; at >= 0; at = l.boxes[at].Above {
				open[at] = true
			}
		}
	}
	for i, b := range l.boxes {
		switch {
		case !b.Parent || !b.Done || whole[i]:
		case l.track != nil && l.track.commits[i] != "":
			doubt(sources.DoubtDiscrepancy, conflicts.Info, "'%s' is ticked and names a commit, but boxes below it are open; these boxes count as done", b.Title)
		case !open[i]:
			doubt(sources.DoubtDiscrepancy, conflicts.Info, "'%s' is ticked, but boxes below it are open; these boxes count as done", b.Title)
		default:
			doubt(sources.DoubtDiscrepancy, conflicts.Warning, "'%s' is ticked, but boxes below it are not; it counts as open", b.Title)
		}
	}
	for _, t := range f.Tasks {
		if t.State == sources.TaskUnknown {
			doubt(sources.DoubtUnknownWord, conflicts.Info, "the mark '[%s]' of %s is unknown; it counts as open", t.Raw, strings.TrimSpace(labelOf(t)))
		}
	}
}

// wholeBelow returns for each box whether all boxes below it are done or dropped. Optional boxes are ignored.
func (l *list) wholeBelow() []bool {
	whole := make([]bool, len(l.boxes))
	for i := range whole {
		whole[i] = true
	}
	for i, b := range slices.Backward(l.boxes) { // go backwards, because the boxes below a box follow it in the file
		if done := b.Parent && whole[i] || !b.Parent && (b.Done || b.Dropped); b.Above >= 0 && !b.Optional && !done {
			whole[b.Above] = false
		}
	}
	return whole
}

func (l *list) alternatives(f *sources.Found, next int) []sources.Alternative {
	var out []sources.Alternative
	add := func(name, format string, args ...any) {
		out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	if f.Point.Task != "" {
		add(sources.Continue, "continue with %s", strings.TrimSpace(labelOf(f.Tasks[next])))
	}
	if l.older {
		return out // a damaged file cannot be edited box by box
	}
	if f.Point.Task != "" {
		add(sources.SkipUnit, "tick %s as done and continue with the next", shortOf(f.Tasks[next]))
	}
	switch all := l.unticked(); {
	case f.State == sources.Corrupt || len(all) == 0:
	case len(all) == 1:
		add(sources.Repair, "tick '%s', because nothing below it is left to do", l.boxes[all[0]].Title)
	default:
		add(sources.Repair, "tick %d boxes, because nothing below them is left to do", len(all))
	}
	return out
}

// unticked returns the open outer boxes whose inner boxes are all done or dropped. Optional inner boxes are ignored.
func (l *list) unticked() []int {
	var out []int
	whole := l.wholeBelow()
	for i, b := range l.boxes {
		if b.Parent && !b.Done && !b.Dropped && whole[i] {
			out = append(out, i)
		}
	}
	return out
}
