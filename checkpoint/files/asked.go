package files

import (
	"encoding/json"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Asked is what a command was told to do about one task. It is kept from before that is recorded until the command has said so:
// a command that was killed in between is repeated by whoever gave it, and must not be taken for a second wish.
type Asked struct {
	// Flag is the option that said it: skip or mark-done.
	Flag string            `json:"flag"`
	Task checkpoint.TaskID `json:"task"`
}

// AskedFile is where Ask writes.
func (d Folder) AskedFile(id checkpoint.RunID) string { return d.Path("asked", string(id)) }

// Ask notes durably what is about to be recorded for somebody.
func (d Folder) Ask(id checkpoint.RunID, a Asked) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return dotgit.WriteFile(d.AskedFile(id), append(text, '\n'))
}

// LastAsked is what the last command was told that did not come to its end; empty if there is none.
func (d Folder) LastAsked(id checkpoint.RunID) (a Asked) {
	text, err := ReadSmall(d.AskedFile(id))
	if err != nil || json.Unmarshal(text, &a) != nil {
		return Asked{}
	}
	return a
}

// Answered notes that a command on the run came to its end, and was seen to.
func (d Folder) Answered(id checkpoint.RunID) error { return RemoveQuiet(d.AskedFile(id)) }
