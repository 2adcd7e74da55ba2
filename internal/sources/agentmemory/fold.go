package agentmemory

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// mark is the state of one task, with the event that set this state.
type mark struct {
	state    checkpoint.TaskState
	by       *event
	began    time.Time
	failures int
	starts   int
}

// tooOften is the number of failures after which the system itself gives up on a task and asks a person.
const tooOften = 3

// rank decides between events of different logs that have the same time. The state with the higher rank wins.
func rank(s checkpoint.TaskState) int {
	return slices.Index([]checkpoint.TaskState{checkpoint.Pending, checkpoint.Active, checkpoint.Blocked, checkpoint.Failed, checkpoint.Skipped, checkpoint.Done}, s)
}

// ledger is the result of applying all events of a run in order.
type ledger struct {
	*logs
	tasks map[string]*mark
	// order lists the tasks in the order in which the events first mention them.
	order []string
	// end is the event that closed the run, or nil while the run is open.
	end *event
	// asked holds the newest escalations that are not answered.
	asked []*event
	// blocked is the set of blocked tasks. blockers maps the id of a blocking event to the blocked task.
	blocked  map[string]bool
	blockers map[string]string
	last     *event
	done     *event            // the last event that finished a task
	kinds    map[string]*event // the newest event of each type
	gates    []*event          // the events that may contain an approval
	made     map[string]*event // for each task, the event that created it
	odd      map[string]int
	// reached is the phase that an event reported last, and reachedBy is this event. reached is 0 if there is no such event, or if a task
	// was changed after it.
	reached   int
	reachedBy *event
	answers   []*event // the events with answers of users
}

func (l *logs) fold() *ledger {
	f := &ledger{logs: l, tasks: map[string]*mark{}, kinds: map[string]*event{}, made: map[string]*event{}, blocked: map[string]bool{}, blockers: map[string]string{}, odd: map[string]int{}}
	for i := range l.events {
		f.add(&l.events[i])
	}
	f.reportDoubts()
	return f
}

func (f *ledger) add(e *event) {
	if e.task != "" && f.tasks[e.task] == nil {
		f.tasks[e.task] = &mark{state: checkpoint.Pending}
		f.order = append(f.order, e.task)
	}
	if !e.own() || f.last == nil {
		f.last = e
	}
	f.kinds[e.kind] = e
	f.reach(e)
	if strings.Contains(e.kind, "gate") || strings.HasSuffix(e.kind, "-approved") {
		f.gates = append(f.gates, e)
	}
	switch state, ok := e.effect(); {
	case ok:
		f.move(f.tasks[e.task], e, state)
	case e.kind == "escalation":
		const most = 100
		if f.asked = append(f.asked, e); len(f.asked) > most {
			f.asked = f.asked[1:]
		}
	case e.kind == "escalation-resolved":
		f.resolve(e)
	case !e.known():
		f.odd[e.raw]++
	case e.task == "" && strings.HasPrefix(e.kind, "task-") && !strings.HasPrefix(e.kind, "task-graph"):
		f.nameless(e)
	}
	f.close(e)
}

// nameless adds a warning about an event that should name a task but does not. The event is ignored.
func (f *ledger) nameless(e *event) {
	f.doubts.About(sources.DoubtUnknownWord, conflicts.Warning, path.Join(f.dir, e.where), "has the event %s without a task; that event is ignored", e.raw)
}

// move applies an event to its task. The later event wins. If events of different logs have the same time, an event of git-resume wins,
// and otherwise the state with the higher rank.
func (f *ledger) move(m *mark, e *event, state checkpoint.TaskState) {
	switch e.kind {
	case "task-created":
		f.made[e.task] = e
		if m.by != nil {
			return // keep the state: a creation that comes after another event of the task does not count
		}
	case "task-started", "task-claimed":
		if e.own() {
			m.failures = 0 // the user asked for another try, so count failures from zero
			break
		}
		if m.starts++; m.began.IsZero() {
			m.began = e.at
		}
	}
	if state != checkpoint.Done && state != checkpoint.Skipped && !e.own() {
		f.reportReopened(m, e, state)
	}
	if state == checkpoint.Failed {
		m.failures++
	}
	if m.by != nil && m.by.at.Equal(e.at) && m.by.log != e.log && m.state != state && !e.own() {
		if m.by.own() {
			return
		}
		f.doubts.About("same-time", conflicts.Info, path.Join(f.dir, e.where), "its event %s has the same time as another event, in %s, so their order is not known; task %s counts as %s",
			e.raw, m.by.where, e.task, word(higher(m.state, state)))
		if higher(m.state, state) == m.state {
			return
		}
	}
	m.state, m.by = state, e
	delete(f.blocked, e.task)
	switch state {
	case checkpoint.Blocked:
		f.blocked[e.task], f.blockers[e.id] = true, e.task
	case checkpoint.Done:
		f.done = e
		m.failures = 0
	case checkpoint.Skipped:
		if completes(e.raw) {
			f.done = e
		}
	case checkpoint.Pending:
		m.failures = 0 // another try is planned, so count failures from zero
	}
}

