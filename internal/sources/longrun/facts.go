package longrun

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
)

// These are the name of the source and the name of long-run's state folder.
const (
	name   = "long-run"
	folder = ".long-run"
)

// run holds everything that was read from one .long-run folder.
type run struct {
	planfolder.Folder

	state   stateFile
	units   plans
	asked   []clarification
	unclear bool // clarifications.md may contain unreadable questions
	temps   []temp
	rebuilt bool
	corrupt bool
	planned int // the number of plan files
	summed  int // the number of summary files
	commits *evidence
}

// plans is a list of plans, sorted by id.
type plans []*unit

// unit holds everything that is known about one plan.
type unit struct {
	id      string
	plan    planfolder.PlanDoc
	planned string // the path of the plan file; empty if there is none
	check   *progress
	sum     *summary
}

// temp is a temporary file that was left next to a state file by an interrupted write.
type temp struct {
	path, of string
	good     bool
}

// empty reports whether nothing was found in the folder, not even a damaged file.
func (r *run) empty() bool {
	return !r.state.There && len(r.units) == 0 && !r.Agents.Marked && len(r.Agents.Entries) == 0 && len(r.asked) == 0 && len(r.Doubts) == 0
}

// find returns the plan with this id, or nil if there is none. It ignores leading zeros, so 2 finds plan 02.
func (all plans) find(id string) *unit {
	return planfolder.Find(all, id, func(u *unit) string { return u.id })
}

// numbered reports whether the ids of all plans are plain numbers, so that the number in STATE.md can be compared with them.
func (all plans) numbered() bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(u *unit) bool { return strings.Trim(u.id, "0123456789") != "" })
}

// finished reports whether the summary of the plan says that the plan is done.
func (u *unit) finished() bool { return u != nil && u.sum.done() }

// state returns the state of the plan from its summary. Without a summary, it uses the checkpoint.
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

// needsPerson reports whether a status says that the work on a plan stopped because a person must decide or do something.
func needsPerson(status string) bool {
	word := sources.FoldWord(status)
	return word == "needsdecision" || word == "needsaction"
}

// group returns the task group of the plan, as the plan file or the summary names it.
func (u *unit) group() string {
	if group := u.plan.Front.Get("task_group").Text(); group != "" || u.sum == nil {
		return group
	}
	return u.sum.group
}

// groups returns the numbers of the task groups that the plan covers, as the plan file or the summary names them.
func (u *unit) groups() []string {
	groups := u.plan.Groups
	if len(groups) == 0 {
		groups = []string{u.group()}
	}
	return slices.DeleteFunc(slices.Clone(groups), func(group string) bool {
		_, err := strconv.Atoi(group)
		return err != nil
	})
}

func (u *unit) title() string {
	if u.sum != nil && u.plan.Title == "" {
		return u.sum.group
	}
	return u.plan.Title
}

// shown returns the title of the plan for people. It is empty if the title only repeats the number of the plan.
func (u *unit) shown() string {
	if t := u.title(); sources.NaturalOrder(t, u.id) != 0 {
		return t
	}
	return ""
}

// wordOf returns the status word of a plan as it stands in the file of the summary or of the checkpoint. It returns "" if there is none.
func wordOf(u *unit) string {
	if u.sum != nil && u.sum.status != "" {
		return u.sum.status
	}
	if u.check != nil {
		return u.check.status
	}
	return ""
}

// command returns long-run's own command to continue. It names the specification, if it is known which one this is.
func (r *run) command() string {
	const own = "/long-run-implement"
	if spec := r.specName(); spec != "" {
		return quote.Command(own+" %s", spec)
	}
	return own
}

// specName returns the name of the specification: the folder that contains the state. If the state is at the top of the worktree, it is
// the specification that STATE.md names, or the only one in the folder that long-run itself uses. It returns "" if that is not known.
func (r *run) specName() string {
	if dir := path.Dir(r.Dir); dir != "." {
		return path.Base(dir)
	}
	named := path.Base(r.state.Labels["spec"])
	var own []string
	for i, parent := range specFolders {
		entries, err := r.Tree.List(parent)
		if err != nil {
			continue // there is no such folder, or it cannot be read
		}
		for _, e := range entries {
			switch {
			case !e.IsDir():
			case e.Name() == named:
				return named
			case i == 0:
				own = append(own, e.Name())
			}
		}
	}
	if len(own) == 1 {
		return own[0]
	}
	return ""
}

func (r *run) clarificationFile() string { return r.Dir + "/clarifications.md" }

// begun reports whether the run has started. Any record of work shows this, and so does a status in STATE.md that means neither ready nor
// pending.
func (r *run) begun() bool {
	if r.summed > 0 || len(r.Agents.Entries) > 0 {
		return true
	}
	for _, u := range r.units {
		if u.check != nil {
			return true
		}
	}
	switch sources.MeaningOf(r.state.Status) {
	case sources.MeansReady, sources.MeansPending:
		return false
	}
	return r.state.OK && sources.FoldWord(r.state.Status) != "readytoexecute"
}

// lastSummed returns the id of the last plan with a summary, or "0" if no plan has one.
func (all plans) lastSummed() string {
	last := "0"
	for _, u := range all {
		if u.sum != nil {
			last = u.id
		}
	}
	return last
}

// groupOf returns the plan to which a question belongs, or nil if there is none.
func (all plans) groupOf(c clarification) *unit {
	for _, u := range all {
		if c.title != "" && (strings.EqualFold(u.title(), c.title) || strings.EqualFold(u.group(), c.title)) {
			return u
		}
	}
	for _, u := range all {
		if slices.ContainsFunc(u.groups(), func(group string) bool { return sources.NaturalOrder(group, c.group) == 0 }) {
			return u
		}
	}
	if u := all.find(c.group); u != nil && len(u.groups()) == 0 {
		return u
	}
	return nil
}

// passedOver reports whether the run skipped the plan u silently: u has no summary and no checkpoint, but a later plan is finished. If
// STATE.md names u or an earlier plan as the current one, the result is false.
func (r *run) passedOver(u *unit) bool {
	if u.sum != nil || u.check != nil || r.state.current != "" && sources.NaturalOrder(r.state.current, u.id) <= 0 {
		return false
	}
	i := slices.Index(r.units, u)
	return slices.ContainsFunc(r.units[i+1:], (*unit).finished)
}

// unmet returns the ids of the plans on which plan u depends, if they are not finished or do not exist.
func (all plans) unmet(u *unit) []string {
	var out []string
	for _, id := range u.plan.Needs {
		if !all.find(id).finished() {
			out = append(out, id)
		}
	}
	return out
}
