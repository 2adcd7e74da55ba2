package agents

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Support says how much git resume does for an agent.
type Support string

const (
	// Installed means that git resume writes hooks and the skill into the agent's settings. Tests in internal/agentlab tried both with the
	// real agent.
	Installed Support = "install"
	// Printed means that git resume only prints text that users can put into the agent's settings themselves. The text follows the agent's
	// documentation, and was not tested with the real agent.
	Printed Support = "print"
	// BriefOnly means that the agent has no hooks that could report a session. Only the brief can be given to it.
	BriefOnly Support = "brief"
)

// Agent describes one coding agent.
type Agent struct {
	// Name is the agent's name in our commands, Title is the name of the product, and Program is the command that starts it.
	Name, Title, Program string
	// Package is the name of the agent's npm package. Tried is the version with which our hooks were tried.
	Package, Tried string
	Support        Support
	// Trust says whether the user must trust hooks before the agent runs them.
	Trust Trust
	// Tasks says how the agent's built-in task list is switched on.
	Tasks TaskList
	// hooks are the events that we want, in the order in which they are written into the file. secondUnit is the number that means one
	// second in the agent's timeouts: 1, or 1000 if they are in milliseconds.
	hooks      []hook
	secondUnit int
}

// Trust says whether an agent runs hooks only after its user trusted them.
type Trust string

const (
	// TrustNone means that the agent runs hooks of the user's own settings without asking.
	TrustNone Trust = "none"
	// TrustEach means that the user must trust each hook once, in the agent itself.
	TrustEach Trust = "each"
	// TrustFolder means that the agent runs hooks only in folders that its user trusts.
	TrustFolder Trust = "folder"
)

// TaskList says how the built-in task list of an agent is switched on.
type TaskList string

const (
	// TasksOn means that the list is on by default.
	TasksOn TaskList = "on"
	// TasksSwitch means that a setting switches the list on.
	TasksSwitch TaskList = "switch"
	// TasksUnreadable means that the list is in a database that git resume does not read.
	TasksUnreadable TaskList = "database"
	// TasksUnknown means that it is not known whether the agent has a task list.
	TasksUnknown TaskList = "unknown"
)

// hook is one event of an agent for which we install a hook.
type hook struct {
	event string
	// matcher restricts the event to some of the agent's tools. If it is empty, there is no restriction.
	matcher string
	// seconds is how long the hook may take. If it is 0, the constant of the same name is used.
	seconds int
	// since is the first version of the agent that knows the event. It is empty if every version with hooks knows it.
	since string
}

const seconds = 5

// All lists the agents in the order in which they are shown.
var All = []Agent{
	{Name: "claude", Title: "Claude Code", Program: "claude", Package: "@anthropic-ai/claude-code", Tried: "2.1.325", Support: Installed, Trust: TrustNone, Tasks: TasksSwitch, secondUnit: 1, hooks: []hook{
		{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "PostToolUse", matcher: "TaskCreate|TaskUpdate|TodoWrite"},
		{event: "Stop"}, {event: "StopFailure", since: "2.1.78"}, {event: "SessionEnd"}}},
	{Name: "codex", Title: "Codex", Program: "codex", Package: "@openai/codex", Tried: "0.166.0", Support: Installed, Trust: TrustEach, Tasks: TasksSwitch, secondUnit: 1, hooks: []hook{
		{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "PostToolUse", matcher: "^update_plan$"},
		{event: "Stop"}, {event: "Interrupt", seconds: 3, since: "0.166.0"}, {event: "SessionEnd", seconds: 3}}},
	{Name: "gemini", Title: "Gemini CLI", Program: "gemini", Package: "@google/gemini-cli", Tried: "0.61.0", Support: Installed, Trust: TrustFolder, Tasks: TasksOn, secondUnit: 1000, hooks: []hook{
		{event: "SessionStart"}, {event: "BeforeAgent"}, {event: "AfterTool", matcher: "write_todos"}, {event: "AfterAgent"}, {event: "SessionEnd"}}},
	{Name: "qwen", Title: "Qwen Code", Program: "qwen", Package: "@qwen-code/qwen-code", Tried: "0.24.4", Support: Installed, Trust: TrustFolder, Tasks: TasksSwitch, secondUnit: 1000, hooks: []hook{
		{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "PostToolUse", matcher: "todo_write"}, {event: "Stop"}, {event: "StopFailure"}, {event: "SessionEnd"}}},
	{Name: "copilot", Title: "Copilot CLI", Program: "copilot", Package: "@github/copilot", Tried: "1.0.102", Support: Installed, Trust: TrustNone, Tasks: TasksUnreadable, secondUnit: 1, hooks: []hook{
		{event: "sessionStart"}, {event: "userPromptSubmitted"}, {event: "agentStop"}, {event: "errorOccurred"}, {event: "sessionEnd"}}},
	{Name: "opencode", Title: "OpenCode", Program: "opencode", Package: "opencode-ai", Tried: "1.18.33", Support: Installed, Trust: TrustNone, Tasks: TasksOn},
	{Name: "cursor", Title: "Cursor CLI", Program: "cursor-agent", Support: Printed, Tasks: TasksUnknown},
	{Name: "goose", Title: "Goose", Program: "goose", Support: Printed, Tasks: TasksUnknown},
	{Name: "amp", Title: "Amp", Program: "amp", Support: Printed, Tasks: TasksUnknown},
	{Name: "crush", Title: "Crush", Program: "crush", Support: BriefOnly, Tasks: TasksUnknown},
	{Name: "aider", Title: "Aider", Program: "aider", Support: BriefOnly, Tasks: TasksUnknown},
}

