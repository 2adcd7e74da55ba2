// Package heard remembers when a hook of each coding agent last called. It writes nothing where no hooks were installed.
package heard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Prefix is how the names of the files begin.
const Prefix = "heard-"

// Path is a file without content. The time of its last change is when a hook of the agent last called us.
func Path(state, agent string) string { return filepath.Join(state, Prefix+agent) }

// Record is the file in which an installation is recorded.
func Record(state string) string { return filepath.Join(state, "agents.json") }

// State returns the folder for what we write about agents.
func State(home string, getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "git-resume")
}

// Mark remembers that a hook of an agent has called us. Without our record nothing is written, because then nothing was installed.
func Mark(state, agent string, now time.Time) {
	path := Path(state, agent)
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if _, err := os.Lstat(Record(state)); err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return // the next event tries again
	}
	_ = f.Close()
	_ = os.Chtimes(path, now, now)
}
