package orchestrate

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/textdoc"
)

type phase struct {
	id, name, agent string
	state           checkpoint.TaskState
	raw             string
	// The field "makes" lists the files that the phase creates.
	makes        []string
	began, ended time.Time
	evidence     string
	optional     bool
	// invalid is the reason why a finished phase must be done again. It is empty if the result of the phase is still valid.
	invalid string
}

func (p phase) over() bool {
	return (p.state == checkpoint.Done || p.state == checkpoint.Skipped) && p.invalid == ""
}

// saysPending reports whether the state file itself says that the phase was not started.
func (p phase) saysPending() bool { return sources.MeaningOf(p.raw) == sources.MeansPending }

// next returns the index of the phase to continue with: the one after the last finished phase, or an earlier one that must be done again.
func next(phases []phase) int {
	at := 0
	for i, p := range phases {
		if p.over() {
			at = i + 1
		}
	}
	for i, p := range phases {
		if p.invalid != "" && i < at {
			return i
		}
	}
	return at
}

// firstOpen returns the index of the first phase that is neither done nor skipped, or len(phases) if there is none.
func firstOpen(phases []phase) int {
	for i, p := range phases {
		if !p.over() {
			return i
		}
	}
	return len(phases)
}

func onlyOptional(rest []phase) bool {
	for _, p := range rest {
		if !p.optional && !p.over() {
			return false
		}
	}
	return true
}

func number(at int) string { return fmt.Sprintf("phase %d", at+1) }

const (
	statusPending = checkpoint.Pending
	statusDone    = checkpoint.Done
)

// sdc lists the phases of a story development cycle, and spec those of a spec pipeline. State files do not have to list them.
var (
	sdc = []phase{{id: "create", name: "Create", agent: "sm"}, {id: "validate", name: "Validate", agent: "po"},
		{id: "implement", name: "Implement", agent: "dev"}, {id: "qa", name: "QA", agent: "qa"}}
	spec = []phase{{id: "gather", name: "Gather", agent: "pm"}, {id: "assess", name: "Assess", agent: "architect"},
		{id: "research", name: "Research", agent: "analyst"}, {id: "write", name: "Write", agent: "pm"}, {id: "critique", name: "Critique", agent: "qa"}}
)

type workflowReading reading

// phaseNames maps alternative names of phases to the ids used here.
var phaseNames = map[string]string{
	"draft": "create", "drafting": "create", "validation": "validate", "implementation": "implement", "development": "implement", "develop": "implement", "dev": "implement",
	"review": "qa", "qareview": "qa", "qagate": "qa", "qualitygate": "qa",
	"gathering": "gather", "requirements": "gather", "assessment": "assess", "complexity": "assess", "writespec": "write", "writing": "write", "spec": "write",
}

// workflowKind returns the type of a workflow in the form that is shown to people.
func workflowKind(v textdoc.Value) string {
	name := v.Get("workflow_name", "workflowName", "workflow_type", "workflowType", "workflow_id", "workflowId", "workflow", "type").Text()
	switch folded := sources.FoldWord(name); {
	case folded == "sdc" || strings.Contains(folded, "storydevelopment") || folded == "developmentcycle":
		return "SDC"
	case strings.Contains(folded, "specpipeline") || folded == "spec":
		return "Spec Pipeline"
	case folded == "qaloop":
		return "QA Loop"
	case folded == "":
		return "Workflow"
	}
	return statefile.Short(name)
}

// steps reads a workflow whose state file lists steps, each with its own status.
func (w workflowReading) steps(steps textdoc.Value) {
	for i, s := range steps.Items() {
		p := phase{id: "step-" + strconv.Itoa(i), name: statefile.Short(s.Get("phase", "action").Text()), agent: agentName(s.Get("agent").Text()),
			raw: s.Get("status").Text(), optional: s.Get("optional").True(), makes: s.Get("artifacts_created").Texts(), evidence: "step status"}
		p.state = sources.MeaningOf(p.raw).TaskState()
		if p.raw == "" {
			p.state = statusPending
		}
		p.began, p.ended = w.timeOf(s, "started_at"), w.timeOf(s, "completed_at")
		w.noteActivity("completed_at", p.ended)
		if id := s.Get("session_id").Text(); id != "" {
			w.Session = id
		}
		w.phases = append(w.phases, p)
	}
	at := firstOpen(w.phases)
	if pointer, ok := w.v.Get("current_step_index").Int(); ok && pointer != at && at < len(w.phases) {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "current_step_index is %d, but the first unfinished step is %d", pointer, at)
	}
	w.resumeAt(at, "it is the first step that is neither completed nor skipped")
}

