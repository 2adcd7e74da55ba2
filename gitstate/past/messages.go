package past

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Described is a commit with its whole message. A long body is cut.
type Described struct {
	Logged
	Body    string
	Parents []object.ID
}

// Text returns the subject and the body.
func (m *Described) Text() string { return m.Subject + "\n" + m.Body }

// maxBody is the number of bytes of a message's body that are kept. Somebody else wrote the message, so it can be of any length.
const maxBody = 4 << 10

// Messages lists the commits of all branches and of some other tips that are not older than the given time, newest first. The argument
// most limits their number.
func Messages(ctx context.Context, r *gitstate.Repo, since time.Time, most int, tips ...object.ID) ([]Described, error) {
	args := []string{"log", "-z", "-n", strconv.Itoa(most), "--since=" + since.UTC().Format(time.RFC3339), "--format=tformat:%H%x00%ct%x00%an%x00%s%x00%P%x00%b",
		"--no-show-signature", "--no-notes", "--no-color", "--branches", "--end-of-options"}
	for _, t := range tips {
		args = append(args, string(t))
	}
	fields := &fieldWriter{}
	if _, err := r.Git(ctx, process.Call{Args: append(args, "--"), Stdout: fields}); err != nil {
		return nil, fmt.Errorf("list the newest commits: %w", err)
	}
	var all []Described
	for f := fields.all; len(f) >= 6; f = f[6:] {
		c := Described{Logged: logged(f), Body: f[5]}
		for id := range strings.FieldsSeq(f[4]) {
			c.Parents = append(c.Parents, object.ID(id))
		}
		all = append(all, c)
	}
	return all, nil
}

// fieldWriter splits a stream at NUL bytes, and keeps only the beginning of a long field.
type fieldWriter struct {
	all  []string
	part []byte
}

func (w *fieldWriter) Write(p []byte) (int, error) {
	for rest := p; ; {
		field, after, whole := bytes.Cut(rest, []byte{0})
		w.part = append(w.part, field[:min(len(field), maxBody-len(w.part))]...)
		if !whole {
			return len(p), nil
		}
		w.all = append(w.all, string(w.part))
		w.part, rest = w.part[:0], after
	}
}
