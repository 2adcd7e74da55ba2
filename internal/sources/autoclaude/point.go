package autoclaude

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
)

// choice is the item to continue with, if one was found, and the items that are left out.
type choice struct {
	item  item
	found bool
	why   string
	// held lists the items that are not chosen automatically.
	held   []heldItem
	doubts []sources.Doubt
}

type heldItem struct {
	item item
	why  string
}

// choose finds the item to continue with. Usually this is the first open item in a phase that can begin. It never chooses an item that
// needs a person, and no item that may build on such an item. If the open phases all wait for each other, it chooses the first open item and adds a warning, but only if no item needs
// a person.
func choose(p *plan, h history, commits map[string]object.ID) choice {
	c := choice{}
	free := c.availability(p, commits)
	for it := range p.all() {
		if why := holdBack(it, h); why != "" {
			c.held = append(c.held, heldItem{it, why})
		}
	}
	open := func(states ...checkpoint.TaskState) func(item) bool {
		return func(it item) bool {
			return slices.Contains(states, it.state) && holdBack(it, h) == "" && !it.committed(commits)
		}
	}
	behind := behindHeld(p, h)
	ahead := func(fits func(item) bool) func(item) bool {
		return func(it item) bool { return fits(it) && !behind[it.id] }
	}
	active, unknown := open(checkpoint.Active), ahead(open(sources.TaskUnknown))
	switch {
	case c.chooseFirst(p, free, ahead(open(checkpoint.Active, checkpoint.Pending)), "it is the first open item in a phase that can begin"):
	case c.chooseFirst(p, free, unknown, "its status is unknown"):
	case len(c.held) > 0:
	case c.chooseFirst(p, nil, func(it item) bool { return it.committed(commits) && holdBack(it, h) == "" }, "it is the first open item"):
	case c.chooseFirst(p, nil, open(checkpoint.Active, checkpoint.Pending, sources.TaskUnknown), "no phase can begin, and it is the first open item"):
		c.doubts = append(c.doubts, doubt(sources.DoubtCycle, conflicts.Blocking, "no phase can begin: the open phases wait for each other"))
	}
	if c.found && c.item.state == checkpoint.Active {
		c.why = "it was in progress"
	}
	c.reportPostponed(p, free, active)
	return c
}

// behindHeld returns the items that nobody has started and that come after an item of their phase which failed or needs a person. They may
// build on this item. In a phase that the plan calls safe for parallel work, no item builds on another.
func behindHeld(p *plan, h history) map[string]bool {
	behind := map[string]bool{}
	for _, ph := range p.phases {
		held := false
		for _, it := range ph.items {
			behind[it.id] = held && !ph.parallel && it.state != checkpoint.Active
			held = held || it.state != sources.TaskWaiting && holdBack(it, h) != ""
		}
	}
	return behind
}

// committed reports whether the plan shows an item as active or pending although there is a commit for it.
func (it item) committed(commits map[string]object.ID) bool {
	return (it.state == checkpoint.Active || it.state == checkpoint.Pending) && commits[it.own] != ""
}

// reportPostponed reports interrupted items that do not come next, because their phase must wait or an earlier item is open.
func (c *choice) reportPostponed(p *plan, free []bool, active func(item) bool) {
	for i, ph := range p.phases {
		for _, it := range ph.items {
			if !active(it) || it.id == c.item.id {
				continue
			}
			why := fmt.Sprintf("%s comes before it and is not done", c.item.id)
			if !free[i] {
				why = fmt.Sprintf("its phase '%s' waits for another phase", ph.name)
			} else if c.item.state == checkpoint.Active {
				continue // say nothing, because the chosen item was interrupted too
			}
			c.doubts = append(c.doubts, doubt(sources.DoubtDiscrepancy, conflicts.Info, fmt.Sprintf("%s was in progress, but %s; %s is set back to pending and comes later", it.id, why, it.id)))
		}
	}
}

// holdBack returns the reason why an item must not be chosen without a person's consent, or "" if it may be chosen.
func holdBack(it item, h history) string {
	switch it.state {
	case checkpoint.Blocked:
		if why := h.needsPerson(it); why != "" {
			return why
		}
		return "its status is '" + it.raw + "'" + h.tries[it.own].failures(" after ")
	case checkpoint.Failed:
		if why := h.needsPerson(it); why != "" {
			return why
		}
		if why := h.tries[it.own].why; why != "" {
			return "it failed: " + why
		}
		return "it failed"
	case sources.TaskWaiting:
		return "its status is '" + it.raw + "'"
	}
	return h.needsPerson(it)
}

