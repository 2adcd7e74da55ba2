package commit

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Write makes a commit of a finished tree on top of parent. It does not use the index, and moves no branch. The commit-msg hook runs, but
// pre-commit does not, because it checks the index. If q.Again is set, Write takes the author and the message from that commit, and no hook
// runs.
func Write(ctx context.Context, r *gitstate.Repo, q Request, tree, parent object.ID) (Result, error) {
	m := &maker{r: r, q: q, head: parent, out: Result{Tree: tree}}
	if err := m.checkAuthor(ctx); err != nil {
		return Result{}, err
	}
	if c := q.Again; c != nil {
		m.env = []string{
			"GIT_AUTHOR_NAME=" + c.Author.Name, "GIT_AUTHOR_EMAIL=" + c.Author.Email,
			fmt.Sprintf("GIT_AUTHOR_DATE=@%d %s", c.Author.When.Unix(), c.Author.When.Format("-0700")),
		}
		var err error
		m.out.ID, err = m.commitTree(ctx, c.Message)
		return m.out, err
	}
	message, err := m.message(ctx)
	if err != nil {
		return Result{}, err
	}
	m.out.ID, err = m.commitTree(ctx, message)
	return m.out, err
}
