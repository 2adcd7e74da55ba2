package checkpoint

import (
	"encoding/json"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// Asked is what a command was told to do about one task. It is kept from before that is recorded until the command has said so:
// a command that was killed in between is repeated by whoever gave it, and must not be taken for a second wish.
type Asked struct {
	// Flag is the option that said it: skip or mark-done.
	Flag string `json:"flag"`
	Task TaskID `json:"task"`
}

func (d Folder) askedFile(id RunID) string { return d.path("asked", string(id)) }

// Ask notes durably what is about to be recorded for somebody.
func (d Folder) Ask(id RunID, a Asked) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return dotgit.WriteFile(d.askedFile(id), append(text, '\n'))
}

// LastAsked is what the last command was told that did not come to its end; empty if there is none.
func (d Folder) LastAsked(id RunID) (a Asked) {
	text, err := readSmall(d.askedFile(id))
	if err != nil || json.Unmarshal(text, &a) != nil {
		return Asked{}
	}
	return a
}

// Answered notes that a command on the run came to its end, and was seen to.
func (d Folder) Answered(id RunID) error { return removeQuiet(d.askedFile(id)) }
