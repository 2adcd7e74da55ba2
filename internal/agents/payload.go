package agents

import (
	"encoding/json"
	"path"
	"strings"
)

// MaxPayload is how much of a hook's input is read.
const MaxPayload = 1 << 20

// Event is what a payload says about itself. It is the word of the agent, and proves nothing.
type Event struct {
	// Agent is the name of the agent, and Name is the agent's own name for the event.
	Agent, Name string
	// Session is the agent's id of the session, and Dir is the directory in which it works.
	Session, Dir string
	// Sub is true if the event is about a subagent.
	Sub bool
}

// payload is a JSON object whose members are read one by one. For a struct, Go would look at the whole type before it reads the first
// member. That would take longer than anything else that most calls of a hook do.
type payload map[string]json.RawMessage

// payloadOf reads an object. It has no members if the text is something else.
func payloadOf(text []byte) (p payload) {
	_ = json.Unmarshal(text, &p) // whoever needs a member notices that it is missing
	return p
}

// text returns a member that is a text, or "".
func (p payload) text(key string) (s string) {
	if raw := p[key]; len(raw) > 1 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s) // the whole object was read without an error
	}
	return s
}

// number returns a member that is a number, or 0.
func (p payload) number(key string) (n float64) {
	if json.Unmarshal(p[key], &n) != nil {
		return 0
	}
	return n
}

// inner returns a member that is an object.
func (p payload) inner(key string) payload { return payloadOf(p[key]) }

// isFilled reports whether a member is an array or an object that has something in it.
func (p payload) isFilled(key string) bool {
	var list []json.RawMessage
	return json.Unmarshal(p[key], &list) == nil && len(list) > 0 || len(p.inner(key)) > 0
}

// Recognize says which agent a payload comes from. The payload decides, and not the file in which the hook is installed, because Cursor
// also runs the hooks of Claude Code. The parameter name is the event's name from the command line, for agents whose payloads have none.
func Recognize(text []byte, name string, getenv func(string) string) (Event, bool) {
	if len(text) > MaxPayload {
		return Event{}, false
	}
	return payloadOf(text).event(name, getenv)
}

// event reads what the payload says about itself.
func (p payload) event(name string, getenv func(string) string) (Event, bool) {
	e := Event{Name: p.text("hook_event_name"), Session: p.text("session_id"), Dir: p.text("cwd"), Sub: p.text("agent_id") != ""}
	if e.Name == "" {
		e.Name = name
	}
	switch e.Agent = p.agent(getenv); e.Agent {
	case "opencode":
		e.Session = p.inner("properties").text("sessionID")
	case "cursor":
		e.Session = p.text("conversation_id")
	case "copilot":
		e.Session = p.text("sessionId")
		if e.Name == "" {
			e.Name = p.text("hookName")
		}
	case "codex":
		e.Sub = e.Sub || p.text("agent_type") != ""
	}
	return e, e.Agent != "" && e.Name != "" && e.Session != ""
}

// ownPayloads are the agents whose payloads our own plugins write. Such a payload names the agent.
var ownPayloads = map[string]bool{"opencode": true, "amp": true}

// geminiEvents are events that only Gemini CLI has.
var geminiEvents = map[string]bool{"BeforeAgent": true, "AfterAgent": true, "BeforeTool": true, "AfterTool": true, "PreCompress": true}

// agent tells agents apart. A variable of the environment counts only with the payload's own session id, because an agent that was
// started by another one inherits that agent's variables.
func (p payload) agent(getenv func(string) string) string {
	transcript := strings.ReplaceAll(p.text("transcript_path"), `\`, "/")
	id, event, own := p.text("session_id"), p.text("hook_event_name"), p.text("agent")
	named := func(variable string) bool { return id != "" && getenv(variable) == id }
	switch {
	case ownPayloads[own]:
		return own
	case p.text("cursor_version") != "":
		return "cursor"
	case id == "" && p.text("sessionId") != "":
		return "copilot"
	case named("QWEN_CODE_SESSION_ID"), strings.Contains(transcript, "/.qwen/"):
		return "qwen"
	case named("GEMINI_SESSION_ID"), strings.Contains(transcript, "/.gemini/"), geminiEvents[event]:
		return "gemini"
	case p.text("turn_id") != "", strings.Contains(transcript, "/.codex/"), strings.HasPrefix(path.Base(transcript), "rollout-"):
		return "codex"
	case id != "" && event != "":
		return "claude"
	}
	return ""
}
