package advice

import (
	"fmt"

	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
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

// treeRows are errors about worktrees and what lies in them.
var treeRows = []row{
	on(0, unsavedAdvice),
	on(exit.Conflicts, updateAdvice),
	on(0, lines[*resume.TreeError]("if it was moved, repair it with 'git worktree repair PATH'")),
	on(exit.Decide, func(e *discard.DataError) []string {
		return []string{
			"they are " + phrase.Some(e.Files),
			"copy away what you need, then " + phrase.Single("git resume --discard %s --force", e.Run),
		}
	}),
	on(0, lines[*trash.MidOperationError]("finish or abort it first; 'git status' there says how", "or continue with '--force': its state is kept and comes back with undo")),
	on(0, func(e *worktree.LockedError) []string {
		return []string{"if that lock is no longer needed: " + phrase.Single("git worktree unlock %s", e.Path)}
	}),
	when(0, func(e *worktree.PathTakenError) bool { return e.Health == worktree.Missing }, func(e *worktree.PathTakenError) []string {
		return []string{fmt.Sprintf("another branch is registered there; forget that with %s and 'git worktree prune --expire=now'", phrase.Single("git worktree unlock %s", e.Path))}
	}),
	when(0, func(e *worktree.PathTakenError) bool { return e.Health == worktree.Plain }, func(e *worktree.PathTakenError) []string {
		return moveAway(e.Path)
	}),
	on(0, lines[*worktree.PathTakenError]("move it away, or choose another place with the setting resume.worktreeDir")),
	on(0, func(e *worktree.BranchTakenError) []string {
		return []string{"see its state with " + phrase.Single("git log -1 %s", phrase.Revision(e.Branch))}
	}),
	when(0, func(e *worktree.NotRegisteredError) bool { return e.Now != "" }, func(e *worktree.NotRegisteredError) []string {
		return []string{"it was moved; repair its registration with " + phrase.Single("git worktree repair %s", e.Now)}
	}),
	when(0, func(e *worktree.NotRegisteredError) bool { return e.Of != "" }, func(e *worktree.NotRegisteredError) []string {
		return []string{
			fmt.Sprintf("nothing there was changed: it is a worktree of '%s', and this repository seems to be a copy of that one", quote.Clean(e.Of)),
			"continue there with " + phrase.Single("git -C %s resume", e.Path),
		}
	}),
	on(0, func(e *worktree.NotRegisteredError) []string { return moveAway(e.Path) }),
	when(0, func(e *worktree.UnfinishedError) bool { return e.Files[0] == e.Path }, func(e *worktree.UnfinishedError) []string {
		return moveAway(e.Path)
	}),
	on(0, takeOut),
	on(exit.Conflicts, func(e *place.LinkError) []string {
		return []string{
			"if the link is not needed, remove it with " + phrase.Single("rm %s", e.Link) + ", then repeat the command",
			"or let git resume use another folder for its own runs: set resume.worktreeDir",
		}
	}),
	on(0, lines[*place.SwappedError]("find out what changes that folder, then repeat the command")),
	on(0, func(e *snapshot.HeadMovedError) []string {
		return []string{"go back to that commit with " + phrase.Single("git switch --detach %s", e.Snapshot.Short()) + ", then repeat the command"}
	}),
	on(0, managedAdvice),
	on(0, lines[*hooks.NoManagerError]("install it without one with 'git resume hooks install'")),
	when(0, func(e *hooks.OtherWayError) bool { return e.Global }, lines[*hooks.OtherWayError]("remove it there first, with 'git resume hooks uninstall --global'")),
	on(0, lines[*hooks.OtherWayError]("remove it there first, with 'git resume hooks uninstall'")),
	on(0, lines[*hooks.DeadError]("repair that, then see whether git runs it with 'git resume doctor'")),
	on(0, lines[*hooks.NoGlobalError]("install it in one repository with 'git resume hooks install'")),
	when(0, func(e *hooks.OtherScopeError) bool { return e.Global }, lines[*hooks.OtherScopeError]("name it with '--global'")),
	on(0, lines[*hooks.OtherScopeError]("leave '--global' out")),
}

// mergeRows are errors about merging a run and taking a merge back.
var mergeRows = []row{
	when(exit.Conflicts, func(e *merge.StoppedError) bool { return e.Half || e.Waits }, mergeAdvice),
	on(0, mergeAdvice),
	on(0, func(e *merge.BaselessError) []string {
		return []string{"check out the branch where you want it, then merge it with " + quote.Between("'", words.MergeByHand(e.Branch))}
	}),
	on(0, func(e *site.NotCheckedOutError) []string {
		return []string{"check it out with " + phrase.Single("git switch %s", e.Base) + ", then merge again"}
	}),
	on(0, movedAdvice),
}
