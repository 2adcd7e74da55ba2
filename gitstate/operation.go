package gitstate

import (
	"os"
	"path/filepath"
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

// marks are tested in the order of git's own status; a bisect can go on beside any other and comes last.
var marks = []struct {
	file string
	op   Operation
}{
	{"MERGE_HEAD", Merge},
	{"rebase-apply/applying", Am},
	{"rebase-apply", Rebase},
	{"rebase-merge", Rebase},
	{"CHERRY_PICK_HEAD", CherryPick},
	{"REVERT_HEAD", Revert},
	{"sequencer", CherryPick},
	{"BISECT_LOG", Bisect},
}

// Operation reads from the worktree's own git dir what is under way; it starts no process.
func (p Place) Operation() Operation {
	for _, m := range marks {
		if _, err := os.Lstat(filepath.Join(p.GitDir, filepath.FromSlash(m.file))); err == nil {
			return m.op
		}
	}
	return NoOperation
}
