package words

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// HalfRestored says which restore was interrupted.
func HalfRestored(purpose, label string) string {
	what := "a restore"
	if label != "" {
		what = "the restore of " + quote.Clean(label)
	}
	if purpose == string(snapshot.ByUndo) {
		what = "the undo of a restore"
	}
	return what + " was interrupted, so files may be a mix of two states"
}

// FinishRestore returns the commands that finish or undo an interrupted restore, each with what it does. If the snapshot has no name, it
// returns the command that lists the snapshots.
func FinishRestore(h *site.HalfRestored) [][2]string {
	_, _, operation := trash.OperationOf(h.Run)
	switch {
	case h.Purpose == snapshot.ByUndo:
		return [][2]string{{quote.Command("git resume undo %s --yes", h.Run), "finish the undo"}, {quote.Command("git resume undo --redo %s --yes", h.Run), "get the files as they were after the restore"}}
	case h.Purpose == snapshot.ByRedo:
		return [][2]string{{quote.Command("git resume undo --redo %s --yes", h.Run), "finish the restore"}, {quote.Command("git resume undo %s --yes", h.Run), "get the files as they were before the restore"}}
	case h.Label() == "":
		return [][2]string{{"git resume snapshots", "see which snapshot to restore"}}
	}
	format, values := "git resume restore %s --yes", []any{h.Label()}
	if len(h.Paths) > 0 { // these paths are relative to the worktree, so the command must run there
		format, values = "git -C %s resume restore %s --yes"+strings.Repeat(" %s", len(h.Paths)), []any{h.Tree, h.Label()}
		for _, p := range h.Paths {
			values = append(values, p)
		}
	}
	out := [][2]string{{quote.Command(format, values...), "finish the restore"}}
	switch {
	case !operation:
		out = append(out, [2]string{quote.Command("git resume undo %s --yes", h.Run), "get the files as they were before the restore"})
	case h.BeforeNumber > 0:
		out = append(out, [2]string{quote.Command("git resume restore %s --yes", snapshot.Label(h.Run, h.BeforeNumber)), "get the files as they were before the restore"})
	}
	return out
}

// HalfMerged says which merge was interrupted.
func HalfMerged(h *site.HalfMerged) string {
	return "the merge of " + quote.Clean(h.Run) + " was interrupted, so files may be a mix of two states"
}

// FinishMerge returns the commands that finish or take back an interrupted merge, each with what it does.
func FinishMerge(h *site.HalfMerged) [][2]string {
	return [][2]string{{quote.Command("git resume merge %s", h.Run), "finish the merge"}, {"git resume doctor --fix", "take back what it wrote"}}
}

// WaysOut turns commands and what they do into lines of advice.
func WaysOut(ways [][2]string) []string {
	var out []string
	for i, w := range ways {
		first := "or "
		if i == 0 {
			first = ""
		}
		out = append(out, fmt.Sprintf("%s%s with '%s'", first, w[1], w[0]))
	}
	return out
}
