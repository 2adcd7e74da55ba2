package agentmemory

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// old is the age above which agent-memory requires a review before it continues a run.
const old = 7 * 24 * time.Hour

// description converts a run and its stage into a sources.Found.
type description struct {
	*run
	stage
	f *sources.Found
}

func describe(r *run) sources.Found {
	f := r.place
	f.Agent, f.Again = "agentic-orchestrator", "tell the orchestrator: start a new run"
	f.Command = quote.Command("tell the orchestrator: resume run %s", r.id)
	f.Tasks = r.tasks
	for i := range f.Tasks {
		switch t := &f.Tasks[i]; {
		case t.State == checkpoint.Active && (executionReader{r}).freed(t):
			t.Note = "its question was answered, but nobody has worked on it since"
		case t.State == checkpoint.Failed && r.fault(t.ID) != "":
			t.Note = "failed" + r.fault(t.ID)
		}
	}
	(&description{run: r, stage: stageOf(r), f: &f}).stand()
	f.Doubts, f.Rebuilt = r.doubts, r.rebuilt
	f.Files = r.files[r.home.WorkTree]
	slices.SortFunc(f.Files, sources.NaturalOrder)
	const most = 100
	f.Files = f.Files[max(0, len(f.Files)-most):]
	return f
}

// stand sets the state of the work, the next step, and the texts about the work.
func (r *description) stand() {
	f, st := r.f, &r.stage
	if r.unreadable() && st.state.Open() { // no event can be read, so use the documents and let the user decide
		r.rebuilt = true
		r.doubts.About(sources.DoubtRebuilt, conflicts.Warning, r.dir, "has no event that can be read: it is not known what was done")
		if st.state == sources.NotStarted {
			st.state = sources.Interrupted
		}
	}
	if r.ledger.gap && !r.unreadable() && st.state.Open() {
		r.rebuilt = true
		if !slices.ContainsFunc(r.doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtRebuilt }) {
			r.doubts.About(sources.DoubtRebuilt, conflicts.Warning, r.dir, "has lost events: what an actor did last is not known")
		}
	}
	f.State, f.Point, f.Questions, f.Needs = st.state, st.point, st.questions, st.missing
	r.activity()
	if f.State.Open() && !f.Active.IsZero() && r.view.Now.Sub(f.Active) > old {
		r.doubts.About(sources.DoubtStale, conflicts.Warning, r.dir, "was last worked on %d days ago: review it before you continue", int(r.view.Now.Sub(f.Active).Hours()/24))
	}
	f.Status = cmp.Or(f.Status, r.flow.state)
	if e := r.ledger.end; e != nil {
		f.Status, f.Cause = e.raw, e.details.Get("reason").Text()
	}
	f.Protocol = r.report()
	f.Headline = fmt.Sprintf("run %s, %sphase %s, %s; next: %s", r.id, map[bool]string{true: "back to "}[st.stood != ""], st.phase, r.progress()+r.lastDone(), st.action)
	f.Alternatives = r.alternatives()
	f.Unlisted = r.partial
	if f.State.Open() { // name the phase, because "2/3" for the second of three phases would look like a count of finished tasks
		f.Context, f.OwnLogs = slices.Concat(r.answered(), r.known()), true
		if f.Stands = "phase " + st.phase; f.Point.Task != "" {
			f.Stands += ", " + f.Point.Task
		}
		f.Stands = cmp.Or(st.stood, f.Stands)
		if f.Listed = f.Stands; st.stood != "" {
			f.Listed += ", back to phase " + st.phase
		}
	}
}

// known names the documents of the run and the time of the last activity, as agent-memory reads and reports them before it continues.
func (r *description) known() []string {
	var out, docs []string
	for _, name := range []string{"constitution.md", "prd.md", "plan.md", r.graph.from} {
		if r.docs[name] || name != "" && name == r.graph.from && !r.partial && len(r.graph.nodes) > 0 {
			docs = append(docs, name)
		}
	}
	if len(docs) > 0 {
		out = append(out, "documents of the run: "+strings.Join(docs, ", "))
	}
	if !r.f.Active.IsZero() {
		out = append(out, fmt.Sprintf("last activity: %s, from %s", r.f.Active.UTC().Format(time.RFC3339), r.f.From))
	}
	return out
}

