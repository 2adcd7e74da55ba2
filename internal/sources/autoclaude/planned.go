package autoclaude

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// planned speaks of a spec that has a readable plan.
func (l *looked) planned(ctx context.Context, r *reading, f *sources.Found) {
	p := r.plan
	f.Status = p.status
	if f.Status == "" {
		f.Status = p.planStatus
	}
	f.Tasks = r.tasks()
	f.Doubts = append(f.Doubts, l.weigh(ctx, r, f.Tasks)...)
	f.Doubts = append(f.Doubts, r.oddities()...)
	f.Doubts = append(f.Doubts, r.nowhere()...)
	all, finished, _, _ := p.count()
	switch {
	case all == 0:
		r.empty(f)
	case finished == all:
		r.built(f)
	default:
		r.unfinished(f)
	}
	if r.version != nil {
		f.Rebuilt = true
		if f.State == sources.Complete {
			f.State = sources.Review // an old version cannot prove that nothing came after it
			f.Point = sources.Point{Task: pointReview, Reason: "the plan cannot be read; an older version of it was complete"}
		}
	}
	r.statusWord(f)
	if spec := r.place; f.State.Open() && spec.path != "" && len(r.folders) > 0 {
		f.Needs = append(f.Needs, sources.File{Path: spec.file("spec.md"), For: f.Point.Task, Missing: !r.artefact["spec"]})
	}
}

func (r *reading) tasks() []sources.Task {
	var out []sources.Task
	for _, ph := range r.plan.phases {
		for _, it := range ph.items {
			out = append(out, sources.Task{
				ID: it.id, Title: it.title, Phase: ph.name, State: it.state, Raw: it.raw, Files: it.files,
				Attempts: r.history.tries[it.own].all, Evidence: "plan", Began: it.began, Ended: it.ended,
			})
		}
	}
	return out
}

// oddities are the words and records that do not fit.
func (r *reading) oddities() []sources.Doubt {
	var out []sources.Doubt
	var marked []string
	for _, ph := range r.plan.phases {
		for _, it := range ph.items {
			if it.state == sources.TaskUnknown {
				out = append(out, doubt(sources.DoubtUnknownWord, conflicts.Warning, fmt.Sprintf("nothing is known of the status '%s' of %s", it.raw, it.id)))
			}
			if t := r.history.tries[it.own]; t.good && (it.state == checkpoint.Pending || it.state == checkpoint.Active) && r.proof.byItem[it.own] == "" {
				marked = append(marked, it.id)
			}
		}
	}
	if len(marked) > 0 {
		out = append(out, doubt(sources.DoubtDiscrepancy, conflicts.Info, "the last attempt succeeded, and the plan does not say completed: "+some(marked)))
	}
	return out
}

// nowhere tells of finished items of which no branch holds what they built: whoever continues would build without it.
func (r *reading) nowhere() []sources.Doubt {
	_, finished, _, _ := r.plan.count()
	if done := finished - r.plan.skipped(); done > 0 && r.tip == "" && r.branch == "" && !r.proof.merged && !r.ended() {
		return []sources.Doubt{doubt(DoubtNoBranch, conflicts.Warning, "no branch of this spec is here: what "+plural(done, "completed "+r.plan.word, "completed "+r.plan.word+"s")+" built was merged, dropped, or lies elsewhere")}
	}
	return nil
}

// empty speaks of a plan without items: one that waits for its planner, or one whose planner crashed.
func (r *reading) empty(f *sources.Found) {
	f.Stands, f.Listed = pointPlanning, pointPlanning
	f.State, f.Headline = sources.NotStarted, "not planned yet"
	f.Point = sources.Point{Task: pointPlanning, Title: "plan the work", Reason: "the plan has no items: the planner comes first"}
	if m := sources.MeaningOf(r.plan.status); m != sources.MeansPending && m != sources.MeansReady && r.plan.status != "" || r.tip != "" {
		f.State, f.Headline = sources.Interrupted, "the planning was interrupted"
		f.Point.Reason = "the plan says '" + r.plan.status + "' and has no items: the planning crashed, and the planner comes first"
	}
	f.Tasks = r.planning()
}

// planning lists the steps of the planning as tasks: what has a file is done.
func (r *reading) planning() []sources.Task {
	last := r.reached()
	var out []sources.Task
	for i, s := range steps {
		t := sources.Task{ID: s.name, Phase: pointPlanning, State: checkpoint.Pending}
		switch {
		case i == len(steps)-1:
			t.Title = "plan the work"
		case r.artefact[s.name]:
			t.State, t.Evidence = checkpoint.Done, s.file
		case i < last:
			t.State = sources.TaskUnknown // small work leaves steps out; its file may also have been removed
		}
		out = append(out, t)
	}
	return out
}

