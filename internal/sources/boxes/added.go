package boxes

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// An open box (a task of a list that is not ticked) can name files. These limits restrict the search for the commits that added these files.
const (
	mostFiles   = 60  // at most this many files of one list are searched for
	mostTouched = 300 // at most this many commits are looked at
)

// additions finds, in one worktree, the commits that added the files named in the open boxes of all lists. It searches the history only once.
type additions struct {
	tree  sources.Tree
	since time.Time
	paths []string
	// files has for each list the files that its open boxes name, by the index of the task (see filesOf).
	files map[*sources.Found]map[int][]string
	asked bool
	by    map[string]addition
	// changed has for each commit the files that it changed, of those that are searched for.
	changed map[object.ID]map[string]bool
}

// addition is the commit that added a file, and when it was made.
type addition struct {
	commit object.ID
	made   time.Time
}

// want notes the files that are named in the open boxes of a list, if these files exist now. If there are any, it notes the file of the list
// too.
func (a *additions) want(f *sources.Found, list string) {
	if f.Active.Before(a.since) {
		a.since = f.Active
	}
	most := len(a.paths) + mostFiles
	before := len(a.paths)
	a.files[f] = filesOf(f.Tasks)
	for _, files := range a.files[f] {
		for _, file := range files {
			if len(a.paths) < most && a.tree.Has(file) {
				a.paths = append(a.paths, file)
			}
		}
	}
	if len(a.paths) > before {
		a.paths = append(a.paths, list)
	}
}

// find looks for open tasks whose files were all added after the last change of the list. Such a task was probably carried out, and only
// its box was not ticked yet. If no task was started, files that were added together with the list count too. find stores in the task the
// commit that added the first file. It ignores a task if an earlier task names one of its files. The function "with" reports whether a commit
// is the newest one that changed the list, and does not only add plans.
func (a *additions) find(ctx context.Context, v *sources.View, f *sources.Found, with func(object.ID) bool) {
	if len(a.paths) == 0 {
		return
	}
	if !a.asked {
		a.asked, a.by, a.changed = true, map[string]addition{}, map[object.ID]map[string]bool{}
		enough := func(_ *past.Touch, d *past.Delta) bool { return d.Letter == 'A' }
		for _, t := range v.Touches(ctx, a.tree, a.since.Add(-time.Hour), mostTouched, enough, a.paths...) {
			a.changed[t.ID] = map[string]bool{}
			for _, d := range t.Changes {
				if a.changed[t.ID][d.Path] = true; d.Letter == 'A' {
					a.by[d.Path] = addition{t.ID, t.Made}
				}
			}
		}
	}
	for i, files := range a.files[f] {
		t := &f.Tasks[i]
		early := func(file string) bool {
			return !a.by[file].made.After(f.Active) && (f.State != sources.NotStarted || !with(a.by[file].commit))
		}
		if t.Commit != "" || slices.ContainsFunc(files, early) {
			continue
		}
		t.Commit = a.by[files[0]].commit
		what := "the task's files"
		if slices.ContainsFunc(files, func(file string) bool { return a.by[file].commit != t.Commit }) {
			what = files[0]
		}
		t.Evidence += "; commit " + t.Commit.Short() + " added " + what
	}
}

// These limits are for cameWith. Both must hold.
const (
	namingOneIn = 4 // at least one of every 4 tasks must name files
	leftOneIn   = 5 // of the tasks that name files, at most one of every 5 may lack a change of them
)

// cameWith reports whether a list of which no box is ticked came with the work: the commit that added the list also changed the code that
// its tasks name, as a squashed pull request or an import of finished work does. It is false if a later commit carried out a task, or if
// a file of a task has uncommitted changes. It also sets f.Along.
func (a *additions) cameWith(ctx context.Context, v *sources.View, l *list, f *sources.Found, h commitlog.History) bool {
	by := a.by[l.path].commit
	if by == "" {
		return false
	}
	all, naming, worked, early, goesOn := 0, 0, 0, map[string]bool{}, false
	for _, t := range f.Tasks {
		goesOn = goesOn || t.Commit != "" && t.Commit != by
		if t.Optional || t.Aside {
			continue
		}
		if all++; len(t.Files) == 0 {
			continue
		}
		naming++
		changed := false
		for _, file := range t.Files {
			if a.changed[by][file] {
				changed, early[file] = true, true
				f.Along = f.Along || !sources.IsDocument(file)
			}
		}
		if changed {
			worked++
		}
	}
	if !f.Along || goesOn || naming*namingOneIn < all || (naming-worked)*leftOneIn > naming || len(early) < worked && !h.IsPull(by) {
		return false
	}
	changes, err := v.Uncommitted(ctx, l.tree)
	return err == nil && !slices.ContainsFunc(changes, func(c gitstate.Change) bool { return early[c.Path] })
}

// fileName matches a path with at least one folder and a file extension.
var fileName = textdoc.NewForm("[\\w@.()\\[\\]-]+(?:/[\\w@.()\\[\\]-]+)+\\.[A-Za-z][A-Za-z0-9]{0,5}\\b")

