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

// Letter is a report of a hook that could not be recorded in the short time that a hook may take.
type Letter struct {
	Report agents.Report     `json:"report"`
	Actor  *checkpoint.Actor `json:"actor,omitempty"`
}

// Inbox is the folder .git/resume/inbox. A hook must not wait long for a lock. If it cannot record its report soon, it puts the report
// there, and the next process that records something of the run also records that report.
type Inbox struct {
	Folder files.Folder
	Keys   *clone.Keys
}

const (
	inboxDomain = "git-resume inbox 1"
	// maxLetters is how many reports can wait for one run. Further reports are lost, because a hook must not wait.
	maxLetters = 100
)

// Put stores a report about a run. It fails if the inbox of the run is full.
func (b Inbox) Put(id checkpoint.RunID, l Letter, nonce string) error {
	if len(b.names(id)) >= maxLetters {
		return fmt.Errorf("too many reports about run '%s' are waiting to be recorded", id)
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

// names lists the files in the inbox for a run, the oldest first.
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

// Letters returns the reports that wait for a run, the oldest first. The second result lists the files of all reports for the run,
// including those that we did not sign.
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

// Remove deletes files from the inbox.
func (b Inbox) Remove(names []string) {
	for _, name := range names {
		_ = files.RemoveQuiet(b.Folder.Path("inbox", name))
	}
}
