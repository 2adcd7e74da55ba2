package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Containment says how a base already contains the changes of a branch.
type Containment string

// These are the values of Containment. NotContained means that no test has found all changes of the branch in the base. The other values
// follow in the order in which they are tested.
const (
	NotContained Containment = ""
	SameCommit   Containment = "same commit"
	Ancestor     Containment = "ancestor"
	EqualTrees   Containment = "equal trees"
	EmptyMerge   Containment = "nothing left to merge"
	Squashed     Containment = "squashed"
)

// Contained finds out whether the base already contains all changes of the branch whose newest commit is tip, even after a squash or a
// rebase. It adds no objects to the repository.
func Contained(ctx context.Context, repo *gitstate.Repo, tip, base object.ID) (Containment, error) {
	if tip == base {
		return SameCommit, nil
	}
	within, err := past.IsAncestor(ctx, repo, tip, base)
	switch {
	case err != nil:
		return NotContained, fmt.Errorf("compare with the base: %w", err)
	case within:
		return Ancestor, nil
	}
	ours, errA := snapshot.TreeOf(ctx, repo, tip)
	theirs, errB := snapshot.TreeOf(ctx, repo, base)
	if err := errors.Join(errA, errB); err != nil {
		return NotContained, err
	}
	if ours == theirs {
		return EqualTrees, nil
	}
	empty, err := mergesEmpty(ctx, repo, tip, base, theirs)
	if err != nil {
		return NotContained, err
	}
	if empty {
		return EmptyMerge, nil
	}
	return squashed(ctx, repo, tip, base)
}

// mergesEmpty reports whether a merge of the branch would change nothing. It merges in a temporary object store, and deletes it afterwards.
func mergesEmpty(ctx context.Context, repo *gitstate.Repo, tip, base, baseTree object.ID) (bool, error) {
	tmp, remove, err := guard.ScratchDir()
	if err != nil {
		return false, err
	}
	defer remove()
	out, err := repo.Git(ctx, process.Call{Args: []string{"merge-tree", "--write-tree", string(base), string(tip)},
		Env: []string{"GIT_OBJECT_DIRECTORY=" + tmp, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + repo.CommonPath("objects")}})
	var git *process.Error
	if errors.As(err, &git) {
		return false, nil // git failed, for example because there were conflicts, or because git is older than 2.38
	}
	if err != nil {
		return false, fmt.Errorf("try the merge: %w", err)
	}
	tree, _, _ := strings.Cut(string(out), "\n")
	return tree == string(baseTree), nil
}

// maxPaths limits how many changed paths are passed to git. With paths, git shows only commits that change one of them. With more than
// maxPaths, the command line could be too long. In that case no path is passed, and git shows all commits of the base since the fork.
const maxPaths = 200

// squashed looks on the base for a single commit that contains the whole change of the branch.
func squashed(ctx context.Context, repo *gitstate.Repo, tip, base object.ID) (Containment, error) {
	fork, err := repo.Line(ctx, "merge-base", string(tip), string(base))
	if err != nil {
		return NotContained, nil // git found no common ancestor
	}
	ours, err := patchIDs(ctx, repo, "diff-tree", "-p", "--full-index", "--no-ext-diff", "--no-textconv", fork, string(tip))
	if err != nil || len(ours) == 0 {
		return NotContained, err
	}
	before, errBefore := snapshot.TreeOf(ctx, repo, object.ID(fork))
	after, errAfter := snapshot.TreeOf(ctx, repo, tip)
	if err := errors.Join(errBefore, errAfter); err != nil {
		return NotContained, err
	}
	changed, err := snapshot.DiffTrees(ctx, repo, before, after)
	if err != nil {
		return NotContained, err
	}
	args := []string{"log", "-p", "--full-index", "--no-merges", "--full-diff", "--no-ext-diff", "--no-textconv", "--no-color", fork + ".." + string(base), "--"}
	if len(changed) <= maxPaths {
		for _, c := range changed {
			args = append(args, ":(top,literal)"+c.Path)
		}
	}
	theirs, err := patchIDs(ctx, repo, args...)
	if err != nil {
		return NotContained, err
	}
	for id := range ours {
		if theirs[id] {
			return Squashed, nil
		}
	}
	return NotContained, nil
}

// patchIDs runs a git command that prints patches. It returns the ids that "git patch-id" computes for these patches.
func patchIDs(ctx context.Context, repo *gitstate.Repo, args ...string) (map[string]bool, error) {
	patches, err := repo.Git(ctx, process.Call{Args: args})
	if err != nil {
		return nil, fmt.Errorf("compare changes: %w", err)
	}
	out, err := repo.Git(ctx, process.Call{Args: []string{"patch-id", "--stable"}, Stdin: bytes.NewReader(patches)})
	if err != nil {
		return nil, fmt.Errorf("compare changes: %w", err)
	}
	ids := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if id, _, ok := strings.Cut(line, " "); ok {
			ids[id] = true
		}
	}
	return ids, nil
}
