package worktree

import (
	"fmt"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// CreateRequest asks for the staging worktree of a run.
type CreateRequest struct {
	Run string
	// Branch is a short branch name. Create makes the branch at the commit At. If At is empty, the branch must exist and stays as it is.
	Branch string
	At     object.ID
	// Own means that the branch name belongs to the run. A worktree on this branch that names no run is treated as the run's.
	Own bool
	// Path is where the program that manages this worktree keeps it. It never comes from a record. If Path is empty, the worktree has the
	// run's name and is made in Dir. If Dir is empty too, it is made in "<repository>.worktrees" next to the repository. A worktree that
	// is already registered stays where it is.
	Path string
	Dir  string
	// Ready means that the journal has recorded the worktree as complete. It is then never treated as incomplete.
	Ready bool
	// Bring copies the uncommitted work of repo's own worktree into the new worktree.
	Bring bool
	// CopyIgnored lists patterns of the ignored files to copy from repo's own worktree.
	CopyIgnored []string
	Now         func() time.Time
}

// Created describes the worktree, and lists which files are in it and which are not.
type Created struct {
	Tree Tree
	// Fresh is false if the worktree already existed.
	Fresh bool
	// Inside means that the worktree is inside the repository, because nothing can be made next to the repository.
	Inside bool
	// Brought lists the uncommitted files that were copied. Differs lists those of them that have another version in the new worktree.
	Brought []string
	Differs []string
	Copied  []string
	// Missing and MissingIgnored list the uncommitted and ignored files that are not in the new worktree.
	Missing        []string
	MissingIgnored []string
	// Husk is the path to which the files of an interrupted attempt were moved, or its registration if there were no files.
	Husk string
}

// PathTakenError reports that something else is at the path of a worktree.
type PathTakenError struct {
	Path   string
	Health Health
}

func (e *PathTakenError) Error() string {
	return fmt.Sprintf("'%s' is taken: %s", e.Path, e.Health)
}

// BranchTakenError reports that a branch already exists at another commit, or is checked out in another worktree.
type BranchTakenError struct {
	Branch   string
	At       object.ID
	Worktree string
}

func (e *BranchTakenError) Error() string {
	if e.Worktree != "" {
		return fmt.Sprintf("branch '%s' is checked out in '%s'", e.Branch, e.Worktree)
	}
	return fmt.Sprintf("branch '%s' already exists, at %s", e.Branch, e.At.Short())
}
