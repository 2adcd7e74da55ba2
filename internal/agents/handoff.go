package agents

// Continuation says how a session of an agent is continued.
type Continuation struct {
	// Attended is the command for a person at a terminal. Alone is the command that runs without a person, and exits when the work is done.
	// In both, {args} stands for the user's own options, {agent_id} for the session, {dir} for the folder of the run, and {brief} for the
	// text that says what to do.
	Attended, Alone string
	// Fresh is the command that starts a new session instead. The session runs without a person, and exits when its work is done. Open
	// is the command that starts a new session for a person at a terminal.
	Fresh, Open string
	// OwnFolder is true if the agent finds a session only in the folder in which the session was started.
	OwnFolder bool
	// Database is true if the agent keeps its sessions in a database. Then no file proves that the agent still has the session.
	Database bool
}

// Continuation returns how a session of the agent is continued. ok is false if continuing was not tested with the real agent.
func (a Agent) Continuation() (c Continuation, ok bool) {
	c, ok = continuations[a.Name]
	return c, ok
}

// continuations has the commands that continue a session. Copilot CLI would work in the session's old folder, so its commands name the
// folder of the run. No command gives an agent more rights than its user has given it.
var continuations = map[string]Continuation{
	"claude":   {Attended: "claude {args} --resume {agent_id} {brief}", Alone: "claude {args} -p --resume {agent_id} {brief}", Fresh: "claude {args} -p {brief}", Open: "claude {args} {brief}"},
	"codex":    {Attended: "codex resume {args} {agent_id} {brief}", Alone: "codex exec resume {args} {agent_id} {brief}", Fresh: "codex exec {args} {brief}", Open: "codex {args} {brief}"},
	"gemini":   {Attended: "gemini {args} --resume {agent_id} -i {brief}", Alone: "gemini {args} --resume {agent_id} -p {brief}", Fresh: "gemini {args} -p {brief}", Open: "gemini {args} -i {brief}", OwnFolder: true},
	"qwen":     {Attended: "qwen {args} --resume {agent_id} -i {brief}", Alone: "qwen {args} --resume {agent_id} -p {brief}", Fresh: "qwen {args} -p {brief}", Open: "qwen {args} -i {brief}", OwnFolder: true},
	"copilot":  {Attended: "copilot {args} -C {dir} --resume={agent_id} -i {brief}", Alone: "copilot {args} -C {dir} --resume={agent_id} -p {brief}", Fresh: "copilot {args} -C {dir} -p {brief}", Open: "copilot {args} -C {dir} -i {brief}"},
	"opencode": {Attended: "opencode {args} -s {agent_id} --prompt {brief}", Alone: "opencode run {args} -s {agent_id} {brief}", Fresh: "opencode run {args} {brief}", Open: "opencode {args} --prompt {brief}", OwnFolder: true, Database: true},
}

// QuotaCode is the exit code that Gemini CLI can have when the user's quota is used up. In that case it calls no hook, and its transcript
// does not mention the quota.
const QuotaCode = 173
