package files

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Looked records what one user of this clone had seen when "git resume review --since last" last ran.
type Looked struct {
	V int `json:"v"`
	// Clone is the id of the clone in which the user looked. In a copy of the repository the record does not count.
	Clone string `json:"clone"`
	// At is the time at which the user last looked at all runs. It is zero if that never happened.
	At   time.Time                     `json:"at,omitzero"`
	Runs map[checkpoint.RunID]LookedAt `json:"runs"`
}

// LookedAt records what a user had seen of one run: the highest number of a journal line, and the last commit of the branch.
type LookedAt struct {
	At  time.Time `json:"at"`
	Seq int64     `json:"seq"`
	Tip object.ID `json:"tip,omitempty"`
}

// maxLooked limits how many bytes are read from the file that KeepLook writes. This is enough for tens of thousands of runs.
const maxLooked = 8 << 20

func (d Folder) lookedPath() string { return d.Path("looked", strconv.Itoa(dotgit.ThisUser())) }

// LastLook returns the record of what this user saw at the last look. It is empty if the file is missing or damaged, or belongs to another
// clone.
func (d Folder) LastLook(clone string) Looked {
	text, err := gitstate.ReadUpTo(d.lookedPath(), maxLooked)
	if err != nil {
		return Looked{}
	}
	return parseLooked(text, clone)
}

func parseLooked(text []byte, clone string) (l Looked) {
	if json.Unmarshal(text, &l) != nil || l.V != 1 || l.Clone != clone {
		return Looked{}
	}
	for id, at := range l.Runs {
		if !id.Valid() || at.Tip != "" && !object.IsID(string(at.Tip)) {
			delete(l.Runs, id)
		}
	}
	return l
}

// KeepLook records what this user has seen.
func (d Folder) KeepLook(l Looked) error {
	l.V = 1
	if err := dotgit.MkdirAll(d.Path("looked")); err != nil {
		return err
	}
	return d.WriteHint(d.lookedPath(), l)
}
