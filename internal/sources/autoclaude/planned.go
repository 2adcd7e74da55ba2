package autoclaude

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

type reporter struct {
	l *projectFiles
	r *reading
	f *sources.Found
}

func (t reporter) planned(ctx context.Context) {
	p := t.r.plan
	t.f.Status = cmp.Or(p.status, p.planStatus)
	t.f.Tasks = t.r.tasks()
	t.f.Doubts = append(t.f.Doubts, t.l.git.comparePlan(ctx, t.r, t.f.Tasks)...)
	t.f.Doubts = append(t.f.Doubts, t.r.oddities()...)
	t.f.Doubts = append(t.f.Doubts, t.r.withoutBranch()...)
	if main, lost := t.r.lostInMain(); lost {
		t.f.Doubts = append(t.f.Doubts, sources.Doubt{Code: sources.DoubtMissing, Severity: conflicts.Warning, Path: main.file(planFile),
			Text: main.file(planFile) + " is only in " + t.r.live[0].where() + "; without it in the main worktree, Auto-Claude would plan all work again, so '" + sources.Continue + "' and '" + sources.Repair + "' put it back"})
	}
	all, finished, _, _ := p.count()
	switch {
	case all == 0:
		t.empty()
	case finished == all:
		t.built()
	default:
		t.unfinished()
		if t.r.proof.merged && t.r.proof.ahead == 0 && t.r.tip != "" {
			t.f.Doubts = append(t.f.Doubts, doubt(DoubtMerged, conflicts.Info, "all commits of its branch are in "+refs.Short(t.r.base)+" already; what is still open is built on that branch"))
		}
		if p.isClosed() {
			t.f.Over = "the plan's status is '" + p.status + "'"
		}
	}
	if t.r.version != nil {
		t.f.Rebuilt = true
		if t.f.State == sources.Complete {
			t.f.State = sources.Review // not complete: the version of the plan that was lost may have had open items
			t.f.Point = sources.Point{Task: pointReview, Reason: "the plan cannot be read; in an older version of it, the work was complete"}
		}
	}
	t.statusWord()
	if spec := t.r.place; t.f.State.Open() && spec.path != "" && len(t.r.folders) > 0 {
		t.f.Needs = append(t.f.Needs, sources.File{Path: spec.file("spec.md"), For: t.f.Point.Task, Missing: !t.r.artefact["spec"]})
	}
}

// tasks lists the items in the order in which they are worked on.
func (r *reading) tasks() []sources.Task {
	var out []sources.Task
	for _, ph := range r.plan.inOrder() {
		for _, it := range ph.items {
			out = append(out, sources.Task{
				ID: it.id, Title: it.title, Phase: ph.name, State: it.state, Raw: it.raw, Files: it.files,
				Attempts: r.history.tries[it.own].all, Evidence: "plan", Began: it.began, Ended: it.ended,
			})
		}
	}
	return out
}

// oddities returns warnings about items with an unknown status word. It also warns about an open item if its last attempt succeeded and
// it has no commit.
func (r *reading) oddities() []sources.Doubt {
	var out []sources.Doubt
	var marked []string
	for it := range r.plan.all() {
		if it.state == sources.TaskUnknown {
			out = append(out, doubt(sources.DoubtUnknownWord, conflicts.Warning, fmt.Sprintf("the status '%s' of %s is unknown", it.raw, it.id)))
		}
		if t := r.history.tries[it.own]; t.good && (it.state == checkpoint.Pending || it.state == checkpoint.Active) && r.proof.byItem[it.own] == "" {
			marked = append(marked, it.id)
		}
	}
	if len(marked) > 0 {
		out = append(out, doubt(sources.DoubtDiscrepancy, conflicts.Info, "the plan does not mark "+sources.SomeOf(marked)+" as completed, although the last attempt succeeded"))
	}
	return out
}

// withoutResults returns the items that are done, if the spec has no branch and is neither merged nor closed. A continued build may then
// lack the results of these items.
func (r *reading) withoutResults() (all []item) {
	if r.plan == nil || r.tip != "" || r.branch != "" || r.proof.merged || r.plan.isClosed() {
		return nil
	}
	for it := range r.plan.all() {
		if it.state == checkpoint.Done {
			all = append(all, it)
		}
	}
	return all
}

// withoutBranch warns about items that are done, if their results may be missing.
func (r *reading) withoutBranch() []sources.Doubt {
	if done := len(r.withoutResults()); done > 0 {
		return []sources.Doubt{doubt(DoubtNoBranch, conflicts.Warning, "this spec has no branch here: the work of "+sources.Count(done, "completed "+r.plan.word, "completed "+r.plan.word+"s")+" was merged or discarded, or is somewhere else")}
	}
	return nil
}

