package longrun

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// How the system is called, and where it keeps its state.
const (
	name   = "long-run"
	folder = ".long-run"
)

// run is what was read of one state folder.
type run struct {
	sources.Reading
	dir string // the state folder, below the worktree

	state   stateFile
	agents  sources.Agents
	units   plans
	asked   []clarification
	unclear bool // clarifications.md may have questions that cannot be read
	temps   []temp
	rebuilt bool
	corrupt bool
	planned int // plan files
	summed  int // summary files
	commits *evidence
}

// plans are all that are known, in natural order.
type plans []*unit

// unit is one plan with everything that is known about it.
type unit struct {
	id      string
	plan    sources.PlanDoc
	planned string // the plan file, where there is one
	check   *progress
	sum     *summary
}

// temp is what an interrupted write left beside a state file.
type temp struct {
	path, of string
	good     bool
}

// empty: the folder is there, but nothing of the system is in it.
func (r *run) empty() bool {
	return !r.state.there && len(r.units) == 0 && !r.agents.Marked && len(r.agents.Entries) == 0 && len(r.asked) == 0 && len(r.Doubts) == 0
}

// find looks a plan up by its number, however it is written: 2 is 02.
func (all plans) find(id string) *unit {
	for _, u := range all {
		if id != "" && sources.NaturalOrder(u.id, id) == 0 {
			return u
		}
	}
	return nil
}

// numbered: the plans have plain numbers, so that a position can be compared with them.
func (all plans) numbered() bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(u *unit) bool { return strings.Trim(u.id, "0123456789") != "" })
}

// finished: the plan's own summary says so.
func (u *unit) finished() bool { return u != nil && u.sum.done() }

// state is the plan's state by its own records: the summary, then the checkpoint.
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

// needsPerson: the executor stopped for a decision or for something only a person can do.
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

// shown is the title for people; one that only repeats the number says nothing.
func (u *unit) shown() string {
	if t := u.title(); sources.NaturalOrder(t, u.id) != 0 {
		return t
	}
	return ""
}

// wordOf is the status word of a plan as written.
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

// begun: something was done, or the state file says more than that it is ready.
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

// lastSummed is the highest plan that has a summary, whatever it says; 0 if none has.
func (all plans) lastSummed() string {
	last := "0"
	for _, u := range all {
		if u.sum != nil {
			last = u.id
		}
	}
	return last
}

// groupOf is the plan that a question is about.
func (all plans) groupOf(c clarification) *unit {
	for _, u := range all {
		if c.title != "" && strings.EqualFold(u.title(), c.title) {
			return u
		}
	}
	return all.find(c.group)
}

// passedOver: a plan without any record that later finished plans and the state file have left behind.
func (r *run) passedOver(u *unit) bool {
	if u.sum != nil || u.check != nil || r.state.current != "" && sources.NaturalOrder(r.state.current, u.id) <= 0 {
		return false
	}
	i := slices.Index(r.units, u)
	return slices.ContainsFunc(r.units[i+1:], (*unit).finished)
}

// unmet are the needs of a plan that are not done.
func (all plans) unmet(u *unit) []string {
	var out []string
	for _, id := range u.plan.Needs {
		if !all.find(id).finished() {
			out = append(out, id)
		}
	}
	return out
}
