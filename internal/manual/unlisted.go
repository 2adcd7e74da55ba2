package manual

// unlisted has the commands that are not yet in the list of commands, because they are not complete. They have -h, but no manual page.
var unlisted = []Command{
	{Name: "agents", Forms: []string{"agents [--project]", "agents install [--tasks] [--project] [-n | -y] [AGENT]...", "agents uninstall [--project] [-n | -y] [AGENT]...", "agents check [--project] [AGENT]..."},
		Summary: "show, install or remove the hooks of coding agents", Flags: []Flag{
			{Name: "project", Help: "in this worktree instead of your own settings"},
			{Name: "tasks", Help: "also switch on the agents' built-in task lists"},
			dryRun, yes,
		}, Note: `Without a command, the agents are listed. 'install' without a name means every
agent that is found: claude, codex, gemini, qwen, copilot, opencode. For cursor,
goose and amp the text is only printed. crush and aider have no hooks.
Files of yours get text inserted, and 'uninstall' takes exactly that out again.
The skill teaches an agent to use git resume. The hooks call git resume, which
does not record their events yet.
`},
}
