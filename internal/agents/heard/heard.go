// Package heard remembers for each coding agent when one of its hooks last called git-resume. It creates nothing if no hooks were
// installed.
package heard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Prefix is the beginning of the file names that Path returns.
const Prefix = "heard-"

// Path returns the path of an empty file whose modification time is when a hook of the agent last called us.
func Path(state, agent string) string { return filepath.Join(state, Prefix+agent) }

// Record returns the path of the file in which we record for which agents hooks were installed.
func Record(state string) string { return filepath.Join(state, "agents.json") }

// State returns the folder in which we keep files about agents for this user.
func State(home string, getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "git-resume")
}

// Mark remembers that a hook of an agent has called us. It creates no file if no installation is recorded for this user.
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
		return // the next event of a hook tries again
	}
	_ = f.Close()
	_ = os.Chtimes(path, now, now)
}