// The method "empty" reports a plan without items: either the planner has not run yet, or it crashed.
func (t reporter) empty() {
	t.f.Stands, t.f.Listed = pointPlanning, pointPlanning
	t.f.State, t.f.Headline = sources.NotStarted, "not planned yet"
	t.f.Point = sources.Point{Task: pointPlanning, Title: "plan the work", Reason: "the plan has no items: the planner runs first"}
	m := sources.MeaningOf(t.r.plan.status)
	planning := t.r.plan.status == "" && t.r.lastPlanningStep() > 1 // as without a plan: the requirements alone start no planning
	if m != sources.MeansPending && m != sources.MeansReady && t.r.plan.status != "" || t.r.tip != "" || planning {
		t.f.State, t.f.Headline = sources.Interrupted, "the planning was interrupted"
		switch {
		case t.r.plan.status != "":
			t.f.Point.Reason = "the plan says '" + t.r.plan.status + "' and has no items: the planner runs first"
		case t.r.tip != "":
			t.f.Point.Reason = "the plan has no items, although the spec has a branch: the planner runs first"
		}
	}
	t.f.Tasks = t.r.planning()
	for i := range t.f.Tasks { // the files of the planning steps exist before any work starts, so they prove no progress
		t.f.Tasks[i].Aside = t.f.State == sources.NotStarted
	}
}

// planning lists the steps of the planning as tasks. A step is done if its file exists. The last step, which writes the plan, is always
// pending.
func (r *reading) planning() []sources.Task {
	last := r.lastPlanningStep()
	var out []sources.Task
	for i, s := range steps {
		t := sources.Task{ID: s.name, Title: s.title, Phase: pointPlanning, State: checkpoint.Pending}
		switch {
		case i == len(steps)-1:
		case r.artefact[s.name]:
			t.State, t.Evidence = checkpoint.Done, s.file
		case i < last:
			t.State = sources.TaskUnknown // the step was skipped, or somebody deleted its file
		}
		out = append(out, t)
	}
	return out
}

// lastPlanningStep returns the index of the last step whose file exists, or -1. It ignores the final step, which writes the plan.
func (r *reading) lastPlanningStep() int {
	last := -1
	for i, s := range steps[:len(steps)-1] {
		if r.artefact[s.name] {
			last = i
		}
	}
	return last
}

// The method "unfinished" reports a plan with open items.
func (t reporter) unfinished() {
	c := choose(t.r.plan, t.r.history, t.r.proof.onCurrent)
	t.f.Doubts = append(t.f.Doubts, c.doubts...)
	t.f.Headline = t.r.plan.progressText()
	t.reportHeld(c)
	if !c.found {
		t.f.State = sources.Blocked
		t.f.Headline += "; " + sources.Count(len(c.held), "needs", "need") + " a person"
		t.f.Point = sources.Point{Reason: "every open " + t.r.plan.word + " in a phase that can begin needs a person: " + heldNames(c.held)}
		if len(c.held) > 0 {
			first := c.held[0]
			if t.describeProgress(first.item); first.item.state != sources.TaskWaiting {
				t.f.Point = sources.Point{Task: first.item.id, Title: first.item.title, Reason: "it needs a person, and the " + t.r.plan.word + "s after it may build on it: " + first.why}
			}
		}
		return
	}
	t.f.State = sources.Interrupted
	t.f.Point = sources.Point{Task: c.item.id, Title: c.item.title, Reason: c.why}
	t.describeProgress(c.item)
	if tried := t.r.history.tries[c.item.own]; tried.why != "" {
		t.f.Context = append(t.f.Context, c.item.id+": "+tried.failures(""))
		for _, how := range tried.approaches[max(0, len(tried.approaches)-mostApproaches):] {
			t.f.Context = append(t.f.Context, c.item.id+" failed with this approach: "+how)
		}
	}
	if at := t.r.proof.byItem[c.item.own]; at != "" {
		t.f.Point.Reason += "; commit " + short(at) + " names it, but it is not marked as completed"
	}
	t.f.Headline += "; next is " + c.item.id
	if own, ok := t.r.plan.firstChosen(); ok && own.id != c.item.id && !own.committed(t.r.proof.onCurrent) {
		text := "the plan says '" + own.raw + "' for " + own.id + ", so Auto-Claude's run.py would start with " + own.id + " instead of " + c.item.id
		switch {
		case holdBack(own, t.r.history) != "":
			text += "; '--choose skip' or '--choose restart', with " + quote.Command("--from %s", own.id) + ", resolves this"
		case c.item.raw != "pending" && c.item.raw != "in_progress": // run.py does not know this status, and a restart sets it to "pending"
			text += "; '--choose restart' with " + quote.Command("--from %s", c.item.id) + " resolves this"
		}
		t.f.Doubts = append(t.f.Doubts, doubt(sources.DoubtOwnCheck, conflicts.Warning, text))
	}
	if c.item.state == checkpoint.Active {
		t.f.Headline = t.r.plan.progressText() + "; " + c.item.id + " was in progress"
	}
	if c.item.state == checkpoint.Pending && !t.r.buildStarted() {
		t.f.State = sources.NotStarted
		t.gate()
	}
}

