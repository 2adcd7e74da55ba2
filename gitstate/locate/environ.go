package locate

import (
	"slices"
	"strings"
)

// Environ is an environment: entries of the form "NAME=value".
type Environ []string

// Get returns the value of a variable. If the variable is not set or is empty, ok is false.
func (e Environ) Get(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(e[i], name+"="); ok {
			return v, v != ""
		}
	}
	return "", false
}

// Without returns the environment without the named variables.
func (e Environ) Without(names ...string) Environ {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}

// With returns the environment with the given entries added. They replace entries with the same names.
func (e Environ) With(entries ...string) Environ {
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	return append(e.Without(names...), entries...)
}

// localVars are variables that git must not inherit: they describe one repository or its state at one moment (git rev-parse
// --local-env-vars). With variables from a hook, git would answer about the hook's worktree instead of the worktree that we ask about.
// GIT_CONFIG_PARAMETERS and GIT_CONFIG_COUNT are left out on purpose, because they contain the user's "git -c name=value".
var localVars = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE",
	"GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
	"GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR",
	"GIT_INTERNAL_SUPER_PREFIX", "GIT_REFERENCE_BACKEND", "GIT_REF_URI", "GIT_NAMESPACE",
}

// LocalVars returns the names of the variables that tie a process to one repository. Commands that we run for the user must not
// inherit these variables.
func LocalVars() []string { return slices.Clone(localVars) }
