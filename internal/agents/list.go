package agents

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Item is one item of an agent's own task list.
type Item struct {
	// Key is the agent's own id of the item. It is empty if the agent's list has no ids.
	Key   string `json:"key,omitempty"`
	Title string `json:"title"`
	State State  `json:"state"`
}

// State is the state of an item.
type State string

// These are the states of an item. An unknown word counts as open, so that nothing is taken for done by mistake.
const (
	Open   State = "open"
	Active State = "active"
	Done   State = "done"
	// Dropped means that the agent decided not to do the item.
	Dropped State = "dropped"
)

const (
	// maxItems and maxTitle limit how many items are read from a list, and how many characters of a title.
	maxItems = 100
	maxTitle = 200
)

// stateOf translates a word that an agent uses for a state. An unknown word means open.
func stateOf(word string) State {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "in_progress", "active", "in-progress", "doing":
		return Active
	case "completed", "complete", "done":
		return Done
	case "cancelled", "canceled", "deleted", "dropped":
		return Dropped
	}
	return Open
}

// ListMemory is what is kept about a session's task list between two calls of a hook.
type ListMemory struct {
	// At is when the last list arrived. Whole is true if every item of that list was read.
	At    time.Time `json:"at,omitzero"`
	Whole bool      `json:"whole,omitempty"`
}

// Accept reports whether a report is to be used. It refuses a task list if a newer list was accepted shortly before (see the method
// "later"). If it accepts a list, it stores the time of that list. At the end of a turn, Accept also sets the field Whole of the report.
func (m *ListMemory) Accept(r *Report) bool {
	if r.What == Finished {
		r.Whole = !r.Partial && len(r.Items) > 0 || m.Whole && !m.later(r.At)
	}
	if r.What != Listed && len(r.Items) == 0 {
		return true
	}
	if m.later(r.At) {
		return false
	}
	m.At, m.Whole = r.At, !r.Partial
	return true
}

// later reports whether the last list is newer than the given time, by less than a minute. Events can arrive in the wrong order, but only
// within seconds. A larger difference probably means that the clock was set back.
func (m *ListMemory) later(at time.Time) bool { return m.At.After(at) && m.At.Sub(at) < time.Minute }

// stored is an item of a task list as JSON. It has the fields of all agents, each of which uses only some.
type stored struct {
	ID          json.RawMessage `json:"id"`
	Subject     string          `json:"subject"`
	Content     string          `json:"content"`
	Description string          `json:"description"`
	Step        string          `json:"step"`
	Status      string          `json:"status"`
}

func (s stored) item() (Item, bool) {
	title := s.Step
	for _, other := range []string{s.Subject, s.Content, s.Description} {
		if title == "" {
			title = other
		}
	}
	i := Item{Key: keyOf(s.ID), Title: cleanTitle(title), State: stateOf(s.Status)}
	return i, i.Title != ""
}

// keyOf returns the id of an item if the id is a short word or a number, and otherwise "".
func keyOf(raw json.RawMessage) string {
	key := strings.Trim(string(raw), `"`)
	if key == "null" || !IsSession(key) || len(key) > 64 {
		return ""
	}
	return key
}

// cleanTitle makes a title one line without control characters, of limited length.
func cleanTitle(title string) string {
	title = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(title, "?"), func(r rune) bool {
		return r <= ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029
	}), " ")
	if utf8.RuneCountInString(title) > maxTitle {
		title = string([]rune(title)[:maxTitle-1]) + "…"
	}
	return title
}

// items reads a list. whole is false if an item was left out, and ok is false if the JSON is not a list.
func items(raw json.RawMessage) (out []Item, whole, ok bool) {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return nil, false, false
	}
	whole = len(all) <= maxItems
	for _, one := range all[:min(len(all), maxItems)] {
		var s stored
		if json.Unmarshal(one, &s) != nil {
			whole = false
			continue
		}
		i, good := s.item()
		if !good {
			whole = false
			continue
		}
		out = append(out, i)
	}
	return out, whole, true
}

// StoredItem reads an item of a task list from JSON. The second result is false if the JSON cannot be read or the item has no title.
func StoredItem(text []byte) (Item, bool) {
	var s stored
	if json.Unmarshal(text, &s) != nil {
		return Item{}, false
	}
	return s.item()
}

// list reads the task list, or a change of it, from the event of a tool. If the event has neither, r stays as it is.
func (p payload) list(r *Report) {
	tool, raw := p.text("tool_name"), p.inner("properties")["todos"]
	input := p.inner("tool_input")
	if tool != "" {
		raw = input["todos"]
	}
	switch tool {
	case "update_plan":
		raw = input["plan"]
	case "TodoWrite", "write_todos", "todo_write", "todowrite", "": // "" is for OpenCode, whose own event for a list names no tool
	case "TaskCreate", "TaskUpdate":
		if input == nil {
			return
		}
		r.What, r.Partial, r.Stored = Listed, true, true
		p.delta(r, tool, input)
		return
	default:
		return
	}
	if list, whole, ok := items(raw); ok {
		r.What, r.Items, r.Partial = Listed, list, !whole
	}
}

// delta reads the change of one item from the event. The change is used only if the files in which the agent keeps its list cannot be read.
func (p payload) delta(r *Report, tool string, input payload) {
	if tool == "TaskCreate" {
		if i, ok := StoredItem(p.inner("tool_response")["task"]); ok && i.Key != "" {
			r.Items = []Item{i}
		}
		return
	}
	if key, status := keyOf(input["taskId"]), input.text("status"); key != "" && status != "" {
		r.Items = []Item{{Key: key, Title: cleanTitle(input.text("subject")), State: stateOf(status)}}
	}
}
