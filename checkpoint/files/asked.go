package files

import (
	"encoding/json"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Asked is a request of the user about one task. Its file exists from before the change is recorded until the command has reported the
// result. If the command is killed, the user repeats it. The file prevents that repetition from counting as a second request.
type Asked struct {
	// Flag is the option that made the request: skip or mark-done.
	Flag string            `json:"flag"`
	Task checkpoint.TaskID `json:"task"`
}

// AskedFile is the path of the file that Ask writes.
func (d Folder) AskedFile(id checkpoint.RunID) string { return d.Path("asked", string(id)) }

// Ask durably records the request that the command is about to fulfil.
func (d Folder) Ask(id checkpoint.RunID, a Asked) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return dotgit.WriteFile(d.AskedFile(id), append(text, '\n'))
}

// LastAsked returns the request of the last command that did not complete, or an empty value.
func (d Folder) LastAsked(id checkpoint.RunID) (a Asked) {
	text, err := ReadSmall(d.AskedFile(id))
	if err != nil || json.Unmarshal(text, &a) != nil {
		return Asked{}
	}
	return a
}

// Answered removes the request: the command completed and showed its result.
func (d Folder) Answered(id checkpoint.RunID) error { return RemoveQuiet(d.AskedFile(id)) }
