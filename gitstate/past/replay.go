package past

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// MergeTrees merges the trees ours and theirs with the given base, without a worktree. Unlike Scratch.Merge, it stores the merged tree in
// the repository, so that a commit can use it. It returns ErrNoMergeTree if git is too old.
//
// If no file was changed on both sides and none was removed, the merged tree is usually made without git.
func MergeTrees(ctx context.Context, r *gitstate.Repo, base, ours, theirs object.ID) (Merged, error) {
	if tree, ok := mergeDisjoint(ctx, r, base, ours, theirs); ok {
		return Merged{Clean: true, Tree: tree}, nil
	}
	return mergeTreesByGit(ctx, r, base, ours, theirs)
}

// Pick takes the changes between a commit's first parent and the commit, and applies them to the tree "onto". It merges as MergeTrees does.
func Pick(ctx context.Context, r *gitstate.Repo, c object.Commit, onto object.ID) (Merged, error) {
	parent, err := r.Objects.Commit(ctx, string(c.Parents[0]))
	if err != nil {
		return Merged{}, err
	}
	return MergeTrees(ctx, r, parent.Tree, onto, c.Tree)
}

// mergeTreesByGit does the same as MergeTrees, always by git.
func mergeTreesByGit(ctx context.Context, r *gitstate.Repo, base, ours, theirs object.ID) (Merged, error) {
	h, err := r.Settings.Hasher(ctx)
	if err != nil {
		return Merged{}, err
	}
	// Before 2.40, git does not accept a base for a merge. So make two commits whose common parent is the base. Nothing refers to them
	// later.
	p := object.NewPending(h)
	commit := func(name string, tree object.ID, parents string) object.ID {
		return p.Add("commit", fmt.Appendf(nil, "tree %s\n%sauthor %s <> 0 +0000\ncommitter %s <> 0 +0000\n\n", tree, parents, name, name))
	}
	parent := fmt.Sprintf("parent %s\n", commit("base", base, ""))
	ourSide, theirSide := commit("ours", ours, parent), commit("theirs", theirs, parent)
	if err := r.Objects.Write(ctx, p); err != nil {
		return Merged{}, err
	}
	args := []string{"merge-tree", "--write-tree", "-z", "--messages", string(ourSide), string(theirSide)}
	out, err := r.Git(ctx, process.Call{Args: args, Mode: process.Write})
	return readMerge(out, err, args)
}
