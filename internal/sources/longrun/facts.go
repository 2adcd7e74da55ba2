package longrun

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// The name of the system, and the folder in which it keeps its state.
const (
	name   = "long-run"
	folder = ".long-run"
)

// run holds everything that was read from one state folder.
type run struct {
	sources.Reading
	dir string // the state folder, relative to the worktree

	state   stateFile
	agents  sources.Agents
	units   plans
	asked   []clarification
	unclear bool // clarifications.md may contain questions that could not be read
	temps   []temp
	rebuilt bool
	corrupt bool
	planned int // number of plan files
	summed  int // number of summary files
	commits *evidence
}

// plans holds all known plans, in natural order of their ids.
type plans []*unit

// unit is one plan with everything that is known about it.
type unit struct {
	id      string
	plan    sources.PlanDoc
	planned string // path of the plan file; empty if there is none
	check   *progress
	sum     *summary
}

// temp is a temporary file that an interrupted write left beside a state file.
type temp struct {
	path, of string
	good     bool
}

// empty reports whether the folder exists but contains nothing of the system.
func (r *run) empty() bool {
	return !r.state.there && len(r.units) == 0 && !r.agents.Marked && len(r.agents.Entries) == 0 && len(r.asked) == 0 && len(r.Doubts) == 0
}

// find returns the plan with this number, with or without leading zeros (2 is 02); nil if there is none.
func (all plans) find(id string) *unit {
	for _, u := range all {
		if id != "" && sources.NaturalOrder(u.id, id) == 0 {
			return u
		}
	}
	return nil
}

// numbered reports whether all plans have plain numbers, so that a position can be compared with them.
func (all plans) numbered() bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(u *unit) bool { return strings.Trim(u.id, "0123456789") != "" })
}

// finished reports whether the plan's own summary says that the plan is done.
func (u *unit) finished() bool { return u != nil && u.sum.done() }

// state returns the plan's state by its own records: the summary if there is one, otherwise the checkpoint.
func (u *unit) state() checkpoint.TaskState {
	if u.sum != nil {
		switch {
		case u.sum.done():
			return checkpoint.Done
		case u.sum.is("partial"), u.sum.status == "":
			return checkpoint.Active
		case needsPerson(u.sum.status):
			return sources.TaskWaiting
		}
		return sources.MeaningOf(u.sum.status).TaskState()
	}
	c := u.check
	switch {
	case c == nil:
		return checkpoint.Pending
	case needsPerson(c.status):
		return sources.TaskWaiting
	case sources.MeaningOf(c.status) == sources.MeansFailed:
		return checkpoint.Failed
	}
	return checkpoint.Active
}

// needsPerson reports whether the executor stopped for a decision or for something that only a person can do.
func needsPerson(status string) bool {
	word := sources.FoldWord(status)
	return word == "needsdecision" || word == "needsaction"
}

func (u *unit) title() string {
	if u.sum != nil && u.plan.Title == "" {
		return u.sum.group
	}
	return u.plan.Title
}

// shown returns the title for people; empty if the title only repeats the number.
func (u *unit) shown() string {
	if t := u.title(); sources.NaturalOrder(t, u.id) != 0 {
		return t
	}
	return ""
}

// wordOf returns the status word of a plan as it is written.
func wordOf(u *unit) string {
	if u.sum != nil && u.sum.status != "" {
		return u.sum.status
	}
	if u.check != nil {
		return u.check.status
	}
	return ""
}

func (r *run) specName() string {
	if dir := path.Dir(r.dir); dir != "." {
		return path.Base(dir)
	}
	return r.View.Name()
}

func (r *run) clarificationFile() string { return r.dir + "/clarifications.md" }

// begun reports whether something was done, or STATE.md says more than that the run is ready.
func (r *run) begun() bool {
	if r.summed > 0 || len(r.agents.Entries) > 0 {
		return true
	}
	for _, u := range r.units {
		if u.check != nil {
			return true
		}
	}
	switch sources.MeaningOf(r.state.status) {
	case sources.MeansReady, sources.MeansPending:
		return false
	}
	return r.state.ok && sources.FoldWord(r.state.status) != "readytoexecute"
}

// lastSummed returns the highest plan that has a summary, whatever the summary says; 0 if none has one.
func (all plans) lastSummed() string {
	last := "0"
	for _, u := range all {
		if u.sum != nil {
			last = u.id
		}
	}
	return last
}

// groupOf returns the plan that a question is about; nil if there is none.
func (all plans) groupOf(c clarification) *unit {
	for _, u := range all {
		if c.title != "" && strings.EqualFold(u.title(), c.title) {
			return u
		}
	}
	return all.find(c.group)
}

// passedOver reports whether a plan has no record although a later plan is finished and STATE.md, if it names a plan, names a later one.
func (r *run) passedOver(u *unit) bool {
	if u.sum != nil || u.check != nil || r.state.current != "" && sources.NaturalOrder(r.state.current, u.id) <= 0 {
		return false
	}
	i := slices.Index(r.units, u)
	return slices.ContainsFunc(r.units[i+1:], (*unit).finished)
}

// unmet returns the plans needed by u that are not done.
func (all plans) unmet(u *unit) []string {
	var out []string
	for _, id := range u.plan.Needs {
		if !all.find(id).finished() {
			out = append(out, id)
		}
	}
	return out
}
