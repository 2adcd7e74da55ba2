package words

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// always returns a function that returns the given text, whatever the facts are.
func always(text string) func(candidate.Facts) string {
	return func(candidate.Facts) string { return text }
}

// sentences maps each case of a finding to the function that describes the case in words.
var sentences = sync.OnceValue(func() map[candidate.Case]func(candidate.Facts) string {
	return map[candidate.Case]func(candidate.Facts) string{
		// sentences about the worktree
		candidate.TreeBeingMade: always("its worktree is being made"),
		candidate.TreeNotReady:  always("its start was interrupted before its worktree was ready; the worktree will be made again"),
		candidate.TreeNoneHere: func(f candidate.Facts) string {
			return savedLast("it has no worktree here; one will be made from its branch", f.Saved)
		},
		candidate.TreeFolderGone: func(f candidate.Facts) string {
			return savedLast("its worktree folder is gone; it will be made again from its branch", f.Saved)
		},
		candidate.TreeIncomplete: func(f candidate.Facts) string {
			return savedLast("its worktree is incomplete; git-resume will try to make it again from its branch", f.Saved)
		},
		candidate.TreeNotThere: always("its worktree does not exist"),
		candidate.TreeWillBeMade: func(f candidate.Facts) string {
			return fmt.Sprintf("it has no worktree; one will be made at %s", f.Path)
		},
		candidate.TreeMovedTo: func(f candidate.Facts) string {
			return fmt.Sprintf("its worktree was moved to %s; the registration will be repaired", f.To)
		},
		candidate.TreeStayedBehind: always("the repository was moved, but its worktree was not; the registration will be repaired"),
		candidate.TreeNotItsOwn: func(f candidate.Facts) string {
			if f.To == "" {
				return fmt.Sprintf("the folder at %s is not the run's worktree", f.Path)
			}
			return fmt.Sprintf("the folder at %s is a worktree of %s, not the run's worktree", f.Path, f.To)
		},
		candidate.TreeTaken: func(f candidate.Facts) string {
			return fmt.Sprintf("another worktree is registered at %s", f.Path)
		},
		candidate.TreeNotOfRepo: func(f candidate.Facts) string {
			return fmt.Sprintf("the folder %s is not a worktree of this repository", f.Path)
		},
		candidate.PlaceIsLink: func(f candidate.Facts) string {
			return fmt.Sprintf("%s is a link to %s, and a worktree is not made through a link", f.Path, f.To)
		},
		candidate.PlaceOutside: func(f candidate.Facts) string {
			return fmt.Sprintf("its own system wants a worktree at %s, but git-resume does not create worktrees there", f.Path)
		},
		candidate.OperationUnderway: func(f candidate.Facts) string {
			return ongoing.Operation(f.Text).Named() + " is in progress in its worktree"
		},
		candidate.UpdateUncommitted: func(f candidate.Facts) string {
			return fmt.Sprintf("merging %s was interrupted before its commit; the commit will be made", f.Base)
		},
		candidate.FindRestore.Case(): func(f candidate.Facts) string { return HalfRestored(f.Text, f.Saved) },
		candidate.TreeOnBranch: func(f candidate.Facts) string {
			return fmt.Sprintf("its worktree is on %s instead of the run's branch", f.Branch)
		},
		candidate.CheckedOutBranch: func(f candidate.Facts) string {
			return fmt.Sprintf("it works on %s, but %s is checked out", f.Branch, f.Other)
		},

		// sentences about the branch and the base
		candidate.FindBranchRenamed.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("branch %s was renamed to %s; the run follows it", f.Branch, f.Other)
		},
		candidate.BranchDeletedKept: func(f candidate.Facts) string {
			return fmt.Sprintf("branch %s does not exist here; its last recorded commit %s does", f.Branch, f.Commit.Short())
		},
		candidate.BranchNotThere: func(f candidate.Facts) string {
			return fmt.Sprintf("branch %s does not exist; its last known commit is %s", f.Branch, f.Commit.Short())
		},
		candidate.FindBranchRewrote.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("branch %s was rewritten since the last record", f.Branch)
		},
		candidate.FindBranchForeign.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("branch %s has commits that the run did not record", f.Branch)
		},
		candidate.FindBranchLost.Case(): func(f candidate.Facts) string {
			if f.Commit == "" {
				return fmt.Sprintf("branch %s does not exist here, and no commit of it is recorded", f.Branch)
			}
			return fmt.Sprintf("branch %s and its last recorded commit %s do not exist here", f.Branch, f.Commit.Short())
		},
		candidate.LostUpTo: func(f candidate.Facts) string {
			return fmt.Sprintf("its results up to task %d still exist, as %s", f.Count, f.Commit.Short())
		},
		candidate.LostTask: func(f candidate.Facts) string {
			return fmt.Sprintf("task %d, %s, was committed as %s, which is not in this repository", f.Count, f.Task, f.Commit.Short())
		},
		candidate.FindBaseGone.Case(): func(f candidate.Facts) string { return fmt.Sprintf("its base %s does not exist here", f.Base) },
		candidate.FindBaseRewritten.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("its base %s lacks commits that the run has seen there", f.Base)
		},
		candidate.BaseAhead: func(f candidate.Facts) string {
			return fmt.Sprintf("%s is %s ahead of where the run last saw it (%s)", f.Base, phrase.Count(f.Count, "commit", "commits"), f.Commit.Short())
		},
		candidate.BaseChanged: func(f candidate.Facts) string { return fmt.Sprintf("%s has changed since the last record", f.Base) },
		candidate.BaseHasMore: func(f candidate.Facts) string {
			return fmt.Sprintf("%s has commits that the run's branch does not have", f.Base)
		},
		candidate.UnrelatedBase:         always("the run and its base have no common ancestor"),
		candidate.FindConflict.Case():   conflictText,
		candidate.FindExpected.Case():   conflictText,
		candidate.FindSameFile.Case():   changedOnBase,
		candidate.FindInput.Case():      changedOnBase,
		candidate.FindManifest.Case():   changedOnBase,
		candidate.FindCannotTell.Case(): changedOnBase,

		// sentences about who works on the run
		candidate.AliveExecuted: always("it is running now"),
		candidate.AliveHeld:     func(f candidate.Facts) string { return f.Text },
		candidate.AliveTask: func(f candidate.Facts) string {
			if f.PID == 0 {
				return fmt.Sprintf("task '%s' is still running", f.Task)
			}
			return fmt.Sprintf("task '%s' is still running (%s)", f.Task, Process(f.PID))
		},
		candidate.AliveProcess: func(f candidate.Facts) string { return Process(f.PID) + " is working on it" },
		candidate.FindIdle.Case(): func(f candidate.Facts) string {
			if f.Span <= candidate.IdleAfter {
				return fmt.Sprintf("%s is alive; its last report was %s", Process(f.PID), phrase.Ago(f.Span))
			}
			return fmt.Sprintf("%s is alive but has shown no activity for %s", Process(f.PID), phrase.Long(f.Span))
		},
		candidate.FindLimited.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("its agent reached a limit that lasts %s", limitText(f.Text, f.Other, f.When.In(time.Local), time.Time{}))
		},
		candidate.FindTwoAgents.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("another agent's session is open in the same worktree: %s, process %d", quote.Clean(f.Text), f.PID)
		},
		candidate.FindLeft.Case(): func(f candidate.Facts) string {
			text := fmt.Sprintf("process %d (%s), which the dead worker started", f.PID, quote.Clean(f.Text))
			if f.Span > 0 {
				text += " " + phrase.LongAgo(f.Span)
			}
			text += ", is still at work in the worktree"
			if len(f.Names) > 0 {
				text += "; last changed: " + phrase.Some(f.Names)
			}
			return text
		},
		candidate.TwoAgentsUnseen: func(f candidate.Facts) string {
			return fmt.Sprintf("an agent in a container may be working in the same worktree: %s, last report %s", quote.Clean(f.Text), phrase.Ago(f.Span))
		},
		candidate.UncheckedNoLock: func(f candidate.Facts) string {
			return fmt.Sprintf("process %d, which works on the run, is alive, but its lock file is missing", f.PID)
		},
		candidate.UncheckedLocks:        func(f candidate.Facts) string { return f.Text },
		candidate.UncheckedWorker:       always("it cannot be checked from here whether its last worker is alive"),
		candidate.FindMaybeAlive.Case(): func(f candidate.Facts) string { return "somebody may be working on it: " + f.Text },
		candidate.FindHandedBefore.Case(): func(f candidate.Facts) string {
			return "steps to continue were printed at " + f.Text + "; nothing shows whether somebody follows them"
		},
		candidate.FindPaused.Case(): always("it was stopped on purpose"),
		candidate.FindStale.Case(): func(f candidate.Facts) string {
			if f.Text != "" { // prefer the other system's own explanation
				return f.Text
			}
			return "it has had no activity for more than " + phrase.Long(f.Span)
		},
		candidate.FindSameWork.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("run '%s' is open too, with the same name or branch", f.Run)
		},

		// sentences about the journal and other stored state
		candidate.DamagedLines: func(f candidate.Facts) string {
			return phrase.Count(f.Count, "line", "lines") + " of its journal cannot be read"
		},
		candidate.DamagedPlan:             func(f candidate.Facts) string { return "its plan cannot be read: " + f.Text },
		candidate.DamagedState:            func(f candidate.Facts) string { return "its state cannot be read: " + f.Text },
		candidate.FindDiverged.Case():     always("two clones worked on it independently of each other"),
		candidate.RebuiltCommits:          always("its journal is missing; its state was rebuilt from its commits"),
		candidate.RebuiltDisagree:         always("its own records disagree about whether it is done"),
		candidate.RebuiltConfirm:          always("a person must confirm which step comes next"),
		candidate.RebuiltEvidence:         always("its state was reconstructed, because its own record is missing or unclear"),
		candidate.FindLinesMissing.Case(): always("records that were made in this clone are missing from the run's journal"),
		candidate.ElsewhereUnsigned: func(f candidate.Facts) string {
			return lastBy("its records are not signed; they were made by an older version, or in another clone", f.Text)
		},
		candidate.ElsewhereNoKey: always("it is not known whether it was started in this clone, because your key for signing records cannot be used"),
		candidate.ElsewhereClosed: func(f candidate.Facts) string {
			return lastBy("it is not recorded as open in this clone: it was closed here, came from another clone, or lost its file in .git/resume", f.Text)
		},
		candidate.ElsewhereStarted: func(f candidate.Facts) string {
			return lastBy("it was started in another clone or by another user", f.Text)
		},
		candidate.ElsewhereGoesOn: func(f candidate.Facts) string {
			where := ""
			if f.Text != "" {
				where = " on " + f.Text
			}
			return fmt.Sprintf("it was continued elsewhere%s; its last record is from %s", where, f.When.Format("2006-01-02 15:04:05"))
		},
		candidate.FindReported.Case(): reported,
		candidate.FindLent.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("it was lent as branch '%s' %s, and somebody may be working on that branch", quote.Printable(f.Branch), phrase.Ago(f.Span))
		},
		candidate.FindCommits.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("%s on its branch may come from elsewhere; the newest is %s", phrase.Count(f.Count, "commit", "commits"), f.Commit.Short())
		},

		// sentences about the tasks and the plan
		candidate.QuestionWaits: func(f candidate.Facts) string {
			if f.Count > 1 {
				return fmt.Sprintf("it is waiting for %d answers; the first question: %s", f.Count, f.Text)
			}
			return "it is waiting for an answer: " + f.Text
		},
		candidate.QuestionBlocks: func(f candidate.Facts) string { return fmt.Sprintf("%s is blocked: %s", f.Task, f.Text) },
		candidate.QuestionApart: func(f candidate.Facts) string {
			return "the next step does not depend on this open question: " + f.Text
		},
		candidate.QuestionBlockOnly: func(f candidate.Facts) string {
			return fmt.Sprintf("the next step does not depend on %s, which is blocked: %s", f.Task, f.Text)
		},
		candidate.QuestionAbout: func(f candidate.Facts) string {
			return fmt.Sprintf("a question about %s is open (the system that manages this work does not wait for the answer): %s", f.Other, f.Text)
		},
		candidate.QuestionOfNext: func(f candidate.Facts) string {
			return "a question about the next step is open (the system that manages this work does not wait for the answer): " + f.Text
		},
		candidate.FindAttemptsUsedUp.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("task '%s' was tried %d times and has failed", f.Task, f.Count)
		},
		candidate.FindInvalid.Case(): func(f candidate.Facts) string { return fmt.Sprintf("task '%s' must run again: %s", f.Task, f.Again) },
		candidate.FindUntrusted.Case(): func(f candidate.Facts) string {
			return phrase.Count(f.Count, "command of the run was", "commands of the run were") + " not approved in this clone"
		},
		candidate.FindPartly.Case(): func(f candidate.Facts) string { return fmt.Sprintf("task '%s' was interrupted", f.Task) },
		candidate.FindByHand.Case(): func(f candidate.Facts) string {
			return phrase.Count(f.Count, "file", "files") + " changed after the run stopped, but not by the task"
		},
		candidate.FindLanded.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("the end of task '%s' was not recorded, but its commit %s was found", f.Task, f.Commit.Short())
		},
		candidate.LandedInPlace: func(f candidate.Facts) string {
			return fmt.Sprintf("task '%s' is done in commit %s, but its result is not on the run's branch yet", f.Task, f.Commit.Short())
		},
		candidate.FindNoProgress.Case(): func(f candidate.Facts) string {
			if f.Task == "" {
				return fmt.Sprintf("it was continued %d times without a new commit, file or event", f.Count)
			}
			return fmt.Sprintf("task '%s' was continued %d times without a new commit, file or event", f.Task, f.Count)
		},
		candidate.FindPlanChanged.Case(): func(f candidate.Facts) string {
			return fmt.Sprintf("%s differs from the plan that the run follows", f.Path)
		},
		candidate.PlanAdopt: func(f candidate.Facts) string {
			return quote.Command("use this version of the plan with: git resume %s --plan %s", f.Run, f.To)
		},
		candidate.FindFileMissing.Case(): func(f candidate.Facts) string {
			if f.Text == "" {
				return "is missing"
			}
			return "is missing, needed by " + f.Text
		},
	}
})

