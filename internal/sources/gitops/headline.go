package gitops

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/proc"
)

// Headline describes in one line what is unfinished and why: "rebase of topic onto 1a2b3c4 was killed inside commit 2 of 4".
func (s *State) Headline() string {
	what := s.subjectOf()
	if s.Life == proc.Alive {
		return what + " is still running"
	}
	at := s.positionText()
	switch s.Stop {
	case ongoing.StopConflict:
		return fmt.Sprintf("%s stopped%s: %s", what, at, countOf(len(s.Unmerged), "path is unresolved", "paths are unresolved"))
	case ongoing.StopEdit:
		return what + " waits" + at + ", which you marked for editing"
	case ongoing.StopBreak:
		return what + " waits" + at + ", at a 'break' line of its todo list"
	case ongoing.StopReword:
		return what + " stopped" + at + ": git or a hook did not accept the new message of the commit"
	case ongoing.StopExec:
		return fmt.Sprintf("%s stopped%s: 'exec %s' failed, was interrupted or left changes", what, at, s.Now.Arg)
	case ongoing.StopStarting, ongoing.StopTorn:
		return what + " was killed while it started"
	case ongoing.StopClearing:
		return what + overTexts[s.Ended]
	case ongoing.StopList:
		return what + " was killed while its todo list was edited"
	case ongoing.StopEmptyPatch:
		return what + " stopped" + at + ", which changes nothing"
	case ongoing.StopPatch:
		if s.Crash.Repair == RepairNothing {
			return what + " stopped" + at + ", which is not applied yet"
		}
	case ongoing.StopQuestion:
		if s.Found {
			return what + " found the first " + s.term(0, "bad") + " commit, but was not ended"
		}
		return what + " waits for your verdict on a commit"
	case ongoing.StopLeft:
		return s.leftovers(what)
	}
	return s.midway(what, at)
}

var overTexts = map[ongoing.Ended]string{
	ongoing.EndedDone:  " is done, except for the cleanup",
	ongoing.EndedBack:  " was aborted, except for the cleanup",
	ongoing.EndedEmpty: " has left an empty folder",
	"":                 " was interrupted while git removed its state files",
}

// midway describes an operation that was killed, or that is waiting for the user to continue it.
func (s *State) midway(what, at string) string {
	switch {
	case s.Crash.Repair == RepairFinish && s.Dir == "rebase-apply":
		return what + " was killed after its last patch, but before it ended"
	case s.Crash.Repair == RepairFinish:
		return what + " is done, except for the cleanup"
	case s.Crash.Repair == RepairMessage:
		return what + " was killed before it made the merge commit; everything is merged"
	case s.Crash.Empty:
		return what + " stopped" + at + "; the new commit would be empty"
	case s.triesAgain():
		return what + " stopped" + at + ", which git will try again"
	case s.Crash.Unlisted, s.Stop == ongoing.StopMidway && s.Dir == "rebase-merge", s.Crash.Repair != RepairNothing:
		return what + " was killed inside" + inside(at)
	case s.Stop == ongoing.StopMidway:
		return what + " was left" + at
	}
	return what + " waits" + at + "; no conflicts are left"
}

func inside(at string) string {
	if len(at) > len(" at") {
		return at[len(" at"):]
	}
	return " a step"
}

func (s *State) leftovers(what string) string {
	switch s.Op {
	case ongoing.StaleLock:
		if s.Life == proc.Dead {
			return countOf(len(s.Files), "lock file was", "lock files were") + " left by a git process that is gone"
		}
		return countOf(len(s.Files), "lock file of git exists", "lock files of git exist") + "; it is not known whether a git process is still running"
	case ongoing.HalfWorktree:
		if s.Whole {
			return "worktree " + Where(s.Tree) + " is complete, but still locked by the process that created it"
		}
		return "the creation of worktree " + Where(s.Tree) + " was interrupted"
	}
	return what + " was killed, and its folder is still there"
}

// subjectOf returns a text such as "rebase of topic onto 1a2b3c4".
func (s *State) subjectOf() string {
	of := func(name string) string {
		if b := short(s.Branch); b != "" {
			return name + " of " + b
		}
		return name
	}
	switch s.Op {
	case ongoing.Rebase:
		text := of("rebase")
		switch {
		case s.lacksBranch():
			text = "rebase of an unknown branch"
		case s.Branch == "":
			text = "rebase of a detached HEAD"
		}
		if s.OntoName != "" {
			text += " onto " + s.OntoName
		} else if s.Onto != "" {
			text += " onto " + s.Onto.Short()
		}
		return text
	case ongoing.Merge:
		text := "merge"
		if len(s.Heads) > 0 {
			text += " of " + s.Heads[0].Short()
		}
		return into(text, s.Branch)
	case ongoing.SquashMerge:
		return into("squash merge", s.Branch)
	case ongoing.FilesMerge:
		return into("cherry-pick --no-commit or a similar command", s.Branch)
	case ongoing.StashPop:
		return into("stash pop", s.Branch)
	case ongoing.NotesMerge:
		return into("merge of notes", s.Branch)
	case ongoing.Am:
		return into("am", s.Branch)
	case ongoing.CherryPick, ongoing.Revert:
		return into(string(s.Op), s.Branch)
	}
	return of(string(s.Op))
}

func into(what string, ref refs.Name) string {
	if name := short(ref); name != "" {
		return what + " on " + name
	}
	return what
}

// positionText returns a text such as " at commit 2 of 4", or "" if the position is not known.
func (s *State) positionText() string {
	step, of := s.position()
	switch {
	case of > 0 && step > 0:
		return fmt.Sprintf(" at %s %d of %d", s.unit(), step, of)
	case s.Dir == "sequencer" && s.Left > 1:
		return fmt.Sprintf(" at %s, %d to go", object.ID(s.Commit).Short(), s.Left)
	case s.Commit != "" && (s.Op == ongoing.CherryPick || s.Op == ongoing.Revert):
		return " at " + object.ID(s.Commit).Short()
	}
	return ""
}

// position returns the number of the current step and how many steps there are. For a rebase it counts the lines of git's lists, because
// git's own numbers include empty lines and are not updated when the user edits the list.
func (s *State) position() (step, of int) {
	if s.Dir != "rebase-merge" {
		return s.Step, s.Of
	}
	step = len(s.Done)
	if s.Crash.Unlisted {
		step++
	}
	return step, step + len(s.Todo)
}

// unit returns the word for one step of the operation. This is "patch" for patches. It is "line" if the todo list also has lines that pick
// no commit, such as "exec". Otherwise it is "commit".
func (s *State) unit() string {
	if s.Op == ongoing.Am || s.Dir == "rebase-apply" {
		return "patch"
	}
	other := func(c ongoing.Command) bool { return !c.Picks() }
	if slices.ContainsFunc(s.Done, other) || slices.ContainsFunc(s.Todo, other) {
		return "line"
	}
	return "commit"
}
