package planfiles

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// skipped is added to the status word of a phase that the user skipped, if the phase has steps and no box of its own.
const skipped = "skipped by git resume"

func closed(b textdoc.Box) bool { return b.Done || b.Dropped || b.Optional }

// started reports whether a box is marked as being in progress.
func started(b textdoc.Box) bool {
	return strings.ContainsAny(strings.TrimSpace(b.Mark), "-~/>") || sources.MeaningOf(b.Mark) == sources.MeansInProgress
}

// boxes returns the boxes that show the progress of the phase: its steps, or otherwise its own box.
func (p *phase) boxes() []textdoc.Box {
	if len(p.steps) == 0 && p.own != nil {
		return []textdoc.Box{*p.own}
	}
	return p.steps
}

// stepName returns the text of a step. If the plan gives the step an id that is more than a number, the result begins with this id.
func stepName(b textdoc.Box) string {
	if b.Bare {
		return b.Title
	}
	return strings.TrimSpace(b.ID + " " + b.Title)
}

// ticked reports whether the phase has boxes and none of them is open. Dropped and optional boxes do not count as open.
func (p *phase) ticked() bool {
	return len(p.boxes()) > 0 && !slices.ContainsFunc(p.boxes(), func(b textdoc.Box) bool { return !closed(b) })
}

// firstOpen returns the first open step that is in progress, or otherwise the first open step. It returns nil if no step is open.
func (p *phase) firstOpen() *textdoc.Box {
	at := slices.IndexFunc(p.steps, func(b textdoc.Box) bool { return !closed(b) && started(b) })
	if at < 0 {
		at = slices.IndexFunc(p.steps, func(b textdoc.Box) bool { return !closed(b) })
	}
	if at < 0 {
		return nil
	}
	return &p.steps[at]
}

// carriedOut reports whether a commit or progress.md shows that the phase is done, although the plan does not say so.
func (p *phase) carriedOut() bool { return p.named != "" || p.logged > 0 }

// begun reports whether any work on the phase was started.
func (p *phase) begun() bool {
	word := p.means == sources.MeansDone || p.means == sources.MeansInProgress || p.means == sources.MeansReview
	return word || p.carriedOut() || slices.ContainsFunc(append(p.boxes(), ownBox(p)...), func(b textdoc.Box) bool { return b.Done || started(b) && !closed(b) })
}

func ownBox(p *phase) []textdoc.Box {
	if p.own == nil {
		return nil
	}
	return []textdoc.Box{*p.own}
}

// overruled reports whether the status word says that the phase is done although it has open steps. A phase that git-resume skipped does
// not count.
func (p *phase) overruled() bool {
	headed := p.wordLine == p.line && p.own == nil && p.column == 0 // a heading that ends so is believed
	return p.means == sources.MeansDone && p.firstOpen() != nil && !headed && !strings.Contains(p.raw, skipped)
}

// state returns the state of the phase. The argument "later" is true if a later phase was started. In that case, the phase counts as done
// if its status says so, even if some of its steps are open.
func (p *phase) state(later bool) checkpoint.TaskState {
	switch {
	case p.carriedOut():
		return checkpoint.Done
	case p.wordLine > 0 && p.overruled() && !later:
		return checkpoint.Active
	case p.wordLine > 0 && p.means == sources.MeansReview:
		return sources.TaskWaiting
	case p.wordLine > 0 || p.pointed:
		return p.means.TaskState()
	case p.own != nil && p.own.Dropped:
		return checkpoint.Skipped
	case p.own != nil && p.own.Done, p.ticked() && p.own == nil:
		return checkpoint.Done
	case p.begun():
		return checkpoint.Active
	}
	return checkpoint.Pending
}

// judged is a plan with the state of each phase, and the phase to continue with.
type judged struct {
	*plan
	states map[*phase]checkpoint.TaskState
	byID   map[string]*phase
	// order has the phases in the order in which they are worked on. In the file, the newest phase may come first.
	order []*phase
	// passed has the phases that come before a finished phase.
	passed map[*phase]bool
	at     *phase
	why    string
}

func judge(p *plan, newest func(some []*phase) *phase) *judged {
	p.followPointer()
	j := &judged{plan: p, states: map[*phase]checkpoint.TaskState{}, byID: map[string]*phase{}, passed: map[*phase]bool{}}
	j.order = slices.Clone(p.phases)
	falling := j.falling()
	if falling {
		slices.Reverse(j.order)
	}
	later, done := false, false
	for _, ph := range slices.Backward(j.order) {
		if ph.first && falling {
			later, done = false, false // the document has several plans, and another one begins here
		}
		j.states[ph], j.passed[ph] = ph.state(later), done
		later, done = later || ph.begun(), done || j.states[ph] == checkpoint.Done
		j.byID[ph.id] = ph
		if ph.first && !falling {
			later, done = false, false
		}
	}
	j.choose(newest)
	return j
}

// falling reports whether the newest phase comes first in the file, as in a diary.
func (j *judged) falling() bool {
	n := len(j.phases)
	return n > 2 && sources.NaturalOrder(j.phases[0].id, j.phases[n-1].id) > 0 && sources.NaturalOrder(j.phases[0].id, j.phases[1].id) > 0
}

// The method left() reports whether a phase still has to be done. Optional phases need not be done.
func (j *judged) left(p *phase) bool { return !j.states[p].Closed() && !p.optional }