// namedFiles returns the files that a title names.
func namedFiles(title string) []string {
	files := fileName.FindAllString(title, -1)
	for n, file := range files {
		files[n] = path.Clean(strings.TrimPrefix(file, "./"))
	}
	return files
}

// filesOf returns for each open task the files that its title names. It leaves out a task if an earlier task names one of its files,
// because the earlier task probably creates this file.
func filesOf(tasks []sources.Task) map[int][]string {
	out, seen := map[int][]string{}, map[string]bool{}
	for i, t := range tasks {
		files := namedFiles(t.Title)
		fresh := len(files) > 0
		for _, file := range files {
			fresh = fresh && !seen[file]
		}
		for _, file := range files {
			seen[file] = true
		}
		if fresh && left(t) {
			out[i] = files
		}
	}
	return out
}

// checkpointTitle matches the title of a task that only checks the tasks before it.
var checkpointTitle = textdoc.NewFormWith("checkpoint", `(?i)^[^\pL]*(?:\pL+ ){0,2}checkpoint\b`)

// passChecks marks open checkpoints as overtaken. A checkpoint is a task that only checks the tasks before it. It is overtaken if a later
// task is done or skipped, because people then continued without ticking it.
//
// Checkpoints after the last finished task are overtaken too, if nothing but checkpoints is left to do, and a checkpoint before that task is
// overtaken. That checkpoint shows that the people who use this list do not tick its checkpoints.
func passChecks(tasks []sources.Task) {
	later, unticks, rest := false, false, false
	for i := range slices.Backward(tasks) {
		t := &tasks[i]
		check := unticked(*t) && checkpointTitle.MatchString(t.Title)
		t.Overtaken = t.Overtaken || later && check
		unticks = unticks || later && check
		rest = rest || due(*t) && !check
		later = later || !left(*t)
	}
	for i := range tasks {
		if unticks && !rest && unticked(tasks[i]) {
			tasks[i].Overtaken = true
		}
	}
}

// These limits are for byParts, which reports whether people carry out a list section by section. It returns true only if a list is within
// all of them.
const (
	tickCommits  = 3  // people must have ticked boxes of the list in at least this many commits
	tailSections = 2  // at least this many sections at the end must be untouched: no task in them is done or named by a commit
	tailShare    = 4  // at least 1/4 of all tasks must be in the untouched sections at the end (see tailSections)
	strayShare   = 10 // of the tasks before the untouched sections at the end, at most 1/10 may be open
)

// byParts reports whether people carry out a list section by section and have not reached its last sections. Nearly all tasks before
// these sections must be done. Several commits must have ticked boxes, because people who finish everything often tick only some boxes in
// one commit. The argument "sections" has the section of each task.
func byParts(sections []string, tasks []sources.Task) bool {
	size, done, by := map[string]int{}, map[string]int{}, map[object.ID]bool{}
	var order []string
	for n, t := range tasks {
		if t.State == checkpoint.Done && t.Commit != "" {
			by[t.Commit] = true
		}
		if t.Aside || t.Optional {
			continue
		}
		s := sections[n]
		if size[s]++; size[s] == 1 {
			order = append(order, s)
		}
		if !left(t) || t.Commit != "" {
			done[s]++
		}
	}
	tail, rest, ticked, total := 0, 0, 0, 0
	begun := false
	for _, s := range slices.Backward(order) {
		total += size[s]
		if begun = begun || done[s] > 0; begun {
			ticked += done[s]
			continue
		}
		tail++
		rest += size[s]
	}
	return len(by) >= tickCommits && tail >= tailSections && rest*tailShare >= total && ticked > 0 && (total-rest-ticked)*strayShare <= total-rest
}

// These limits are for landedTwice, which reports whether merges brought in only a part of the work. Its result is true only if there are
// enough merges (see landings) and enough open tasks (see openShare).
const (
	landings  = 2 // boxes of the list must have been ticked by at least this many merges or squashed pull requests
	openShare = 5 // more than 1/5 of all tasks of the list must be open
)

// landedSince limits which merges landedTwice counts. It ignores a merge that is older than the last activity of the work by more than this.
const landedSince = 30 * 24 * time.Hour

// landedTwice reports whether boxes of the list were ticked by several merges or squashed pull requests, and many tasks are still open.
// Then a merge brought in a part of the work, and not all of it.
func landedTwice(ctx context.Context, v *sources.View, t sources.Tree, f *sources.Found) bool {
	ticked, open, total := map[object.ID]bool{}, 0, 0
	for _, task := range f.Tasks {
		switch {
		case task.State == checkpoint.Done:
			total++
			ticked[task.Commit] = true
		case unticked(task):
			total++
			if task.Commit == "" {
				open++
			}
		}
	}
	if delete(ticked, ""); len(ticked) < landings || open*openShare <= total {
		return false
	}
	h, tip, by := v.Recent.History(ctx, f.Active.Add(-landedSince)), v.Head(ctx, t), map[object.ID]bool{}
	for commit := range ticked {
		if c := h.Landing(tip, commit); c != nil {
			by[c.ID] = true
		}
	}
	return len(by) >= landings
}
