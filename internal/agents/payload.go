package agents

import (
	"encoding/json"
	"path"
	"strings"
	"unicode/utf8"
)

// MaxPayload is the longest payload of a hook that is accepted, in bytes.
const MaxPayload = 1 << 20

// Event is what a payload says about itself. Any program could have written it, so it proves nothing.
type Event struct {
	// Agent is the name of the agent, and Name is the agent's own name for the event.
	Agent, Name string
	// Session is the agent's id of the session, and Dir is the directory in which it works.
	Session, Dir string
	// Sub is true if the event is about a subagent.
	Sub bool
}

// payload is a JSON object whose members are decoded one by one. Decoding into a struct would be slower, because Go inspects the whole type
// first.
type payload map[string]json.RawMessage

// payloadOf reads a JSON object. The result is empty if the text is not an object.
func payloadOf(text []byte) (p payload) {
	_ = json.Unmarshal(text, &p) // ignore an error: for a text that is not an object, each member is missing
	return p
}

// text returns a member that is a string. It returns "" for any other member.
func (p payload) text(key string) (s string) {
	raw := p[key]
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if inside := raw[1 : len(raw)-1]; isPlain(inside) {
		return string(inside)
	}
	_ = json.Unmarshal(raw, &s) // cannot fail: a member of a decoded object is valid JSON
	return s
}

// isPlain reports whether the inside of a JSON string needs no decoding, because it has only ASCII and no backslash. Almost all members
// that we need are such strings. Decoding them would take longer than everything else that is done with a payload.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// number returns the member with this key if it is a number, and otherwise 0.
func (p payload) number(key string) (n float64) {
	if json.Unmarshal(p[key], &n) != nil {
		return 0
	}
	return n
}

// inner returns the member with this key if it is an object, and otherwise an empty payload.
func (p payload) inner(key string) payload { return payloadOf(p[key]) }

// isFilled reports whether the member with this key is an array or an object that has something in it.
func (p payload) isFilled(key string) bool {
	var list []json.RawMessage
	return json.Unmarshal(p[key], &list) == nil && len(list) > 0 || len(p.inner(key)) > 0
}

// Recognize says which agent a payload comes from, and which event it is. It looks at the payload and not at the file in which the hook
// is installed, because Cursor also runs the hooks of Claude Code. The second result is false if the payload is not recognized.
func Recognize(text []byte, name string, getenv func(string) string) (Event, bool) {
	if len(text) > MaxPayload {
		return Event{}, false
	}
	return payloadOf(text).event(name, getenv)
}

// event reads what the payload says about itself. The second result is false if the agent, the event or the session is missing.
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

// ownPayloads are the agents whose payloads are written by a plugin of ours. These payloads have the agent's name in them.
var ownPayloads = map[string]bool{"opencode": true, "amp": true}

// geminiEvents are events that only Gemini CLI has, of all agents that we know.
var geminiEvents = map[string]bool{"BeforeAgent": true, "AfterAgent": true, "BeforeTool": true, "AfterTool": true, "PreCompress": true}

// agent returns the name of the agent that wrote the payload, or "" if it cannot tell. Agents put their session id into an environment
// variable. Such a variable counts only if its session id is also in the payload. Otherwise it may come from another agent, which
// started this one.
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