// answered lists what a person answered, and which tasks a person unblocked. It leaves out finished tasks. For a closed run it returns
// nothing.
func (r *description) answered() []string {
	var out []string
	for _, t := range r.tasks {
		if m := r.ledger.tasks[t.ID]; unfinished(t) && m != nil && m.by != nil && r.f.State.Open() {
			if why := m.by.details.Get("lifted").Text(); m.by.own() && why != "" {
				out = append(out, fmt.Sprintf("%s was blocked (%s); a person unblocked it without an answer", t.ID, why))
			}
		}
	}
	for _, e := range r.ledger.answers {
		answer, question := e.details.Get("resolution", "answer", "response").Text(), e.details.Get("question").Text()
		if t := taskOf(r.f, e.task); !r.f.State.Open() || answer == "" || t != nil && !unfinished(*t) {
			continue
		}
		text := "answer"
		if e.task != "" {
			text += " to " + e.task
		}
		if question != "" {
			text += ", " + question
		}
		out = append(out, text+": "+answer)
	}
	return out
}

// progress returns a text with the number of completed tasks, as far as it is known.
func (r *description) progress() string {
	done, all := r.count("")
	switch {
	case r.unreadable():
		return "it is not known how many tasks are complete"
	case r.partial:
		return sources.Count(done, "task", "tasks") + " complete; the total is not known"
	case all == 0:
		return "no tasks yet"
	}
	text := fmt.Sprintf("%d/%d tasks complete", done, all)
	if r.ledger.gap {
		text = "at least " + text
	}
	if n := r.skipped(); n > 0 {
		text += fmt.Sprintf(" (%d skipped)", n)
	}
	return text
}

// skipped counts the skipped tasks that the system counts as complete.
func (r *description) skipped() int {
	n := 0
	for _, t := range r.tasks {
		if t.State == checkpoint.Skipped && completes(t.Raw) {
			n++
		}
	}
	return n
}

// lastDone returns a text that names the task that was completed last. The text is empty if there is no such task, if the run is closed,
// or if its events cannot be read.
func (r *description) lastDone() string {
	if e := r.last(); e != nil && r.f.State.Open() && !r.unreadable() {
		return ", last " + r.completed(e) + map[bool]string{true: " (skipped)"}[r.ledger.tasks[e.task].state == checkpoint.Skipped]
	}
	return ""
}

// last returns the newest event that completed a task, or nil if there is none. It ignores tasks that are not in the task list.
func (r *description) last() *event {
	e := r.ledger.done
	if e == nil || taskOf(r.f, e.task) != nil {
		return e
	}
	e = nil
	for _, t := range r.tasks {
		m := r.ledger.tasks[t.ID]
		if unfinished(t) || m == nil || m.by == nil || e != nil && m.by.at.Before(e.at) {
			continue
		}
		e = m.by
	}
	return e
}

// completed returns the id and the title of the task that an event completed, in the format that agent-memory uses in its own report.
func (r *description) completed(e *event) string {
	if n := r.graph.find(e.task); n != nil && n.title != "" {
		return e.task + " - " + n.title
	}
	return e.task
}

// counted returns the progress in a phase, in the format that agent-memory uses in its own report. If the argument "phase" is empty, it
// counts all phases, and shows an unknown number as a question mark.
func (r *description) counted(phase string) string {
	done, all := r.count(phase)
	switch {
	case phase == "" && r.unreadable():
		return fmt.Sprintf("?/%d complete", all)
	case phase == "" && r.partial:
		return fmt.Sprintf("%d/? complete", done)
	}
	return fmt.Sprintf("%d/%d complete", done, all)
}

// activity sets the time of the last activity: the time of the last event, or otherwise of the newest file of the run. Events that
// git-resume wrote count only if there are no others, because they do not show that the system is active, or if they closed the run.
func (r *description) activity() {
	f := r.f
	if e := r.ledger.last; e != nil {
		if end := r.ledger.end; end != nil && end.at.After(e.at) {
			e = end
		}
		f.Active, f.From = e.at, "event "+e.where
	}
	if !f.Active.IsZero() {
		return
	}
	r.view.Date(r.ctx, r.home, r.files[r.home.WorkTree]...)
	for _, full := range r.files[r.home.WorkTree] {
		if when, from := r.view.Written(r.ctx, r.home, full); when.After(f.Active) {
			f.Active, f.From = when, from+" of "+path.Base(full)
		}
	}
}

