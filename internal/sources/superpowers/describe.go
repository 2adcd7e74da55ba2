package superpowers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func (w *work) describe() sources.Found {
	j := judge(w)
	f := sources.Found{Source: sources.Superpowers, ID: baseOf(w.path), Name: baseOf(w.path), Home: w.Tree.WorkTree, Root: w.path, Tasks: j.tasks,
		State: j.state(), Committed: true, Protocol: map[string]any{"plan": w.path, "feature_name": slugOf(w.path)}}
	f.Unticked = w.record == nil && !slices.ContainsFunc(w.plan.tasks, func(t task) bool { return t.ticked > 0 })
	if !w.gone {
		f.Files = append(f.Files, w.path)
	}
	if w.record != nil {
		f.Root = w.record.dir
	}
	if w.record != nil && w.record.ledger != nil && w.site.WorkTree == w.Tree.WorkTree {
		f.Files = append(f.Files, w.record.dir+"/"+ledgerName)
	}
	j.place(&f)
	j.dateIt(&f)
	j.where(&f)
	j.compare(f.State)
	if f.State.Open() && j.hand < 0 && w.plan.over != "" {
		f.Over = w.path + " says '" + w.plan.over + "'"
	}
	f.Headline, f.Doubts = j.headline(&f), w.Doubts
	if f.State.Open() && f.State != sources.Corrupt {
		f.Alternatives, f.Command = j.alternatives(&f), j.command()
	}
	return f
}

// place sets the worktree or the branch in which the plan is carried out, if that is not the main worktree.
func (j *judged) place(f *sources.Found) {
	switch {
	case !j.site.Main():
		f.Worktree, f.Branch = j.site.WorkTree, j.site.Branch
	case j.branch != "":
		j.View.Settle(j.Ctx, f, j.branch)
	}
}

// dateIt sets the time of the last activity, the last commit of the work, and the commit that added the plan.
func (j *judged) dateIt(f *sources.Found) {
	if !j.gone {
		when, _ := j.View.Written(j.Ctx, j.Tree, j.path)
		if when.After(j.View.Now) { // the clock was wrong when the plan was committed, so use the time of the file
			when = j.Tree.Changed(j.path)
		}
		j.Saw(when, "the time at which the plan was written")
	}
	for _, c := range working(j.commits, j.made, j.plan.tasks, j.tasks, j.log) {
		if c.When.After(j.View.Now) {
			continue
		}
		if c.When.After(j.Active) {
			f.Last = c.ID
		}
		j.Saw(c.When, "commit "+c.ID.Short())
	}
	if j.record != nil {
		j.Saw(j.record.newest(), "the newest of the ledger, the briefs and the reports")
	}
	f.Active, f.From, f.Start, f.Along = j.Active, j.From, j.proof.by, j.proof.code
}

// The method where() sets the point at which the work continues.
func (j *judged) where(f *sources.Found) {
	if j.next < 0 || !f.State.Open() || f.State == sources.Corrupt || f.State == sources.Unknown && j.gone {
		if f.State == sources.Review {
			f.Point = sources.Point{Task: "check", Title: "check " + taskWords(j.unproven()), Reason: "the last task is " + j.lastIs("done") + ", but nothing proves that " + doneWords(j.unproven())}
		}
		return
	}
	t := j.tasks[j.next]
	f.Point = sources.Point{Task: t.ID, Title: t.Title}
	f.Stands = sources.Nth("task", t.ID, j.next+1, len(j.tasks)+j.plan.more)
	e := j.record.entry(t.ID)
	switch {
	case e.kind == fixEntry && e.round >= e.of:
		f.Point.Reason = fmt.Sprintf("fix round %d of %d was the last: a person has to decide", e.round, e.of)
	case e.kind == fixEntry:
		f.Point.Title = fmt.Sprintf("fix round %d of %d: %s", e.round+1, e.of, t.Title)
		f.Point.Reason = fmt.Sprintf("its last line in the ledger is fix round %d", e.round)
	case j.review:
		f.Point.Title = "review, do not implement again: " + t.Title
		f.Point.Reason = "it was handed to an agent and not reviewed; " + j.seen
	case j.hand >= 0:
		f.Point.Reason = "the file with the task's instructions was written, but no result was found"
	case j.next < j.last:
		f.Point.Reason = "later tasks are done, but the files that this task creates are missing"
	case j.last >= 0:
		f.Point.Reason = "this task follows the last " + j.lastIs("proven") + " task"
	case f.State == sources.Unknown:
		f.Point.Reason = "nothing proves that any task is done"
	default:
		f.Point.Reason = "the first task of the plan"
	}
}

