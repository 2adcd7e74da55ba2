package advice

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/autoclaude"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// taskRows has the rows for errors about a task or about the user's input.
func taskRows() []row {
	return []row{
		rowFor[plan.Faults](exit.Failed, nil),
		rowFor[*candidate.TextError](exit.Usage, nil),
		rowFor(exit.Usage, hideOwnAdvice),
		rowFor(exit.Failed, func(*candidate.NotHiddenError) []string {
			return []string{"use " + phrase.Single("git resume hide --list") + " to see what is hidden"}
		}),
		rowFor(exit.Failed, func(*adopt.PatternError) []string {
			return []string{"use " + phrase.Single("git config --show-origin --get-all resume.ignore") + " to see which file has the setting"}
		}),
		rowFor(exit.Usage, optionAdvice),
		rowFor(exit.Decide, aimAdvice),
		rowFor(exit.Decide, func(e *assess.ShelvedError) []string {
			return []string{
				"nothing was changed: the unfinished work is committed, so cleaning the worktree would not remove it",
				"keep the unfinished work and run the task again on top of it with " + phrase.Single("git resume %s --keep", e.Run),
				"or accept the unfinished work as the task's result, without running the task again, with " + phrase.Single("git resume %s --mark-done", e.Run),
			}
		}),
		rowFor(exit.Decide, func(e *assess.ByHandError) []string {
			return []string{
				"nothing was changed: with so many files, git-resume could not tell the changes made by hand from the task's own changes",
				fmt.Sprintf("commit or stash these files in '%s', then repeat the command", quote.Clean(e.Path)),
			}
		}),
		rowFor(exit.Decide, untrustedAdvice),
		rowFor(exit.Decide, doubtAdvice),
		rowFor(exit.Decide, func(e *tasks.UnconfirmedError) []string {
			return []string{"continue the run at a terminal, where you will be asked, with " + phrase.Single("git resume %s", e.Run)}
		}),
		rowFor(0, func(e *candidate.NoTaskError) []string {
			hints := []string{"see its tasks with " + phrase.Single("git resume status %s", e.Run)}
			if e.Addable {
				hints = append(hints, "add it as a new task with '--add'")
			}
			return hints
		}),
		rowIf(0, func(e *reporting.StateError) bool { return e.Wants == "answer" && !e.Task.State.Closed() }, func(e *reporting.StateError) []string {
			return []string{"this task has no question; use " + phrase.Single("git resume status %s", e.Run) + " to see which task has one"}
		}),
		rowIf(0, func(e *reporting.StateError) bool { return e.Asks() }, func(e *reporting.StateError) []string {
			return []string{"answer it with " + phrase.Single("git resume answer --run %s %s TEXT", e.Run.Suffix(), e.Task.ID)}
		}),
		rowFor(0, func(e *reporting.StateError) []string {
			return []string{"open it again with " + phrase.Single("git resume task reset %s --run %s", e.Task.ID, e.Run)}
		}),
		rowFor(0, func(e *reporting.NotReadyError) []string {
			return []string{"create its worktree with " + phrase.Single("git resume %s", e.Run)}
		}),
		rowFor(0, placeAdvice),
		rowFor(0, func(e *autoclaude.NoItemError) []string {
			return []string{"see its items with " + phrase.Single("git resume status %s", e.Key)}
		}),
		rowFor(0, func(e *sources.NoActionError) []string {
			return []string{"use " + phrase.Single("git resume %s -n", e.Key) + " to see which choices apply"}
		}),
	}
}

