package superpowers

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
)

// judged is a plan whose tasks were compared with the evidence.
type judged struct {
	*work
	tasks []sources.Task
	// The map "by" counts the finished tasks for each kind of proof, and the skipped tasks.
	by map[string]int
	// These are indexes of tasks, or -1 if there is no such task: last is the last task that is done or skipped, hand is the task that
	// somebody has started, and next is the task to continue with.
	last, hand, next int
	// review means that the started task was carried out, but not reviewed yet. The field "seen" says what shows this.
	review bool
	seen   string
}

// These are the kinds of proof. The headline uses these texts.
const (
	byLedger = "by the ledger"
	byCommit = "by commits"
	byFiles  = "by files"
	byBoxes  = "by boxes"
	// A heading says that the task, or the part of the plan with the task, is done.
	byHeading = "by headings"
	// A skipped task is closed, but nothing proves that it was carried out.
	skipped = "skipped"
)

func judge(w *work) *judged {
	j := &judged{work: w, by: map[string]int{}, last: -1, hand: -1, next: -1}
	for i := range w.plan.tasks {
		j.tasks = append(j.tasks, j.task(&w.plan.tasks[i]))
	}
	if n := together(w.plan.tasks, j.tasks, w.made, w.changed) + exactly(w.plan.tasks, j.tasks, w.changed, w.log); n > 0 {
		j.by[byFiles] += n
	}
	j.last = j.lastClosed()
	j.findHand()
	first := lacking(w.plan.tasks, j.tasks, j.last, w.site.Has)
	if first >= 0 && j.onlyFiles(first) {
		first = lacking(w.plan.tasks, j.tasks, j.last, w.site.Has)
	}
	for i := range max(0, j.last) {
		j.tasks[i].Overtaken = !j.tasks[i].State.Closed() && i != j.hand && first < 0
	}
	switch {
	case j.hand >= 0:
		j.next = j.hand
	case first >= 0 && j.last+1 == len(j.tasks):
		j.next = first
	case j.last+1 < len(j.tasks):
		j.next = j.last + 1
		if t := &j.tasks[j.next]; w.partly(&w.plan.tasks[j.next]) {
			t.State, t.Evidence = checkpoint.Active, "a part of it is done"
		}
	}
	return j
}

// lastClosed returns the index of the last task that is done or skipped, or -1. If the only sign that people passed over an open task is one
// commit with nearly the planned subject of a later task, this sign does not count: the open task must not be left out.
func (j *judged) lastClosed() int {
	open, last, alike := -1, -1, 0
	for i := range j.tasks {
		if !j.tasks[i].State.Closed() {
			if open < 0 {
				open = i
			}
			continue
		}
		if last = i; open >= 0 && j.nearly(i) {
			alike++
		} else if open >= 0 {
			alike += 2 // a certain proof is worth more than one likeness
		}
	}
	if alike == 1 {
		return open - 1
	}
	return last
}

// nearly reports whether only a commit with nearly the planned subject shows that a task is done.
func (j *judged) nearly(i int) bool {
	subjects := j.plan.tasks[i].subjects
	return j.tasks[i].State == checkpoint.Done && j.tasks[i].Commit != "" && len(subjects) > 0 && j.near[subjects[len(subjects)-1]] &&
		j.tasks[i].Commit == j.commits[subjects[len(subjects)-1]].ID
}

// lacking looks for a sign that somebody started with a late task: more than half of the tasks before the last done or skipped task are
// open, and have none of the files that they create. Then lacking returns the first such open task. Otherwise it returns -1. A few missing
// files are no such sign, because they may just have other names.
func lacking(plan []task, tasks []sources.Task, last int, has func(file string) bool) int {
	first, count := -1, 0
	for i := range max(0, last) {
		p := &plan[i]
		if tasks[i].State.Closed() || len(p.created) == 0 || slices.ContainsFunc(p.created, has) {
			continue
		}
		if count++; first < 0 {
			first = i
		}
	}
	if 2*count <= last {
		return -1
	}
	return first
}

