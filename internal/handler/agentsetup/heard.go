package agentsetup

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/agents/heard"
)

// heard returns when a hook of an agent last called us, or zero if no call is recorded.
func (s *Setup) heard(agent string) time.Time {
	info, err := os.Lstat(heard.Path(s.State, agent))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// forget removes the record of when the hooks of these agents last called us. After a change of the hooks, earlier calls do not prove that
// the new hooks work.
func (s *Setup) forget(agents ...string) {
	for _, name := range agents {
		_ = os.Remove(heard.Path(s.State, name)) // a missing file is not an error
	}
}

// forgetAll removes the record of when hooks last called us, for all agents. It also removes an unfinished record file that a killed
// command left.
func (s *Setup) forgetAll() {
	entries, _ := os.ReadDir(s.State)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), heard.Prefix) || strings.HasPrefix(e.Name(), "."+filepath.Base(s.recordPath())) {
			_ = os.Remove(filepath.Join(s.State, e.Name()))
		}
	}
}
