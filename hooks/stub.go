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

//go:embed stub.sh
var stub string

// isOurs reports whether a hook file is a stub of ours, of whatever version.
func isOurs(text []byte) bool { return strings.Contains(string(text), mark) }

// probeWord is what a stub answers when it is asked whether git runs it.
const probeWord = "git-resume-stub-is-alive"
