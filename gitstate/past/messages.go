package past

import (
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
)

// Described is a commit with its message. A subject or body that is longer than maxBody is cut.
type Described struct {
	Logged
	Body    string
	Parents []object.ID
}

// Text returns the subject and the body.
func (m *Described) Text() string { return m.Subject + "\n" + m.Body }

// maxBody is how many bytes of a message's subject or body are kept. Somebody else wrote the message, so it can be of any length.
const maxBody = 4 << 10

// messageFields is the number of fields that git prints for a commit and its message.
const messageFields = 6

// messageArgs make git list commits with their messages, in the format that MessageLog reads.
var messageArgs = []string{"log", "-z", "--format=tformat:%H%x00%ct%x00%an%x00%s%x00%P%x00%b", "--no-show-signature", "--no-notes", "--no-color"}

func described(f []string) Described {
	c := Described{Logged: logged(f), Body: f[5]}
	for id := range strings.FieldsSeq(f[4]) {
		c.Parents = append(c.Parents, object.ID(id))
	}
	return c
}
