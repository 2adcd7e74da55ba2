package gitstate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
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
	{sequencer, CherryPick},
	{"BISECT_LOG", Bisect},
}

// Operation reads from the worktree's own git dir what is under way; it starts no process.
// Where refs are kept in tables it misses a single pick or revert, which Repo.Operation sees.
func (p Place) Operation() Operation {
	for _, m := range marks {
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
	todo, _ := os.ReadFile(filepath.Join(dir, "todo")) // without a list it is a pick, as for git
	if strings.HasPrefix(string(todo), "revert ") {
		return Revert
	}
	return CherryPick
}

// Operation is what is under way in the worktree; it starts a process only where refs are kept in tables.
func (r *Repo) Operation() Operation {
	op := r.Place.Operation()
	if !r.reftable() || op != NoOperation && op != Bisect {
		return op
	}
	for _, m := range marks {
		if m.op != CherryPick && m.op != Revert || m.file == sequencer {
			continue
		}
		if id, err := r.Ref(context.Background(), m.file); err == nil && id != "" {
			return m.op
		}
	}
	return op
}

// Held is the branch that an operation in this worktree works on while HEAD is detached: a rebase or a bisection.
// It is a full ref name, empty if there is none.
func (p Place) Held() string {
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		data, _ := os.ReadFile(filepath.Join(p.GitDir, filepath.FromSlash(name))) // not there: no such operation
		text, _, _ := strings.Cut(string(data), "\n")
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "refs/heads/"):
			return text
		case name == "BISECT_START" && text != "" && !IsOID(text):
			return "refs/heads/" + text
		}
	}
	return ""
}
