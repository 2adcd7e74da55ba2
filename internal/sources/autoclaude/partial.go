package autoclaude

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// unplanned reports a spec without a plan. The next step is the one after the last planning step whose file exists.
func (t reporter) unplanned(ctx context.Context) {
	t.f.Tasks = t.r.planning()
	last := t.r.lastPlanningStep()
	next := steps[min(last+1, len(steps)-1)]
	t.f.Stands, t.f.Listed = pointPlanning, next.name
	t.f.State, t.f.Headline = sources.Interrupted, "there is no plan yet"
	t.f.Point = sources.Point{Task: next.name, Title: next.title, Reason: "there is no plan: the planner runs first"}
	if t.r.lacksSpec() {
		t.f.Point.Reason = "there is no specification and no plan: spec_runner.py has to run first"
	}
	if last >= 0 {
		t.f.Headline += "; the planning reached '" + steps[last].name + "'"
		t.f.Point.Reason += "; the last finished step is '" + steps[last].name + "'"
	}
	onlyAsked := last <= 1 && t.r.tip == "" && t.r.site.tree == nil && t.r.mark == nil && t.r.place.logPhase() == ""
	if built := t.r.rebuilt(); len(built) > 0 {
		t.planLost(built)
	} else if onlyAsked {
		t.f.State, t.f.Headline = sources.NotStarted, "not planned yet"
	} else {
		t.f.OnlyPlanned = t.r.tip == "" && t.r.site.tree == nil && t.r.mark == nil && t.r.place.path != "" && t.l.v.Committed(ctx, t.r.place.tree, t.r.place.file("spec.md"))
	}
}

// planLost reports a missing plan whose items are still named by attempts or commits. If the user did not archive the plan, planLost warns
// that the planner will plan these items again.
func (t reporter) planLost(built []sources.Task) {
	var names []string
	aside, what := planArchived(t.r), "lost"
	if aside {
		what = "put aside"
	}
	for _, task := range built {
		names = append(names, task.ID)
		if task.Commit != "" {
			t.f.Context = append(t.f.Context, task.ID+" was built before the plan was "+what+" ("+short(task.Commit)+")")
		}
	}
	if aside {
		t.f.Headline = "the plan was put aside so that the work can be planned again"
		return
	}
	t.f.Headline = "the plan is gone; " + sources.Count(len(names), itemWord(t.r)+" was", itemWord(t.r)+"s were") + " worked on"
	t.f.Point.Title = "plan the work again"
	t.f.Doubts = append(t.f.Doubts, sources.Doubt{Code: sources.DoubtMissing, Severity: conflicts.Warning, Path: t.r.place.file(planFile),
		Text: t.r.place.file(planFile) + " is missing, so the planner will plan all work again, although attempts or commits show that work was done: " + sources.SomeOf(names)})
}

// planArchived reports whether the spec's folder contains an archived plan.
func planArchived(r *reading) bool {
	if r.place.names == nil {
		return false
	}
	for name := range *r.place.names {
		if strings.HasPrefix(name, archived) && r.place.has(name+"/"+planFile) {
			return true
		}
	}
	return false
}

// The method "corrupt" reports a spec without any readable version of its plan. It reconstructs the tasks from attempts and commits. A
// person must decide whether to plan again.
func (t reporter) corrupt() {
	t.f.State, t.f.Rebuilt = sources.Corrupt, true
	t.f.Tasks = t.r.rebuilt()
	t.f.Headline = "the plan cannot be read"
	t.f.Doubts, t.r.doubts = append(t.f.Doubts, t.r.doubts...), nil // the warnings about the damaged plan come before the one that follows
	if n := len(t.f.Tasks); n > 0 {
		t.f.Doubts = append(t.f.Doubts, doubt(sources.DoubtRebuilt, conflicts.Warning, "reconstructed from attempts and commits: "+sources.Count(n, itemWord(t.r)+" that was", itemWord(t.r)+"s that were")+" worked on; it is not known what was still to do"))
	}
	t.f.Point = sources.Point{Task: pointPlanning, Title: "plan the work again", Reason: "the plan is damaged, and no other version of the plan can be read; '" + sources.PlanAgain + "' moves the damaged plan aside, and then Auto-Claude's planner makes a new one"}
}

