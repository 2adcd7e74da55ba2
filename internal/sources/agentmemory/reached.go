package agentmemory

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// phaseKind are the events that say in which phase a run is; some have its number in their name.
var phaseKind = regexp.MustCompile(`^phase-(?:([0-9])-)?(started|start|entered|changed|transition|completed|complete)$`)

var digits = regexp.MustCompile(`[0-9]+`)

// phase is the one that an event tells: the one that was started, or the one after that which was completed.
func (e *event) phase() (int, bool) {
	parts := phaseKind.FindStringSubmatch(e.kind)
	if parts == nil {
		return 0, false
	}
	number := parts[1]
	if number == "" {
		number = digits.FindString(e.details.Get("phase", "phase_number", "new_phase", "to_phase", "to").Text())
	}
	n, err := strconv.Atoi(number)
	if err != nil || n > 9 {
		return 0, false
	}
	if parts[2] == "completed" || parts[2] == "complete" {
		n++
	}
	return n, true
}

// reach notes the phase that was told last. A task that is worked on after it leads back to the execution.
func (f *ledger) reach(e *event) {
	if n, ok := e.phase(); ok {
		f.reached, f.reachedBy = n, e
		return
	}
	if _, ok := e.effect(); ok && f.reachedBy != nil && e.at.After(f.reachedBy.at) {
		f.reached, f.reachedBy = 0, nil
	}
}

// consolidation is the number of the last phase.
func (r *run) consolidation() int {
	if r.flow.later {
		return 6
	}
	return 4
}

// prReady reports whether cleanup and PR preparation are over.
func (r *run) prReady() bool {
	return r.docs["pr-checklist.md"] || r.ledger.reached >= r.consolidation() ||
		r.ledger.has("ready-for-human-review", "pr-prep-completed", "pr-prep-complete", "pr-created", "pr-opened",
			"consolidation-started", "memory-consolidation-started")
}

func (r *run) consolidated() bool {
	return r.ledger.reached > r.consolidation() ||
		r.ledger.has("consolidation-completed", "consolidation-complete", "memory-consolidation-completed", "memory-consolidation-complete")
}

// early tells of events that call the execution finished while a task is left.
func (r *run) early() {
	const afterExecution = 3
	if i := slices.IndexFunc(r.tasks, unfinished); i >= 0 && r.ledger.reached >= afterExecution {
		e := r.ledger.reachedBy
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(r.dir, e.where), "tells that phase 2 is over (%s), and %s is not done", e.raw, r.tasks[i].ID)
	}
}

// fault is what the event of a failed task gives as its cause, in brackets; empty if it gives none.
func (r *run) fault(id string) string {
	m := r.ledger.tasks[id]
	if m == nil || m.by == nil {
		return ""
	}
	text, _, _ := strings.Cut(m.by.details.Get("error", "reason", "message", "failure_reason", "cause").Text(), "\n")
	const most = 100
	if cut := []rune(text); len(cut) > most {
		text = string(cut[:most]) + "…"
	}
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
