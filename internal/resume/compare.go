package resume

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate"
)

// CompareRequest names two commits, and the base if it shall be another than git's own.
type CompareRequest struct {
	Ours, Theirs, Base string
	Engine             conflicts.Engine
}

// NoCommitError says that a name stands for no commit; it is fatal, as for git.
type NoCommitError struct{ Name string }

func (e *NoCommitError) Error() string { return fmt.Sprintf("'%s' is no commit here", e.Name) }

// Compare tells whether two commits of any repository would merge.
func (e *Engine) Compare(ctx context.Context, q CompareRequest) (conflicts.Report, error) {
	ids := make([]gitstate.OID, 3)
	for i, name := range []string{q.Ours, q.Theirs, q.Base} {
		if name == "" && i == 2 {
			continue
		}
		c, err := e.Repo.Commit(ctx, name)
		if err != nil {
			return conflicts.Report{}, &NoCommitError{name}
		}
		ids[i] = c.ID
	}
	return conflicts.Check(ctx, e.Repo, conflicts.Query{
		Ours: ids[0], Theirs: ids[1], Base: ids[2], OursName: q.Ours, TheirsName: q.Theirs, Engine: q.Engine,
	})
}
