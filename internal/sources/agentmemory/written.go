package agentmemory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// written is an event that git-resume is going to write.
type written struct {
	Type    string
	Task    string
	Details map[string]any
}

// form is the format in which a run writes its events. git-resume uses the same format for its own events.
type form struct {
	// key is the name of the field that contains the event type.
	key string
	// flat says that the details of an event are on the same level as its type, and not in a separate field.
	flat bool
	// hyphens says that event types are spelled task-started, not task_started.
	hyphens bool
}

// change returns the change that appends events to a log file of git-resume. It writes them in the format that the run uses.
func change(v *sources.View, f *sources.Found, events ...written) ([]sources.Change, error) {
	now := v.Now.UTC()
	if now.Before(f.Active) {
		now = f.Active.UTC() // a clock on another machine may be ahead, and the new event must be the newest one
	}
	files := sources.Files{Top: f.Home}
	file := path.Join(f.Root, "events", ownActor, now.Format("20060102-150405")+".jsonl")
	was, err := files.Read(file)
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
	w := formOf(files, f)
	for _, e := range events {
		line, err := w.line(f, e, now)
		if err != nil {
			return nil, err
		}
		all = append(append(all, line...), '\n')
	}
	return []sources.Change{{Tree: f.Home, Path: file, Was: was, Now: all}}, nil
}

// line returns one event as JSON. The first fields have the same order in every format.
func (w form) line(f *sources.Found, e written, now time.Time) ([]byte, error) {
	if !w.hyphens {
		e.Type = strings.ReplaceAll(e.Type, "-", "_")
	}
	id := fmt.Sprintf("%s-%s-%s-%s", ownActor, now.Format("20060102T150405.000000"), e.Type, e.Task)
	fields := [][2]any{{w.key, e.Type}, {"event_id", id}}
	if e.Task != "" {
		fields = append(fields, [2]any{"task_id", e.Task})
	}
	fields = append(fields, [2]any{"run_id", f.ID}, [2]any{"timestamp", now.Format(time.RFC3339Nano)}, [2]any{"actor", ownActor})
	if w.flat {
		for _, name := range slices.Sorted(maps.Keys(e.Details)) {
			fields = append(fields, [2]any{name, e.Details[name]})
		}
	} else {
		fields = append(fields, [2]any{"details", e.Details})
	}
	var out bytes.Buffer
	for i, field := range fields {
		name, err := json.Marshal(field[0])
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(field[1])
		if err != nil {
			return nil, err
		}
		out.WriteByte("{,"[min(i, 1)])
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// formOf determines the format in which git-resume writes its own events. It is the format of the last events in the logs of other actors.
func formOf(files sources.Files, f *sources.Found) form {
	const mostLogs = 20
	keys, nested, logs := map[string]bool{}, false, 0
	for _, file := range slices.Backward(f.Files) {
		name, ok := strings.CutPrefix(file, f.Root+"/events/")
		if ext := path.Ext(name); !ok || strings.HasPrefix(name, ownActor+"/") || ext != ".jsonl" && ext != ".ndjson" {
			continue
		}
		if logs++; logs > mostLogs {
			break
		}
		data, err := files.Read(file)
		if err != nil {
			continue // the code that reads the logs has already added a warning about this file
		}
		nested = lastForms(textdoc.Text(data), keys) || nested
	}
	w := form{key: "event_type", hyphens: hyphens(f)}
	for _, key := range []string{"event", "type"} {
		if keys[key] && !keys["event_type"] {
			w.key, w.flat = key, !nested
		}
	}
	return w
}

// lastForms reads the last events of a log to learn how the agents write them, so that git-resume can write its own events in the same
// form. It adds the names of their type fields to the map "keys", and reports whether any event has a details field.
func lastForms(text string, keys map[string]bool) (nested bool) {
	const most = 50
	lines := strings.Split(text, "\n")
	for _, line := range lines[max(0, len(lines)-most):] {
		v, err := textdoc.ParseJSON([]byte(line))
		if err != nil {
			continue
		}
		for _, key := range []string{"event_type", "type", "event"} {
			if v.Get(key).Text() != "" {
				keys[key] = true
				break
			}
		}
		nested = nested || v.Get("details", "data", "payload").IsObject()
	}
	return nested
}

// hyphens reports whether the names of events are written with hyphens. It looks at the events that set the states of the tasks. At least
// one name must have a hyphen, and none an underscore.
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