func (j *judged) headline(f *sources.Found) string {
	done := 0
	var kinds []string
	for _, kind := range []string{byLedger, byCommit, byFiles, byBoxes, byHeading} {
		if n := j.by[kind]; n > 0 {
			done += n
			kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
		}
	}
	total := len(j.tasks) + j.plan.more
	switch {
	case f.State == sources.Corrupt:
		return "its plan cannot be read"
	case j.unread:
		return fmt.Sprintf("its plan was not read; the ledger has %s", sources.Count(total, "task", "tasks"))
	case j.gone:
		return fmt.Sprintf("its plan is gone; the ledger has %s", sources.Count(total, "task", "tasks"))
	case f.State == sources.Unknown:
		return fmt.Sprintf("no progress is recorded; %s changed the plan's files since the plan was written", sources.Count(len(j.changed), "commit", "commits"))
	case f.State == sources.NotStarted:
		return sources.Count(total, "task", "tasks") + ", none started"
	}
	line := fmt.Sprintf("%d of %d tasks are proven done", done, total)
	if len(kinds) > 0 {
		line += " (" + strings.Join(kinds, ", ") + ")"
	}
	if n := j.by[skipped]; n > 0 {
		done += n
		line += fmt.Sprintf(", %d %s", n, skipped)
	}
	switch {
	case j.merged != nil && done < total:
		line += "; commit " + j.merged.ID.Short() + " merged the plan's branch"
	case f.State == sources.Complete && done < total:
		line += "; the plan's files already existed when commit " + j.proof.by.Short() + " added the plan"
	case j.next >= 0 && f.State.Open():
		line += "; next is Task " + strings.TrimSpace(f.Point.Task+" "+f.Point.Title)
	}
	return line
}

// compare adds warnings about contradictions between the plan, the ledger and the commits.
func (j *judged) compare(state sources.State) {
	file := j.path
	if ids := j.unproven(); len(ids) > 0 && state.Open() {
		j.Doubts.Add(sources.DoubtSkippedOver, conflicts.Info, file, "a later task is %s, but nothing proves that %s", j.lastIs("done"), doneWords(ids))
	}
	if j.merged != nil && j.next >= 0 {
		j.Doubts.Add(sources.DoubtAlreadyEnded, conflicts.Info, file, "commit %s merged the plan's branch, and no separate worktree has this branch checked out, so the plan counts as complete", j.merged.ID.Short())
	}
	if j.plan.more > 0 {
		j.Doubts.Add("tasks-hidden", conflicts.Info, file, "the plan has %d tasks; only the first %d are read", len(j.tasks)+j.plan.more, len(j.tasks))
	}
	if j.branch != "" && state.Open() {
		j.Doubts.Add(sources.DoubtWorktree, conflicts.Info, file, "its commits are on the branch %s, which no worktree has checked out", j.branch)
	}
	if own := j.record.next(j.tasks); state.Open() && own != "" && j.next >= 0 && own != j.tasks[j.next].ID && !j.gone {
		why := "the first task that the ledger does not call complete"
		if j.record == nil || j.record.ledger == nil {
			why = "it has no ledger for this plan"
		}
		j.Doubts.Add(sources.DoubtOwnCheck, conflicts.Info, file, "superpowers itself would begin at Task %s (%s); git-resume continues at Task %s", own, why, j.tasks[j.next].ID)
	}
	j.compareLedger()
	j.compareVersions(state)
}

// lastIs returns "skipped" if the last closed task was skipped. Otherwise it returns the given word.
func (j *judged) lastIs(word string) string {
	if j.last >= 0 && j.tasks[j.last].State == checkpoint.Skipped {
		return skipped
	}
	return word
}

func taskWords(ids []string) string {
	if len(ids) == 1 {
		return "Task " + ids[0]
	}
	return "tasks " + sources.SomeOf(ids)
}

// doneWords says that tasks are done, for example "Task 2 is done".
func doneWords(ids []string) string {
	if len(ids) == 1 {
		return taskWords(ids) + " is done"
	}
	return taskWords(ids) + " are done"
}

// compareLedger adds warnings about lines of the ledger that do not fit the plan or the commits, and about problems that
// were put off.
func (j *judged) compareLedger() {
	if j.record == nil || j.record.ledger == nil {
		return
	}
	l, file := j.record.ledger, j.record.dir+"/"+ledgerName
	var unknown, lost []string
	for _, id := range l.order {
		i := slices.IndexFunc(j.plan.tasks, func(t task) bool { return t.id == id })
		if i < 0 {
			unknown = append(unknown, id)
			continue
		}
		if e := l.last[id]; e.kind == completeEntry && e.to != "" && j.log.Starting(e.to) == nil && j.View.Now.Sub(j.record.newest()) < window {
			lost = append(lost, id+j.instead(&j.plan.tasks[i]))
		}
	}
	if len(unknown) > 0 {
		j.Doubts.Add(sources.DoubtDiscrepancy, conflicts.Warning, file, "the ledger mentions %s, which the plan (%s) does not have", taskWords(unknown), sources.Count(len(j.plan.tasks), "task", "tasks"))
	}
	if len(lost) > 0 {
		j.Doubts.Add(sources.DoubtNoEvidence, conflicts.Warning, file, "the ledger calls %s complete, but no branch has %s", taskWords(lost), map[bool]string{true: "its commits", false: "their commits"}[len(lost) == 1])
	}
	for i, note := range l.parked {
		if i == 5 {
			break
		}
		j.Doubts.Add("parked", conflicts.Info, file, "%s", note)
	}
}

