package orchestrate

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// engines maps the number of each part of the master orchestrator to its name.
var engines = map[string]string{"3": "Spec Pipeline", "4": "Execution Engine", "5": "Recovery System", "6": "QA Loop", "7": "Memory Layer"}

// onDemand lists the parts that the master orchestrator starts only if they are needed. It executes the other parts one after another. In
// the state file, all parts are pending from the beginning. So a part in onDemand counts only if it is no longer pending.
var onDemand = []string{"5", "7"}

func (l *treeSearch) master(r statefile.Record) *work {
	id := strings.TrimSuffix(path.Base(r.Path), ".json")
	if r.Broken {
		return l.rebuildWorkflow(r, "Master Orchestrator", id)
	}
	v := r.Value
	id = cmp.Or(v.Get("storyId").Text(), id)
	w := masterReading{l.newWork(rankWorkflow, "Master Orchestrator", "orchestrator-"+id, r), v}
	w.Name, w.about, w.Status = id, story.Titled(id), v.Get("status").Text()
	w.began = w.timeOf(v.Get("timestamps"), "startedAt", "started")
	if w.began.IsZero() {
		w.began = w.timeOf(v, "startedAt")
	}
	w.noteActivity("timestamps", w.timeOf(v.Get("timestamps"), "updatedAt", "savedAt", "lastUpdated"), w.timeOf(v, "updatedAt"), w.began)
	w.masterPhases()
	w.addClaim(claim{id: id, meaning: sources.MeansInProgress, place: w.position, phase: w.Point.Title, over: w.Point.Task == ""})
	w.workflowState(v)
	if w.State.Open() && w.search.View.Now.Sub(w.Active) > day {
		w.doubt("too-old-for-its-tool", conflicts.Warning, r.Path, "the command *orchestrate-resume does not accept a state that is older than 24 hours")
	}
	w.Command = quote.Command("*orchestrate-resume %s", id)
	return w.work
}

type masterReading reading

func (w masterReading) masterPhases() {
	completed := w.v.Get("completedEpics").Texts()
	for _, f := range w.v.Get("epics").Fields() {
		p := phase{id: "epic-" + f.Key, name: cmp.Or(engines[f.Key], "epic "+f.Key), agent: "master", raw: f.Value.Get("status").Text(), evidence: "epics"}
		if p.state = sources.MeaningOf(p.raw).TaskState(); p.state == statusPending && slices.Contains(onDemand, f.Key) {
			continue
		}
		if p.state != statusDone && slices.Contains(completed, f.Key) {
			w.doubt(sources.DoubtDiscrepancy, conflicts.Warning, "", "epic %s is listed as completed, but says %s", f.Key, statefile.Said(p.raw))
		}
		w.phases = append(w.phases, p)
	}
	slices.SortStableFunc(w.phases, func(a, b phase) int { return sources.NaturalOrder(a.id, b.id) })
	at := firstOpen(w.phases)
	if pointer := w.v.Get("currentEpic").Text(); pointer != "" && at < len(w.phases) && w.phases[at].id != "epic-"+pointer {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "currentEpic is %s, but according to the epics it is %s", statefile.Short(pointer), strings.TrimPrefix(w.phases[at].id, "epic-"))
	}
	w.resumeAt(at, "the first epic that is neither completed nor skipped")
}
