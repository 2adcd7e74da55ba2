package gitops

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// contained reports whether head already contains the change of commit x, so that cherry-picking x would change nothing. It does the same
// merge as git cherry-pick, in a temporary object store. The answer is unsure if x does not have exactly one parent, or if git fails.
func contained(ctx context.Context, repo *gitstate.Repo, x, head object.Commit) answer {
	if len(x.Parents) != 1 {
		return unsure
	}
	store, err := past.NewScratch(repo)
	if err != nil {
		return unsure
	}
	defer store.Close()
	// Make a commit with the files of HEAD as a child of x's parent, so that this parent becomes the merge base.
	ours, err := store.MakeCommit(ctx, head.Tree, x.Parents[0])
	if err != nil {
		return unsure
	}
	m, err := store.Merge(ctx, string(ours), string(x.ID))
	switch {
	case err != nil:
		return unsure
	case m.Clean && m.Tree == head.Tree:
		return yes
	}
	return no
}

// isEmpty reports whether a commit has the same files as its first parent. It also returns true if that parent cannot be read. The
// content of such a commit cannot prove that it was picked.
func isEmpty(ctx context.Context, repo *gitstate.Repo, x object.Commit) bool {
	if len(x.Parents) == 0 {
		return false
	}
	p, err := repo.Objects.Commit(ctx, string(x.Parents[0]))
	return err != nil || p.Tree == x.Tree
}

func (j *diagnosis) modified(name string) time.Time {
	info, err := os.Lstat(filepath.Join(j.repo.GitDir, j.o.Dir, name))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