// rebuilt reconstructs a task list from the items in recorded attempts and commits.
func (r *reading) rebuilt() []sources.Task {
	byID := map[string]*sources.Task{}
	task := func(id string) *sources.Task {
		if byID[id] == nil {
			byID[id] = &sources.Task{ID: id, State: sources.TaskUnknown}
		}
		return byID[id]
	}
	for id, t := range r.history.tries {
		one := task(id)
		one.Attempts = t.all
		if one.Evidence = "attempts"; t.good {
			one.State = checkpoint.Done
		}
	}
	for id, at := range r.proof.byItem {
		if plainName(id) {
			one := task(id)
			one.State, one.Commit, one.Evidence = checkpoint.Done, at, "commit "+short(at)
		}
	}
	var out []sources.Task
	for _, t := range byID {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b sources.Task) int { return cmp.Or(sources.NaturalOrder(a.ID, b.ID), cmp.Compare(a.ID, b.ID)) })
	return out
}

// leftOverAge limits how long a status file is believed if neither a spec folder nor a branch exists.
const leftOverAge = 24 * time.Hour

// markOnly reports a spec that a status file names, but that has neither a folder nor a plan.
func (t reporter) markOnly() {
	m := t.r.mark
	t.f.Home = m.tree.WorkTree
	t.f.Status = m.state
	t.f.Headline = fmt.Sprintf("%d of %d done, according to the status file alone", m.done, m.total)
	t.f.Point = sources.Point{Reason: "only the status file mentions it: its spec does not exist here"}
	if t.r.tip != "" {
		t.f.Point.Reason = "only the status file and a branch mention it: its spec does not exist here"
	}
	if m.phase != "" {
		t.f.Point.Reason += "; it was in the phase '" + m.phase + "'"
	}
	t.f.Point.Task = pointReview
	switch {
	case m.finished() && m.total > 0 && m.done >= m.total:
		t.f.State, t.f.Point = sources.Complete, sources.Point{}
	case m.finished():
		t.f.State = sources.Unknown
		t.f.Doubts = append(t.f.Doubts, sources.Doubt{Code: sources.DoubtStaleMarker, Severity: conflicts.Info, Path: m.path,
			Text: fmt.Sprintf("the status file says '%s' with %d of %d done", m.state, m.done, m.total)})
	case m.total == 0 && m.state == "idle":
		t.f.State = sources.NotStarted
	case t.r.tip == "" && t.l.v.Now.Sub(m.updated.at) > leftOverAge:
		t.f.State = sources.Unknown // an old status file may come from a commit, so it does not prove an interruption
	default:
		t.f.State = sources.Interrupted
	}
	t.f.Doubts = append(t.f.Doubts, sources.Doubt{Code: sources.DoubtMissing, Severity: conflicts.Info, Path: m.path, Text: "the status file names a spec that does not exist here"})
}

// branchOnly reports a spec of which only a branch with unmerged commits is left.
func (t reporter) branchOnly() {
	t.f.Tasks = t.r.rebuilt()
	t.f.State, t.f.Rebuilt = sources.Unknown, true
	t.f.Headline = "only the branch is left, with " + sources.Count(t.r.proof.ahead, "commit", "commits") + " of its own"
	t.f.Point = sources.Point{Task: pointReview, Title: "review the changes", Reason: "only the branch of this spec is left here, without its files and its plan"}
	t.f.Doubts = append(t.f.Doubts, doubt(sources.DoubtRebuilt, conflicts.Warning, "reconstructed from the branch's commits; it is not known what was still to do"))
}

// onBranch reports a spec whose files exist only on a branch that is not checked out anywhere.
func (t reporter) onBranch(ctx context.Context) {
	t.planned(ctx)
	if t.r.proof.asked && t.r.proof.ahead == 0 && t.f.State == sources.Review {
		t.f.State, t.f.Point = sources.Complete, sources.Point{} // all commits of the branch are already in the base
	}
}

// logPhase returns the last started phase in Auto-Claude's log: planning, coding or validation. It returns "" if no phase was started or
// there is no readable log.
func (f folder) logPhase() string {
	if f.path == "" || !f.has(logsFile) {
		return ""
	}
	v, _ := f.json(logsFile) // a log that cannot be read counts as empty
	last := ""
	for _, name := range []string{"planning", "coding", "validation"} {
		word := v.Get("phases").Get(name).Get("status").Text()
		if m := sources.MeaningOf(word); word != "" && m != sources.MeansPending {
			last = name
		}
	}
	return last
}