// reportReopened warns if a later event opens a completed task again, because one of the two events may be a mistake.
func (f *ledger) reportReopened(m *mark, e *event, state checkpoint.TaskState) {
	if m.state != checkpoint.Done || m.by == nil || !e.at.After(m.by.at) {
		return
	}
	what := fmt.Sprintf("says that %s started %s", e.actor, e.task)
	if state != checkpoint.Active {
		what = fmt.Sprintf("has the event %s of %s", e.raw, e.task)
	}
	f.doubts.About("started-again", conflicts.Warning, path.Join(f.dir, e.where), "%s, although %s had completed %s: the later event counts", what, m.by.actor, e.task)
}

func higher(a, b checkpoint.TaskState) checkpoint.TaskState {
	if rank(a) > rank(b) {
		return a
	}
	return b
}

// resolve closes the escalations that an event answers, and unblocks their tasks.
func (f *ledger) resolve(e *event) {
	const most = 50
	if f.answers = append(f.answers, e); len(f.answers) > most {
		f.answers = f.answers[1:]
	}
	answers, task := e.details.Get("original_escalation_id", "escalation_id").Text(), e.task
	f.asked = slices.DeleteFunc(f.asked, func(q *event) bool {
		hit := q.id == answers
		if answers == "" {
			hit = e.task == "" || q.task == e.task
		}
		if hit && task == "" {
			task = q.task
		}
		return hit
	})
	if task == "" && answers != "" {
		task = f.blockers[answers]
	}
	switch {
	case task != "":
		f.unblock(task, e)
	case answers == "":
		for id := range f.blocked {
			f.unblock(id, e)
		}
	}
}

func (f *ledger) unblock(task string, e *event) {
	if m := f.tasks[task]; m != nil && m.failures >= tooOften && sources.FoldWord(e.details.Get("resolution").Text()) != "no" {
		m.failures = 0 // the user allowed another try, so count failures from zero
	}
	if f.blocked[task] {
		f.tasks[task].state, f.tasks[task].by = checkpoint.Active, e
		delete(f.blocked, task)
	}
}

// close stores the event that ended the run. It forgets that event if a later event shows that the run continues. An archived run stays
// closed.
func (f *ledger) close(e *event) {
	switch e.kind {
	case "run-complete", "run-completed", "run-cancelled", "run-canceled", "stm-archived", "run-failed":
		if e.kind != "run-failed" || !e.details.Get("recovery_possible").True() {
			f.end = e
		}
	case "run-started", "run-resumed", "session-resumed", "task-started", "task-claimed":
		if f.end != nil && e.at.After(f.end.at) && f.end.kind != "stm-archived" {
			f.doubts.About(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(f.dir, e.where), "has the event %s after %s: the run continues", e.raw, f.end.raw)
			f.end = nil
		}
	}
}

func (f *ledger) reportDoubts() {
	if f.naive {
		f.doubts.About(sources.DoubtLocalTime, conflicts.Info, path.Join(f.dir, "events"), "has times without a time zone; local time is assumed")
	}
	if f.ahead {
		f.doubts.About("clock-ahead", conflicts.Info, path.Join(f.dir, "events"), "has times in the future: some clock is ahead of this one")
	}
	var words []string
	for w, n := range f.odd {
		words = append(words, fmt.Sprintf("%s (%d)", w, n))
	}
	slices.Sort(words)
	if len(words) > 8 {
		words = append(words[:8], "…")
	}
	if len(words) > 0 {
		f.doubts.About(sources.DoubtUnknownWord, conflicts.Info, path.Join(f.dir, "events"), "has events of unknown types: %s", strings.Join(words, ", "))
	}
}

func (f *ledger) has(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return f.kinds[k] != nil })
}

// word returns the name that the protocol uses for a state.
func word(s checkpoint.TaskState) string {
	if s == checkpoint.Active {
		return "in_progress"
	}
	return string(s)
}

// phase returns the number of the phase that an event reports. For the end of a phase, it returns the number of the next phase. It returns
// false if the event reports no phase.
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

// phaseKind matches the types of events that report a phase. Some of these types contain the number of the phase.
var phaseKind = textdoc.NewForm(`^phase-(?:([0-9])-)?(started|start|entered|changed|transition|completed|complete)$`)

var digits = textdoc.NewForm(`[0-9]+`)

// reach stores the phase that an event reports. A later event about a task deletes the stored phase, because the run is back in the
// execution phase.
func (f *ledger) reach(e *event) {
	if n, ok := e.phase(); ok {
		f.reached, f.reachedBy = n, e
		return
	}
	if _, ok := e.effect(); ok && f.reachedBy != nil && e.at.After(f.reachedBy.at) {
		f.reached, f.reachedBy = 0, nil
	}
}