// runRows has the rows for errors about choosing a run, about a run that the command cannot use, and about undoing a change.
func runRows() []row {
	return []row{
		rowIf(exit.Decide, func(e *candidate.AmbiguousError) bool { return len(e.Runs) > 0 }, func(e *candidate.AmbiguousError) []string {
			name := "name one, as in "
			if e.Others && len(e.Runs) == 1 {
				name = "nothing was started or changed; name it, as in "
			}
			return []string{name + quote.Between("'", commandForRun(e))}
		}),
		rowFor[*candidate.AmbiguousError](exit.Decide, nil),
		rowFor(exit.Decide, openAdvice),
		rowFor(exit.Decide, func(e *candidate.LeftError) []string {
			return []string{"check it out with " + phrase.Single("git switch %s", words.ShortBranch(e.On)) + ", then repeat the command"}
		}),
		rowFor(0, func(e *candidate.NoneError) []string {
			if e.Finished != "" {
				return []string{fmt.Sprintf("run '%s' is finished and not merged; discard it with %s", e.Finished, phrase.Single("git resume discard %s", e.Finished))}
			}
			if len(e.Near) > 0 {
				return []string{"did you mean " + phrase.Some(e.Near) + "?", "see all runs with 'git resume status --all'"}
			}
			return []string{"see all runs with 'git resume status --all'"}
		}),
		rowFor(0, closedAdvice),
		rowFor(0, func(e *candidate.LostJournalError) []string {
			return []string{"rebuild it from its commits first, with " + phrase.Single("git resume %s --yes", e.Run)}
		}),
		rowFor(0, func(e *candidate.ScatteredError) []string {
			return []string{"see its commits with " + phrase.Single("git log --all --grep=%s", e.Run)}
		}),
		rowFor(exit.Decide, func(e *checkpoint.ElsewhereError) []string { return elsewhereAdvice(e.Run, e.Lack) }),
		rowFor(exit.Decide, func(e *candidate.ElsewhereOnlyError) []string {
			return elsewhereAdvice(e.Runs[0].Run.ID, e.Runs[0].Run.Lack)
		}),
		rowFor(exit.Decide, func(e *discard.NotHereError) []string {
			return []string{"use " + phrase.Single("git resume log %s", e.Run) + " to see what was recorded"}
		}),
		rowIf(exit.Decide, func(e *resume.HereError) bool { return e.Branch == "" }, fixedLines[*resume.HereError](
			"leave the branch with 'git switch --detach', then repeat the command")),
		rowFor(exit.Decide, func(e *resume.HereError) []string {
			return []string{"check it out with " + phrase.Single("git switch %s", words.ShortBranch(e.Branch)) + ", then repeat the command"}
		}),
		rowIf(0, func(e *adopt.ChangedError) bool { return e.Kept != "" }, func(e *adopt.ChangedError) []string {
			return []string{"the file stays as it is; nothing was undone", "see its earlier content with " + phrase.Single("git show %s", e.Kept)}
		}),
		rowFor(0, fixedLines[*adopt.PresentError]("nothing was moved; move or remove that file or folder, then repeat the command")),
		rowIf(0, func(e *commit.NestedError) bool { return e.In != "" }, fixedLines[*commit.NestedError]("make the commit there, or name other paths")),
		rowFor(0, fixedLines[*commit.NestedError]("make a commit in that repository, or name other paths")),
		rowFor(0, undoAdvice),
		rowFor(0, func(e *discard.LaterChangeError) []string { return undoFirst(e.Number, e.Later) }),
		rowFor(0, reportedAdvice),
		rowIf(0, func(e *discard.NoChangeError) bool { return e.Undone }, func(e *discard.NoChangeError) []string {
			return []string{"if this is the change that was undone most recently, redo it with " + phrase.Single("git resume undo --redo %s", e.Run), "use 'git resume undo --list' to see which changes can be undone"}
		}),
		rowFor(0, fixedLines[*discard.NoChangeError]("use 'git resume undo --list' to see which changes can be undone")),
		rowForValue(discard.ErrNothingToUndo, 0, allRuns),
	}
}

