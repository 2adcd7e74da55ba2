package autoclaude

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// unplanned speaks of a spec without a plan: the planner comes first, at the step that was reached.
func (l *looked) unplanned(r *reading, f *sources.Found) {
	f.Stands, f.Listed = pointPlanning, pointPlanning
	f.Tasks = r.planning()
	last := r.reached()
	next := steps[min(last+1, len(steps)-1)].name
	f.State, f.Headline = sources.Interrupted, "there is no plan yet"
	f.Point = sources.Point{Task: next, Title: "plan the work", Reason: "there is no plan: the planner comes first"}
	if r.specless() {
		f.Point.Title, f.Point.Reason = "write the specification", "there is no specification and no plan: spec_runner.py goes on"
	}
	if last >= 0 {
		f.Headline += "; the planning reached '" + steps[last].name + "'"
		f.Point.Reason += ", after '" + steps[last].name + "'"
	}
	onlyAsked := last <= 1 && r.tip == "" && r.site.tree == nil && r.mark == nil && r.logPhase() == ""
	if onlyAsked {
		f.State, f.Headline = sources.NotStarted, "not planned yet"
	}
}

// corrupt speaks of a spec whose plan cannot be read in any way. It is not planned anew over it:
// what attempts and commits show is put together instead, for a person to look at.
func (l *looked) corrupt(r *reading, f *sources.Found) {
	f.State, f.Rebuilt = sources.Corrupt, true
	f.Tasks = r.rebuilt()
	f.Headline = "the plan cannot be read"
	reason := "the plan is damaged and no other version of it can be read"
	if r.missing {
		f.Headline = "the plan is gone"
		reason = "there is no plan, but attempts were made: it was lost, not skipped"
		f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtMissing, Severity: conflicts.Warning, Path: r.place.file(planFile), Text: reason})
	}
	if n := len(f.Tasks); n > 0 {
		f.Doubts = append(f.Doubts, doubt(sources.DoubtRebuilt, conflicts.Warning, "put together from attempts and commits: "+plural(n, "item that was", "items that were")+" worked on; what was still to come is not known"))
	}
	f.Point = sources.Point{Task: pointPlanning, Title: "plan the work again", Reason: reason + "; 'start-fresh' puts what is left of it aside, and the planner comes first"}
}

// rebuilt lists the items that attempts and commits name.
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

// leftOver is from when on a status file without spec and branch is taken for a left-over.
const leftOver = 24 * time.Hour

// markOnly speaks of a spec of which only the status file knows. Its counts are all there is.
func (r *reading) markOnly(f *sources.Found, now time.Time) {
	m := r.mark
	f.Home = m.tree.WorkTree
	f.Status = m.state
	f.Headline = fmt.Sprintf("%d of %d done, by the status file alone", m.done, m.total)
	f.Point = sources.Point{Reason: "only the status file speaks of it: its spec is not here"}
	if m.phase != "" {
		f.Point.Reason += "; it was in the phase '" + m.phase + "'"
	}
	f.Point.Task = pointReview
	switch {
	case m.finished() && m.total > 0 && m.done >= m.total:
		f.State, f.Point = sources.Complete, sources.Point{}
	case m.finished():
		f.State = sources.Unknown
		f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtStaleMarker, Severity: conflicts.Info, Path: m.path,
			Text: fmt.Sprintf("the status file says '%s' with %d of %d done", m.state, m.done, m.total)})
	case m.total == 0 && m.state == "idle":
		f.State = sources.NotStarted
	case r.tip == "" && now.Sub(m.updated.Time) > leftOver:
		f.State = sources.Unknown // such files are committed half way and stay so: alone they show no interruption
	default:
		f.State = sources.Interrupted
	}
	f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtMissing, Severity: conflicts.Info, Path: m.path, Text: "the status file names a spec that is not here"})
}

// branchOnly speaks of a branch with commits that nobody merged, and of which no spec is left.
func (r *reading) branchOnly(f *sources.Found) {
	f.Tasks = r.rebuilt()
	f.State, f.Rebuilt = sources.Unknown, true
	f.Headline = "only the branch is left, with " + plural(r.proof.ahead, "commit", "commits") + " of its own"
	f.Point = sources.Point{Task: pointReview, Title: "review what was built", Reason: "no spec and no plan of it is here"}
	f.Doubts = append(f.Doubts, doubt(sources.DoubtRebuilt, conflicts.Warning, "put together from the branch's commits; what was still to come is not known"))
}

