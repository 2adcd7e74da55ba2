package agents

// Continuation says how a session of an agent is continued.
type Continuation struct {
	// Attended is the command for a person at a terminal, and Alone is the command that works by itself and ends. In both, {args} stands for
	// the user's own options, {agent_id} for the session, {dir} for the folder of the run, and {brief} for the text that says what to do.
	Attended, Alone string
	// Fresh is the command that begins a session of its own, which works by itself and ends.
	Fresh string
	// OwnFolder is true if the agent finds the session only in the folder in which it began.
	OwnFolder bool
	// Database is true if the agent keeps its sessions in a database, so that there is no file that proves that the session is known.
	Database bool
}

// Continuation returns how a session of the agent is continued. ok is false if that was not tried with the real program.
func (a Agent) Continuation() (c Continuation, ok bool) {
	c, ok = continuations[a.Name]
	return c, ok
}

// continuations was tried with the versions in the table of agents, except the commands for new sessions, which are as their manuals say. Claude Code and Codex work in the folder in which they are started.
// Copilot CLI works in the folder of the session unless it is told another one. No option allows an agent more than its user has
// allowed: that is for the user to add.
var continuations = map[string]Continuation{
	"claude":   {Attended: "claude {args} --resume {agent_id} {brief}", Alone: "claude {args} -p --resume {agent_id} {brief}", Fresh: "claude {args} -p {brief}"},
	"codex":    {Attended: "codex resume {args} {agent_id} {brief}", Alone: "codex exec resume {args} {agent_id} {brief}", Fresh: "codex exec {args} {brief}"},
	"gemini":   {Attended: "gemini {args} --resume {agent_id} -i {brief}", Alone: "gemini {args} --resume {agent_id} -p {brief}", Fresh: "gemini {args} -p {brief}", OwnFolder: true},
	"qwen":     {Attended: "qwen {args} --resume {agent_id} -i {brief}", Alone: "qwen {args} --resume {agent_id} -p {brief}", Fresh: "qwen {args} -p {brief}", OwnFolder: true},
	"copilot":  {Attended: "copilot {args} -C {dir} --resume={agent_id} -i {brief}", Alone: "copilot {args} -C {dir} --resume={agent_id} -p {brief}", Fresh: "copilot {args} -C {dir} -p {brief}"},
	"opencode": {Attended: "opencode {args} -s {agent_id} --prompt {brief}", Alone: "opencode run {args} -s {agent_id} {brief}", Fresh: "opencode run {args} {brief}", OwnFolder: true, Database: true},
}

// QuotaCode is the code with which Gemini CLI ends at a limit. It is the only sign of it: no hook is called, and nothing is written.
const QuotaCode = 173
