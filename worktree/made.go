package worktree

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/series"
)

// CreateRequest says which worktree Create must make for a run.
type CreateRequest struct {
	Run string
	// Branch is a short branch name. If the branch is missing, Create makes it at the commit At. Create does not move an existing branch. A
	// new worktree can use an existing branch only if the branch is at the commit At, or if At is empty.
	Branch string
	At     object.ID
	// Detach means that a new worktree has a detached HEAD at the commit At. An existing worktree is used on any branch or commit.
	Detach bool
	// Own is true if the branch was made for the run. A worktree on such a branch belongs to the run, even if it is not marked. A worktree
	// that is marked with another run belongs to that run.
	Own bool
	// Path is the path that another tool requires for its worktree. If it is empty, the worktree is made in Dir, under the run's name. If
	// Dir is empty too, it is made in "<repository>.worktrees", or inside the repository if that is not possible. An existing worktree
	// stays where it is.
	Path string
	Dir  string
	// Ready means that the worktree was complete before, according to the journal. So Create does not treat it as incomplete and does
	// not move it to the trash. It copies files into it only if the worktree must be rebuilt.
	Ready bool
	// Bring means that Create copies the uncommitted work of the current worktree into the new worktree.
	Bring bool
	// CopyIgnored lists patterns for the ignored files that Create copies from the current worktree.
	CopyIgnored []string
	Now         func() time.Time
}

// Created is the result of Create: the worktree, and the lists of files that were copied or not copied.
type Created struct {
	Tree Tree
	// Fresh is true if Create has made the worktree or rebuilt its files.
	Fresh bool
	// Inside means that the worktree is inside the repository, because no folder could be made next to the repository.
	Inside bool
	// Brought lists the files with uncommitted changes that were copied. Differs lists the files in Brought whose committed versions differ
	// between the old and the new worktree. Copied lists the ignored files that were copied.
	Brought []string
	Differs []string
	Copied  []string
	// Missing lists files whose uncommitted changes were not copied. MissingIgnored lists ignored files and folders that were not copied,
	// or not completely.
	Missing        []string
	MissingIgnored []string
	// Husk is the path in the trash to which Create moved files that an earlier, interrupted call had left.
	Husk string
}

// PathTakenError reports that the path for a new worktree is already in use.
type PathTakenError struct {
	Path   string
	Health Health
	// NoIndex is true if only the index of an incomplete worktree is missing. Admin is the folder of this worktree in .git/worktrees.
	NoIndex bool
	Admin   string
	// Own is the run that asked, if the worktree there is its own but cannot be used as it is, for example because another branch is checked
	// out. Otherwise it is empty.
	Own string
}

func pathTaken(path string, t Tree) *PathTakenError {
	return &PathTakenError{Path: path, Health: t.Health, NoIndex: t.LacksOnlyIndex(), Admin: t.Admin}
}

func (e *PathTakenError) Error() string {
	if e.Health == Incomplete {
		return fmt.Sprintf("worktree '%s' is incomplete: %s", e.Path, lost(e.NoIndex))
	}
	if e.Own != "" {
		return fmt.Sprintf("its worktree '%s' cannot be used as it is: %s", e.Path, e.Health)
	}
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

// LacksOnlyIndex reports whether a worktree is incomplete because its index is missing. Then "git reset" makes it complete: git writes a new
// index from HEAD, and changes no file.
func (t Tree) LacksOnlyIndex() bool {
	return t.Health == Incomplete && t.Path != "" && t.Head != "" && !series.Unset(string(t.Head)) &&
		place.FirstLine(filepath.Join(t.Admin, "commondir")) != "" && !place.Present(filepath.Join(t.Admin, "index"))
}

func lost(index bool) string {
	if index {
		return "its index is missing"
	}
	return "a file in its folder below .git/worktrees is missing or empty"
}