// The method instead() is for a task whose commits are gone. It returns a remark about other evidence for the task, or "" if there is
// none.
func (j *judged) instead(t *task) string {
	switch commit, _ := j.commitOf(t); {
	case commit.ID != "":
		return " (commit " + commit.ID.Short() + " has a subject like the one in the plan)"
	case len(t.created) > 0 && !slices.ContainsFunc(t.created, func(f string) bool { return !j.site.Has(f) }):
		return " (its files are there)"
	}
	return ""
}

// boxMark matches a box, ticked or not. Boxes are removed before versions of a plan are compared, because ticking a box
// does not change the plan.
var boxMark = textdoc.NewForm(`\[[xX ]\]`)

// compareVersions warns if the plan was changed after work on it had started.
func (j *judged) compareVersions(state sources.State) {
	var began time.Time
	for _, c := range j.commits {
		if began.IsZero() || c.When.Before(began) {
			began = c.When
		}
	}
	if j.record != nil {
		for _, when := range j.record.briefs {
			if began.IsZero() || when.Before(began) {
				began = when
			}
		}
	}
	n := len(j.versions)
	if !state.Open() || began.IsZero() || n < 2 || !j.versions[n-1].when.After(began) {
		return
	}
	base := j.versions[0]
	for _, v := range j.versions {
		if !v.when.After(began) {
			base = v
		}
	}
	data, err := j.View.Repo.Objects.BlobUpTo(j.Ctx, base.blob, largest)
	if err != nil || base.blob == "" {
		return
	}
	if boxMark.ReplaceAllString(textdoc.Text(data), "") != boxMark.ReplaceAllString(j.text, "") {
		j.Doubts.Add(sources.DoubtScope, conflicts.Warning, j.path, "the plan was changed on %s, after work on it had started", j.View.Shown(j.versions[n-1].when))
	}
}

func (j *judged) alternatives(f *sources.Found) []sources.Alternative {
	if f.Point.Task == "" {
		return nil
	}
	out := []sources.Alternative{{Name: sources.Continue, Text: strings.TrimSpace("continue with Task " + f.Point.Task + " " + f.Point.Title)}}
	if j.next < 0 {
		out[0].Text = f.Point.Title
		return out
	}
	return append(out, sources.Alternative{Name: sources.SkipUnit, Text: "write into the ledger that Task " + f.Point.Task + " was skipped, and continue with the next"})
}

// command returns the text that tells an agent how to continue.
func (j *judged) command() string {
	skill := "superpowers:subagent-driven-development"
	if head := j.text[:min(len(j.text), 1500)]; !strings.Contains(head, skill) && strings.Contains(head, "superpowers:executing-plans") && j.record == nil {
		skill = "superpowers:executing-plans"
	}
	var parts []string
	for _, closed := range []struct {
		state checkpoint.TaskState
		verb  string
	}{{checkpoint.Done, "done"}, {checkpoint.Skipped, skipped}} {
		if words := tasksIn(j.tasks, closed.state, closed.verb); words != "" {
			parts = append(parts, words)
		}
	}
	switch {
	case j.next >= 0 && j.review:
		parts = append(parts, "continue at Task "+j.tasks[j.next].ID+": review it, do not implement it again")
	case j.next >= 0:
		parts = append(parts, "continue at Task "+j.tasks[j.next].ID)
	default:
		left := "what is left of the plan"
		if ids := j.unproven(); len(ids) > 0 {
			left = taskWords(ids)
		}
		parts = append(parts, "check "+left)
	}
	file := j.path
	if j.gone && j.record.dir != records && j.record.ledger.plan != "" {
		file = j.record.ledger.plan // the name of the folder is not the path of a plan
	}
	return "Use " + skill + " to continue with " + quote.Word(textdoc.OneLine(file)) + ": " + strings.Join(parts, ", ")
}

// tasksIn returns a text about the tasks in this state, such as "tasks 1–3, 5 are done (commits 1a2b3c4, 2b3c4d5)". It returns "" if there
// are none.
func tasksIn(tasks []sources.Task, state checkpoint.TaskState, verb string) string {
	var ids, commits []string
	for i := 0; i < len(tasks); i++ {
		first := i
		for ; i < len(tasks) && tasks[i].State == state; i++ {
			if c := tasks[i].Commit; c != "" {
				commits = append(commits, c.Short())
			}
		}
		switch n := i - first; {
		case n == 1:
			ids = append(ids, tasks[first].ID)
		case n > 1:
			ids = append(ids, tasks[first].ID+"–"+tasks[i-1].ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	words := "tasks " + strings.Join(ids, ", ") + " are " + verb
	if len(ids) == 1 && !strings.Contains(ids[0], "–") {
		words = "Task " + ids[0] + " is " + verb
	}
	switch commits = slices.Compact(commits); len(commits) {
	case 0:
		return words
	case 1:
		return words + " (commit " + commits[0] + ")"
	}
	return words + " (commits " + sources.SomeOf(commits) + ")"
}