// onlyFiles looks at the tasks after an open one. If the only proof of those that are done is that their files exist, it takes this proof
// back and returns true: somebody created these files earlier, for example with an empty project.
func (j *judged) onlyFiles(first int) bool {
	for i := range j.tasks[first:] {
		if t := &j.tasks[first+i]; t.State.Closed() && t.Evidence != allAdded {
			return false
		}
	}
	for i := range j.tasks[first:] {
		if t := &j.tasks[first+i]; t.State.Closed() {
			t.State, t.Evidence = checkpoint.Pending, ""
			j.by[byFiles]--
		}
	}
	for j.last = first - 1; j.last >= 0 && !j.tasks[j.last].State.Closed(); j.last-- {
		continue
	}
	return true
}

// allAdded is the evidence for a task of which only the files were found.
const allAdded = "all files that the task creates were added after the plan"

// allTicks is the evidence for a task that only its boxes show as done.
const allTicks = "all its boxes are ticked"

// headed is the evidence for a task that only a heading shows as done.
const headed = "its heading says that it is done"

// task returns a task of the plan with its state and the evidence for it. Stronger kinds of proof are tried first.
func (j *judged) task(p *task) sources.Task {
	t := sources.Task{ID: p.id, Title: p.title, Files: p.files, State: checkpoint.Pending, Traceless: p.check || len(p.subjects)+len(p.files) == 0}
	done := func(kind, format string, args ...any) {
		t.State, t.Evidence = checkpoint.Done, fmt.Sprintf(format, args...)
		j.by[kind]++
	}
	e := j.record.entry(p.id)
	commit, whole := j.commitOf(p)
	switch {
	case e.kind == completeEntry:
		kind := byLedger
		if e.skipped {
			kind = skipped
		}
		done(kind, "%s/%s:%d", j.record.dir, ledgerName, e.line)
		if c := j.log.Starting(e.to); e.to != "" && c != nil {
			t.Commit = c.ID
		}
		if e.skipped {
			t.State = checkpoint.Skipped
		}
	case e.kind == fixEntry:
		t.Raw, t.Attempts = fmt.Sprintf("fix round %d/%d", e.round, e.of), e.round
	case whole:
		t.Commit = commit.ID
		how := "has the subject that the plan gives"
		if j.near[p.subjects[len(p.subjects)-1]] {
			how = "has nearly the subject that the plan gives"
		}
		done(byCommit, "commit %s %s", commit.ID.Short(), how)
	case j.allMade(p):
		done(byFiles, allAdded)
	case p.boxes > 0 && p.ticked == p.boxes:
		done(byBoxes, allTicks)
	case p.said:
		done(byHeading, headed)
	}
	return t
}

// commitOf looks for commits that have the subjects which the task prescribes. It returns the commit with the last of these subjects,
// and true. If there is no such commit, it returns the newest commit with an earlier subject, or an empty commit, and false.
func (w *work) commitOf(t *task) (newest commitlog.Commit, whole bool) {
	whole = len(t.subjects) > 0
	for _, s := range t.subjects {
		c, ok := w.commits[s]
		if whole = whole && ok; ok && c.When.After(newest.When) {
			newest = c
		}
	}
	if n := len(t.subjects); n > 0 {
		if c, ok := w.commits[t.subjects[n-1]]; ok {
			return c, true
		}
	}
	return newest, whole
}

// partly reports whether a commit, a ticked box or a new file shows that a part of the task is done.
func (w *work) partly(t *task) bool {
	commit, _ := w.commitOf(t)
	return commit.ID != "" || t.ticked > 0 || slices.ContainsFunc(t.created, func(f string) bool { return w.made[f] != "" })
}

