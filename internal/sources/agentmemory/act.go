package agentmemory

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// whyAnswered is the reason that git-resume writes into its event when an answer unblocks a task.
const whyAnswered = "a person answered what it waited for"

// Act returns the changes that add events for a request of the user, if the request needs any. Existing events are not
// changed.
func (s Source) Act(_ context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	refused := &sources.NoActionError{Key: f.Key(), Name: w.Name}
	if !f.State.Open() {
		return nil, refused
	}
	id := cmp.Or(w.Task, f.Point.Task)
	task := taskOf(f, id)
	e := written{Details: map[string]any{}}
	switch w.Name {
	case sources.Continue, sources.ReviewIt, sources.Hide:
		return nil, nil // continuing, reviewing and hiding need no event
	case sources.RestartUnit, sources.Reset:
		if task == nil || task.State == checkpoint.Pending {
			return nil, refused
		}
		e.Type, e.Task, e.Details["reason"] = "task-started", id, "a person gave it another try"
		for _, q := range f.Questions {
			if task.State == checkpoint.Blocked && q.Task == id {
				e.Details["lifted"] = q.Text // the next worker should know what had blocked the task
			}
		}
	case sources.SkipUnit:
		if task == nil || !unfinished(*task) {
			return nil, refused
		}
		e.Type, e.Task, e.Details["skipped"], e.Details["reason"] = "task-completed", id, true, "a person skipped the task"
	case sources.Answer:
		q, ok := answerable(f, w.Task)
		if !ok || strings.TrimSpace(w.Text) == "" {
			return nil, refused
		}
		if gated(q) {
			return change(v, f, approved(f, q, w.Text))
		}
		e.Type, e.Details["resolution"], e.Details["resolved_by"], e.Details["question"] = "escalation-resolved", w.Text, "human", q.Text
		if asked, ok := strings.CutPrefix(q.Task, escalation); ok {
			e.Details["original_escalation_id"] = asked
		} else {
			e.Task = q.Task
		}
		if t := taskOf(f, q.Task); t != nil && t.State == checkpoint.Blocked { // start the task again, because it is no longer blocked
			return change(v, f, e, written{Type: "task-started", Task: q.Task, Details: map[string]any{"reason": whyAnswered}})
		}
	case sources.StartFresh, sources.CleanUp:
		e.Type, e.Details["reason"], e.Details["cancelled_by"] = "run-cancelled", "a person closed it", "human"
	default:
		return nil, refused
	}
	return change(v, f, e)
}

// approved returns the event with a person's answer at a gate. The event names the document about which the system has asked.
func approved(f *sources.Found, q sources.Question, answer string) written {
	e := written{Details: map[string]any{"response": answer, "question": q.Text, "approved_by": "human"}}
	switch yes := slices.Contains([]string{"yes", "y", "ok", "approve", "approved"}, sources.FoldWord(answer)); {
	case q.Task == approvedB5 || f.Point.Title == gateBootstrap:
		e.Type = bootstrapAnswer
	case f.Point.Title == gateDevelopment:
		if e.Type = developmentAnswer; yes {
			e.Details["response"] = "approve"
		}
	default:
		doc := "plan"
		if !(sources.Files{Top: f.Home}).Has(path.Join(f.Root, "plan.md")) {
			doc = "prd"
		}
		e.Details["artifact"], e.Details["artifact_type"], e.Details["approval_type"] = doc+".md", doc, "human"
		e.Type = map[bool]string{true: "artifact-approved", false: "artifact-rejected"}[yes]
	}
	return e
}
