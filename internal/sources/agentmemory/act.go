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

// Act turns a wish into events of our own actor, so that a reader who knows no more than the five states sees what is meant.
// Events are only ever added: no file that is there is changed, except that further events of the same second go below the first.
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
		e.Type, e.Task, e.Details["reason"] = "task-started", id, "a person gave it another try"
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
		if t := taskOf(f, q.Task); t != nil && t.State == checkpoint.Blocked { // what it was blocked by is over
			return change(v, f, e, written{Type: "task-started", Task: q.Task, Actor: ownActor, Details: map[string]any{"reason": "a person answered what it waited for"}})
		}
	case sources.StartFresh, sources.CleanUp:
		e.Type, e.Details["reason"], e.Details["cancelled_by"] = "run-cancelled", "a person closed it", "human"
	default:
		return nil, refused
	}
	return change(v, f, e)
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

// change adds events to a log of its own second, in the spelling of the run: task_started, unless it writes task-started.
func change(v *sources.View, f *sources.Found, events ...written) ([]sources.Change, error) {
	now := v.Now.UTC()
	if now.Before(f.Active) {
		now = f.Active.UTC() // the newest event counts, and a clock elsewhere is ahead of ours
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
	for _, e := range events {
		if !hyphens(f) {
			e.Type = strings.ReplaceAll(e.Type, "-", "_")
		}
		e.Run, e.At = f.ID, now.Format(time.RFC3339Nano)
		e.ID = fmt.Sprintf("%s-%s-%s-%s", ownActor, now.Format("20060102T150405.000000"), e.Type, e.Task)
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		all = append(append(all, line...), '\n')
	}
	return []sources.Change{{Tree: f.Home, Path: file, Was: was, Now: all}}, nil
}

// hyphens reports whether the events of a run are spelled with hyphens, and none with the underscores of the protocol.
func hyphens(f *sources.Found) bool {
	any := false
	for _, t := range f.Tasks {
		if strings.Contains(t.Raw, "_") {
			return false
		}
		any = any || strings.Contains(t.Raw, "-")
	}
	return any
}