// reached is the place of the last step of which the file is there, -1 for none.
func (r *reading) reached() int {
	last := -1
	for i, s := range steps[:len(steps)-1] {
		if r.artefact[s.name] {
			last = i
		}
	}
	return last
}

// unfinished speaks of a plan with open items.
func (r *reading) unfinished(f *sources.Found) {
	c := choose(r.plan, r.history)
	f.Doubts = append(f.Doubts, c.doubts...)
	f.Headline = r.doneOf()
	r.held(f, c)
	if !c.found {
		f.State = sources.Blocked
		f.Headline += "; " + plural(len(c.held), "needs", "need") + " a person"
		f.Point = sources.Point{Reason: "every open " + r.plan.word + " that can begin waits for a person: " + heldNames(c.held)}
		if len(c.held) > 0 {
			r.stands(f, c.held[0].item)
		}
		return
	}
	f.State = sources.Interrupted
	f.Point = sources.Point{Task: c.item.id, Title: c.item.title, Reason: c.why}
	r.stands(f, c.item)
	if at := r.proof.byItem[c.item.own]; at != "" {
		f.Point.Reason += "; commit " + short(at) + " names it, but it is not marked as completed"
	}
	f.Headline += "; next is " + c.item.id
	if own, ok := r.plan.taken(); ok && own.id != c.item.id {
		f.Doubts = append(f.Doubts, doubt(sources.DoubtOwnCheck, conflicts.Warning, "the plan says '"+own.raw+"' for "+own.id+", so that run.py takes it first; 'skip-unit' or 'restart-unit' settles it"))
	}
	if c.item.state == checkpoint.Active {
		f.Headline = r.doneOf() + "; " + c.item.id + " was in progress"
	}
	if c.item.state == checkpoint.Pending && !r.begun() {
		f.State = sources.NotStarted
		r.gate(f)
	}
}

// stands says where the work is, in the plan's own word for an item.
func (r *reading) stands(f *sources.Found, it item) {
	if at := slices.IndexFunc(f.Tasks, func(t sources.Task) bool { return t.ID == it.id }); at >= 0 {
		f.Stands = fmt.Sprintf("%s %d of %d", r.plan.word, at+1, len(f.Tasks))
		f.Listed = f.Stands + ", " + it.id
	}
}

// doneOf counts what is done; what was passed over is finished for the system, and was not done.
func (r *reading) doneOf() string {
	all, finished, _, _ := r.plan.count()
	skipped := r.plan.skipped()
	text := fmt.Sprintf("%d of %s done", finished-skipped, plural(all, r.plan.word, r.plan.word+"s"))
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	return text
}

// begun reports whether anything shows that the building was started. Here a status word may speak:
// no item can tell a crash before the first one from a plan that nobody has taken up yet.
func (r *reading) begun() bool {
	_, finished, active, failed := r.plan.count()
	said := sources.MeaningOf(r.plan.status) == sources.MeansInProgress || r.mark != nil && sources.MeaningOf(r.mark.state) == sources.MeansInProgress
	return said || finished+active+failed > 0 || len(r.history.tries) > 0 || len(r.commits.list) > 0 || r.proof.ahead > 0 || r.site.tree != nil
}

// gate finds out whether the plan waits for a person's approval before anything is built.
func (r *reading) gate(f *sources.Found) {
	if r.place.path == "" || !r.place.has(reviewFile) {
		return
	}
	data, err := r.place.read(reviewFile)
	if err != nil {
		f.Doubts = append(f.Doubts, sources.DoubtOf(err, r.place.file(reviewFile)))
		return
	}
	v, err := sources.ParseJSON(data)
	if err != nil {
		f.Doubts = append(f.Doubts, sources.DoubtOf(err, r.place.file(reviewFile)))
		return
	}
	if v.Get("approved").Is() && !v.Get("approved").True() {
		f.State = sources.Waiting
		f.Questions = append(f.Questions, sources.Question{Text: "the specification and the plan wait for approval before anything is built"})
	}
}

func heldNames(all []held) string {
	var names []string
	for _, h := range all {
		names = append(names, h.item.id)
	}
	return some(names)
}

// held tells of the items that are never chosen by themselves; each is a question while it holds up the work.
func (r *reading) held(f *sources.Found, c choice) {
	for i := range f.Tasks {
		for _, h := range c.held {
			if h.item.id == f.Tasks[i].ID {
				f.Tasks[i].Evidence = "plan; " + h.why
				if f.Tasks[i].State == checkpoint.Pending { // it is not what comes next, whatever its word says
					f.Tasks[i].State, f.Tasks[i].Raw = checkpoint.Blocked, h.why
				}
			}
		}
	}
	for _, h := range c.held {
		f.Doubts = append(f.Doubts, r.leftOut(h))
		if c.found {
			continue // other work can go on meanwhile
		}
		f.Questions = append(f.Questions, sources.Question{Task: h.item.id, Text: h.item.id + " needs a person (" + h.why + "): try it again, or skip it?", Options: []string{tryAgain, skipIt}})
		if len(f.Questions) == mostQuestions {
			return
		}
	}
}

