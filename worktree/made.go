package worktree

import (
	"fmt"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// CreateRequest asks for the staging worktree of a run.
type CreateRequest struct {
	Run string
	// Branch is the branch's short name. It is made at At; an empty At takes the branch as it is.
	Branch string
	At     object.ID
	// Own: the branch is the run's by its name; a tree that stands on it and names no run is taken for the run's.
	Own bool
	// Path is where the work's own system has its worktree; it never comes from a record.
	// If it is empty the worktree is named after the run in Dir, and if that is empty too,
	// beside the repository in "<repository>.worktrees". One that is registered already stays where git has it.
	Path string
	Dir  string
	// Ready: the journal says that the tree was complete once. Then it is never taken for a husk.
	Ready bool
	// Bring takes the uncommitted work of repo's own worktree along.
	Bring bool
	// CopyIgnored are patterns of ignored files to copy from repo's own worktree.
	CopyIgnored []string
	Now         func() time.Time
}

// Created is the worktree and what is, and is not, in it.
type Created struct {
	Tree Tree
	// Fresh is false if the tree was there already.
	Fresh bool
	// Inside: the tree had to be put inside the repository, for nothing can be made beside it.
	Inside bool
	// Brought are the uncommitted files that came along, Differs those of them that have another version here.
	Brought []string
	Differs []string
	Copied  []string
	// Missing are uncommitted and ignored files that are not in the new tree.
	Missing        []string
	MissingIgnored []string
	// Husk is where the files of a cut-off attempt were put, or its registration if there were none.
	Husk string
}

// PathTakenError says that something else is where a worktree should go.
type PathTakenError struct {
	Path   string
	Health Health
}

func (e *PathTakenError) Error() string {
	return fmt.Sprintf("'%s' is taken: %s", e.Path, e.Health)
}

// BranchTakenError says that a branch is there already and stands elsewhere, or is checked out in another tree.
type BranchTakenError struct {
	Branch   string
	At       object.ID
	Worktree string
}

func (e *BranchTakenError) Error() string {
	if e.Worktree != "" {
		return fmt.Sprintf("branch '%s' is checked out in '%s'", e.Branch, e.Worktree)
	}
	return fmt.Sprintf("branch '%s' is already there, at %s", e.Branch, e.At.Short())
}
