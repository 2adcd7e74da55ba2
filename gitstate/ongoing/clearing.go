package ongoing

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/refs"
)

// Ended says how an operation had ended whose notes are not all removed.
type Ended string

// The ends. The zero value means that nothing tells.
const (
	// EndedDone: all of it is done, and HEAD is where it shall be.
	EndedDone Ended = "done"
	// EndedBack: it was taken back.
	EndedBack Ended = "back"
	// EndedEmpty: its folder is empty, be it not filled yet or all but gone.
	EndedEmpty Ended = "empty"
)

// Git removes the notes of an operation when all else is done, file by file and in the order in which the folder lists them.
// What a kill leaves of them looks like an operation in the middle, or like one that has just begun,
// and to go on from there would begin it anew. Two things tell: git writes some files only after others,
// so that a later one without an earlier one means removal; and HEAD's log says that it came back.

// clearingRebase reports that git was removing the notes of a rebase.
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
	case o.Autostash != "": // git gives it back before it removes anything
		return false
	case gap:
	case end == "" || x.changedAfterHead(dir) && !x.leftBehind(o, end):
		return false
	case end == EndedDone && x.files.has(dir+"/done"):
		return false // perhaps nothing is removed yet, and git has still to move notes along and to call a hook
	}
	o.Ended = x.orEmpty(end, dir)
	return true
}

// isRebase: a step of a rebase has moved HEAD, as in "rebase (pick): subject" or "pull --rebase (start): checkout 1a2b".
func isRebase(move string) bool {
	action, _, _ := strings.Cut(move, ": ")
	return (strings.HasPrefix(action, "rebase") || strings.HasPrefix(action, "pull")) && strings.HasSuffix(action, ")")
}

// leftBehind: the rebase came back to its branch, and that is no longer where it was. One that never began has left it there.
func (x *reading) leftBehind(o *Ongoing, end Ended) bool {
	_, at, err := x.repo.Refs.Head(x.ctx)
	return end == EndedDone && err == nil && o.Orig != "" && at != o.Orig
}

// clearingApply reports that git was removing the notes of am, or of a rebase that goes by patches.
func (x *reading) clearingApply(o *Ongoing, dir string) bool {
	counted := x.files.hasAll(dir, "next", "last")
	am := strings.HasPrefix(x.lastMove(), "am")
	end := x.endOf(o.Branch)
	switch {
	case o.Autostash != "":
		return false
	case x.files.isEmpty(dir):
	case counted && o.Step > o.Of && (x.files.has(dir+"/applying") || am && !x.files.has(dir+"/rebasing")): // the mark may be gone already
		end = EndedDone
	case counted && (end == "" || x.changedAfterHead(dir, applyNotes...)):
		return false
	case !counted && (!am && end == "" || x.changedAfterHead(dir, applyNotes...)):
		return false
	}
	if am && !x.files.has(dir+"/rebasing") {
		o.Op, o.Branch = Am, cmp.Or(o.Branch, x.branch())
	}
	o.Ended = x.orEmpty(end, dir)
	return true
}

// orEmpty is an end, or that of a folder that holds nothing.
func (x *reading) orEmpty(end Ended, dir string) Ended {
	if end == "" && x.files.isEmpty(dir) {
		return EndedEmpty
	}
	return end
}

// applyNotes are what am writes anew at each patch; all else is there before the first one.
var applyNotes = []string{"next", "patch", "msg", "info", "author-script", "final-commit", "original-commit", "abort-safety", "rewritten", "dirtyindex"}

// clearingPicks reports that git was removing the notes of a series of picks or reverts; there is no list of them any more.
func (x *reading) clearingPicks(o *Ongoing) bool {
	o.Ended = x.orEmpty("", sequencer)
	if !x.files.has(sequencer + "/head") { // the first that git writes
		return true
	}
	last := x.lastMove()
	back := func(action string) bool { return strings.HasPrefix(last, action) }
	return slices.ContainsFunc([]string{"cherry-pick", "revert", "reset:", "commit (cherry-pick)"}, back) &&
		!x.changedAfterHead(sequencer, "abort-safety")
}

// endOf is how HEAD came back to a branch, or to whichever it is on, if that was its last move.
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

// lastMove is what HEAD's log says of its newest entry; empty where there is none.
func (x *reading) lastMove() string {
	if x.moved == nil {
		text, _ := x.repo.Line(x.ctx, "log", "-g", "-1", "--format=%gs", "HEAD", "--") // no log: nothing tells
		x.moved = &text
	}
	return *x.moved
}

// changedAfterHead reports that a file of a folder was written since HEAD moved last, or that this cannot be told;
// some files are written at every step and do not count.
func (x *reading) changedAfterHead(dir string, passing ...string) bool {
	info, err := os.Lstat(x.files.path("logs", "HEAD"))
	if err != nil {
		return true // where refs are kept in tables it has no file of its own
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
