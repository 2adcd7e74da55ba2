package advice

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// allRuns is the advice if there is nothing to undo in any run.
const allRuns = "see all runs with 'git resume log'"

// undoAdvice says what the user can do if there is nothing to undo, or nothing to redo.
func undoAdvice(e *discard.NothingToUndoError) []string {
	var out []string
	if e.Again != "" {
		out = append(out, "redo the change with "+phrase.Single("git resume undo --redo %s", e.Again))
	}
	if e.Made != "" {
		out = append(out, fmt.Sprintf("a worktree was made for this work at %s; discard that worktree (can be undone) with %s", quote.Clean(e.Made), phrase.Single("git resume --discard %s", e.Of)))
	}
	switch {
	case e.Run == "" && e.Redo:
		return append(out, "only what was undone can be redone; use 'git resume undo --list' to see which changes can be undone")
	case e.Run == "":
		return append(out, allRuns)
	}
	return append(out, "use "+phrase.Single("git resume log %s", e.Run)+" to see what was done")
}

// moveAway says how to move a file or folder out of the command's way. The file may belong to the user, so the program does not move it.
func moveAway(path string) []string {
	return []string{
		fmt.Sprintf("'%s' was not changed", quote.Clean(path)),
		fmt.Sprintf("move it away with %s, then repeat the command", phrase.Single("mv %s %s.mine", path, path)),
	}
}

func mergeAdvice(e *merge.StoppedError) []string {
	abort := "or abort the merge with " + phrase.Single("git -C %s merge --abort", e.Path)
	switch {
	case e.Half:
		return []string{fmt.Sprintf("resolve the conflicts in '%s', then run 'git merge --continue' there, or 'git merge --abort'", quote.Clean(e.Path))}
	case e.Waits:
		return []string{"finish the merge with " + phrase.Single("git -C %s merge --continue", e.Path), abort}
	case e.Uncommitted:
		return []string{"fix what is reported above, then finish the merge with " + phrase.Single("git resume merge %s", e.Run), abort}
	case len(e.Left) > 0:
		return []string{"files that are different now than before the merge: " + phrase.Some(e.Left), "see the state of the files with " + phrase.Single("git -C %s status", e.Path) + ", repair it, and merge again"}
	}
	if len(e.Unsure) > 0 {
		return []string{"an interrupted merge may have written " + phrase.Some(e.Unsure) + ", but the content is now another one; see it with " + phrase.Single("git -C %s diff", e.Path),
			"move away what you need, restore these files with 'git checkout', and merge again"}
	}
	return []string{"nothing was changed; fix what is reported above, and merge again"}
}

func conflictsAdvice(e *merge.ConflictsError) []string {
	again := "merge again"
	if e.Squash {
		again = "squash again"
	}
	out := []string{"nothing was changed; conflicts are in " + phrase.Some(e.Files)}
	if e.Path != "" {
		out = append(out, fmt.Sprintf("resolve the conflicts in the run first with %s, then %s", phrase.Single("git -C %s merge %s", e.Path, e.Base), again))
	}
	return append(out, "or let the merge stop at the conflicts and resolve them there, with "+phrase.Single("git resume merge --despite-conflicts %s", e.Run))
}

func oldGitAdvice(e *merge.OldGitError) []string {
	out := []string{"nothing was changed"}
	if e.Path != "" {
		out = append(out, fmt.Sprintf("merge %s into the run first with %s, then squash again", quote.Clean(e.Base), phrase.Single("git -C %s merge %s", e.Path, e.Base)))
	}
	return append(out, "or make a merge commit with "+phrase.Single("git resume merge %s", e.Run))
}

// movedAdvice says what the user can do if the base has moved since a merge, so that an undo cannot simply move the base back.
func movedAdvice(e *discard.BaseMovedError) []string {
	switch {
	case e.Redo:
		return []string{"merge the run again with " + phrase.Single("git resume merge %s", e.Run)}
	case e.Now == "" || e.Gone:
		return []string{fmt.Sprintf("%s no longer contains the merge, so there is nothing to undo on it", quote.Clean(e.Base))}
	}
	out := undoFirst(e.Number, e.Later)
	if e.NoTree {
		out = append(out, "check out the branch first with "+phrase.Single("git switch %s", e.Base))
	}
	return append(out, revertAdvice(e)...)
}