// busyRows has the rows for errors about a run or a worktree that cannot be used: another process uses it, it is gone, or a git operation
// in it is not finished.
func busyRows() []row {
	return []row{
		rowIf(0, func(e *discard.LostTreeError) bool { return e.Branch != "" }, func(e *discard.LostTreeError) []string {
			return []string{"get the worktree back with " + phrase.Single("git worktree add -f %s %s", e.Path, words.ShortBranch(e.Branch)) + ", then repeat the command"}
		}),
		rowFor(0, func(e *trash.DiscardedError) []string {
			return []string{"get it back with " + phrase.Single("git -C %s resume undo %s", e.Home, e.Run)}
		}),
		rowFor(exit.Fatal, fixedLines[*flock.NoLocksError]("on NFS, check that its lock service runs, for example with 'rpcinfo -p SERVER'; otherwise keep the repository on a local disk")),
		rowIf(exit.Busy, func(e *flock.StuckError) bool { return e.PID > 0 }, func(e *flock.StuckError) []string {
			return []string{fmt.Sprintf("look at that process with 'ps -o pid,stat,command -p %d'; if it is suspended, let it continue with 'kill -CONT %d'", e.PID, e.PID)}
		}),
		rowFor(exit.Busy, fixedLines[*flock.StuckError]("if another git-resume process is suspended, let it continue with 'kill -CONT PID', or end it")),
		rowFor(exit.Busy, func(e *adopt.AtWorkError) []string {
			return []string{
				"see its state with " + phrase.Single("git resume status %s", e.Key),
				"only if you are sure that nobody works on it, repeat the command with '--force'",
			}
		}),
		rowFor(exit.Busy, fixedLines[*autoclaude.RunningError]("wait until Auto-Claude ends, or stop it; then repeat the command")),
		rowFor(exit.Busy, inUseAdvice),
		rowFor(exit.Busy, fixedLines[*worktree.LivingError]("wait until nobody works on the run, then repeat the command")),
		rowFor(exit.Busy, func(e *trash.BusyError) []string {
			return []string{"wait a moment, then see its state with " + phrase.Single("git resume status %s", e.Run)}
		}),
		rowFor(exit.Busy, heldAdvice),
		rowFor[*journal.FencedError](exit.Busy, nil),
		rowFor[*guard.LivingLockError](exit.Busy, nil),
		rowFor(exit.Busy, func(e *reporting.UncheckedError) []string {
			repeat := "repeat the command with " + phrase.Single("--takeover --run %s", e.Run)
			if e.NoTakeover {
				repeat = "pause the run with " + phrase.Single("git resume pause %s", e.Run) + ", then repeat the command"
			}
			return []string{"the run's last record is from " + e.Last.Local().Format(time.DateTime), "only if that worker is gone, " + repeat}
		}),
		rowIf[*repair.OperationError](exit.Busy, func(e *repair.OperationError) bool { return e.What == "busy" || e.What == "unseen" }, nil),
		rowIf[*repair.OperationError](exit.Conflicts, func(e *repair.OperationError) bool { return e.What == "unresolved" || e.What == "doubt" }, nil),
		rowFor[*repair.OperationError](exit.Decide, nil),
	}
}

// openAdvice says what to do if the work that is to be started is open already.
func openAdvice(e *start.OpenWorkError) []string {
	var out []string
	if e.Runs[0].State != checkpoint.Running {
		out = append(out, "continue it with "+phrase.Single("git resume %s", e.Runs[0].Called()))
	}
	if n := len(e.Again) - 1; e.Command == "" && n > 0 && e.Runs[0].Found == nil && e.Again[n] == "--new" {
		out = append(out, "in a script, continue it with "+quote.Between("'", quote.Words(append(append([]string{"git", "resume"}, e.Again[:n]...), "--auto"))))
	}
	return append(out, "see its state with "+phrase.Single("git resume status %s", e.Runs[0].Called()),
		"start another one with "+quote.Between("'", quote.Words(append([]string{"git", "resume"}, e.Again...))))
}

// updateAdvice says how to complete or abort the merge or rebase that updates a run from its base.
func updateAdvice(e *resume.UpdateError) []string {
	return []string{
		fmt.Sprintf("resolve the problem in '%s', run 'git %s --continue' there, then %s", quote.Clean(e.Path), e.How, phrase.Single("git resume %s", e.Run)),
		fmt.Sprintf("or abort the %s there with 'git %s --abort'", e.How, e.How),
	}
}

// unsavedAdvice lists the files that would be lost if the worktree were cleaned, and says what to do instead.
func unsavedAdvice(e *staging.UnsavedError) []string {
	lost := words.Unsaved(e.Left)
	if ignored := words.ByKind(e.Left)[snapshot.Ignored]; len(ignored) > 0 {
		lost = append(lost, phrase.Some(ignored)+" (ignored by git, but in the place of a file that has to be put back)")
	}
	return []string{
		"nothing was changed; cleaning the tree would lose " + strings.Join(lost, ", "),
		"save or remove these files, then repeat the command",
		"or keep these changes and continue: " + phrase.Single("git resume %s --keep", e.Run),
	}
}

// hideOwnAdvice offers other commands for work that cannot be hidden.
func hideOwnAdvice(e *adopt.HideOwnError) []string {
	if e.Key.Kind() == candidate.GitOperation {
		return []string{"use " + phrase.Single("git resume %s -n", e.Key) + " to see how to end it"}
	}
	discards := "discard it, which can be undone, with " + phrase.Single("git resume discard %s", e.Key)
	switch {
	case !e.Finished:
		return []string{"end it and keep its work with " + phrase.Single("git resume finish %s", e.Key), "or " + discards}
	case e.Unmerged:
		return []string{"merge it with " + phrase.Single("git resume merge %s", e.Key), "or " + discards}
	}
	return []string{discards}
}
