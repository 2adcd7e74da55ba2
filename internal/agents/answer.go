package agents

// MaxContext is the largest number of bytes that git-resume adds to an agent's context when a session of the agent starts.
const MaxContext = 1500

// Answer returns the output of a hook that is called at the start of a session. It is in the form in which the agent passes the text to
// its model. Answer returns nil if no such form is known for the agent.
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
