package agentsetup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// heardPath is a file without content. The time of its last change is when a hook of the agent last called us.
func (s *Setup) heardPath(agent string) string { return filepath.Join(s.State, "heard-"+agent) }

// Mark remembers that a hook of an agent has called us. Without our record nothing is written, because then nothing was installed.
func (s *Setup) Mark(agent string, now time.Time) {
	path := s.heardPath(agent)
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if _, err := os.Lstat(s.recordPath()); err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return // the next event tries again
	}
	_ = f.Close()
	_ = os.Chtimes(path, now, now)
}

// heard returns when a hook of an agent last called us, or zero if it never did after the installation.
func (s *Setup) heard(agent string) time.Time {
	info, err := os.Lstat(s.heardPath(agent))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// forget removes what is known of the events of agents. What was heard before a change of their hooks says nothing about the new ones.
func (s *Setup) forget(agents ...string) {
	for _, name := range agents {
		_ = os.Remove(s.heardPath(name)) // it may never have been there
	}
}

// forgetAll removes what is known of all agents' events, and what a killed command left of a record that it was writing.
func (s *Setup) forgetAll() {
	entries, _ := os.ReadDir(s.State)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "heard-") || strings.HasPrefix(e.Name(), "."+filepath.Base(s.recordPath())) {
			_ = os.Remove(filepath.Join(s.State, e.Name()))
		}
	}
}