const (
	confirm          = "confirmation is needed, but git-resume cannot ask here"
	unknownConflicts = "it is not known whether it conflicts with changes made elsewhere"
)

// reasons has the texts for those reasons that are always described in the same words.
func reasons() map[assess.ReasonCase]string {
	return map[assess.ReasonCase]string{
		assess.ReasonConfirm:         confirm,
		assess.ReasonConfirmWarnings: "there are warnings: " + confirm,
		assess.ReasonConfirmAgain:    "finished tasks must be done again: " + confirm,
		assess.ReasonConfirmStep:     "a person must confirm which step comes next",
		assess.ReasonRunning:         "it is still running",
		assess.ReasonUnchecked:       "it cannot be checked from here whether it is still running",
		assess.ReasonIdle:            "its worker is still alive",
		assess.ReasonLimited:         "its agent reached a usage limit that still applies",
		assess.ReasonMaybeAlive:      "somebody may be working on it",
		assess.ReasonLeft:            "a process that its worker started is still at work in the worktree",
		assess.ReasonLinesMissing:    "records that were made in this clone are missing from its journal",
		assess.ReasonTakeover:        "it was recorded in another clone or by another user; a person must take it over first",
		assess.ReasonElsewhere:       "it was recorded in another clone or by another user",
		assess.ReasonResultsGone:     "commits with its results do not exist here",
		assess.ReasonCannotTell:      unknownConflicts,
		assess.ReasonFixFirst:        "something must be fixed first",
		assess.ReasonAnswer:          "it is waiting for an answer",
		assess.ReasonUntrusted:       "its commands were not approved in this clone",
		assess.ReasonPaused:          "it was stopped on purpose",
		assess.ReasonRebuilt:         "its state was rebuilt from commits",
		assess.ReasonDisagree:        "its own records disagree about whether it is done",
		assess.ReasonEvidence:        "its state was reconstructed, because its own record is missing or unclear",
		assess.ReasonDiverged:        "two clones worked on it independently of each other",
		assess.ReasonCommits:         "commits on its branch may come from another clone or user",
		assess.ReasonLent:            "it was sent to somebody as a branch, and nobody has taken it over since",
		assess.ReasonReported:        "another clone or user reported something about it",
		assess.ReasonAttempts:        "its task was tried too often and has failed",
		assess.ReasonNoProgress:      "it was continued several times without any progress",
		assess.ReasonPartly:          "a task was interrupted",
	}
}