// workflowPhases sets the phases for this type of workflow, marks the completed ones, and sets the resume point.
func (w workflowReading) workflowPhases() {
	switch w.kind {
	case "SDC":
		w.phases = append(w.phases, sdc...)
	case "Spec Pipeline":
		w.phases = append(w.phases, spec...)
	}
	for i := range w.phases {
		w.phases[i].state = statusPending
	}
	for _, f := range statefile.Named(w.v.Get("phases"), "name", "phase", "id") {
		w.listedPhase(f)
	}
	w.completeUpTo(w.v.Get(statefile.LastFields...))
	for _, done := range w.v.Get(statefile.CompletedFields...).Items() {
		i := w.phaseOf(statefile.PhaseName(done), agentName(done.Get("agent").Text()))
		if i < 0 {
			continue
		}
		p := &w.phases[i]
		p.state, p.raw, p.evidence = statusDone, "completed", "phases_completed"
		p.makes = append(p.makes, madeBy(done)...)
		p.ended = w.timeOf(done, "completed_at", "at")
		w.noteActivity("completed_at", p.ended)
	}
	pointer := w.v.Get(statefile.CurrentFields...)
	current := w.phaseOf(statefile.PhaseName(pointer), agentName(w.v.Get("current_agent", "currentAgent").Text()))
	at := next(w.phases)
	reason := map[bool]string{true: "it is the first phase", false: "it is the phase after the last completed one"}[at == 0]
	if at == 0 && current < 0 && !statefile.SaysProgress(w.v) && len(w.phases) > 0 && sources.MeaningOf(w.Status) != sources.MeansPending {
		reason = "the state marks no phase as completed or current"
		w.doubt(sources.DoubtInvalidState, conflicts.Warning, first(w.Files), "its progress could not be read from the state; check what is done before you continue")
	}
	if at == 0 && current >= 0 && !statefile.SaysProgress(w.v) {
		at, reason = current, "it is the current phase"
	}
	if current >= 0 && current != at && at < len(w.phases) {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "current_phase is %s, but according to the completed phases it is %s", statefile.Short(statefile.PhaseName(pointer)), w.phases[at].name)
	}
	fresh := at == 0 && sources.MeaningOf(w.Status) == sources.MeansPending // it was set back to its start
	if at >= 0 && at < len(w.phases) && !fresh && !w.phases[at].saysPending() && (at == current || w.saysStarted(w.phases[at].id)) {
		w.phases[at].state = checkpoint.Active
		reason += map[bool]string{true: ", and was started"}[statefile.SaysProgress(w.v)]
	}
	w.resumeAt(at, reason)
}

// saysStarted reports whether the state file shows that a phase was started. State files show this only for the phase "implement": the
// status of the story is then "in progress".
func (w workflowReading) saysStarted(phase string) bool {
	said := cmp.Or(w.v.Get("story_status", "storyStatus").Text(), w.v.Get("context").Get("story_status", "storyStatus").Text())
	return w.kind == "SDC" && phase == "implement" && sources.MeaningOf(said) == sources.MeansInProgress
}

// listedPhase reads one entry in the state file's list of phases.
func (w workflowReading) listedPhase(f textdoc.Field) {
	i := w.phaseOf(f.Key, agentName(f.Value.Get("agent").Text()))
	if i < 0 {
		return
	}
	p := &w.phases[i]
	p.state = statusPending
	if p.raw = f.Value.Get("status").Text(); p.raw == "" {
		p.raw = f.Value.Text()
	}
	if p.raw != "" {
		p.state, p.evidence = sources.MeaningOf(p.raw).TaskState(), "phases"
	}
	p.makes = append(p.makes, madeBy(f.Value)...)
	p.ended = w.timeOf(f.Value, "completed_at", "completedAt")
	w.noteActivity("completed_at", p.ended)
}

// completeUpTo marks the last completed phase, and the pending phases before it, as completed.
func (w workflowReading) completeUpTo(last textdoc.Value) {
	for i := w.phaseOf(statefile.PhaseName(last), ""); i >= 0; i-- {
		if p := &w.phases[i]; p.state == statusPending {
			p.state, p.raw, p.evidence = statusDone, "completed", "last completed phase"
		}
	}
}

func madeBy(v textdoc.Value) []string {
	var out []string
	for _, name := range []string{"output", "outputs", "artifacts", "artifact"} {
		out = append(out, v.Get(name).Texts()...)
	}
	return out
}

// phaseOf returns the index of the phase with this name or number. For an unknown name it adds a phase. For an empty name it returns -1.
func (w workflowReading) phaseOf(name, agent string) int {
	if name == "" {
		return -1
	}
	folded := sources.FoldWord(name)
	if n, err := strconv.Atoi(strings.TrimPrefix(folded, "phase")); err == nil && n >= 1 && n <= len(w.phases) {
		return n - 1
	}
	if known := phaseNames[folded]; known != "" && (w.kind == "SDC" || w.kind == "Spec Pipeline") {
		folded = known
	}
	for i, p := range w.phases {
		if sources.FoldWord(p.name) == folded || sources.FoldWord(p.id) == folded {
			if p.agent == "" {
				w.phases[i].agent = agent
			}
			return i
		}
	}
	w.phases = append(w.phases, phase{id: folded, name: statefile.Short(name), agent: agent, state: statusPending})
	return len(w.phases) - 1
}

// phaseMeaning maps each phase to the status that a story should have during the phase.
var phaseMeaning = map[string]sources.Meaning{
	"create": sources.MeansPending, "validate": sources.MeansPending, "implement": sources.MeansInProgress, "qa": sources.MeansReview,
	"2development": sources.MeansInProgress, "3selfhealing": sources.MeansInProgress, "4qualitygate": sources.MeansReview,
}

// handoffs maps each phase to the name of the command that carries it out.
var handoffs = map[string]string{"create": "orchestrate", "validate": "orchestrate", "implement": "dev-develop-story", "qa": "qa-gate"}

// resumeAt sets the resume point to the phase with the given index, or clears it if there is no such phase.
func (w *work) resumeAt(at int, reason string) {
	w.at = at
	w.Point = sources.Point{}
	if at < 0 || at >= len(w.phases) {
		return
	}
	p := w.phases[at]
	w.Point = sources.Point{Task: p.id, Title: p.name, Reason: reason}
	if p.agent != "" {
		w.agent = p.agent
	}
	w.handoff = cmp.Or(handoffs[p.id], w.handoff)
	w.position = fmt.Sprintf("phase %d (%s)", at+1, p.name)
}

// These are indexes into the list sdc, which contains the phases of a story development cycle.
const (
	atImplement = 2
	atQA        = 3
)
