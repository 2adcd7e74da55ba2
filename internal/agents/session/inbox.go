package session

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/internal/agents"
)

// Letter is a report that could not be recorded at once, because somebody else was recording.
type Letter struct {
	Report agents.Report     `json:"report"`
	Actor  *checkpoint.Actor `json:"actor,omitempty"`
}

// Inbox is the folder .git/resume/inbox. A hook may not wait, so it puts its report there. Readers read it, and the next process that records
// something of the run records it too. The files are signed, as they become lines of ours.
type Inbox struct {
	Folder files.Folder
	Keys   *clone.Keys
}

const (
	inboxDomain = "git-resume inbox 1"
	// maxLetters is how many reports wait for one run. Further ones are dropped: a hook has no way to wait.
	maxLetters = 100
)

// Put stores a report about a run. The nonce is a text that only this process uses.
func (b Inbox) Put(id checkpoint.RunID, l Letter, nonce string) error {
	if len(b.names(id)) >= maxLetters {
		return fmt.Errorf("the inbox of run '%s' is full", id)
	}
	body, err := checkpoint.Marshal(l)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s@%020d-%s", id, l.Report.At.UnixNano(), nonce)
	mac, err := b.Keys.Seal(inboxDomain, name, string(body))
	if err != nil {
		return err
	}
	return files.ReplaceFile(b.Folder.Path("inbox", name), []byte(mac+" "+string(body)+"\n"))
}

// names lists the files of a run, the oldest first.
func (b Inbox) names(id checkpoint.RunID) (out []string) {
	entries, _ := os.ReadDir(b.Folder.Path("inbox"))
	for _, e := range entries {
		if run, rest, ok := strings.Cut(e.Name(), "@"); ok && run == string(id) && !strings.Contains(rest, ".tmp") {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

// Letters returns the reports that wait for a run, the oldest first, and all files of the run, also those that we did not write.
func (b Inbox) Letters(id checkpoint.RunID) (out []Letter, names []string) {
	names = b.names(id)
	for _, name := range names[:min(len(names), maxLetters)] {
		text, err := files.ReadSmall(b.Folder.Path("inbox", name))
		mac, body, ok := strings.Cut(string(text), " ")
		var l Letter
		if err != nil || !ok || !b.Keys.Sealed(mac, inboxDomain, name, body) || json.Unmarshal([]byte(body), &l) != nil {
			continue
		}
		out = append(out, l)
	}
	return out, names
}

// Remove removes files of the inbox.
func (b Inbox) Remove(names []string) {
	for _, name := range names {
		_ = files.RemoveQuiet(b.Folder.Path("inbox", name))
	}
}