// verdicts puts the overall result of a run's checks into words.
func verdicts() map[candidate.Verdict]string {
	return map[candidate.Verdict]string{
		candidate.Clean: "nothing is in the way", candidate.Warnings: "there are only warnings", candidate.Partial: "finished tasks must run again",
		candidate.Blocked: "a blocking problem was found",
	}
}

// ageWord completes the sentence "the last activity is …".
func ageWord(a candidate.Age) string {
	if a == candidate.Moderate {
		return "moderately old"
	}
	return string(a)
}

// Reason puts the reason for a decision into words.
func Reason(r assess.Reason) string {
	switch r.Case {
	case assess.ReasonVerdict:
		if n := Warnings(&candidate.Picture{Findings: r.Findings}); r.Verdict == candidate.Warnings && n == 1 {
			return fmt.Sprintf("nothing but 1 warning was found, and the last activity is %s", ageWord(r.Age))
		}
		return fmt.Sprintf("%s, and the last activity is %s", cmp.Or(verdicts()[r.Verdict], "its verdict is "+string(r.Verdict)), ageWord(r.Age))
	case assess.ReasonFinding:
		return fmt.Sprintf("%s: %s", r.Findings[0].Code, Text(r.Findings[0]))
	case assess.ReasonBlocking:
		return "it cannot be continued as it is: " + blocking(r.Findings)
	case assess.ReasonOperation:
		return Text(r.Findings[0]) + "; finish or abort it first"
	case assess.ReasonConflicts:
		return "files changed by this run were also changed " + whereElse(r)
	case assess.ReasonStale:
		return "the run has had no activity for more than " + phrase.Long(r.Stale)
	case assess.ReasonStaleConfirm:
		return "it has had no activity for more than " + phrase.Long(r.Stale) + ": " + confirm
	}
	return reasons()[r.Case]
}

