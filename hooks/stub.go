package hooks

import (
	_ "embed"
	"strings"
)

// Name is the git hook that we install.
const Name = "post-checkout"

// kept is the file name to which we rename another tool's hook while our stub takes its place.
const kept = Name + ".before-git-resume"

// mark is the beginning of the line by which our own stub is recognized. It is the second line in all versions, and it is in people's
// hook files, so it must stay as it is.
const mark = "\n# git-resume-stub "

// Alive is the text that the stub prints when it is asked to prove that git runs it.
const Alive = "git-resume-stub-is-alive"

// Marks lists shell patterns for the files and folders that other tools leave in a worktree. The hook starts git-resume if one of them
// matches, because git-resume may then have other tools' work to report.
var Marks = []string{
	".auto-claude", "auto-claude/specs", "auto-build/specs", ".auto-claude-status", ".worktrees",
	".long-run", "agent-os/specs/*/.long-run", "specs/*/.long-run", ".planning", "*/.planning",
	"specs/*/tasks.md", "specs/*/.workflow", ".kiro/specs/*/tasks.md", "openspec/changes/*/tasks.md", "task_plan.md",
	".aios", ".aiox", "docs/stories", "_bmad-output", "*/_bmad-output", "bmad-output", ".bmad-ephemeral", "docs/sprint-status.y*ml", "docs/*/sprint-status.y*ml", "qa/loop-status.json", "qa/*/loop-status.json", "plan/build-state.json", "plan/*/build-state.json",
	".agent-memory/runs", ".taskmaster/tasks/tasks.json", "tasks/tasks.json",
	"conductor/tracks/*/plan.md", "conductor/setup_state.json",
	".agent-os/specs/*/tasks.md", "agent-os/specs/*/tasks.md", ".spec-workflow/specs/*/tasks.md",
	"execplans/*.md", ".agent/execplans/*.md", "tasks/todo.md",
	"docs/superpowers/plans", "*/docs/superpowers/plans", "docs/plans/20*.md", "*/docs/plans/20*.md", ".superpowers/sdd",
}

//go:embed flag.sh
var flagText string

//go:embed stub.sh
var stubText string

// flag returns the shell functions that both the hook file and the hook setting contain.
func flag() string {
	return strings.Replace(flagText, "@MARKS@", `"$tree"`+strings.Join(Marks, ` "$tree"`), 1)
}

// stub returns the text of the hook file.
func stub() string { return strings.Replace(stubText, "@FLAG@\n", flag(), 1) }

// command returns the value of the hook setting: shell functions, and a call of the first one. git appends the hook's arguments, so the
// value must not end with a comment, which would hide the arguments.
func command() string { return strings.TrimSpace(flag()) + "; git_resume_flag" }

// isOurs reports whether a hook file is our stub, of any version.
func isOurs(text []byte) bool { return strings.Contains(string(text), mark) }
