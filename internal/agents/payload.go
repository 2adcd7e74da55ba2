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

// payload has the fields of all agents that help to tell them apart.
type payload struct {
	Agent          string `json:"agent"`
	HookEventName  string `json:"hook_event_name"`
	HookName       string `json:"hookName"`
	SessionID      string `json:"session_id"`
	SessionIDCamel string `json:"sessionId"`
	Conversation   string `json:"conversation_id"`
	CursorVersion  string `json:"cursor_version"`
	TurnID         string `json:"turn_id"`
	AgentID        string `json:"agent_id"`
	AgentType      string `json:"agent_type"`
	Transcript     string `json:"transcript_path"`
	Dir            string `json:"cwd"`
	Properties     struct {
		SessionID string `json:"sessionID"`
	} `json:"properties"`
}

// Recognize says which agent a payload comes from. The payload decides, and not the file in which the hook is installed, because Cursor
// also runs the hooks of Claude Code. The parameter name is the event's name from the command line, for agents whose payloads have none.
func Recognize(text []byte, name string, getenv func(string) string) (Event, bool) {
	var p payload
	if len(text) > MaxPayload || json.Unmarshal(text, &p) != nil {
		return Event{}, false
	}
	e := Event{Name: p.HookEventName, Session: p.SessionID, Dir: p.Dir, Sub: p.AgentID != ""}
	if e.Name == "" {
		e.Name = name
	}
	switch e.Agent = p.agent(getenv); e.Agent {
	case "opencode":
		e.Session = p.Properties.SessionID
	case "cursor":
		e.Session = p.Conversation
	case "copilot":
		e.Session = p.SessionIDCamel
		if e.Name == "" {
			e.Name = p.HookName
		}
	case "codex":
		e.Sub = e.Sub || p.AgentType != ""
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
	transcript := strings.ReplaceAll(p.Transcript, `\`, "/")
	named := func(variable string) bool { return p.SessionID != "" && getenv(variable) == p.SessionID }
	switch {
	case ownPayloads[p.Agent]:
		return p.Agent
	case p.CursorVersion != "":
		return "cursor"
	case p.SessionIDCamel != "" && p.SessionID == "":
		return "copilot"
	case named("QWEN_CODE_SESSION_ID"), strings.Contains(transcript, "/.qwen/"):
		return "qwen"
	case named("GEMINI_SESSION_ID"), strings.Contains(transcript, "/.gemini/"), geminiEvents[p.HookEventName]:
		return "gemini"
	case p.TurnID != "", strings.Contains(transcript, "/.codex/"), strings.HasPrefix(path.Base(transcript), "rollout-"):
		return "codex"
	case p.SessionID != "" && p.HookEventName != "":
		return "claude"
	}
	return ""
}