// Variable is an environment variable in which an agent names its session for the commands that it runs.
type Variable struct{ Agent, Name string }

// Variables lists these variables. Gemini CLI sets its variable only for hooks. For OpenCode, our own plugin sets the variable.
var Variables = []Variable{
	{"claude", "CLAUDE_CODE_SESSION_ID"},
	{"codex", "CODEX_THREAD_ID"},
	{"codex", "CODEX_SESSION_ID"},
	{"qwen", "QWEN_CODE_SESSION_ID"},
	{"gemini", "GEMINI_SESSION_ID"},
	{"gemini", "GEMINI_CLI_SESSION_ID"},
	{"copilot", "COPILOT_AGENT_SESSION_ID"},
	{"opencode", "OPENCODE_SESSION_ID"},
	{"crush", "CRUSH_SESSION_ID"},
	{"cursor", "CURSOR_TRACE_ID"},
}

// Lookup returns the agent with a name. The second result is false if there is none.
func Lookup(name string) (Agent, bool) {
	i := slices.IndexFunc(All, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return All[i], true
}

// Older reports whether one version is older than another. Versions are compared number by number, and whatever is not a number counts as
// 0.
func Older(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x, _ = strconv.Atoi(a[i]) // a part that is not a number counts as 0
		}
		if i < len(b) {
			y, _ = strconv.Atoi(b[i])
		}
		if x != y {
			return x < y
		}
	}
	return false
}

// known returns the hooks that this version of the agent knows. The others are left out, because an agent may warn about an unknown event
// or reject the file.
func (a Agent) known(version string) []hook {
	return slices.DeleteFunc(slices.Clone(a.hooks), func(h hook) bool { return h.since != "" && Older(version, h.since) })
}

// Events returns the names of the events for which we install hooks in this version of the agent.
func (a Agent) Events(version string) (names []string) {
	for _, h := range a.known(version) {
		names = append(names, h.event)
	}
	return names
}

// Place says where an agent looks for its files: in the user's folders, or in a project.
type Place struct {
	// Home is the user's home folder. Getenv returns a variable of the environment, and may be nil.
	Home   string
	Getenv func(string) string
	// Project is the top folder of a worktree. If it is empty, the files are the user's own.
	Project string
}

// folder returns the user's folder of an agent: the value of the variable if it is an absolute path, or the usual folder below the home
// folder.
func (p Place) folder(variable string, usual ...string) string {
	if variable != "" && p.Getenv != nil {
		if dir := p.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
	}
	return filepath.Join(append([]string{p.Home}, usual...)...)
}

// Root returns the folder of an agent's settings: a folder in the project, if p.Project is set, and otherwise the user's folder.
func (p Place) Root(agent string) string {
	if p.Project != "" {
		return filepath.Join(p.Project, map[string]string{
			"claude": ".claude", "codex": ".codex", "gemini": ".gemini", "qwen": ".qwen", "copilot": ".github", "opencode": ".opencode",
		}[agent])
	}
	switch agent {
	case "claude":
		return p.folder("CLAUDE_CONFIG_DIR", ".claude")
	case "codex":
		return p.folder("CODEX_HOME", ".codex")
	case "gemini":
		return filepath.Join(p.folder("GEMINI_CLI_HOME"), ".gemini")
	case "qwen":
		return p.folder("QWEN_HOME", ".qwen")
	case "copilot":
		return p.folder("COPILOT_HOME", ".copilot")
	}
	return filepath.Join(p.folder("XDG_CONFIG_HOME", ".config"), agent)
}