// mostApproaches limits how many failed approaches the brief names.
const mostApproaches = 5

// describeProgress sets the progress text, such as "chunk 2 of 5".
func (t reporter) describeProgress(it item) {
	if at := slices.IndexFunc(t.f.Tasks, func(t sources.Task) bool { return t.ID == it.id }); at >= 0 {
		t.f.Stands = fmt.Sprintf("%s %d of %d", t.r.plan.word, at+1, len(t.f.Tasks))
	}
}

// buildStarted reports whether the build was started. It also trusts the status words, because a crash before the first item leaves no
// commits or attempts.
func (r *reading) buildStarted() bool {
	_, finished, active, failed := r.plan.count()
	said := sources.MeaningOf(r.plan.status) == sources.MeansInProgress || r.mark != nil && sources.MeaningOf(r.mark.state) == sources.MeansInProgress
	return said || finished+active+failed > 0 || len(r.history.tries) > 0 || len(r.commits.list) > 0 || r.proof.ahead > 0 || r.site.tree != nil
}

// gate sets the state to waiting if a person must approve the plan before the build.
func (t reporter) gate() {
	if t.r.place.path == "" || !t.r.place.has(reviewFile) {
		return
	}
	v, err := t.r.place.json(reviewFile)
	if err != nil {
		t.f.Doubts = append(t.f.Doubts, sources.DoubtOf(err, t.r.place.file(reviewFile)))
		return
	}
	if v.Get("approved").Is() && !v.Get("approved").True() {
		t.f.State = sources.Waiting
		t.f.Questions = append(t.f.Questions, sources.Question{Text: "the specification and the plan wait for approval before anything is built"})
	}
}

func heldNames(all []heldItem) string {
	var names []string
	for _, h := range all {
		names = append(names, h.item.id)
	}
	return sources.SomeOf(names)
}

// reportHeld reports the items that are never chosen automatically. If no other item can be chosen, it asks the user about each of them,
// up to mostQuestions.
func (t reporter) reportHeld(c choice) {
	for i := range t.f.Tasks {
		for _, h := range c.held {
			if h.item.id == t.f.Tasks[i].ID {
				t.f.Tasks[i].Evidence = "plan; " + h.why
				if t.f.Tasks[i].State == checkpoint.Pending { // show the item as blocked, because it is not chosen next
					t.f.Tasks[i].State, t.f.Tasks[i].Raw = checkpoint.Blocked, h.why
				}
			}
		}
	}
	for _, h := range c.held {
		t.f.Doubts = append(t.f.Doubts, leftOutDoubt(h, c, t.r.history))
		if c.found {
			continue // no question is needed while another item can be built
		}
		t.f.Questions = append(t.f.Questions, sources.Question{Task: h.item.id, Text: h.item.id + " needs a person (" + h.why + "): try it again, or skip it?", Options: []string{tryAgain, skipIt}})
		if len(t.f.Questions) == mostQuestions {
			return
		}
	}
}

// leftOutDoubt returns the warning about an item that is not chosen. The warning says either that a reset is enough, or why the item
// needs a person.
func leftOutDoubt(h heldItem, c choice, tried history) sources.Doubt {
	if h.item.state == checkpoint.Failed && tried.needsPerson(h.item) == "" {
		said := h.item.id + " failed"
		if why := tried.tries[h.item.own].why; why != "" {
			said += " (" + why + ")"
		}
		if c.found {
			said += " and is passed over"
		}
		return doubt(sources.DoubtSkippedOver, conflicts.Warning, said+"; the choice 'reset' sets it back to pending, so that it is tried again")
	}
	if c.found {
		return doubt(sources.DoubtSkippedOver, conflicts.Warning, h.item.id+" is passed over and needs a person: "+h.why)
	}
	return doubt(sources.DoubtUsedUp, conflicts.Warning, h.item.id+" is left out: "+h.why)
}

const mostQuestions = 20

