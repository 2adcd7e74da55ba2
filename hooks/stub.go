package hooks

import (
	_ "embed"
	"strings"
)

// Name is the hook that we use.
const Name = "post-checkout"

// kept is where another tool's hook lies while ours stands in front of it.
const kept = Name + ".before-git-resume"

// mark tells our own stub from anybody else's hook.
const mark = "git-resume-stub"

// Alive is what a hook answers when it is asked whether git runs it.
const Alive = "git-resume-stub-is-alive"

// Marks are what other systems leave in a work tree, as a shell matches them:
// only where one of them is there can anything but our own runs be interrupted.
var Marks = []string{
	".auto-claude", "auto-claude/specs", "auto-build/specs", ".auto-claude-status", ".worktrees",
	".long-run", "agent-os/specs/*/.long-run", "specs/*/.long-run", ".planning",
	"specs/*/tasks.md", "specs/*/.workflow", ".kiro/specs/*/tasks.md", "openspec/changes/*/tasks.md", "task_plan.md",
	".aios", ".aiox", "docs/stories", "qa/loop-status.json", "qa/*/loop-status.json", "plan/build-state.json", "plan/*/build-state.json",
	".agent-memory/runs",
}

//go:embed flag.sh
var flagText string

//go:embed stub.sh
var stubText string

// flag is the shell function that both the stub and the setting consist of.
var flag = strings.Replace(flagText, "@MARKS@", strings.Join(Marks, " "), 1)

// stub is the hook file.
var stub = strings.Replace(stubText, "@FLAG@\n", flag, 1)

// command is the same as a setting; git calls it with the hook's arguments behind it.
// A word of a comment would hide them, so that it holds none at its end.
var command = strings.TrimSpace(flag) + "; git_resume_flag"

// isOurs reports whether a hook file is a stub of ours, of whatever version.
func isOurs(text []byte) bool { return strings.Contains(string(text), mark) }
