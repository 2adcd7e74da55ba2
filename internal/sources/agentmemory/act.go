package agentmemory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// Act turns a wish into one event of our own actor. Events are only ever added: no file that is there is changed,
// except that a second event of the same second goes below the first.
func (s Source) Act(_ context.Context, v *sources.View, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	refused := &sources.NoActionError{Key: f.Key(), Name: w.Name}
	if !f.State.Open() {
		return nil, refused
	}
	id := w.Task
	if id == "" {
		id = f.Point.Task
	}
	task := taskOf(f, id)
	e := written{Actor: ownActor, Details: map[string]any{}}
	switch w.Name {
	case sources.Continue, sources.ReviewIt, sources.Hide:
		return nil, nil // the system logs its own going on
	case sources.RestartUnit, sources.Reset:
		if task == nil || task.State == checkpoint.Pending {
			return nil, refused
		}
		e.Type, e.Task, e.Details["reason"] = "task-ready", id, "a person gave it another try"
	case sources.SkipUnit:
		if task == nil || !unfinished(*task) {
			return nil, refused
		}
		e.Type, e.Task, e.Details["skipped"], e.Details["reason"] = "task-completed", id, true, "a person left it out"
	case sources.Answer:
		q, ok := answerable(f, w.Task)
		if !ok || strings.TrimSpace(w.Text) == "" {
			return nil, refused
		}
		e.Type, e.Details["resolution"], e.Details["resolved_by"], e.Details["question"] = "escalation-resolved", w.Text, "human", q.Text
		if asked, ok := strings.CutPrefix(q.Task, escalation); ok {
			e.Details["original_escalation_id"] = asked
		} else {
			e.Task = q.Task
		}
	case sources.StartFresh, sources.CleanUp:
		e.Type, e.Details["reason"], e.Details["cancelled_by"] = "run-cancelled", "a person closed it", "human"
	default:
		return nil, refused
	}
	return e.change(v, f)
}

// written is an event as it is stored.
type written struct {
	Type    string         `json:"event_type"`
	ID      string         `json:"event_id"`
	Task    string         `json:"task_id,omitempty"`
	Run     string         `json:"run_id"`
	At      string         `json:"timestamp"`
	Actor   string         `json:"actor"`
	Details map[string]any `json:"details"`
}

// change adds the event to a log of its own second. A run that writes task_started is answered in that spelling.
func (e written) change(v *sources.View, f *sources.Found) ([]sources.Change, error) {
	now := v.Now.UTC()
	if now.Before(f.Active) {
		now = f.Active.UTC() // the newest event counts, and a clock elsewhere is ahead of ours
	}
	for _, t := range f.Tasks {
		if strings.Contains(t.Raw, "_") {
			e.Type = strings.ReplaceAll(e.Type, "-", "_")
			break
		}
	}
	e.Run, e.At = f.ID, now.Format(time.RFC3339Nano)
	e.ID = fmt.Sprintf("%s-%s-%s-%s", ownActor, now.Format("20060102T150405.000000"), e.Type, e.Task)
	line, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	file := path.Join(f.Root, "events", ownActor, now.Format("20060102-150405")+".jsonl")
	was, err := (sources.Files{Top: f.Home}).Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		was, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := append([]byte{}, was...)
	if len(all) > 0 && all[len(all)-1] != '\n' {
		all = append(all, '\n')
	}
	return []sources.Change{{Tree: f.Home, Path: file, Was: was, Now: append(append(all, line...), '\n')}}, nil
}