// report returns the fields of the system's own resume report, with the names that the report uses.
func (r *description) report() map[string]any {
	states := map[string]string{}
	for _, t := range r.tasks {
		states[t.ID] = word(t.State)
	}
	p := map[string]any{"RESUMING RUN": r.id, "run-id": r.id, "Tasks": r.counted(""),
		"Next Action": r.action, "tasks": states, "runnable": r.runnable}
	if n, err := strconv.Atoi(r.phase); err == nil {
		p["Phase"] = n
	} else {
		p["Phase"] = r.phase
	}
	if !r.f.Active.IsZero() {
		p["Last activity"] = r.f.Active.UTC().Format(time.RFC3339)
	}
	if e := r.last(); e != nil {
		p["Last completed"] = r.completed(e)
	}
	if r.flow.later {
		p["Workflow"] = r.flow.kind
		p["Bootstrap Tasks"], p["Development Tasks"] = r.counted("bootstrap"), r.counted("development")
	}
	return p
}

// count returns the number of finished tasks and the number of all tasks in a phase. An empty phase means all phases.
func (r *description) count(phase string) (done, all int) {
	for _, t := range r.tasks {
		if phase != "" && t.Phase != phase {
			continue
		}
		if all++; t.State == checkpoint.Done || t.State == checkpoint.Skipped && completes(t.Raw) {
			done++
		}
	}
	return done, all
}

// alternatives lists the actions that the user can choose. An action that changes the run's logs only appends events.
func (r *description) alternatives() []sources.Alternative {
	f := r.f
	if !f.State.Open() {
		return nil
	}
	var out []sources.Alternative
	add := func(name, format string, args ...any) {
		out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	_, answers := answerable(f, "")
	switch {
	case f.State == sources.Waiting && !answers:
		add(sources.Continue, "go on when that is done: %s", r.action)
	case f.State == sources.Waiting || f.State == sources.Blocked:
	default:
		text := r.action
		if r.ledger.gap || r.unreadable() {
			text += "; first check whether it was already done"
		}
		add(sources.Continue, "%s", text)
	}
	if r.unreadable() { // without readable events, the user should look at the work first
		add(sources.ReviewIt, "look at the changes made so far")
	}
	if q, ok := answerable(f, ""); ok {
		text := "give " + q.Task + " the answer that it waits for"
		if t := taskOf(f, q.Task); t != nil && t.State == checkpoint.Blocked {
			text += ", and record " + q.Task + " as started again"
		}
		if gated(q) {
			text = "record your approval, or why you do not approve, as an event of this run"
		}
		if q.Block {
			text = "say what unblocks " + q.Task + ", and record " + q.Task + " as started again"
		}
		if r.usedUp(q.Task) {
			text = "say what to do differently, and " + q.Task + " is tried again"
		}
		add(sources.Answer, "%s", text)
	}
	if t := taskOf(f, f.Point.Task); t != nil {
		if t.State != checkpoint.Pending {
			add(sources.RestartUnit, "%s", r.againText(t))
		}
		add(sources.SkipUnit, "leave %s out: record it as completed, with the remark that it was skipped, so that no task waits for it", named(t))
	}
	if !r.unreadable() {
		add(sources.ReviewIt, "look at the changes made so far")
	}
	add(sources.StartFresh, "record that this run is cancelled, so that you can start a new one; nothing is deleted")
	return out
}

// againText describes what a restart does. It says explicitly if the restart lifts a block.
func (r *description) againText(t *sources.Task) string {
	const stay = "record a new attempt; files that it changed stay as they are"
	if t.State == checkpoint.Blocked {
		return fmt.Sprintf("start %s again although it is blocked%s: unblock it, and %s", named(t), r.fault(t.ID), stay)
	}
	return fmt.Sprintf("start %s again: %s", named(t), stay)
}

func taskOf(f *sources.Found, id string) *sources.Task {
	for i := range f.Tasks {
		if f.Tasks[i].ID == id {
			return &f.Tasks[i]
		}
	}
	return nil
}

// gated reports whether a question asks for an approval.
func gated(q sources.Question) bool { return q.Task == approval || q.Task == approvedB5 }

// answerable returns the first question that the user can answer through git-resume. If task is not empty, the question must be about
// this task.
func answerable(f *sources.Found, task string) (sources.Question, bool) {
	for _, q := range f.Questions {
		if (task == "" || q.Task == task) && (taskOf(f, q.Task) != nil || gated(q) || strings.HasPrefix(q.Task, escalation)) {
			return q, true
		}
	}
	return sources.Question{}, false
}
