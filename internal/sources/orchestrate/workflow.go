package orchestrate

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// sdc and spec are the phases of the two workflows that need no state file to be known.
var (
	sdc = []phase{{id: "create", name: "Create", agent: "sm"}, {id: "validate", name: "Validate", agent: "po"},
		{id: "implement", name: "Implement", agent: "dev"}, {id: "qa", name: "QA", agent: "qa"}}
	spec = []phase{{id: "gather", name: "Gather", agent: "pm"}, {id: "assess", name: "Assess", agent: "architect"},
		{id: "research", name: "Research", agent: "analyst"}, {id: "write", name: "Write", agent: "pm"}, {id: "critique", name: "Critique", agent: "qa"}}
)

// phaseNames are other words for phases.
var phaseNames = map[string]string{
	"draft": "create", "drafting": "create", "validation": "validate", "implementation": "implement", "development": "implement", "develop": "implement", "dev": "implement",
	"review": "qa", "qareview": "qa", "qagate": "qa", "qualitygate": "qa",
	"gathering": "gather", "requirements": "gather", "assessment": "assess", "complexity": "assess", "writespec": "write", "writing": "write", "spec": "write",
}

const (
	statusPending = checkpoint.Pending
	statusDone    = checkpoint.Done
)

var workflowMust = []string{"workflow_id", "workflowId", "workflow", "instance_id", "execution_id", "steps", "phases", "phases_completed", "current_phase", "currentPhase", "workflow_type", "workflowType", "completedPhases", "completed_phases", "lastCompletedPhase"}

func (l *look) readWorkflows() {
	for _, home := range statefile.Homes {
		for _, dir := range []string{home, path.Join(home, "workflows"), path.Join(home, "state")} {
			l.states(dir, statefile.IsWorkflow, workflowMust, l.workflow)
		}
	}
}

func (l *look) workflow(r statefile.Record) *work {
	if r.Broken {
		return l.rebuildWorkflow(r, "Workflow", statefile.Stem(r.Path))
	}
	v := r.Value
	id := v.Get("instance_id", "execution_id").Text()
	if id == "" {
		id = statefile.Stem(r.Path)
	}
	w := l.newWork(rankWorkflow, workflowKind(v), id, r)
	w.Name, w.Status = id, v.Get("status").Text()
	w.Mode = v.Get("mode", "execution_mode").Text()
	if w.Mode == "" {
		w.Mode = v.Get("context").Get("mode").Text()
	}
	w.began = w.timeOf(v, "started_at", "startedAt")
	w.sign("updated_at", w.timeOf(v, "updated_at", "last_updated", "updatedAt"), w.began)
	w.Session = v.Get("session_id").Text()
	if steps := v.Get("steps"); steps.IsList() {
		w.steps(steps, v)
	} else {
		w.workflowPhases(v)
	}
	w.workflowFiles(v)
	w.workflowStory(v)
	w.workflowState(v)
	return w
}

// workflowKind is how people call a type of workflow.
func workflowKind(v sources.Value) string {
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

// steps are written out in the state: each one has its own status.
func (w *work) steps(steps, v sources.Value) {
	for i, s := range steps.Items() {
		p := phase{id: "step-" + strconv.Itoa(i), name: statefile.Short(s.Get("phase", "action").Text()), agent: agentName(s.Get("agent").Text()),
			raw: s.Get("status").Text(), optional: s.Get("optional").True(), makes: s.Get("artifacts_created").Texts(), evidence: "step status"}
		p.state = sources.MeaningOf(p.raw).TaskState()
		if p.raw == "" {
			p.state = statusPending
		}
		p.began, p.ended = w.timeOf(s, "started_at"), w.timeOf(s, "completed_at")
		w.sign("completed_at", p.ended)
		if id := s.Get("session_id").Text(); id != "" {
			w.Session = id
		}
		w.phases = append(w.phases, p)
	}
	at := firstOpen(w.phases)
	if pointer, ok := v.Get("current_step_index").Int(); ok && pointer != at && at < len(w.phases) {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "current_step_index is %d, but the first step that is not over is %d", pointer, at)
	}
	w.goOn(at, "it is the first step that is neither completed nor skipped")
}