// checkMarks sets the state to running or paused if the status file or the pause file shows it, and warns about outdated files.
func (t reporter) checkMarks() {
	stoppable := t.f.State == sources.Unknown && t.r.mark != nil || t.f.State == sources.Interrupted || t.f.State == sources.NotStarted || t.f.State == sources.Blocked || t.f.State == sources.Review && t.f.Point.Task != pointMerge
	m := t.r.mark
	switch {
	case m != nil && m.fresh(t.l.v.Now) && stoppable:
		t.f.State = sources.Running
		return
	case t.r.paused != "" && stoppable:
		t.f.State, t.f.Cause = sources.Paused, "paused: the file "+t.r.paused+" exists"
	case t.r.paused != "":
		text := "a pause is marked, but nothing is left to pause"
		if t.f.State.Open() && t.f.Point.Task != pointMerge {
			text = "a pause is marked too"
		}
		t.f.Doubts = append(t.f.Doubts, sources.Doubt{Code: sources.DoubtStaleMarker, Severity: conflicts.Info, Path: t.r.paused, Text: text})
	}
	if m == nil {
		return
	}
	if m.paused() && stoppable && !m.workedAfter(t.r) {
		t.f.State, t.f.Cause = sources.Paused, "paused on purpose, according to the status file"
	}
	if sources.MeaningOf(m.state) == sources.MeansFailed && t.f.State == sources.Interrupted {
		t.f.Cause = "error"
	}
	if text := m.stale(t.r, t.l.v.Now); text != "" {
		t.f.Doubts = append(t.f.Doubts, sources.Doubt{Code: sources.DoubtStaleMarker, Severity: conflicts.Info, Path: m.path, Text: text})
	}
}

// workedAfter reports whether attempts or commits are more than a minute newer than the status file.
func (m *placedMark) workedAfter(r *reading) bool {
	till := m.updated.at.Add(time.Minute)
	return r.history.last.at.After(till) || r.commits.last.at.After(till) || r.proof.last.When.After(till)
}

// stale describes outdated statements in the status file, such as "active" after a crash. It returns "" if there are none.
func (m *placedMark) stale(r *reading, now time.Time) string {
	text := ""
	if m.active && !m.fresh(now) {
		text = "the status file says 'active', but it was last written"
		if m.updated.at.IsZero() {
			text += " at an unknown time"
		} else {
			text += " at " + m.updated.at.In(now.Location()).Format("2006-01-02 15:04")
		}
	}
	if r.plan == nil {
		return text
	}
	all, finished, _, _ := r.plan.count()
	if all > 0 && (m.done != finished || m.finished() && finished < all) {
		if text != "" {
			text += ", and "
		} else {
			text = "the status file "
		}
		text += fmt.Sprintf("says '%s' with %d of %d done, but the plan says %d of %d", m.state, m.done, m.total, finished, all)
	}
	return text
}

// datedFiles are the files whose time counts if nothing else shows when somebody last worked on a spec.
var datedFiles = []string{planFile, "spec.md", "requirements.json"}

// dateAll finds out when the files in datedFiles were written, for all specs without a time in their plan. It asks once per worktree,
// because one git process for each spec would be slow.
func (l *projectFiles) dateAll(ctx context.Context, readings []*reading) {
	for _, t := range l.v.Trees {
		var files []string
		for _, r := range readings {
			if r.place.path == "" || r.place.tree.WorkTree != t.WorkTree || r.plan != nil && !r.plan.latest.at.IsZero() {
				continue
			}
			for _, name := range datedFiles {
				files = append(files, r.place.file(name))
			}
		}
		if len(files) > 0 {
			l.v.Date(ctx, t, files...)
		}
	}
}

// activity sets the time of the last activity to the newest recorded time, or otherwise to the newest time of a file. It also stores where
// that time was read.
func (t reporter) activity(ctx context.Context) {
	now := t.l.v.Now
	var s stamp
	if t.r.plan != nil {
		s = s.later(t.r.plan.latest, now)
	}
	s = s.later(t.r.history.last, now).later(t.r.commits.last, now)
	if t.r.mark != nil {
		s = s.later(t.r.mark.updated, now)
	}
	if t.r.proof.last.ID != "" {
		s = s.later(stamp{t.r.proof.last.When, false, "commit " + short(t.r.proof.last.ID)}, now)
	}
	if s.at.IsZero() && t.r.place.path != "" {
		for _, name := range datedFiles {
			when, _ := t.l.v.Written(ctx, t.r.place.tree, t.r.place.file(name))
			s = s.later(stamp{when.UTC(), false, "file " + name}, now)
		}
	}
	t.f.Active, t.f.From = s.at, s.from
	if s.naive {
		t.f.Doubts = append(t.f.Doubts, doubt(sources.DoubtLocalTime, conflicts.Info, "the time of the last activity has no time zone; this machine's is assumed"))
	}
}
