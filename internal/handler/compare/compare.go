package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/site"
)

// Viewer compares commits and files.
type Viewer struct {
	*site.Site
}

// CompareRequest names two commits to compare. If Base is set, it replaces the merge base that git would choose.
type CompareRequest struct {
	Ours, Theirs, Base string
	Engine             conflicts.Engine
}

// NoCommitError says that a name does not refer to a commit.
type NoCommitError struct {
	Name string
	// Is holds the type of the object to which the name refers instead; empty if there is none.
	Is string
	// Several is true if the name is an ambiguous abbreviation of more than one object id.
	Several bool
}

func (e *NoCommitError) Error() string {
	switch {
	case e.Several:
		return fmt.Sprintf("'%s' matches several commits", e.Name)
	case e.Is != "":
		return fmt.Sprintf("'%s' is a %s, not a commit", e.Name, e.Is)
	}
	return fmt.Sprintf("'%s' is not a commit here", e.Name)
}

// Compare reports whether two commits can be merged without conflicts.
func (e *Viewer) Compare(ctx context.Context, q CompareRequest) (conflicts.Report, error) {
	ids := make([]object.ID, 3)
	for i, name := range []string{q.Ours, q.Theirs, q.Base} {
		if name == "" && i == 2 {
			continue
		}
		c, err := e.Repo.Objects.Commit(ctx, name)
		if errors.Is(err, object.ErrMissing) {
			err = e.noCommit(ctx, name)
		}
		if err != nil {
			return conflicts.Report{}, err
		}
		ids[i] = c.ID
	}
	return conflicts.Check(ctx, e.Repo, conflicts.Query{
		Ours: ids[0], Theirs: ids[1], Base: ids[2], OursName: q.Ours, TheirsName: q.Theirs, Engine: q.Engine,
	})
}

// noCommit finds out why a name does not refer to a commit.
func (e *Viewer) noCommit(ctx context.Context, name string) error {
	out := &NoCommitError{Name: name}
	if o, err := e.Repo.Objects.Object(ctx, name); err == nil {
		out.Is = o.Type
		return out
	}
	_, err := e.Repo.Line(ctx, "rev-parse", "--verify", "--end-of-options", name+"^{commit}")
	var git *process.Error
	out.Several = errors.As(err, &git) && strings.Contains(git.Text, "is ambiguous")
	return out
}
