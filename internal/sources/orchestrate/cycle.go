package orchestrate

import (
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// cycle lists the phases of the development cycle in order.
var cycle = []phase{{id: "1_validation", name: "validation", agent: "po"}, {id: "2_development", name: "development", agent: "dev"},
	{id: "3_self_healing", name: "self healing", agent: "dev"}, {id: "4_quality_gate", name: "quality gate", agent: "qa"},
	{id: "5_push", name: "push", agent: "devops"}, {id: "6_checkpoint", name: "checkpoint", agent: "master"}}

type cycleReading reading

func (l *treeSearch) cycle(r statefile.Record) *work {
	stem := statefile.Stem(r.Path)
	if r.Broken {
		return l.rebuildWorkflow(r, "Development Cycle", stem)
	}
	v := r.Value
	w := cycleReading{l.newWork(rankWorkflow, "Development Cycle", "development-cycle-"+stem, r), v}
	w.Name, w.Status = stem, v.Get("currentPhase").Text()
	w.began = w.timeOf(v, "startedAt")
	w.noteActivity("lastUpdated", w.timeOf(v, "lastUpdated", "updatedAt"), w.began)
	w.phases = append(w.phases, cycle...)
	w.phaseResults(v.Get("phaseResults"), agentName(v.Get("executor").Text()), agentName(v.Get("qualityGate").Text()))
	at := firstOpen(w.phases)
	if pointer := v.Get("currentPhase").Text(); pointer != "" && (at >= len(w.phases) || pointer != w.phases[at].id) {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "currentPhase is %s, but this does not match the results of the phases", statefile.Short(pointer))
	}
	w.resumeAt(at, "it is the first phase without a completed result")
	w.cycleStory()
	w.State, w.Cause = w.stopped(quiet), statefile.CauseSession
	if at >= len(w.phases) {
		w.State, w.position = sources.Complete, "all phases"
	}
	w.askAtCheckpoint(v.Get("phaseResults").Get("6_checkpoint"))
	return w.work
}

func (w cycleReading) phaseResults(results textdoc.Value, executor, gate string) {
	for i := range w.phases {
		p := &w.phases[i]
		p.state = statusPending
		if res := results.Get(p.id); res.Is() {
			p.raw, p.evidence = res.Get("status").Text(), "phaseResults"
			p.state = sources.MeaningOf(p.raw).TaskState()
			made := res.Get("implementation")
			w.changedFiles = append(w.changedFiles, made.Get("files_created").Texts()...)
			w.changedFiles = append(w.changedFiles, made.Get("files_modified").Texts()...)
		}
		if executor != "" && (p.id == "2_development" || p.id == "3_self_healing") {
			p.agent = executor
		}
		if gate != "" && p.id == "4_quality_gate" {
			p.agent = gate
		}
	}
}

func (w cycleReading) cycleStory() {
	file := w.v.Get("currentStory").Text()
	if file == "" {
		w.about = story.Titled(w.Name)
		w.addClaim(claim{id: w.Name, meaning: phaseMeaning[sources.FoldWord(w.Point.Task)], phase: w.Point.Title, place: w.position, over: w.Point.Task == ""})
		return
	}
	c := claim{id: story.IDOf(strings.ReplaceAll(file, `\`, "/")), path: file, phase: w.Point.Title, over: w.Point.Task == ""}
	c.meaning, c.place = phaseMeaning[sources.FoldWord(w.Point.Task)], w.position
	w.about = story.Titled(c.id)
	w.addClaim(c)
}

// askAtCheckpoint adds a question for the user if the state file says that a checkpoint waits for input.
func (w cycleReading) askAtCheckpoint(c textdoc.Value) {
	if !c.Get("awaiting_input").True() {
		return
	}
	q := sources.Question{Task: "6_checkpoint", Text: "the checkpoint waits for a decision: continue, pause, review or abort"}
	for _, o := range c.Get("options").Fields() {
		q.Options = append(q.Options, o.Key)
	}
	w.Questions = append(w.Questions, q)
	w.waitForAnswer()
	if w.Point.Task == "" {
		w.Point = sources.Point{Task: "6_checkpoint", Title: "checkpoint", Reason: "all phases are completed, and a person is asked how to continue"}
		w.at, w.position = len(w.phases)-1, "phase 6 (checkpoint)"
	}
}