// revertAdvice says how to make new commits that revert a merge, in the worktree where the branch is checked out.
func revertAdvice(e *discard.BaseMovedError) []string {
	git := func(form string, values ...any) string {
		if e.Path == "" {
			return phrase.Single("git "+form, values...)
		}
		return phrase.Single("git -C %s "+form, append([]any{e.Path}, values...)...)
	}
	switch {
	case e.Own:
		return []string{"revert the merge with " + git("revert --no-edit -m 1 %s", e.Want.Short())}
	case e.Single:
		return []string{"revert the commit of the run with " + git("revert --no-edit %s", e.Want.Short())}
	case e.Straight:
		return []string{"revert all commits of the run with " + git("revert --no-edit %s", e.To.Short()+".."+e.Want.Short())}
	}
	// git revert cannot handle a range of commits that contains merges. The command git merge-recursive removes the changes of the whole
	// range, from the run's end back to its start.
	return []string{
		"revert the run's changes with " + git("merge-recursive %s -- HEAD %s", e.Want.Short(), e.To.Short()),
		"then commit the result with " + git("commit"),
	}
}

// undoFirst says which later changes have to be undone before the change with the given number.
func undoFirst(number int, later []discard.Undoing) []string {
	var out []string
	for i := range later {
		u := &later[i]
		out = append(out, fmt.Sprintf("undo %s of %s first, with %s", words.Change(&u.What), quote.Clean(words.Called(&u.Run)), phrase.Single("git resume undo %s", u.Number)))
	}
	if len(out) > 0 {
		out = append(out, "then repeat "+phrase.Single("git resume undo %s", number))
	}
	return out
}

// reportedAdvice says what the user can do if a change cannot be undone because of a later report.
func reportedAdvice(e *discard.LaterReportError) []string {
	var out []string
	if e.What.Task != "" && e.Report.Event == checkpoint.TaskDone {
		out = append(out, "to do the task again, use "+phrase.Single("git resume task reset %s --run %s", e.What.Task, e.Run))
	}
	if e.What.Event == checkpoint.RunPaused && !e.Closed {
		out = append(out, "to pause the run again, use "+phrase.Single("git resume pause %s", e.Run))
	}
	return append(out, phrase.Single("git resume log %s", e.Run)+" shows what happened after this change", "see older changes with 'git resume undo --list'")
}

// stashAdvice says how to put away uncommitted changes that prevent a branch from moving.
func stashAdvice(e *discard.UncommittedInBaseError) []string {
	if e.Operation != "" {
		return []string{"finish or abort the operation first; " + phrase.Single("git -C %s status", e.Path) + " says how"}
	}
	stash := phrase.Single("git -C %s stash push --include-untracked", e.Path)
	// Name the file only if git would not read its name as a pattern.
	if len(e.Files) == 1 && !strings.ContainsAny(e.Files[0], ":*?[\\") {
		stash = phrase.Single("git -C %s stash push --include-untracked -- %s", e.Path, e.Files[0])
	}
	return []string{
		"the changes are in " + phrase.Some(e.Files),
		"put them away with " + stash + ", then repeat the command",
	}
}

// managedAdvice shows the lines to add to the configuration of a hook manager. If git-resume can add them, it also shows the command for
// this.
func managedAdvice(e *hooks.ManagedError) []string {
	out := []string{fmt.Sprintf("add this to %s:", quote.Clean(e.File))}
	if e.ByHand {
		out[0] = fmt.Sprintf("merge this into %s, which already has such a section:", quote.Clean(e.File))
	}
	for _, l := range e.Lines {
		out = append(out, "  "+l)
	}
	if !e.ByHand {
		out = append(out, "or let git-resume add these lines with 'git resume hooks install --manager'")
	}
	return out
}