// findHand finds the task that was started but not finished, from the ledger and the briefs. Superpowers writes a brief
// before it gives a task to an agent.
func (j *judged) findHand() {
	r := j.record
	if r == nil {
		return
	}
	if id := r.fixing(); id != "" {
		j.take(id)
		return
	}
	id, newest := "", time.Time{}
	for one, when := range r.briefs {
		if when.After(newest) || when.Equal(newest) && sources.NaturalOrder(one, id) > 0 {
			id, newest = one, when
		}
	}
	if r.entry(id).kind == completeEntry {
		id = ""
		for i := range j.tasks { // use the first task that has a brief and is not done
			if t := &j.tasks[i]; id == "" && !r.briefs[t.ID].IsZero() && !t.State.Closed() {
				id = t.ID
			}
		}
	}
	if id == "" {
		return
	}
	j.take(id)
	j.checkReview(id)
}

// take marks a task as the one that was started and is not finished, because the ledger or the task's brief says so. The task then no
// longer counts as done, although a commit, its files or its boxes may have shown it as done.
func (j *judged) take(id string) {
	if j.hand = slices.IndexFunc(j.tasks, func(t sources.Task) bool { return t.ID == id }); j.hand < 0 {
		return
	}
	t := &j.tasks[j.hand]
	if t.State == checkpoint.Done {
		kind := byFiles // this is also right if the functions together() or exactly() found a commit
		if _, whole := j.commitOf(&j.plan.tasks[j.hand]); whole {
			kind = byCommit
		} else if t.Evidence == allTicks {
			kind = byBoxes
		} else if t.Evidence == headed {
			kind = byHeading
		}
		j.by[kind]--
	}
	t.State, t.Began = checkpoint.Active, j.record.briefs[id]
	t.Evidence = j.record.dir + "/" + ledgerName
	if t.Raw == "" {
		t.Evidence = j.record.dir + "/task-" + id + "-brief.md"
	}
	if j.last == j.hand { // the task still needs a review, so the last proven task is the finished one before it
		for j.last = j.hand - 1; j.last >= 0 && !j.tasks[j.last].State.Closed(); j.last-- {
			continue
		}
	}
}

// checkReview finds out whether the started task seems to be carried out already, so that only its review is missing.
func (j *judged) checkReview(id string) {
	if j.hand < 0 {
		return
	}
	began := j.record.briefs[id]
	tip := j.View.Head(j.Ctx, j.site)
	switch commit := j.log.NewestOn(tip, began); {
	case commit != nil:
		j.review, j.seen = true, "commit "+commit.ID.Short()+" was made after the file with the task's instructions"
	case !j.record.reports[id].Before(began) && !j.record.reports[id].IsZero():
		j.review, j.seen = true, "its report exists"
	default:
		changes, err := j.View.Uncommitted(j.Ctx, j.site)
		if err != nil {
			return // the changed files are not known
		}
		for _, c := range changes {
			if slices.Contains(j.plan.tasks[j.hand].files, c.Path) {
				j.review, j.seen = true, c.Path+" was changed"
				return
			}
		}
	}
}

// unproven returns the ids of tasks before the last task that is done or skipped, if nothing shows that they are done or skipped too.
// The started task is left out.
func (j *judged) unproven() (ids []string) {
	for i := range max(0, j.last) {
		if !j.tasks[i].State.Closed() && i != j.hand {
			ids = append(ids, j.tasks[i].ID)
		}
	}
	return ids
}

func (j *judged) state() sources.State {
	open := slices.ContainsFunc(j.tasks, func(t sources.Task) bool { return !t.State.Closed() })
	switch {
	case !j.ok:
		return sources.Corrupt
	case j.gone && j.hand < 0, len(j.tasks) == 0:
		return sources.Unknown
	case !open && j.plan.more == 0, j.merged != nil, j.hand < 0 && cameWith(j.work):
		return sources.Complete
	case j.hand >= 0:
		return sources.Interrupted
	case j.next < 0:
		return sources.Review // all remaining tasks lack proof, so a person must check them
	case j.last >= 0 || j.tasks[j.next].State == checkpoint.Active:
		return sources.Interrupted
	case len(j.changed) > 0:
		return sources.Unknown
	}
	return sources.NotStarted
}