// The method "built" reports a spec whose plan items are all finished. Either the spec is complete, or one of these comes next: the quality
// check, a repair or the merge.
func (t reporter) built() {
	all, _, _, _ := t.r.plan.count()
	t.f.State = sources.Review
	t.f.Headline = "all " + sources.Count(all, t.r.plan.word, t.r.plan.word+"s") + " done"
	switch {
	case t.r.plan.skipped() > 0:
		t.f.Headline = t.r.plan.progressText()
	case all == 1:
		t.f.Headline = "the only " + t.r.plan.word + " is done"
	}
	switch v := t.r.plan.signoff.verdict; {
	case t.r.plan.isClosed():
		t.f.State, t.f.Point = sources.Complete, sources.Point{}
		t.f.Headline += "; closed as '" + t.r.plan.status + "'"
	case v == approved && t.r.proof.merged:
		t.f.State, t.f.Point = sources.Complete, sources.Point{}
		t.f.Headline += ", approved and merged"
	case v == approved:
		t.f.Headline += "; approved, to be reviewed and merged"
		t.f.Point = sources.Point{Task: pointMerge, Title: "review and merge", Reason: "the quality check approved it"}
		switch {
		case t.r.tip != "":
		case lacksFiles(t.r.plan, t.l.v.Trees[0], t.r.project):
			t.f.Awaits = true
			t.f.Point.Reason += "; it has no branch here, and most files that it created are not here"
		default:
			t.f.Point.Reason += "; it has no branch here, so it was merged, discarded or built elsewhere"
		}
	case v == rejected:
		t.refuse()
	case v == repaired:
		t.f.Headline += "; repaired after a rejection, to be checked again"
		t.f.Point = sources.Point{Task: pointQA, Title: "let Auto-Claude check it again", Reason: "the quality check rejected it, and repairs were made since"}
	case v == unchecked && t.r.proof.merged && t.r.proof.ahead == 0:
		t.f.Headline += " and merged; never checked"
		t.f.Point = sources.Point{Task: pointQA, Title: "let Auto-Claude check the quality", Reason: "all of the work is in " + refs.Short(t.r.base) + ", but the quality check never approved this work"}
		t.f.Doubts = append(t.f.Doubts, doubt(DoubtMerged, conflicts.Warning, "the work is merged into "+refs.Short(t.r.base)+" already; 'hide' stops showing it"))
	default:
		t.f.Headline += "; not checked yet"
		t.f.Point = sources.Point{Task: pointQA, Title: "let Auto-Claude check the quality", Reason: "every " + t.r.plan.word + " is completed, but the quality check has not approved it"}
		if t.r.plan.signoff.word != "" {
			t.f.Point.Reason += " (it says '" + t.r.plan.signoff.word + "')"
		}
	}
}

// lacksFiles reports whether most of the files that the items of a plan created are missing in a project.
func lacksFiles(p *plan, t sources.Tree, project string) bool {
	missing, total := 0, 0
	for _, ph := range p.phases {
		for _, it := range ph.items {
			for _, file := range it.created {
				if strings.ContainsAny(file, "*?[") {
					continue // a pattern
				}
				if total++; !t.Has(path.Join(project, file)) {
					missing++
				}
			}
		}
	}
	return 2*missing > total
}

// refuse reports a build that the quality check rejected. The next step is a repair. If the quality check gave up, a person must decide
// first.
func (t reporter) refuse() {
	t.f.Headline += "; rejected by the quality check"
	t.f.Point = sources.Point{Task: pointFix, Title: "fix the problems that the quality check found", Reason: "the quality check rejected it"}
	if t.r.place.path == "" {
		return
	}
	request := path.Base(path.Clean("/" + t.r.plan.signoff.request))
	if t.r.plan.signoff.request == "" {
		request = requestFile
	}
	t.f.Needs = append(t.f.Needs, sources.File{Path: t.r.place.file(request), For: pointFix, Missing: !t.r.place.has(request)})
	if t.r.place.has(givenUpFile) {
		t.f.State = sources.Waiting
		t.f.Questions = append(t.f.Questions, sources.Question{Task: pointFix, Text: "the quality check gave up, and a person must decide: see " + givenUpFile})
	}
}

// statusWord warns if the status words of the plan contradict its items or the quality check.
func (t reporter) statusWord() {
	all, finished, _, _ := t.r.plan.count()
	for _, word := range []string{t.r.plan.status, t.r.plan.planStatus} {
		m := sources.MeaningOf(word)
		late := m == sources.MeansDone || m == sources.MeansReview
		early := m == sources.MeansPending || m == sources.MeansInProgress
		if late && finished < all || late && all == 0 || early && all > 0 && finished == all {
			t.f.Doubts = append(t.f.Doubts, doubt(sources.DoubtStatusWord, conflicts.Info, fmt.Sprintf("the plan says '%s', but %d of %s finished", word, finished, sources.Count(all, "item is", "items are"))))
			return
		}
	}
	if t.r.plan.isClosed() || !t.f.State.Open() {
		return
	}
	switch sources.FoldWord(t.r.plan.status) {
	case "done", "prcreated":
		t.f.Doubts = append(t.f.Doubts, doubt(sources.DoubtStatusWord, conflicts.Warning, fmt.Sprintf("the plan says '%s', but the quality check says %s", t.r.plan.status, t.r.plan.signoff.said())))
	}
}
