package agents

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// What is the meaning of an event, in words that are the same for all agents.
type What string

// These are the events that matter. All others have no meaning for us.
const (
	SessionStarted What = "session-started"
	// Compacted means that the agent shortened its memory. It may have forgotten what it was told at the start.
	Compacted What = "compacted"
	Prompted  What = "prompted"
	Listed    What = "listed"
	// Finished means that the agent ended its turn by itself. Failed means that a limit or an error ended the turn, and Stopped that the user did.
	Finished What = "finished"
	Failed   What = "failed"
	Stopped  What = "stopped"
	// Left means that the session ended. It does not say whether its turn was finished.
	Left What = "left"
)

// Report is an event of any agent, in one form. It holds nothing of prompts and answers.
type Report struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Dir is the folder in which the session works. Transcript is where the agent says that it keeps its record of the session.
	Dir        string `json:"dir,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	What       What   `json:"what"`
	// At is when the event arrived.
	At time.Time `json:"at"`
	// Items is the task list, if the event has one. Partial is true if the list may have more items.
	Items   []Item `json:"items,omitempty"`
	Partial bool   `json:"partial,omitempty"`
	// Stored is true if the agent keeps the list in files, which say more than the event.
	Stored bool `json:"stored,omitempty"`
	// Whole is true if the end of a turn comes with all that the agent's list has.
	Whole bool `json:"whole,omitempty"`
	// Stop says why a turn failed.
	Stop Stop `json:"stop,omitzero"`
	// Child is true if the session belongs to a subagent.
	Child bool `json:"child,omitempty"`
	// PID is the agent's process, if the event names it.
	PID int `json:"pid,omitempty"`
}

// Stop says why an agent stopped working.
type Stop struct {
	// Cause is one of the words below, or empty if nothing is known.
	Cause string `json:"cause,omitempty"`
	// Until is when a limit ends, or zero. Limit is what the limit is called. Roughly is true if Until was read from a sentence for people.
	Until   time.Time `json:"until,omitzero"`
	Limit   string    `json:"limit,omitempty"`
	Roughly bool      `json:"roughly,omitempty"`
}

// These are the causes of a stop.
const (
	Quota      = "quota"
	Overloaded = "overloaded"
	ByUser     = "user"
	Error      = "error"
)

// Read turns the payload of a hook into a report. ok is false if the payload comes from no agent that we know, or means nothing for us.
// The parameter name is the event's name from the command line, and now is used for times such as "in two hours".
func Read(text []byte, name string, getenv func(string) string, now time.Time) (r Report, ok bool) {
	e, ok := Recognize(text, name, getenv)
	var p body
	if !ok || !IsSession(e.Session) || json.Unmarshal(text, &p) != nil {
		return Report{}, false
	}
	r = Report{Agent: e.Agent, Session: e.Session, Dir: e.Dir, Child: e.Sub || p.Properties.Info.Parent != "", PID: p.PID, At: now}
	if r.Transcript = p.Transcript; r.Transcript == "" {
		r.Transcript = p.TranscriptCamel
	}
	p.fill(&r, e.Name, now)
	return r, r.What != ""
}

// IsSession reports whether a text can be the id of a session. Ids become parts of file names.
func IsSession(id string) bool {
	return len(id) > 0 && len(id) <= 128 && !strings.ContainsAny(id[:1], ".-") && !strings.ContainsFunc(id, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	})
}

// body has the fields of all agents that say what happened.
type body struct {
	Transcript      string          `json:"transcript_path"`
	TranscriptCamel string          `json:"transcriptPath"`
	Source          string          `json:"source"`
	Prompt          loose           `json:"prompt"`
	Tool            string          `json:"tool_name"`
	Input           json.RawMessage `json:"tool_input"`
	Response        json.RawMessage `json:"tool_response"`
	ErrorKind       json.RawMessage `json:"error"`
	LastMessage     loose           `json:"last_assistant_message"`
	Background      []any           `json:"background_tasks"`
	SessionCrons    []any           `json:"session_crons"`
	Crons           []any           `json:"crons"`
	PID             int             `json:"pid"`
	Properties      struct {
		Info struct {
			Parent string `json:"parentID"`
		} `json:"info"`
		Status struct {
			Type    string  `json:"type"`
			Message string  `json:"message"`
			Next    float64 `json:"next"`
		} `json:"status"`
		Todos json.RawMessage `json:"todos"`
		Error json.RawMessage `json:"error"`
	} `json:"properties"`
}

// loose accepts any value, and keeps it if it is a text.
type loose string

func (l *loose) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) == nil {
		*l = loose(s)
	} else if !bytes.Equal(text, []byte("null")) {
		*l = "…"
	}
	return nil
}

// fill finds out what an event means.
func (p *body) fill(r *Report, name string, now time.Time) {
	switch name {
	case "SessionStart", "sessionStart", "session.created":
		if r.What = SessionStarted; p.Source == "compact" {
			r.What = Compacted
		}
	case "UserPromptSubmit", "BeforeAgent", "userPromptSubmitted":
		if strings.TrimSpace(string(p.Prompt)) != "" { // Qwen Code also reports an empty prompt for each step
			r.What = Prompted
		}
	case "PostToolUse", "AfterTool", "todo.updated":
		p.list(r)
	case "Stop", "AfterAgent", "agentStop", "session.idle":
		if len(p.Background)+len(p.SessionCrons)+len(p.Crons) == 0 { // otherwise the agent will wake up by itself
			r.What = Finished
		}
	case "StopFailure", "errorOccurred", "session.error":
		r.What, r.Stop = Failed, p.failure(now)
	case "Interrupt":
		r.What, r.Stop = Stopped, Stop{Cause: ByUser}
	case "SessionEnd", "sessionEnd":
		r.What = Left
	case "session.status":
		p.status(r, now)
	}
}

// status reads OpenCode's own state. While it waits for the end of a limit, it tries again by itself.
func (p *body) status(r *Report, now time.Time) {
	switch s := p.Properties.Status; s.Type {
	case "busy":
		r.What = Prompted
	case "retry":
		next := time.UnixMilli(int64(min(max(s.Next, 0), 1e15)))
		if next.Sub(now) < longRetry || next.Sub(now) > longestLimit {
			return
		}
		r.What, r.Stop = Failed, Stop{Cause: Quota, Until: next.UTC().Truncate(time.Second), Limit: limitName(s.Message)}
	}
}

// longRetry is the shortest wait that counts as a limit: an agent that tries again in a few seconds is working. A limit that would last
// longer than longestLimit is not believed.
const (
	longRetry    = time.Minute
	longestLimit = 60 * 24 * time.Hour
)
