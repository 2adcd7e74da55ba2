// Package agentsetup installs, removes and checks the hooks and the skill of coding agents. A change is planned before it is made, so
// that it can be shown.
package agentsetup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/heard"
	"github.com/git-resume/git-resume/internal/proc"
)

// Setup knows where the files of agents are.
type Setup struct {
	Place agents.Place
	// State is our folder for the record of what was written.
	State string
	// Env is the environment for the programs of agents, and Dir is the current directory.
	Env []string
	Dir string
}

// UnknownError says that there is no agent of this name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	var names []string
	for _, a := range agents.All {
		names = append(names, a.Name)
	}
	return fmt.Sprintf("there is no agent '%s'; these are known: %s", e.Name, strings.Join(names, ", "))
}

// NoAgentError says that no agent was found to install for.
type NoAgentError struct{}

func (e *NoAgentError) Error() string {
	return "no coding agent that git-resume can set up was found on PATH"
}

// Named returns the agents with these names. An unknown name is an error.
func Named(names []string) (out []agents.Agent, err error) {
	for _, name := range names {
		a, ok := agents.Lookup(name)
		if !ok {
			return nil, &UnknownError{name}
		}
		if !slices.ContainsFunc(out, func(b agents.Agent) bool { return b.Name == a.Name }) {
			out = append(out, a)
		}
	}
	return out, nil
}

// Found returns the agents whose programs are on PATH and for which something can be installed.
func (s *Setup) Found() (out []agents.Agent) {
	for _, a := range agents.All {
		if a.Support == agents.Installed && s.program(a).IsInstalled() {
			out = append(out, a)
		}
	}
	return out
}

// program returns the command that starts an agent's program. Its environment variables keep the program from updating itself.
func (s *Setup) program(a agents.Agent, args ...string) proc.Command {
	env := append(slices.Clone(s.Env), "DISABLE_AUTOUPDATER=1", "COPILOT_AUTO_UPDATE=false", "OPENCODE_DISABLE_AUTOUPDATE=1")
	return proc.Command{Name: a.Program, Args: args, Dir: s.Dir, Env: env, Apart: true}
}

func (s *Setup) recordPath() string { return heard.Record(s.State) }
