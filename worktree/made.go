package worktree

import (
	"fmt"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// CreateRequest asks for the staging worktree of a run.
type CreateRequest struct {
	Run string
	// Branch is the branch's short name. Create makes it at At; if At is empty, the existing branch is used as it is.
	Branch string
	At     object.ID
	// Own: the name of the branch belongs to the run; a tree on this branch that names no run is treated as the run's.
	Own bool
	// Path is where the program that manages this worktree keeps it; it never comes from a record.
	// If Path is empty, the worktree is named after the run and made in Dir; if Dir is empty too, in
	// "<repository>.worktrees" beside the repository. A worktree that is already registered stays where git has it.
	Path string
	Dir  string
	// Ready: the journal says that the tree was complete at some time. Then it is never treated as incomplete.
	Ready bool
	// Bring copies the uncommitted work of repo's own worktree into the new one.
	Bring bool
	// CopyIgnored are patterns of the ignored files to copy from repo's own worktree.
	CopyIgnored []string
	Now         func() time.Time
}

// Created is the worktree, and a list of what is and is not in it.
type Created struct {
	Tree Tree
	// Fresh is false if the tree already existed.
	Fresh bool
	// Inside: the tree had to be put inside the repository, because nothing can be made beside it.
	Inside bool
	// Brought are the uncommitted files that were copied, Differs those of them that have another version in the new tree.
	Brought []string
	Differs []string
	Copied  []string
	// Missing and MissingIgnored are the uncommitted and ignored files that are not in the new tree.
	Missing        []string
	MissingIgnored []string
	// Incomplete is where the files of an interrupted attempt were put, or its registration if there were no files.
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

// BranchTakenError says that a branch already exists at another commit, or is checked out in another tree.
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