// unclosed reports whether an open phase has steps and none of them is open, so that somebody must check the phase and
// change its status.
func (j *judged) unclosed(p *phase) bool { return j.left(p) && len(p.steps) > 0 && p.ticked() }

// The method some() returns the phases that still have to be done and for which is() returns true.
func (j *judged) some(is func(*phase) bool) (out []*phase) {
	for _, p := range j.phases {
		if j.left(p) && is(p) {
			out = append(out, p)
		}
	}
	return out
}

func (j *judged) isActive(p *phase) bool { return j.states[p] == checkpoint.Active }

// overtaken reports whether a later phase is done.
func (j *judged) overtaken(p *phase) bool { return j.passed[p] }

// needsDone reports whether all phases on which this phase depends are closed. Optional and missing phases do not count.
func (j *judged) needsDone(p *phase) bool {
	return !slices.ContainsFunc(p.needs, func(id string) bool { return j.byID[id] != nil && j.left(j.byID[id]) })
}

// choose chooses the phase to continue with. It prefers a phase in progress, unless a later phase is already done.
func (j *judged) choose(newest func(some []*phase) *phase) {
	inHand := j.some(func(p *phase) bool { return j.isActive(p) && !j.overtaken(p) })
	passed := j.some(func(p *phase) bool { return j.isActive(p) && j.overtaken(p) })
	pending := j.some(func(p *phase) bool { return j.states[p] == checkpoint.Pending && !j.unclosed(p) })
	ready := slices.DeleteFunc(slices.Clone(pending), func(p *phase) bool { return !j.needsDone(p) || p.passed })
	rest := j.some(func(*phase) bool { return true })
	switch {
	case len(inHand) > 0:
		j.among(inHand, newest)
	case len(ready) > 0:
		j.at, j.why = ready[0], "the next pending phase"
	case len(passed) > 0:
		j.among(passed, newest)
	case len(pending) > 0 && j.needsDone(pending[0]):
		j.at, j.why = pending[0], "the first pending phase, although a commit names a later one"
	case len(pending) > 0:
		j.at, j.why = pending[0], "the first pending phase, although it depends on phases that are not done"
	case len(rest) > 0:
		j.at, j.why = rest[0], "the first open phase"
	}
	if j.at != nil && j.unclosed(j.at) {
		j.why += "; all its steps are ticked, so check it and close it"
	}
}

// The method among() chooses one of several phases in progress. It prefers the phase that the plan calls its current one, and then the
// phase that was changed last.
func (j *judged) among(some []*phase, newest func([]*phase) *phase) {
	j.at, j.why = some[0], "it is in progress"
	if len(some) == 1 {
		return
	}
	if named := j.named(); slices.Contains(some, named) && !j.unclosed(named) {
		j.at, j.why = named, fmt.Sprintf("the plan names it as the current phase; %d phases are in progress", len(some))
	} else if last := newest(some); last != nil {
		j.at, j.why = last, fmt.Sprintf("of the %d phases in progress, it was changed last", len(some))
	} else {
		j.why = fmt.Sprintf("it is the first of %d phases in progress", len(some))
	}
}

// named returns the phase that the plan calls its current one, or nil if there is none.
func (j *judged) named() *phase {
	if j.current == "" {
		return nil
	}
	if id, _, _ := nameOf(j.current); j.byID[id] != nil {
		return j.byID[id]
	}
	for _, p := range j.phases {
		if strings.EqualFold(p.title, j.current) {
			return p
		}
	}
	return nil
}

func (j *judged) state() sources.State {
	open := j.some(func(*phase) bool { return true })
	switch {
	case len(open) == 0:
		return sources.Complete
	case !slices.ContainsFunc(open, func(p *phase) bool { return !j.unclosed(p) && j.states[p] != sources.TaskWaiting }):
		return sources.Review
	case !slices.ContainsFunc(j.phases, (*phase).begun):
		return sources.NotStarted
	case j.states[j.at] == checkpoint.Blocked:
		return sources.Blocked
	case j.states[j.at] == checkpoint.Failed:
		return sources.Failed
	case j.states[j.at] == sources.TaskWaiting:
		return sources.Waiting
	}
	return sources.Interrupted
}

// A plan with more than diaryPhases phases or more than diaryBytes bytes counts as a diary: it is so long because people keep adding to it.
// Phases of a diary that have not changed for diaryTime are left out. diaryTime is also the age up to which a plan is compared with its
// earlier versions and with commits.
const (
	diaryPhases = 40
	diaryBytes  = 300 << 10
	diaryTime   = 30 * 24 * time.Hour
)

// sameAs reports whether a phase has the same title, status and boxes as in another version of the plan.
func (p *phase) sameAs(o *phase) bool {
	mark := func(b textdoc.Box) string { return b.Mark + "\x00" + b.Title }
	return o != nil && p.raw == o.raw && p.title == o.title && slices.EqualFunc(p.boxes(), o.boxes(), func(a, b textdoc.Box) bool { return mark(a) == mark(b) })
}

// The method without() leaves out the phases that are unchanged since an old version of the plan. If all are unchanged, it returns the
// whole plan.
func (p *plan) without(old *plan) *plan {
	before := map[string]*phase{}
	for _, o := range old.phases {
		before[o.id] = o
	}
	now := *p
	now.phases = slices.DeleteFunc(slices.Clone(p.phases), func(ph *phase) bool { return ph.sameAs(before[ph.id]) })
	if len(now.phases) == 0 {
		return p
	}
	return &now
}
