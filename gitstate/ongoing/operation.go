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

// Operation names a git operation that is under way in a worktree.
type Operation string

// The operations that leave a worktree half way; empty means none.
const (
	NoOperation Operation = ""
	Merge       Operation = "merge"
	Rebase      Operation = "rebase"
	Am          Operation = "am"
	CherryPick  Operation = "cherry-pick"
	Revert      Operation = "revert"
	Bisect      Operation = "bisect"
)

// What git can leave half way beside those; git's own status tells of none of these.
const (
	NotesMerge  Operation = "notes-merge"
	SquashMerge Operation = "squash-merge"
	StashPop    Operation = "stash-pop"
	// FilesMerge left unmerged paths and no word of what was merged: a pick or revert with --no-commit.
	FilesMerge   Operation = "files-merge"
	StaleLock    Operation = "stale-lock"
	FilterBranch Operation = "filter-branch"
	// HalfWorktree is a worktree whose "worktree add" was cut off; it is seen by its registration, not by a mark.
	HalfWorktree Operation = "half-worktree"
)

// mark is one row of the table of operations: by what it is seen, how it is read, and which commands of git belong to it.
type mark struct {
	file string
	op   Operation
	// ref: where refs are kept in tables it is no file.
	ref bool
	// own: the worktree is in the middle of it, and nothing else may be begun there.
	own  bool
	read func(*reading) (Ongoing, bool)
	ways Ways
}

// Ways are the arguments to git by which an operation ends or goes on; none where git has no such command.
type Ways struct {
	Continue, Skip, Abort, Quit []string
}

func waysOf(command string) Ways {
	return Ways{Continue: []string{command, "--continue"}, Skip: []string{command, "--skip"},
		Abort: []string{command, "--abort"}, Quit: []string{command, "--quit"}}
}

// marks are tested in the order of git's own status; a bisect can go on beside any other, and what follows it counts
// only where nothing before it was found.
var marks = []mark{
	{file: "MERGE_HEAD", op: Merge, own: true, read: readMerge, ways: Ways{
		Continue: []string{"merge", "--continue"}, Abort: []string{"merge", "--abort"}, Quit: []string{"merge", "--quit"}}},
	{file: "rebase-apply/applying", op: Am, own: true, read: readApply, ways: waysOf("am")},
	{file: "rebase-apply", op: Rebase, own: true, read: readApply, ways: waysOf("rebase")},
	{file: "rebase-merge", op: Rebase, own: true, read: readRebase, ways: waysOf("rebase")},
	{file: "CHERRY_PICK_HEAD", op: CherryPick, ref: true, own: true, read: readPick, ways: waysOf("cherry-pick")},
	{file: "REVERT_HEAD", op: Revert, ref: true, own: true, read: readPick, ways: waysOf("revert")},
	{file: sequencer, op: CherryPick, own: true, read: readPick, ways: waysOf("cherry-pick")},
	{file: "BISECT_LOG", op: Bisect, own: true, read: readBisect, ways: Ways{
		Skip: []string{"bisect", "skip"}, Abort: []string{"bisect", "reset"}}},
	{file: "NOTES_MERGE_WORKTREE", op: NotesMerge, read: readNotesMerge, ways: Ways{
		Continue: []string{"notes", "merge", "--commit"}, Abort: []string{"notes", "merge", "--abort"}}},
	{file: "SQUASH_MSG", op: SquashMerge, read: readUnmerged, ways: Ways{
		Continue: []string{"commit"}, Abort: []string{"reset", "--merge"}}},
	{file: "AUTO_MERGE", op: StashPop, ref: true, read: readStash},
}

// OperationAt reads from the worktree's own git dir what is under way; it starts no process.
// Where refs are kept in tables it misses a single pick or revert, which OperationIn sees.
func OperationAt(p locate.Place) Operation {
	for _, m := range marks {
		if !m.own {
			continue
		}
		path := filepath.Join(p.GitDir, filepath.FromSlash(m.file))
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if m.file == sequencer {
			return series(path)
		}
		return m.op
	}
	return NoOperation
}

// sequencer is the folder of a series of picks or reverts; between two of them it is the only mark.
const sequencer = "sequencer"

func series(dir string) Operation {
	todo, _ := locate.ReadFile(filepath.Join(dir, "todo")) // without a list it is a pick, as for git
	if strings.HasPrefix(string(todo), "revert ") {
		return Revert
	}
	return CherryPick
}

// OperationIn is what is under way in the worktree; it starts a process only where refs are kept in tables.
func OperationIn(r *gitstate.Repo) Operation {
	op := OperationAt(r.Place)
	if !r.Refs.InTables() || op != NoOperation && op != Bisect {
		return op
	}
	for _, m := range marks {
		if !m.ref || !m.own {
			continue
		}
		// One that cannot be read counts as under way: whoever asks stops, and asks again.
		if id, err := r.Refs.Ref(context.Background(), refs.Name(m.file)); err != nil || id != "" {
			return m.op
		}
	}
	return op
}

// Held is the branch that an operation in this worktree works on while HEAD is detached: a rebase or a bisection.
// It is a full ref name, empty if there is none.
func Held(p locate.Place) refs.Name {
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		data, _ := locate.ReadFile(filepath.Join(p.GitDir, filepath.FromSlash(name))) // not there: no such operation
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