// workflowPhases are known by the type of the workflow, and by what the state says of those that are over.
func (w *work) workflowPhases(v sources.Value) {
	switch w.kind {
	case "SDC":
		w.phases = append(w.phases, sdc...)
	case "Spec Pipeline":
		w.phases = append(w.phases, spec...)
	}
	for i := range w.phases {
		w.phases[i].state = statusPending
	}
	for _, f := range statefile.Named(v.Get("phases"), "name", "phase", "id") {
		w.listedPhase(f)
	}
	w.upToLast(v.Get(statefile.LastFields...))
	for _, done := range v.Get(statefile.CompletedFields...).Items() {
		i := w.phaseOf(statefile.PhaseName(done), agentName(done.Get("agent").Text()))
		if i < 0 {
			continue
		}
		p := &w.phases[i]
		p.state, p.raw, p.evidence = statusDone, "completed", "phases_completed"
		p.makes = append(p.makes, madeBy(done)...)
		p.ended = w.timeOf(done, "completed_at", "at")
		w.sign("completed_at", p.ended)
	}
	pointer := v.Get(statefile.CurrentFields...)
	current := w.phaseOf(statefile.PhaseName(pointer), agentName(v.Get("current_agent", "currentAgent").Text()))
	at, reason := next(w.phases), "it is the phase after the last completed one"
	if at == 0 && current < 0 && !statefile.SaysProgress(v) && len(w.phases) > 0 && sources.MeaningOf(w.Status) != sources.MeansPending {
		reason = "the state says of no phase that it is completed or current"
		w.doubt(sources.DoubtInvalidState, conflicts.Warning, first(w.Files), "how far it is could not be read from the state; look at what is done before you continue")
	}
	if at == 0 && current >= 0 && !statefile.SaysProgress(v) {
		at, reason = current, "it is the current phase"
	}
	if current >= 0 && current != at && at < len(w.phases) {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "current_phase is %s, but by the completed phases it is %s", statefile.Short(statefile.PhaseName(pointer)), w.phases[at].name)
	}
	if at == current && at >= 0 && at < len(w.phases) {
		w.phases[at].state = checkpoint.Active
	}
	w.goOn(at, reason)
}

// listedPhase takes a phase that the state lists, with its own status where it has one.
func (w *work) listedPhase(f sources.Field) {
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
	w.sign("completed_at", p.ended)
}

// upToLast takes the phase that was completed last, and those before it, for completed.
func (w *work) upToLast(last sources.Value) {
	for i := w.phaseOf(statefile.PhaseName(last), ""); i >= 0; i-- {
		if p := &w.phases[i]; p.state == statusPending {
			p.state, p.raw, p.evidence = statusDone, "completed", "last completed phase"
		}
	}
}

func madeBy(v sources.Value) []string {
	var out []string
	for _, name := range []string{"output", "outputs", "artifacts", "artifact"} {
		out = append(out, v.Get(name).Texts()...)
	}
	return out
}

