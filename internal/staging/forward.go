package staging

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/forward"
)

// Forward moves the run's branch from its present commit to a newer one. If "from" is empty, the branch does not exist yet. If a worktree
// has the branch checked out, the files there are updated too. If the folder of that worktree is gone, only its index is updated. Forward
// does not overwrite uncommitted changes. If the process is killed, the same call completes the move.
func (e *Stager) Forward(ctx context.Context, r *checkpoint.Run, from, to object.ID) error {
	linked := e.Repo.Linked()
	at := slices.IndexFunc(linked, func(l gitstate.Linked) bool { return l.Branch == r.Branch })
	if from == "" || at < 0 || linked[at].Missing {
		if from != "" && at >= 0 {
			if err := e.moveIndex(ctx, linked[at], from, to); err != nil {
				return err
			}
		}
		return e.Repo.Refs.Update(ctx, refs.Update{Ref: r.Branch, New: to, Old: from, Log: true})
	}
	tree := e.Repo.At(linked[at].Place)
	defer tree.Close()
	m := forward.Mover{Tree: tree, Note: e.Store.Folder().Path("moving", string(r.ID)), Locks: site.MoveLocks(tree, r.Branch)}
	return m.Move(ctx, from, to)
}

// moveIndex moves the index of a worktree to a newer commit, and keeps what is staged. The folder of the worktree is missing and will be
// made again from this index. Without the move, the files that the newer commit adds would look deleted.
func (e *Stager) moveIndex(ctx context.Context, l gitstate.Linked, from, to object.ID) error {
	index := filepath.Join(l.GitDir, "index")
	if _, err := os.Lstat(index); err != nil {
		return nil // nothing to update: without an index, the missing folder will be made again from the commit
	}
	_, err := e.Repo.Git(ctx, process.Call{Args: []string{"read-tree", "-i", "-m", string(from), string(to)}, Mode: process.Write,
		Env: []string{"GIT_INDEX_FILE=" + index}, Locks: []string{index + ".lock"}})
	return err
}