// whereElse says where the files of a conflict were changed too, for example "on main".
func whereElse(r assess.Reason) string {
	if len(r.Findings) == 0 || r.Findings[0].Note.Facts.Base == "" {
		return "elsewhere"
	}
	return "on " + quote.Clean(r.Findings[0].Note.Facts.Base)
}

// Reasons puts all reasons for a decision into words, for the journal.
func Reasons(all []assess.Reason) []string {
	out := make([]string, 0, len(all))
	for _, r := range all {
		out = append(out, Reason(r))
	}
	return out
}

// blocking describes what keeps the work from continuing: the first two findings, and the number of the others. For a lost branch, it
// returns a general text.
func blocking(all []candidate.Finding) string {
	if len(all) == 0 || all[0].Code == candidate.FindBranchLost {
		return "a file or commit that it needs is missing"
	}
	text := ofFile(all[0])
	if len(all) > 1 {
		text += "; besides, " + ofFile(all[1])
	}
	if len(all) > 2 {
		text += fmt.Sprintf(", and %d more", len(all)-2)
	}
	return text
}

// ofFile returns the text of a finding. The text of a missing file follows the path of that file.
func ofFile(f candidate.Finding) string {
	if f.Code == candidate.FindFileMissing {
		return f.Path + " " + Text(f)
	}
	return Text(f)
}
