package agentmemory

import (
	"fmt"
	"path"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// questions are what blocks tasks, and what was escalated and not answered.
func (r *run) questions() []sources.Question {
	const most = 50
	var out []sources.Question
	for _, t := range r.tasks {
		if len(out) >= most {
			break
		}
		m := r.ledger.tasks[t.ID]
		switch {
		case t.State == checkpoint.Blocked:
			text := m.by.details.Get("blocker_description", "reason", "description", "blocker").Text()
			if text == "" {
				text = named(&t) + " is blocked"
			}
			out = append(out, sources.Question{Task: t.ID, Text: text, Options: m.by.details.Get("options").Texts()})
		case unfinished(t) && r.usedUp(t.ID):
			r.doubt(sources.DoubtUsedUp, conflicts.Warning, path.Join(r.dir, t.Evidence), "is failure %d of %s", m.failures, t.ID)
			out = append(out, sources.Question{Task: t.ID, Text: fmt.Sprintf("%s failed %d times: what should the next try do differently?", named(&t), m.failures)})
		}
	}
	for _, e := range r.ledger.asked {
		if text := e.details.Get("description", "question").Text(); text != "" {
			out = append(out, sources.Question{Task: escalated(e), Text: text, Options: e.details.Get("options").Texts()})
		}
	}
	return out
}

// escalated names what an escalation is about, in a way that an answer to it can be told apart.
func escalated(e *event) string {
	if e.id == "" && e.task != "" {
		return e.task
	}
	return escalation + e.id
}
