package hooks

import (
	_ "embed"
	"strings"
)

// Name is the git hook that we install.
const Name = "post-checkout"

// kept is the file to which another tool's hook is moved while our stub takes its place.
const kept = Name + ".before-git-resume"

// mark distinguishes our own stub from every other hook.
const mark = "git-resume-stub"

// Alive is what the stub prints when it is asked to prove that git runs it.
const Alive = "git-resume-stub-is-alive"

// Marks are shell patterns for the files and folders that other systems leave in a work tree:
// where none of them exists, no work of another system can be interrupted.
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

// flag is the shell function on which both the stub and the setting are built.
var flag = strings.Replace(flagText, "@MARKS@", strings.Join(Marks, " "), 1)

// stub is the text of the hook file.
var stub = strings.Replace(stubText, "@FLAG@\n", flag, 1)

// command is the same function as the value of a setting; git appends the hook's arguments to it.
// It must not end with a comment, because that would hide the arguments.
var command = strings.TrimSpace(flag) + "; git_resume_flag"

// isOurs reports whether a hook file is our stub, of any version.
func isOurs(text []byte) bool { return strings.Contains(string(text), mark) }
