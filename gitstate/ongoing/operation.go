package ongoing

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Operation is the name of a git operation that is in progress in a worktree.
type Operation string

// The operations that can leave a worktree half done. NoOperation means that there is none.
const (
	NoOperation Operation = ""
	Merge       Operation = "merge"
	Rebase      Operation = "rebase"
	Am          Operation = "am"
	CherryPick  Operation = "cherry-pick"
	Revert      Operation = "revert"
	Bisect      Operation = "bisect"
)

// Named returns the operation with its article, for example "a rebase" or "an am session".
func (o Operation) Named() string {
	if o == Am {
		return "an am session"
	}
	return "a " + string(o)
}

// Other things that git can leave half done. "git status" does not name them.
const (
	NotesMerge  Operation = "notes-merge"
	SquashMerge Operation = "squash-merge"
	StashPop    Operation = "stash-pop"
	// FilesMerge is an operation that leaves unmerged paths but no file that names the operation, for example
	// "git cherry-pick --no-commit".
	FilesMerge   Operation = "files-merge"
	StaleLock    Operation = "stale-lock"
	FilterBranch Operation = "filter-branch"
	// HalfWorktree is a worktree whose "git worktree add" was interrupted. It is found in ".git/worktrees" and not by a state file.
	HalfWorktree Operation = "half-worktree"
)

// mark is one row of the table of operations. It names the file that exists during the operation, the function that reads the operation's
// state, and the git commands that continue or end it.
type mark struct {
	file string
	op   Operation
	// maybeInTable is true if the file is a pseudo ref, such as CHERRY_PICK_HEAD. A repository with reftables stores pseudo refs in a table
	// and not in files.
	maybeInTable bool
	// exclusive is true if nothing else may be started in the worktree while the operation is in progress.
	exclusive bool
	read      func(*reading) (Ongoing, bool)
	ways      Ways
}

// Ways are the git arguments that continue or end an operation. A field is empty if git has no such command.
type Ways struct {
	Continue, Skip, Abort, Quit []string
}

func sequencerCommands(command string) Ways {
	return Ways{Continue: []string{command, "--continue"}, Skip: []string{command, "--skip"},
		Abort: []string{command, "--abort"}, Quit: []string{command, "--quit"}}
}

// marks is the table of operations. Those that "git status" names come first, in the order of "git status". A bisect or a notes merge can
// be in progress together with another operation. Of the other operations, only the first one that is found in this table counts.
var marks = []mark{
	{file: "MERGE_HEAD", op: Merge, exclusive: true, read: readMerge, ways: Ways{
		Continue: []string{"merge", "--continue"}, Abort: []string{"merge", "--abort"}, Quit: []string{"merge", "--quit"}}},
	{file: "rebase-apply/applying", op: Am, exclusive: true, read: readApply, ways: sequencerCommands("am")},
	{file: "rebase-apply", op: Rebase, exclusive: true, read: readApply, ways: sequencerCommands("rebase")},
	{file: "rebase-merge", op: Rebase, exclusive: true, read: readRebase, ways: sequencerCommands("rebase")},
	{file: "CHERRY_PICK_HEAD", op: CherryPick, maybeInTable: true, exclusive: true, read: readPick, ways: sequencerCommands("cherry-pick")},
	{file: "REVERT_HEAD", op: Revert, maybeInTable: true, exclusive: true, read: readPick, ways: sequencerCommands("revert")},
	{file: sequencer, op: CherryPick, exclusive: true, read: readPick, ways: sequencerCommands("cherry-pick")},
	{file: "BISECT_LOG", op: Bisect, exclusive: true, read: readBisect, ways: Ways{
		Skip: []string{"bisect", "skip"}, Abort: []string{"bisect", "reset"}}},
	{file: "NOTES_MERGE_WORKTREE", op: NotesMerge, read: readNotesMerge, ways: Ways{
		Continue: []string{"notes", "merge", "--commit"}, Abort: []string{"notes", "merge", "--abort"}}},
	{file: "SQUASH_MSG", op: SquashMerge, read: readUnmerged, ways: Ways{
		Continue: []string{"commit"}, Abort: []string{"reset", "--merge"}}},
	{file: "AUTO_MERGE", op: StashPop, maybeInTable: true, read: readStash},
}

// OperationAt finds the operation in progress from the files in the worktree's git dir. It starts no process. It looks only for
// operations during which nothing else may be started in the worktree. With reftables it does not see a single pick or revert;
// OperationIn does.
func OperationAt(p locate.Place) Operation {
	for _, m := range marks {
		if !m.exclusive {
			continue
		}
		path := filepath.Join(p.GitDir, filepath.FromSlash(m.file))
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if m.file == sequencer {
			return seriesOperation(path)
		}
		return m.op
	}
	return NoOperation
}

// sequencer is the folder in which git keeps the state of several picks or reverts. After one pick is committed and before the next one
// starts, only this folder shows the operation.
const sequencer = "sequencer"

func seriesOperation(dir string) Operation {
	if strings.HasPrefix(Text(dir, "todo"), "revert ") { // if the todo list is missing, git assumes a cherry-pick, and so do we
		return Revert
	}
	return CherryPick
}

// OperationIn does the same as OperationAt, but also sees a single pick or revert in a repository with reftables. It starts a process only
// in such a repository.
func OperationIn(r *gitstate.Repo) Operation {
	op := OperationAt(r.Place)
	if !r.Refs.InTables() || op != NoOperation && op != Bisect {
		return op
	}
	for _, m := range marks {
		if !m.maybeInTable || !m.exclusive {
			continue
		}
		// A pseudo ref that cannot be read counts as an operation in progress, so that the caller stops.
		if id, err := r.Refs.Ref(context.Background(), refs.Name(m.file)); err != nil || id != "" {
			return m.op
		}
	}
	return op
}

// HeldBranch returns the branch that a rebase or bisect in this worktree uses while HEAD is detached. It is a full ref name, or empty if
// there is no such branch.
func HeldBranch(p locate.Place) refs.Name {
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		text, _, _ := strings.Cut(Text(p.GitDir, filepath.FromSlash(name)), "\n") // the file exists only while its rebase or bisect is in progress
		text = strings.TrimSpace(text)
		switch ref := refs.Name(text); {
		case ref.IsBranch():
			return ref
		case name == "BISECT_START" && text != "" && !object.IsID(text):
			return refs.Branch(text)
		}
	}
	return ""
}