// onBranch speaks of a spec that lies on its branch only, which no worktree has checked out.
func (l *looked) onBranch(ctx context.Context, r *reading, f *sources.Found) {
	l.planned(ctx, r, f)
	if r.proof.asked && r.proof.ahead == 0 && f.State == sources.Review {
		f.State, f.Point = sources.Complete, sources.Point{} // all that it built is in the base
	}
}

// logPhase is the last phase that the system's log has begun: planning, coding or validation.
func (r *reading) logPhase() string {
	if r.place.path == "" || !r.place.has(logsFile) {
		return ""
	}
	data, err := r.place.read(logsFile)
	if err != nil {
		return ""
	}
	v, err := sources.ParseJSON(data)
	if err != nil {
		return ""
	}
	last := ""
	for _, name := range []string{"planning", "coding", "validation"} {
		word := v.Get("phases").Get(name).Get("status").Text()
		if m := sources.MeaningOf(word); word != "" && m != sources.MeansPending {
			last = name
		}
	}
	return last
}

// alive weighs the marks of life and of a pause against what was read.
func (l *looked) alive(r *reading, f *sources.Found) {
	stoppable := f.State == sources.Unknown && r.mark != nil || f.State == sources.Interrupted || f.State == sources.NotStarted || f.State == sources.Blocked || f.State == sources.Review && f.Point.Task != pointMerge
	m := r.mark
	switch {
	case m != nil && m.fresh(l.v.Now) && stoppable:
		f.State = sources.Running
		return
	case r.paused != "" && stoppable:
		f.State, f.Cause = sources.Paused, "paused on purpose: "+r.paused+" is there"
	case r.paused != "":
		f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtStaleMarker, Severity: conflicts.Info, Path: r.paused, Text: "a pause is marked, and nothing is left to be paused"})
	}
	if m == nil {
		return
	}
	if m.paused() && stoppable && !m.outrun(r) {
		f.State, f.Cause = sources.Paused, "paused on purpose, by the status file"
	}
	if sources.MeaningOf(m.state) == sources.MeansFailed && f.State == sources.Interrupted {
		f.Cause = "error"
	}
	if text := m.stale(r, l.v.Now); text != "" {
		f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtStaleMarker, Severity: conflicts.Info, Path: m.path, Text: text})
	}
}

// outrun reports whether work went on after the mark was set.
func (m *placedMark) outrun(r *reading) bool {
	return r.history.last.After(m.updated.Add(time.Minute)) || r.commits.last.After(m.updated.Add(time.Minute)) || r.proof.last.When.After(m.updated.Add(time.Minute))
}

// stale says in what the status file is not to be believed.
func (m *placedMark) stale(r *reading, now time.Time) string {
	text := ""
	if m.active && !m.fresh(now) {
		text = "the status file says active, but was last written"
		if m.updated.IsZero() {
			text += " at an unknown time"
		} else {
			text += " " + m.updated.Format("2006-01-02 15:04") + " UTC"
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
		text += fmt.Sprintf("says '%s' with %d of %d done, where the plan has %d of %d", m.state, m.done, m.total, finished, all)
	}
	return text
}

// activity is the newest time that anything tells, and where it was read.
func (l *looked) activity(r *reading, f *sources.Found) {
	now := l.v.Now
	var s stamp
	if r.plan != nil {
		s = s.later(r.plan.latest, now)
	}
	s = s.later(r.history.last, now).later(r.commits.last, now)
	if r.mark != nil {
		s = s.later(r.mark.updated, now)
	}
	if r.proof.last.ID != "" {
		s = s.later(stamp{r.proof.last.When, false, "commit " + short(r.proof.last.ID)}, now)
	}
	if s.IsZero() && r.place.path != "" {
		for _, name := range []string{planFile, "spec.md", "requirements.json"} {
			s = s.later(stamp{r.place.tree.Changed(r.place.file(name)).UTC(), false, "file " + name}, now)
		}
	}
	f.Active, f.From = s.Time, s.from
	if s.naive {
		f.Doubts = append(f.Doubts, doubt(sources.DoubtLocalTime, conflicts.Info, "the time of the last sign has no zone, and is taken as this machine's"))
	}
}
