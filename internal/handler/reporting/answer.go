package reporting

import (
	"context"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
)

// Answer stores the answer to a task's question.
func (e *Reporter) Answer(ctx context.Context, q adopt.AnswerRequest) (*journal.Journal, checkpoint.TaskID, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, "", &candidate.TextError{What: "the answer", Why: "is empty"}
	}
	if err := checkText("the answer", q.Text); err != nil {
		return nil, "", err
	}
	var answered checkpoint.TaskID
	j, err := e.appendToRun(ctx, q.Run, false, func(d *taskReport, r *checkpoint.Run) ([]checkpoint.Event, error) {
		d.j.Run, d.q = *r, TaskReport{Task: q.Task}
		if err := d.findTask(); err != nil {
			return nil, err
		}
		t := r.Task(d.task)
		named := q
		named.Run, named.Task = string(r.ID), string(t.ID)
		text, err := named.Chosen(t.Options)
		if t.Answer != "" && t.Answer == text && t.State != checkpoint.Blocked {
			answered = t.ID
			return nil, nil // do not record the same answer again: undoing it would have no effect
		}
		if t.Question == "" || t.State.Closed() {
			return nil, &StateError{Run: r.ID, Task: *t, Wants: "answer"}
		}
		if err != nil {
			return nil, err
		}
		answered = t.ID
		ev := checkpoint.Event{Event: checkpoint.TaskAnswered, Task: t.ID, Attempt: t.Attempt, Text: text}
		events := []checkpoint.Event{ev}
		if t.Asks && d.completesRun(r, checkpoint.Event{Event: checkpoint.TaskDone}, []checkpoint.Event{{Event: checkpoint.TaskDone, Task: t.ID}}) {
			events = append(events, checkpoint.Event{Event: checkpoint.RunFinished})
		}
		return events, nil
	})
	if was := e.findClosedRun(ctx, err); was != nil {
		if _, t := lastReport(&was.Run); t != nil && string(t.ID) == q.Task {
			if text, err := q.Chosen(t.Options); err == nil && t.Answer == text {
				return was, t.ID, nil
			}
		}
	}
	return j, answered, err
}

// LeaveOut skips a task whose question the user does not want to answer. The user can undo this.
func (e *Reporter) LeaveOut(ctx context.Context, id checkpoint.RunID, task checkpoint.TaskID) error {
	_, err := e.appendToRun(ctx, string(id), false, func(_ *taskReport, r *checkpoint.Run) ([]checkpoint.Event, error) {
		t := r.Task(task)
		if t == nil || t.State.Closed() {
			return nil, nil
		}
		return []checkpoint.Event{{Event: checkpoint.TaskSkipped, Task: t.ID, Attempt: t.Attempt}}, nil
	})
	return err
}
