package files

import (
	"encoding/json"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Asked is what a command was told to do about one task. The file exists from before the change is recorded until the command has
// reported it: if the command is killed in between, the user repeats it, and that must not count as a second request.
type Asked struct {
	// Flag is the option that asked for it: skip or mark-done.
	Flag string            `json:"flag"`
	Task checkpoint.TaskID `json:"task"`
}

// AskedFile is the path to which Ask writes.
func (d Folder) AskedFile(id checkpoint.RunID) string { return d.Path("asked", string(id)) }

// Ask durably records what the command is about to do.
func (d Folder) Ask(id checkpoint.RunID, a Asked) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return dotgit.WriteFile(d.AskedFile(id), append(text, '\n'))
}

// LastAsked returns what the last command that did not complete was told; it is empty if there is none.
func (d Folder) LastAsked(id checkpoint.RunID) (a Asked) {
	text, err := ReadSmall(d.AskedFile(id))
	if err != nil || json.Unmarshal(text, &a) != nil {
		return Asked{}
	}
	return a
}

// Answered records that a command on the run completed and that its result was shown.
func (d Folder) Answered(id checkpoint.RunID) error { return RemoveQuiet(d.AskedFile(id)) }
