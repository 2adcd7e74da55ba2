package series

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
)

// FactsFile is the name of the blob that describes an entry.
const FactsFile = "facts"

// Whole reports whether all objects that a tree or commit reaches exist. It does not check objects that the revisions in the list "apart"
// reach.
func Whole(ctx context.Context, repo *gitstate.Repo, id object.ID, apart ...string) bool {
	if id == "" {
		return false
	}
	args := []string{"rev-list", "--objects", "--quiet", string(id)}
	if past.Partial(repo) {
		args = append(args, "--missing=allow-promisor") // objects that were never fetched do not count as missing
	}
	if len(apart) > 0 {
		args = append(append(args, "--not"), apart...)
	}
	_, err := repo.Git(ctx, process.Call{Args: args})
	return err == nil
}

// parts returns the contents of one entry. The keys are the file names in the entry's tree.
func parts(ctx context.Context, repo *gitstate.Repo, id object.ID) (map[string]object.Entry, error) {
	list, err := repo.Objects.Tree(ctx, string(id))
	if err != nil {
		return nil, err
	}
	out := make(map[string]object.Entry, len(list))
	for _, e := range list {
		out[e.Name] = e
	}
	return out, nil
}

// Label contains the facts that every entry records: its run, its time, and the commit from which it was made, if any.
type Label struct {
	Run string
	At  time.Time
	Was object.ID // the commit from which the entry was made, such as a snapshot that another clone sent; empty if there is none
}

// MaxFacts is the largest description of an entry, in bytes, that is read. A description can be long, because it has one line for each
// unusual file.
const MaxFacts = 64 << 20

func readFacts(ctx context.Context, repo *gitstate.Repo, id object.ID) (string, error) {
	all, err := parts(ctx, repo, id)
	if err != nil {
		return "", err
	}
	text, err := repo.Objects.BlobUpTo(ctx, all[FactsFile].ID, MaxFacts)
	return string(text), err
}

// ReadLabel reads the label of an entry.
func ReadLabel(ctx context.Context, repo *gitstate.Repo, id object.ID) (Label, error) {
	text, err := readFacts(ctx, repo, id)
	if err != nil {
		return Label{}, err
	}
	var l Label
	for line := range strings.Lines(text) {
		key, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if err := l.Decode(key, rest); err != nil {
			return Label{}, fmt.Errorf("understand %q: %w", line, err)
		}
	}
	return l, nil
}

// Decode sets one field of the label from one line of an entry's description. The key is the first word of the line, and "rest" is what
// follows. If the key does not belong to a label, Decode does nothing.
func (l *Label) Decode(key, rest string) (err error) {
	switch key {
	case "run":
		l.Run = rest
	case "at":
		l.At, err = time.Parse(time.RFC3339Nano, rest)
	case "was":
		l.Was, err = DecodeID(rest)
	}
	return err
}

// Lines returns the lines of the label for the description of a series entry.
func (l Label) Lines() string {
	var b strings.Builder
	if l.Run != "" {
		fmt.Fprintf(&b, "run %s\n", l.Run)
	}
	if !l.At.IsZero() {
		fmt.Fprintf(&b, "at %s\n", l.At.UTC().Format(time.RFC3339Nano))
	}
	if l.Was != "" {
		fmt.Fprintf(&b, "was %s\n", l.Was)
	}
	return b.String()
}

// DecodeID parses an object id.
func DecodeID(text string) (object.ID, error) {
	if !object.IsID(text) {
		return "", fmt.Errorf("not an object id: %q", text)
	}
	return object.ID(text), nil
}

// Unset reports whether an id is empty or all zeros. Git writes a HEAD of zeros before it knows the branch.
func Unset(head string) bool { return strings.Trim(head, "0") == "" }
