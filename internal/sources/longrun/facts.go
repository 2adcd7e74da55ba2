package longrun

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

// run is one state folder as it was read.
type run struct {
	ctx  context.Context
	view *sources.View
	tree sources.Tree
	dir  string // the state folder, below the worktree

	state    stateFile
	agents   sources.Agents
	units    []*unit
	asked    []clarification
	unclear  bool // clarifications.md may have questions that cannot be read
	temps    []temp
	files    []string
	doubts   []sources.Doubt
	rebuilt  bool
	corrupt  bool
	planned  int // plan files
	summed   int // summary files
	start    object.ID
	log      []past.Logged
	logRead  bool
	active   time.Time
	activeBy string
	naive    bool // that time has no zone
}

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
	return !r.state.there && len(r.units) == 0 && !r.agents.Marked && len(r.agents.Entries) == 0 && len(r.asked) == 0 && len(r.doubts) == 0
}

// find looks a plan up by its number, however it is written: 2 is 02.
func (r *run) find(id string) *unit {
	for _, u := range r.units {
		if id != "" && sources.NaturalOrder(u.id, id) == 0 {
			return u
		}
	}
	return nil
}

// numbered: the plans have plain numbers, so that a position can be compared with them.
func (r *run) numbered() bool {
	return len(r.units) > 0 && !slices.ContainsFunc(r.units, func(u *unit) bool { return strings.Trim(u.id, "0123456789") != "" })
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
	switch sources.FoldWord(status) {
	case "needsdecision", "needsaction":
		return true
	}
	return false
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

func specName(r *run) string {
	if dir := path.Dir(r.dir); dir != "." {
		return path.Base(dir)
	}
	return r.view.Name()
}

func (r *run) clarificationFile() string { return r.dir + "/clarifications.md" }
