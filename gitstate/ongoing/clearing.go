package ongoing

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/refs"
)

// Ended says how an operation had ended if some of its state files are still there.
type Ended string

// The zero value means that nothing shows how the operation ended.
const (
	// EndedDone: everything is done, and HEAD is where it should be.
	EndedDone Ended = "done"
	// EndedBack: the operation was aborted.
	EndedBack Ended = "back"
	// EndedEmpty: the operation's folder is empty, either because it was not filled yet or because all files in it are removed.
	EndedEmpty Ended = "empty"
)

// Git removes the state files of an operation last, one by one, in the order in which the folder lists them.
// If git is killed meanwhile, the remaining files look like an operation in the middle, or like one that has just started,
// and continuing it would start it again. Two things show the truth: git writes some files only after others,
// so a later file without an earlier one means removal; and HEAD's reflog says that HEAD returned to its branch.

// clearingRebase reports whether git was removing the state files of a rebase.
func (x *reading) clearingRebase(o *Ongoing, dir string) bool {
	basis, list := x.files.hasAll(dir, "head-name", "onto", "orig-head"), x.files.has(dir+"/git-rebase-todo")
	later := x.files.hasAny(dir, "git-rebase-todo.backup", "done", "end", "msgnum", "author-script", "message",
		"rewritten-list", "rewritten-pending", "stopped-sha", "amend")
	gap := list && !basis || later && !(basis && list) || x.files.isEmpty(dir)
	if !gap && !list { // HEAD moves only after the list is written
		gap = isRebase(x.lastMove()) && !x.changedAfterHead(dir)
	}
	end := x.endOf(o.Branch)
	switch {
	case o.Autostash != "": // git restores the autostash before it removes anything
		return false
	case gap:
	case end == "" || x.changedAfterHead(dir) && !x.branchMoved(o, end):
		return false
	case end == EndedDone && x.files.has(dir+"/done"):
		return false // perhaps nothing is removed yet, and git has still to copy notes and to call a hook
	}
	o.Ended = x.endOrEmpty(end, dir)
	return true
}

// isRebase reports whether a step of a rebase moved HEAD, as in "rebase (pick): subject" or "pull --rebase (start): checkout 1a2b".
func isRebase(move string) bool {
	action, _, _ := strings.Cut(move, ": ")
	return (strings.HasPrefix(action, "rebase") || strings.HasPrefix(action, "pull")) && strings.HasSuffix(action, ")")
}

// branchMoved reports whether the rebase returned to its branch and the branch has moved. A rebase that never started has not moved it.
func (x *reading) branchMoved(o *Ongoing, end Ended) bool {
	_, at, err := x.repo.Refs.Head(x.ctx)
	return end == EndedDone && err == nil && o.Orig != "" && at != o.Orig
}

// clearingApply reports whether git was removing the state files of am, or of a rebase that works by patches.
func (x *reading) clearingApply(o *Ongoing, dir string) bool {
	counted := x.files.hasAll(dir, "next", "last")
	am := strings.HasPrefix(x.lastMove(), "am")
	end := x.endOf(o.Branch)
	switch {
	case o.Autostash != "":
		return false
	case x.files.isEmpty(dir):
	case counted && o.Step > o.Of && (x.files.has(dir+"/applying") || am && !x.files.has(dir+"/rebasing")): // the file that marks an am may be gone already
		end = EndedDone
	case counted && (end == "" || x.changedAfterHead(dir, applyNotes...)):
		return false
	case !counted && (!am && end == "" || x.changedAfterHead(dir, applyNotes...)):
		return false
	}
	if am && !x.files.has(dir+"/rebasing") {
		o.Op, o.Branch = Am, cmp.Or(o.Branch, x.branch())
	}
	o.Ended = x.endOrEmpty(end, dir)
	return true
}

// endOrEmpty returns end or, if end is unknown and the folder is empty, EndedEmpty.
func (x *reading) endOrEmpty(end Ended, dir string) Ended {
	if end == "" && x.files.isEmpty(dir) {
		return EndedEmpty
	}
	return end
}

// applyNotes are the files that am writes again for each patch; all others exist before the first patch.
var applyNotes = []string{"next", "patch", "msg", "info", "author-script", "final-commit", "original-commit", "abort-safety", "rewritten", "dirtyindex"}

// clearingPicks reports whether git was removing the state files of a series of picks or reverts whose list is gone.
func (x *reading) clearingPicks(o *Ongoing) bool {
	o.Ended = x.endOrEmpty("", sequencer)
	if !x.files.has(sequencer + "/head") { // the first file that git writes
		return true
	}
	last := x.lastMove()
	back := func(action string) bool { return strings.HasPrefix(last, action) }
	return slices.ContainsFunc([]string{"cherry-pick", "revert", "reset:", "commit (cherry-pick)"}, back) &&
		!x.changedAfterHead(sequencer, "abort-safety")
}

// endOf says how HEAD returned to a branch (or, if branch is empty, to the current one), if that was HEAD's last move.
func (x *reading) endOf(branch refs.Name) Ended {
	head := x.branch()
	if head == "" || branch != "" && branch != head {
		return ""
	}
	on := string(head)
	switch last := x.lastMove(); {
	case strings.HasSuffix(last, "(finish): returning to "+on), last == "rebase finished: returning to "+on:
		return EndedDone
	case strings.HasSuffix(last, "(abort): returning to "+on), last == "rebase: aborting":
		return EndedBack
	}
	return ""
}

// lastMove is the message of the newest entry in HEAD's reflog; empty if there is none.
func (x *reading) lastMove() string {
	if x.lastMoveText == nil {
		text, _ := x.repo.Line(x.ctx, "log", "-g", "-1", "--format=%gs", "HEAD", "--") // without a reflog, nothing is known
		x.lastMoveText = &text
	}
	return *x.lastMoveText
}

// changedAfterHead reports whether a file in a folder was written after HEAD's last move, or true if that is unknown;
// the files in passing are written at every step and do not count.
func (x *reading) changedAfterHead(dir string, passing ...string) bool {
	info, err := os.Lstat(x.files.path("logs", "HEAD"))
	if err != nil {
		return true // if refs are kept in tables, HEAD's reflog is not a file of its own
	}
	return slices.ContainsFunc(x.files.entries(dir), func(e os.DirEntry) bool {
		return !slices.Contains(passing, e.Name()) && modTime(e).After(info.ModTime())
	})
}

func modTime(e os.DirEntry) time.Time {
	info, err := e.Info()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