// leftOut tells of an item that is passed over. One that merely failed may be tried again: its system lets anybody set it back.
func (r *reading) leftOut(h held) sources.Doubt {
	if h.item.state == checkpoint.Failed && r.history.usedUp(h.item) == "" {
		return doubt(sources.DoubtSkippedOver, conflicts.Warning, h.item.id+" failed and is left out; 'reset' sets it back to pending, to be tried again")
	}
	return doubt(sources.DoubtUsedUp, conflicts.Warning, h.item.id+" is left out: "+h.why)
}

const mostQuestions = 20

// built speaks of a plan of which every item is finished: it is checked, then reviewed and merged.
func (r *reading) built(f *sources.Found) {
	all, _, _, _ := r.plan.count()
	f.State = sources.Review
	f.Headline = "all " + plural(all, r.plan.word, r.plan.word+"s") + " done"
	if all == 1 {
		f.Headline = "the only " + r.plan.word + " is done"
	}
	switch v := r.plan.signoff.verdict; {
	case r.ended():
		f.State, f.Point = sources.Complete, sources.Point{}
		f.Headline += "; closed as '" + r.plan.status + "'"
	case v == approved && r.proof.merged:
		f.State, f.Point = sources.Complete, sources.Point{}
		f.Headline += ", approved and merged"
	case v == approved:
		f.Headline += "; approved, to be reviewed and merged"
		f.Point = sources.Point{Task: pointMerge, Title: "review and merge", Reason: "the quality check approved it"}
		if r.tip == "" {
			f.Point.Reason += "; no branch of it is here, so it was merged, dropped or built elsewhere"
		}
	case v == rejected:
		r.refuse(f)
	case v == repaired:
		f.Headline += "; repaired after a rejection, to be checked again"
		f.Point = sources.Point{Task: pointQA, Title: "check it again", Reason: "the quality check rejected it, and repairs were made since"}
	case v == unchecked && r.proof.merged && r.proof.ahead == 0:
		f.Headline += " and merged; never checked"
		f.Point = sources.Point{Task: pointQA, Title: "check the quality", Reason: "all of it is in " + strings.TrimPrefix(r.base, heads) + ", and the quality check never approved it"}
		f.Doubts = append(f.Doubts, doubt(DoubtMerged, conflicts.Warning, "what was built is merged into "+strings.TrimPrefix(r.base, heads)+" already; 'hide' stops showing it"))
	default:
		f.Headline += "; not checked yet"
		f.Point = sources.Point{Task: pointQA, Title: "check the quality", Reason: "every " + r.plan.word + " is completed, and the quality check has not approved it"}
		if r.plan.signoff.word != "" {
			f.Point.Reason += " (it says '" + r.plan.signoff.word + "')"
		}
	}
}

// refuse speaks of a rejected build: it is repaired, or a person was called.
func (r *reading) refuse(f *sources.Found) {
	f.Headline += "; rejected by the quality check"
	f.Point = sources.Point{Task: pointFix, Title: "repair what the quality check found", Reason: "the quality check rejected it"}
	if r.place.path == "" {
		return
	}
	request := path.Base(path.Clean("/" + r.plan.signoff.request))
	if r.plan.signoff.request == "" {
		request = requestFile
	}
	f.Needs = append(f.Needs, sources.File{Path: r.place.file(request), For: pointFix, Missing: !r.place.has(request)})
	if r.place.has(givenUpFile) {
		f.State = sources.Waiting
		f.Questions = append(f.Questions, sources.Question{Task: pointFix, Text: "the quality check gave up and wants a person: see " + givenUpFile})
	}
}

// statusWord tells where the plan's own words say something else than its items.
func (r *reading) statusWord(f *sources.Found) {
	all, finished, _, _ := r.plan.count()
	for _, word := range []string{r.plan.status, r.plan.planStatus} {
		m := sources.MeaningOf(word)
		late := m == sources.MeansDone || m == sources.MeansReview
		early := m == sources.MeansPending || m == sources.MeansInProgress
		if late && finished < all || late && all == 0 || early && all > 0 && finished == all {
			f.Doubts = append(f.Doubts, doubt(sources.DoubtStatusWord, conflicts.Info, fmt.Sprintf("the plan says '%s', and %d of %s finished", word, finished, plural(all, "item is", "items are"))))
			return
		}
	}
	if r.ended() || !f.State.Open() {
		return
	}
	switch sources.FoldWord(r.plan.status) {
	case "done", "prcreated":
		f.Doubts = append(f.Doubts, doubt(sources.DoubtStatusWord, conflicts.Warning, fmt.Sprintf("the plan says '%s', and the quality check '%s'", r.plan.status, r.plan.signoff.word)))
	}
}
