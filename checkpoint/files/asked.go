package files

import (
	"encoding/json"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Asked is a user's request to skip a task or to mark it as done. It is kept in a file until the command has shown its result. If the
// command is killed before that and repeated, it can see that it was already asked.
type Asked struct {
	// Flag is the option that the user typed: skip or mark-done.
	Flag string            `json:"flag"`
	Task checkpoint.TaskID `json:"task"`
}

// AskedFile returns the path of the file in which Ask stores a request.
func (d Folder) AskedFile(id checkpoint.RunID) string { return d.Path("asked", string(id)) }

// Ask writes a request to the disk. A command calls Ask before it does what the user requested.
func (d Folder) Ask(id checkpoint.RunID, a Asked) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return dotgit.WriteFile(d.AskedFile(id), append(text, '\n'))
}

// LastAsked returns the stored request of a command that was killed, or an empty value.
func (d Folder) LastAsked(id checkpoint.RunID) (a Asked) {
	text, err := ReadSmall(d.AskedFile(id))
	if err != nil || json.Unmarshal(text, &a) != nil {
		return Asked{}
	}
	return a
}

// Answered removes the request that Ask stored. A command calls Answered after showing the result of the request.
func (d Folder) Answered(id checkpoint.RunID) error { return RemoveQuiet(d.AskedFile(id)) }
