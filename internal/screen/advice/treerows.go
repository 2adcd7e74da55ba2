package advice

import (
	"fmt"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/purge"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// treeRows has the rows for errors about worktrees and the files in them, tasks that run at the same time, purges and hooks.
func treeRows() []row {
	return []row{
		rowFor(0, unsavedAdvice),
		rowFor(exit.Conflicts, updateAdvice),
		rowFor(exit.Decide, func(e *crew.HomeError) []string {
			return []string{
				phrase.Single("git -C %s status", e.Path) + " shows the changed files",
				"put these files away with " + phrase.Single("git -C %s stash push --include-untracked", e.Path) + ", because a commit would not be on the run's branch",
				"then check out the branch with " + phrase.Single("git -C %s checkout %s", e.Path, refs.Short(e.Branch)) + ", and get the files back with " + phrase.Single("git -C %s stash pop", e.Path),
			}
		}),
		rowFor(exit.Failed, jobsAdvice),
		rowFor(exit.Failed, func(e *crew.MovingError) []string {
			return []string{
				"nothing is lost; the reflog shows when the branch was moved: " + phrase.Single("git reflog %s", refs.Short(e.Branch)),
				"end the program that moves the branch, then continue with " + phrase.Single("git resume %s", e.Run),
			}
		}),
		rowFor(0, fixedLines[*resume.TreeError]("if the worktree was moved, repair it with 'git worktree repair PATH'")),
		rowFor(exit.Decide, func(e *discard.DataError) []string {
			return []string{
				"the files are " + phrase.Some(e.Files),
				"copy the files that you need to another place, then " + phrase.Single("git resume --discard %s --force", e.Run),
			}
		}),
		rowFor(exit.Decide, fixedLines[*purge.UnsavedError]("merge or copy what you need; to remove everything, even unsaved work, use 'git resume doctor --purge --force'")),
		rowFor(exit.Busy, fixedLines[*purge.InUseError]("wait until that process ends, then repeat the command")),
		rowFor(0, func(e *purge.InsideError) []string {
			return []string{"run it from the main worktree: " + phrase.Single("git -C %s resume doctor --purge", e.Main)}
		}),
		rowFor(0, fixedLines[*trash.MidOperationError]("finish or abort the operation first; 'git status' there says how", "or continue with '--force': the state of the operation is kept, and undo restores it")),
		rowFor(0, func(e *worktree.LockedError) []string {
			return []string{"if that lock is no longer needed: " + phrase.Single("git worktree unlock %s", e.Path)}
		}),
		rowFor(0, pathTakenAdvice),
		rowFor(0, func(e *worktree.BranchTakenError) []string {
			return []string{"see the last commit of that branch with " + phrase.Single("git log -1 %s", phrase.Revision(e.Branch))}
		}),
		rowIf(0, func(e *worktree.NotRegisteredError) bool { return e.Now != "" }, func(e *worktree.NotRegisteredError) []string {
			return []string{"it was moved; repair its registration with " + phrase.Single("git worktree repair %s", e.Now)}
		}),
		rowIf(0, func(e *worktree.NotRegisteredError) bool { return e.Of != "" }, func(e *worktree.NotRegisteredError) []string {
			return []string{
				fmt.Sprintf("nothing was changed: the folder is a worktree of '%s', and this repository seems to be a copy of that one", quote.Clean(e.Of)),
				"continue there with " + phrase.Single("git -C %s resume", e.Path),
			}
		}),
		rowFor(0, func(e *worktree.NotRegisteredError) []string { return moveAway(e.Path) }),
		rowFor(0, func(e *worktree.UnfinishedError) []string { return moveAway(e.Path) }),
		rowFor(exit.Conflicts, func(e *place.LinkError) []string {
			return []string{
				"if the link is not needed, remove it with " + phrase.Single("rm %s", e.Link) + ", then repeat the command",
				"or let git resume use another folder for its own runs: set resume.worktreeDir",
			}
		}),
		rowFor(0, fixedLines[*place.SwappedError]("find out which program changes that folder, then repeat the command")),
		rowFor(0, func(e *snapshot.HeadMovedError) []string {
			return []string{"go back to that commit with " + phrase.Single("git -C %s switch --detach %s", e.Path, e.Snapshot.Short()) + ", then repeat the command"}
		}),
		rowFor(0, managedAdvice),
		rowFor(0, fixedLines[*hooks.NoManagerError]("use 'git resume hooks install' to install the hook without a hook manager")),
		rowIf(0, func(e *hooks.OtherWayError) bool { return e.Global }, fixedLines[*hooks.OtherWayError]("first remove that hook with 'git resume hooks uninstall --global'")),
		rowFor(0, fixedLines[*hooks.OtherWayError]("first remove that hook with 'git resume hooks uninstall'")),
		rowFor(0, fixedLines[*hooks.DeadError]("fix this, then check with 'git resume doctor' that git runs the hook")),
		rowFor(0, fixedLines[*hooks.NoGlobalError]("install the hook in one repository with 'git resume hooks install'")),
		rowIf(0, func(e *hooks.OtherScopeError) bool { return e.Global }, fixedLines[*hooks.OtherScopeError]("repeat the command with '--global'")),
		rowFor(0, fixedLines[*hooks.OtherScopeError]("repeat the command without '--global'")),
	}
}

// mergeRows has the rows for errors about merging a run, or undoing a merge.
func mergeRows() []row {
	return []row{
		rowIf(exit.Conflicts, func(e *merge.StoppedError) bool { return e.Half || e.Waits }, mergeAdvice),
		rowFor(0, mergeAdvice),
		rowFor(exit.Conflicts, conflictsAdvice),
		rowFor(0, oldGitAdvice),
		rowFor(0, func(e *merge.BaselessError) []string { return mergeByHand(e.Branch) }),
		rowIf(0, func(e *site.NotCheckedOutError) bool { return e.NoBranch }, func(e *site.NotCheckedOutError) []string {
			return mergeByHand(e.Run)
		}),
		rowFor(0, func(e *site.NotCheckedOutError) []string {
			return []string{"check it out with " + phrase.Single("git switch %s", e.Base) + ", then repeat the command"}
		}),
		rowFor(0, movedAdvice),
		rowFor(0, stashAdvice),
	}
}

// mergeByHand says how to merge a run whose base is not a branch.
func mergeByHand(run refs.Name) []string {
	return []string{"check out the branch that should get the commits of the run, then merge the run with " + quote.Between("'", words.MergeByHand(run))}
}

// jobsAdvice says how to continue if tasks cannot run at the same time.
func jobsAdvice(e *crew.JobsError) []string {
	one := "run the tasks one after another with " + phrase.Single("git resume %s -j 1", e.Run)
	switch e.Why {
	case crew.JobsOldGit:
		return []string{one, "or install git 2.38 or newer"}
	case crew.JobsBegun:
		return []string{"install git 2.38 or newer", "then continue with " + phrase.Single("git resume %s", e.Run)}
	}
	return []string{one}
}

// pathTakenAdvice names what is in the way of a new worktree, and how to move it away. No command deletes a file.
func pathTakenAdvice(e *worktree.PathTakenError) []string {
	const prune = "'git worktree prune --expire=now'"
	unlock := phrase.Single("git worktree unlock %s", e.Path)
	if e.Own != "" && e.Health != worktree.Incomplete {
		return []string{"continue the run with " + phrase.Single("git resume %s", e.Own) + ", which repairs its worktree or says what is wrong there"}
	}
	switch e.Health {
	case worktree.Missing:
		return []string{"another worktree is registered there, but its folder is missing; unregister all missing worktrees with " + prune, "if it is locked, unlock it first: " + unlock}
	case worktree.Plain:
		return moveAway(e.Path)
	case worktree.Incomplete:
		if e.NoIndex {
			return []string{"write its index again with " + phrase.Single("git -C %s reset", e.Path) + ", which changes no file, then repeat the command"}
		}
		aside := filepath.Join(filepath.Dir(filepath.Dir(e.Admin)), filepath.Base(e.Admin)+".mine")
		return []string{
			"move its files away with " + phrase.Single("mv %s %s.mine", e.Path, e.Path) + ", and remove their link to git with " + phrase.Single("rm %s.mine/.git", e.Path),
			"move what git knows about it away with " + phrase.Single("mv %s %s", e.Admin, aside) + ", then repeat the command",
		}
	}
	return []string{"move what is there away, or choose another place with the setting resume.worktreeDir"}
}
