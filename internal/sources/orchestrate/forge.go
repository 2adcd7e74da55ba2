package orchestrate

import (
	"path"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

func (l *treeSearch) forge(r statefile.Record) *work {
	id := path.Base(path.Dir(r.Path))
	if r.Broken {
		return l.rebuildWorkflow(r, "Forge", id)
	}
	v := r.Value
	w := l.newWork(rankWorkflow, "Forge", id, r)
	w.Name, w.about, w.Status = v.Get("project").Get("name").Text(), statefile.Short(v.Get("project").Get("name").Text()), v.Get("status").Text()
	w.began = w.timeOf(v, "started_at")
	w.noteActivity("updated_at", w.timeOf(v, "updated_at", "completed_at"), w.began)
	for _, f := range v.Get("phases").Fields() {
		p := phase{id: "phase-" + f.Key, name: "phase " + f.Key, raw: f.Value.Get("status").Text(), evidence: "phases"}
		p.state = sources.MeaningOf(p.raw).TaskState()
		p.began, p.ended = w.timeOf(f.Value, "started_at"), w.timeOf(f.Value, "completed_at")
		w.phases = append(w.phases, p)
	}
	slices.SortStableFunc(w.phases, func(a, b phase) int { return sources.NaturalOrder(a.id, b.id) })
	w.resumeAt(firstOpen(w.phases), "the first phase that is not completed")
	if w.at < len(w.phases) {
		w.position = w.phases[w.at].name
	}
	w.workflowState(v)
	return w
}
