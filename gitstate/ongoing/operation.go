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

// Operation names a git operation that is in progress in a worktree.
type Operation string

// The operations that can leave a worktree half done; empty means none.
const (
	NoOperation Operation = ""
	Merge       Operation = "merge"
	Rebase      Operation = "rebase"
	Am          Operation = "am"
	CherryPick  Operation = "cherry-pick"
	Revert      Operation = "revert"
	Bisect      Operation = "bisect"
)

// Other things that git can leave half done; git's own status mentions none of these.
const (
	NotesMerge  Operation = "notes-merge"
	SquashMerge Operation = "squash-merge"
	StashPop    Operation = "stash-pop"
	// FilesMerge left unmerged paths and no record of what was merged: a pick or revert with --no-commit.
	FilesMerge   Operation = "files-merge"
	StaleLock    Operation = "stale-lock"
	FilterBranch Operation = "filter-branch"
	// HalfWorktree is a worktree whose "worktree add" was interrupted; it is found by its registration, not by a mark.
	HalfWorktree Operation = "half-worktree"
)

// mark is one row of the table of operations: the file that shows the operation, the function that reads it, and its git commands.
type mark struct {
	file string
	op   Operation
	// maybeInTable: the mark is not a file if refs are kept in tables.
	maybeInTable bool
	// exclusive: the operation occupies the worktree, so nothing else may be started there.
	exclusive bool
	read      func(*reading) (Ongoing, bool)
	ways      Ways
}

// Ways are the arguments for git that continue or end an operation; a field is empty if git has no such command.
type Ways struct {
	Continue, Skip, Abort, Quit []string
}

func sequencerCommands(command string) Ways {
	return Ways{Continue: []string{command, "--continue"}, Skip: []string{command, "--skip"},
		Abort: []string{command, "--abort"}, Quit: []string{command, "--quit"}}
}

// marks are tested in the order of git's own status. A bisect can be in progress beside any other operation; the marks after it
// count only if none before it was found.
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

// OperationAt finds the operation in progress from the worktree's own git dir; it starts no process.
// If refs are kept in tables it misses a single pick or revert, which OperationIn finds.
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

// sequencer is the folder of a series of picks or reverts; between two of them it is the only mark.
const sequencer = "sequencer"

func seriesOperation(dir string) Operation {
	todo, _ := locate.ReadFile(filepath.Join(dir, "todo")) // without a list it is a pick, as for git
	if strings.HasPrefix(string(todo), "revert ") {
		return Revert
	}
	return CherryPick
}

// OperationIn finds the operation in progress in the worktree; it starts a process only if refs are kept in tables.
func OperationIn(r *gitstate.Repo) Operation {
	op := OperationAt(r.Place)
	if !r.Refs.InTables() || op != NoOperation && op != Bisect {
		return op
	}
	for _, m := range marks {
		if !m.maybeInTable || !m.exclusive {
			continue
		}
		// A mark that cannot be read counts as an operation in progress, so that the caller stops and asks again.
		if id, err := r.Refs.Ref(context.Background(), refs.Name(m.file)); err != nil || id != "" {
			return m.op
		}
	}
	return op
}

// HeldBranch is the branch on which an operation in this worktree works while HEAD is detached: a rebase or a bisection.
// It is a full ref name, empty if there is none.
func HeldBranch(p locate.Place) refs.Name {
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		data, _ := locate.ReadFile(filepath.Join(p.GitDir, filepath.FromSlash(name))) // if the file does not exist, there is no such operation
		text, _, _ := strings.Cut(string(data), "\n")
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