// chooseFirst chooses the first item that fits, and reports whether there is one. It searches the phases for which "free" is true, or all
// phases if "free" is nil.
func (c *choice) chooseFirst(p *plan, free []bool, fits func(item) bool, why string) bool {
	for i, ph := range p.phases {
		if free != nil && !free[i] {
			continue
		}
		for _, it := range ph.items {
			if fits(it) {
				c.item, c.found, c.why = it, true, why
				return true
			}
		}
	}
	return false
}

// availability returns for each phase whether all its dependencies are finished. It ignores a dependency that is not in the plan, and
// adds a warning.
func (c *choice) availability(p *plan, commits map[string]object.ID) []bool {
	finished := make([]bool, len(p.phases))
	for i, ph := range p.phases {
		finished[i] = true
		for _, it := range ph.items {
			finished[i] = finished[i] && (it.finished() || it.committed(commits))
		}
	}
	free := make([]bool, len(p.phases))
	for i, ph := range p.phases {
		free[i] = true
		for _, need := range ph.needs {
			on, ok := p.phaseNamed(need)
			if !ok {
				c.doubts = append(c.doubts, doubt(sources.DoubtUnknownNeed, conflicts.Warning, fmt.Sprintf("phase '%s' depends on '%s', which is not a phase of the plan", ph.name, need)))
				continue // ignore this dependency, because a phase that is not in the plan could never be finished
			}
			free[i] = free[i] && finished[on]
		}
	}
	return free
}

// phaseNamed finds the phase to which the text of a dependency refers. The text is an id, a name, a position or the unique start of an
// id, optionally after the word "phase".
func (p *plan) phaseNamed(need string) (int, bool) {
	for _, all := range []bool{false, true} {
		for i, ph := range p.phases {
			for n, name := range ph.names {
				if (all || n == 0) && strings.EqualFold(name, need) {
					return i, true
				}
			}
		}
	}
	if bare := strings.TrimLeft(strings.TrimPrefix(strings.ToLower(need), "phase"), "-_ "); bare != "" && len(bare) < len(need) {
		if i, ok := p.phaseNamed(bare); ok {
			return i, true
		}
	}
	if n, err := strconv.Atoi(need); err == nil && n >= 1 && n <= len(p.phases) {
		return n - 1, true
	}
	begins, count := 0, 0
	for i, ph := range p.phases {
		if len(ph.names) > 0 && strings.HasPrefix(ph.names[0], need+"-") {
			begins = i
			count++
		}
	}
	return begins, count == 1
}

// nextByOwnRule returns the item that Auto-Claude itself would choose now: the first "pending" item in a phase whose dependencies are all
// "completed". git-resume shows this item, but does not follow the rule, because the rule skips interrupted items.
func (p *plan) nextByOwnRule() (string, bool) {
	completed := map[string]bool{}
	for _, ph := range p.phases {
		done := true
		for _, it := range ph.items {
			done = done && it.raw == "completed"
		}
		for _, name := range ph.names {
			completed[name] = done
		}
	}
	for _, ph := range p.phases {
		ready := true
		for _, need := range ph.needs {
			ready = ready && completed[need]
		}
		for _, it := range ph.items {
			if ready && it.raw == "pending" {
				return it.own, true
			}
		}
	}
	return "", false
}

// firstChosen returns the item that Auto-Claude would start with after the reset of interrupted items. It looks only at the plan, not at
// attempts or commits.
func (p *plan) firstChosen() (item, bool) {
	completed := map[string]bool{}
	for _, ph := range p.phases {
		done := !slices.ContainsFunc(ph.items, func(it item) bool { return it.raw != "completed" })
		for _, name := range ph.names {
			completed[name] = done
		}
	}
	for _, ph := range p.phases {
		if slices.ContainsFunc(ph.needs, func(need string) bool { return !completed[need] }) {
			continue
		}
		for _, it := range ph.items {
			if it.raw == "pending" || it.raw == "in_progress" {
				return it, true
			}
		}
	}
	return item{}, false
}

// These steps are not items of the plan, but the work can continue from them.
const (
	pointPlanning = "planning"
	pointQA       = "qa"
	pointFix      = "qa-fix"
	pointMerge    = "merge"
	pointReview   = "review"
)

// These two answers retry or skip an item. With any other answer, the item is tried again too, and its text is left for the next session.
const (
	tryAgain = "try again"
	skipIt   = "skip"
)
