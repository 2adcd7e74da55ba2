package agentsetup

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/agents/heard"
)

// heard returns when a hook of an agent last called us, or zero if it never did after the installation.
func (s *Setup) heard(agent string) time.Time {
	info, err := os.Lstat(heard.Path(s.State, agent))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// forget removes what is known of the events of agents. What was heard before a change of their hooks says nothing about the new ones.
func (s *Setup) forget(agents ...string) {
	for _, name := range agents {
		_ = os.Remove(heard.Path(s.State, name)) // it may never have been there
	}
}

// forgetAll removes what is known of all agents' events, and what a killed command left of a record that it was writing.
func (s *Setup) forgetAll() {
	entries, _ := os.ReadDir(s.State)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), heard.Prefix) || strings.HasPrefix(e.Name(), "."+filepath.Base(s.recordPath())) {
			_ = os.Remove(filepath.Join(s.State, e.Name()))
		}
	}
}