// phaseOf finds a phase by name or number, and adds one that is not known yet; -1 for no name.
func (w *work) phaseOf(name, agent string) int {
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

// storyFields are the names under which states keep their story.
var storyFields = []string{"story_id", "storyId", "story", "currentStory", "story_file", "storyFile", "story_path"}

func (w *work) workflowStory(v sources.Value) {
	named := v.Get(storyFields...)
	if !named.Is() {
		named = v.Get("context").Get(storyFields...)
	}
	text := named.Text()
	if text == "" {
		w.workflowFeature(v)
		return
	}
	c := claim{id: text, meaning: phaseMeaning(w.Point.Task), phase: w.Point.Title, over: w.Point.Task == ""}
	if strings.ContainsAny(text, "/\\") || strings.HasSuffix(text, ".md") {
		c.path, c.id = text, story.IDOf(strings.ReplaceAll(text, `\`, "/"))
	}
	if file := v.Get("context").Get("story_file", "storyFile", "story_path").Text(); file != "" {
		c.path = file
	}
	w.about = story.Titled(c.id)
	c.says(w.position, v.Get("story_status", "storyStatus").Text(), v.Get("context").Get("story_status", "storyStatus").Text())
	if statefile.SaysStopped(w.Status) && sources.MeaningOf(w.Status) == sources.MeansPending { // begun from scratch, after the story had been worked on
		c.fine = append(c.fine, sources.MeansInProgress, sources.MeansReview)
	}
	w.fields["story"] = c.id
	w.claim(c)
}

// featureFields are the names under which states keep what a pipeline is about.
var featureFields = []string{"feature", "feature_name", "featureName", "feature_id", "spec_name", "specName"}

// workflowFeature names what a workflow without a story is about.
func (w *work) workflowFeature(v sources.Value) {
	for _, from := range []sources.Value{v, v.Get("context")} {
		if feature := from.Get(featureFields...).Text(); feature != "" {
			w.about = statefile.Short(feature)
			w.fields["feature_name"] = w.about
			w.Same = append(w.Same, featureKey(feature))
			return
		}
	}
	if epic := v.Get("context").Get("epic", "epicId").Text(); epic != "" {
		w.about = statefile.Short(epic)
	}
}

// phaseMeaning is the status that a story has while a phase works on it.
func phaseMeaning(id string) sources.Meaning {
	switch id {
	case "create", "validate":
		return sources.MeansPending
	case "implement", "2development", "3selfhealing":
		return sources.MeansInProgress
	case "qa", "4qualitygate":
		return sources.MeansReview
	}
	return sources.MeansUnknown
}

// says takes the first word that the state itself has for the story; what the phase implies fits as well.
// Without a word only the place of the workflow can be told.
func (c *claim) says(place string, words ...string) {
	c.place = place
	for _, word := range words {
		m, _ := statefile.MeaningOf(word)
		if word == "" || m == sources.MeansUnknown {
			continue
		}
		c.fine = append(c.fine, c.meaning)
		c.raw, c.meaning = word, m
		return
	}
}

func (w *work) workflowState(v sources.Value) {
	m := sources.MeaningOf(w.Status)
	over := w.at >= len(w.phases) && len(w.phases) > 0
	w.Cause = statefile.CauseOf(v, w.Status)
	switch {
	case over:
		if m != sources.MeansDone {
			w.doubt(sources.DoubtStatusWord, conflicts.Info, "", "the workflow says '%s', but all its phases are over", statefile.Short(w.Status))
		}
		w.State, w.Point, w.position = sources.Complete, sources.Point{}, "all phases"
	case m == sources.MeansDone && len(w.phases) > 0 && !onlyOptional(w.phases[w.at:]):
		w.doubt(sources.DoubtStatusWord, conflicts.Warning, "", "the workflow says '%s', but %s is not over", w.Status, w.phases[w.at].name)
		w.State = sources.Interrupted
	case m == sources.MeansDone:
		w.State, w.Point = sources.Complete, sources.Point{}
	case m == sources.MeansBlocked && stoppedOnPurpose(w.Status), m == sources.MeansClosed:
		w.State = sources.Paused
	case m == sources.MeansBlocked:
		w.State = sources.Blocked
	case m == sources.MeansWaiting:
		w.State = sources.Waiting
	case m == sources.MeansFailed:
		w.State = sources.Failed
	default:
		w.State = w.stopped()
		if m == sources.MeansUnknown && w.Status != "" && w.Status != "interrupted" {
			w.doubt(sources.DoubtUnknownWord, conflicts.Warning, "", "the workflow has the unknown status '%s'", statefile.Short(w.Status))
		}
	}
}

// stoppedOnPurpose: somebody paused or stopped it, which only a person takes back.
func stoppedOnPurpose(status string) bool {
	cause := statefile.KnownCause(status)
	return cause == statefile.CausePause || cause == statefile.CauseUser
}

func onlyOptional(rest []phase) bool {
	for _, p := range rest {
		if !p.optional && !p.over() {
			return false
		}
	}
	return true
}

// remaining counts the phases that are left.
func (w *work) remaining() int {
	if w.at < 0 || w.at >= len(w.phases) {
		return 0
	}
	return len(w.phases) - w.at
}

func number(at int) string { return fmt.Sprintf("phase %d", at+1) }
