package agents

import (
	"bytes"
	"strings"
	"time"
)

// What is the meaning of an event, in words that are the same for all agents.
type What string

// These are the events that matter. All other events of agents are ignored.
const (
	SessionStarted What = "session-started"
	// Compacted means that the agent shortened its memory. The agent may have forgotten what it was told at the start.
	Compacted What = "compacted"
	Prompted  What = "prompted"
	// Finished means that the agent ended its turn by itself. Failed means that a limit or an error ended the turn, and Stopped that the
	// user ended it.
	Finished What = "finished"
	Failed   What = "failed"
	Stopped  What = "stopped"
	// Left means that the session ended. It does not say whether its turn was finished.
	Left What = "left"
)

// Report is an event of any agent, in one form for all agents. The stored form contains no prompts and no answers.
type Report struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Dir is the folder in which the session works. Transcript is where the agent says that it keeps its record of the session.
	Dir        string `json:"dir,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	What       What   `json:"what"`
	// At is when the event reached git-resume.
	At time.Time `json:"at"`
	// Stop says why a turn failed or was stopped.
	Stop Stop `json:"stop,omitzero"`
	// Child is true if the session belongs to a subagent.
	Child bool `json:"child,omitempty"`
	// PID is the agent's process, or 0 if the event does not name it.
	PID int `json:"pid,omitempty"`
}

// Stop says why an agent stopped working.
type Stop struct {
	// Cause is Quota, Overloaded, ByUser or Error. It is empty if nothing is known.
	Cause string `json:"cause,omitempty"`
	// Until is when a limit ends. It is zero if no end is known. Limit is the name of the limit. Roughly is true if Until was read from a
	// sentence for people.
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

// Read turns the payload of a hook into a report. ok is false if the payload cannot be used, or if its event does not matter. The argument
// "name" is the event's name from the command line.
func Read(text []byte, name string, getenv func(string) string, now time.Time) (r Report, ok bool) {
	if len(text) > MaxPayload {
		return Report{}, false
	}
	p := payloadOf(text)
	e, ok := p.event(name, getenv)
	if !ok || !IsSession(e.Session) {
		return Report{}, false
	}
	child := e.Sub || p.inner("properties").inner("info").text("parentID") != ""
	r = Report{Agent: e.Agent, Session: e.Session, Dir: e.Dir, Child: child, PID: int(p.number("pid")), At: now}
	if r.Transcript = p.text("transcript_path"); r.Transcript == "" {
		r.Transcript = p.text("transcriptPath")
	}
	p.fill(&r, e.Name, now)
	return r, r.What != ""
}

// IsSession reports whether a text is safe as the id of a session. Ids become parts of file names.
func IsSession(id string) bool {
	return len(id) > 0 && len(id) <= 128 && !strings.ContainsAny(id[:1], ".-") && !strings.ContainsFunc(id, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	})
}

// fill sets the fields of the report that say what the event means.
func (p payload) fill(r *Report, name string, now time.Time) {
	switch name {
	case "SessionStart", "sessionStart", "session.created":
		if r.What = SessionStarted; p.text("source") == "compact" {
			r.What = Compacted
		}
	case "UserPromptSubmit", "BeforeAgent", "userPromptSubmitted":
		if p.prompted() { // ignore the empty prompt that Qwen Code reports before each step of a turn
			r.What = Prompted
		}
	case "Stop", "AfterAgent", "agentStop", "session.idle":
		// with background tasks or timers, the agent will continue by itself, so its turn is not over
		if !p.isFilled("background_tasks") && !p.isFilled("session_crons") && !p.isFilled("crons") {
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

// prompted reports whether the user said something. A prompt that is not a string counts too, because it can be a picture.
func (p payload) prompted() bool {
	raw := p["prompt"]
	if len(raw) > 0 && raw[0] == '"' {
		return strings.TrimSpace(p.text("prompt")) != ""
	}
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}

// status reads the event with which OpenCode reports its state. The report also says if OpenCode waits until a usage limit ends before it
// tries again.
func (p payload) status(r *Report, now time.Time) {
	switch s := p.inner("properties").inner("status"); s.text("type") {
	case "busy":
		r.What = Prompted
	case "retry":
		next := time.UnixMilli(int64(min(max(s.number("next"), 0), 1e15)))
		if next.Sub(now) < longRetry || next.Sub(now) > longestLimit {
			return
		}
		r.What, r.Stop = Failed, Stop{Cause: Quota, Until: next.UTC().Truncate(time.Second), Limit: limitName(s.text("message"))}
	}
}

// longRetry is the shortest wait that counts as a usage limit of the agent's provider: an agent that tries again sooner is still working.
// longestLimit is the longest wait that is believed to be such a limit.
const (
	longRetry    = time.Minute
	longestLimit = 60 * 24 * time.Hour
)
