package resume

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
)

// AnswerRequest is the answer to a task's question.
type AnswerRequest struct {
	Run, Task string
	// Text is the number or the name of an option; where the question has none it is the answer itself.
	Text string
	// Own: the text is an answer of the person's own, whatever the options are.
	Own bool
}

// OptionError says that an answer is none of those that can be chosen.
type OptionError struct {
	Run     string
	Task    string
	Text    string
	Options []string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("'%s' is not one of the answers to '%s'", e.Text, e.Task)
}

// Option is the option that a text names: by its number, or by its whole name.
// Anything else may be a typing mistake, and a stored answer decides what is done next.
func Option(options []string, text string) (string, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(options) {
		return options[n-1], true
	}
	for _, o := range options {
		if strings.EqualFold(o, text) {
			return o, true
		}
	}
	return "", false
}

// chosen is the answer that is stored.
func (q AnswerRequest) chosen(options []string) (string, error) {
	if q.Own || len(options) == 0 {
		return q.Text, nil
	}
	if o, ok := Option(options, q.Text); ok {
		return o, nil
	}
	return "", &OptionError{Run: q.Run, Task: q.Task, Text: q.Text, Options: options}
}

// Answer stores the answer to a task's question.
func (e *Engine) Answer(ctx context.Context, q AnswerRequest) (*checkpoint.Journal, checkpoint.TaskID, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, "", &TextError{"the answer", "is empty"}
	}
	if err := checkText("the answer", q.Text); err != nil {
		return nil, "", err
	}
	var answered checkpoint.TaskID
	j, err := e.mark(ctx, q.Run, false, func(d *desk, r *checkpoint.Run) ([]checkpoint.Event, error) {
		d.j.Run, d.q = *r, TaskReport{Task: q.Task}
		if err := d.findTask(); err != nil {
			return nil, err
		}
		t := r.Task(d.task)
		named := q
		named.Run, named.Task = string(r.ID), string(t.ID)
		text, err := named.chosen(t.Options)
		if t.Answer != "" && t.Answer == text && t.State != checkpoint.Blocked {
			answered = t.ID
			return nil, nil // recorded again it would be one more change, to be undone in vain
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
		if t.Asks && d.ends(r, checkpoint.Event{Event: checkpoint.TaskDone}, []checkpoint.Event{{Event: checkpoint.TaskDone, Task: t.ID}}) {
			events = append(events, checkpoint.Event{Event: checkpoint.RunFinished})
		}
		return events, nil
	})
	if was := e.closedBefore(ctx, err); was != nil {
		if _, t := lastReport(&was.Run); t != nil && string(t.ID) == q.Task {
			if text, err := q.chosen(t.Options); err == nil && t.Answer == text {
				return was, t.ID, nil
			}
		}
	}
	return j, answered, err
}

// LeaveOut skips a task whose question somebody does not want to answer; it can be undone.
func (e *Engine) LeaveOut(ctx context.Context, id checkpoint.RunID, task checkpoint.TaskID) error {
	_, err := e.mark(ctx, string(id), false, func(_ *desk, r *checkpoint.Run) ([]checkpoint.Event, error) {
		t := r.Task(task)
		if t == nil || t.State.Closed() {
			return nil, nil
		}
		return []checkpoint.Event{{Event: checkpoint.TaskSkipped, Task: t.ID, Attempt: t.Attempt}}, nil
	})
	return err
}
