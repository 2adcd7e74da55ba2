package agents

// MaxContext is how many bytes of context an agent is given at most when a session starts.
const MaxContext = 1500

// Answer returns what a hook prints at the start of a session so that the agent passes the text to its model. It returns nil if no such
// output is known for the agent.
func Answer(agent, text string) []byte {
	type inner struct {
		Event string `json:"hookEventName"`
		Text  string `json:"additionalContext"`
	}
	switch agent {
	case "claude", "codex", "gemini", "qwen":
		return []byte(line(struct {
			Out inner `json:"hookSpecificOutput"`
		}{inner{"SessionStart", text}}) + "\n")
	case "copilot":
		return []byte(line(struct {
			Text string `json:"additionalContext"`
		}{text}) + "\n")
	}
	return nil
}
