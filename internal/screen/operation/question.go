package operation

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// Question asks whether to carry out a choice for an unfinished git operation.
func Question(o *gitops.State, choice string) string {
	switch {
	case choice == gitops.Abort:
		_, name, _ := strings.Cut(o.Op.Named(), " ")
		return "Abort the " + name + "?" + goesBack(o) + SavedFirst(o)
	case choice != gitops.Continue:
		return strings.ToUpper(choice[:1]) + choice[1:] + "?" + SavedFirst(o)
	case o.Crash.Loses():
		return fmt.Sprintf("Put %s back into the todo list and continue?", quote.Printable(o.Crash.Lost.Subject()))
	case o.Crash.Repair == gitops.RepairRewind:
		return fmt.Sprintf("Repeat the line '%s %s' of the todo list and continue?", o.Crash.Command.Name, quote.Printable(o.Crash.Lost.Subject()))
	case o.Op == ongoing.StaleLock:
		return "Move these lock files aside?"
	case o.Op == ongoing.HalfWorktree:
		return "Clean up this worktree?"
	}
	return "Continue?"
}

// goesBack says to which commit an abort returns, if git records it.
func goesBack(o *gitops.State) string {
	switch o.Op {
	case ongoing.Rebase, ongoing.CherryPick, ongoing.Revert:
	default:
		return ""
	}
	if o.Orig == "" || o.Stays {
		return ""
	}
	where := "HEAD"
	if branch, ok := strings.CutPrefix(string(o.Branch), "refs/heads/"); ok {
		where = quote.Clean(branch)
	}
	return fmt.Sprintf(" %s goes back to %s.", where, o.Orig.Short())
}

// SavedFirst says that uncommitted changes are saved before anything is done. It returns "" if there are none.
func SavedFirst(o *gitops.State) string {
	if len(o.Uncommitted) == 0 {
		return ""
	}
	return " Uncommitted changes are saved first."
}
