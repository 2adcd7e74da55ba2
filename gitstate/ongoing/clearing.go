package ongoing

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/refs"
)

// Ended says how an operation ended, if git has not removed all of its state files yet.
type Ended string

// The values of Ended. The empty value means that nothing shows how the operation ended.
const (
	// EndedDone means that the operation was finished.
	EndedDone Ended = "done"
	// EndedBack means that the operation was aborted.
	EndedBack Ended = "back"
	// EndedEmpty means that the operation's folder is empty: git has not written its files yet, or has removed all of them.
	EndedEmpty Ended = "empty"
)

// When an operation ends, git removes its state files one by one. If git is killed meanwhile, the remaining files look
// like an operation in progress, and continuing it would run it a second time. Gaps in the set of files, and HEAD's
// reflog, can show that the operation had ended.

// clearingRebase reports whether git was removing the state files of a rebase. If so, it sets o.Ended.
func (x *reading) clearingRebase(o *Ongoing, dir string) bool {
	basis, list := x.files.hasAll(dir, "head-name", "onto", "orig-head"), x.files.has(dir+"/git-rebase-todo")
	later := x.files.hasAny(dir, "git-rebase-todo.backup", "done", "end", "msgnum", "author-script", "message",
		"rewritten-list", "rewritten-pending", "stopped-sha", "amend")
	gap := list && !basis || later && !(basis && list) || x.files.isEmpty(dir)
	if !gap && !list { // git writes the todo list before it moves HEAD. If HEAD has moved and the list is missing, git has removed the list.
		gap = isRebase(x.lastMove()) && !x.changedAfterHead(dir)
	}
	end := x.endOf(o.Branch)
	switch {
	case o.Autostash != "": // git restores the autostash before it removes any state file, so all state files are still there
		return false
	case gap:
	case end == "" || x.changedAfterHead(dir) && !x.branchMoved(o, end):
		return false
	case end == EndedDone && x.files.has(dir+"/done"):
		return false // perhaps git has not removed any file yet, because it first copies notes and calls a hook
	}
	o.Ended = x.endOrEmpty(end, dir)
	return true
}

// isRebase reports whether a reflog message is from a rebase, such as "rebase (pick): subject" or "pull --rebase (start): checkout 1a2b".
func isRebase(move string) bool {
	action, _, _ := strings.Cut(move, ": ")
	return (strings.HasPrefix(action, "rebase") || strings.HasPrefix(action, "pull")) && strings.HasSuffix(action, ")")
}

// branchMoved reports whether the rebase has finished and the branch now points to another commit than before.
func (x *reading) branchMoved(o *Ongoing, end Ended) bool {
	_, at, err := x.repo.Refs.Head(x.ctx)
	return end == EndedDone && err == nil && o.Orig != "" && at != o.Orig
}

// clearingApply reports whether git was removing the state files of 'git am' or of a rebase with the apply backend. If so, it sets o.Ended.
func (x *reading) clearingApply(o *Ongoing, dir string) bool {
	counted := x.files.hasAll(dir, "next", "last")
	am := strings.HasPrefix(x.lastMove(), "am")
	end := x.endOf(o.Branch)
	switch {
	case o.Autostash != "":
		return false
	case x.files.isEmpty(dir):
	case counted && o.Step > o.Of && (x.files.has(dir+"/applying") || am && !x.files.has(dir+"/rebasing")): // 'git am' may have removed the file "applying" first
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

// endOrEmpty returns EndedEmpty if the first argument is "" and the folder is empty. Otherwise it returns the first argument.
func (x *reading) endOrEmpty(end Ended, dir string) Ended {
	if end == "" && x.files.isEmpty(dir) {
		return EndedEmpty
	}
	return end
}

// applyNotes are the files that 'git am' writes again for each patch.
var applyNotes = []string{"next", "patch", "msg", "info", "author-script", "final-commit", "original-commit", "abort-safety", "rewritten", "dirtyindex"}

// clearingPicks reports whether git was removing the state files of several picks or reverts. It is called if their todo list is missing
// or empty. It always sets o.Ended.
func (x *reading) clearingPicks(o *Ongoing) bool {
	o.Ended = x.endOrEmpty("", sequencer)
	// git writes this file before it starts the first pick. So if the file is missing, git has not started a pick or is removing its files.
	if !x.files.has(sequencer + "/head") {
		return true
	}
	last := x.lastMove()
	back := func(action string) bool { return strings.HasPrefix(last, action) }
	return slices.ContainsFunc([]string{"cherry-pick", "revert", "reset:", "commit (cherry-pick)"}, back) &&
		!x.changedAfterHead(sequencer, "abort-safety")
}

// endOf returns how a rebase ended, if the last entry of HEAD's reflog says that HEAD returned to the given branch. Otherwise it returns
// "". An empty argument means the current branch.
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

// lastMove returns the message of the newest entry in HEAD's reflog, or "" if there is none.
func (x *reading) lastMove() string {
	if x.lastMoveText == nil {
		text, _ := x.repo.Line(x.ctx, "log", "-g", "-1", "--format=%gs", "HEAD", "--") // without a reflog the message is empty
		x.lastMoveText = &text
	}
	return *x.lastMoveText
}

// changedAfterHead reports whether a file in a folder was written after HEAD last moved. If that is unknown, it returns true. It ignores
// the files named in "passing", because git writes them at every step.
func (x *reading) changedAfterHead(dir string, passing ...string) bool {
	info, err := os.Lstat(x.files.path("logs", "HEAD"))
	if err != nil {
		return true // unknown: with reftables, HEAD's reflog is not a separate file
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
