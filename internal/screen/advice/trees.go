package advice

import (
	"fmt"
	"path"

	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/worktree"
)

// undoAdvice says what the user can do if there is nothing to undo.
func undoAdvice(e *discard.NothingToUndoError) []string {
	var out []string
	if e.Again != "" {
		out = append(out, "redo the change with "+phrase.Single("git resume undo --redo %s", e.Again))
	}
	if e.Made != "" {
		out = append(out, fmt.Sprintf("a worktree was made for it at %s; discard that worktree (can be undone) with %s", quote.Clean(e.Made), phrase.Single("git resume --discard %s", e.Of)))
	}
	if e.Run == "" {
		return append(out, "see what was done here with 'git resume log'")
	}
	return append(out, "see what was done with "+phrase.Single("git resume log %s", e.Run))
}

// moveAway says how to move a file that blocks the command. The file may belong to the user, so the program does not move it.
func moveAway(path string) []string {
	return []string{
		"nothing there was changed",
		fmt.Sprintf("move it away with %s, then repeat the command", phrase.Single("mv %s %s.mine", path, path)),
	}
}

// takeOut says how to move the user's files out of an incomplete worktree. After that, repeating the command moves the rest of the worktree aside.
func takeOut(e *worktree.UnfinishedError) []string {
	out := []string{"nothing there was changed; move your files out, then repeat the command"}
	const most = 5
	for _, name := range e.Files[:min(most, len(e.Files))] {
		from, to := e.Path+"/"+name, e.Path+"."+path.Base(name)
		out = append(out, "move it out with "+phrase.Single("mv %s %s", from, to))
	}
	if more := len(e.Files) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %s", phrase.Count(more, "more file", "more files")))
	}
	return out
}

func mergeAdvice(e *merge.StoppedError) []string {
	out := gitSays(e.Text)
	abort := "or abort the merge with " + phrase.Single("git -C %s merge --abort", e.Path)
	switch {
	case e.Half:
		return append(out, fmt.Sprintf("resolve the conflicts in '%s', then run 'git merge --continue' there, or 'git merge --abort'", quote.Clean(e.Path)))
	case e.Waits:
		return append(out, "finish it with "+phrase.Single("git -C %s merge --continue", e.Path), abort)
	case e.Uncommitted:
		return append(out, "fix that, then finish the merge with "+phrase.Single("git resume merge %s", e.Run), abort)
	case len(e.Left) > 0:
		return append(out, "files that differ from before the merge: "+phrase.Some(e.Left), "see it with "+phrase.Single("git -C %s status", e.Path)+", fix that, and merge again")
	}
	if e.Form == merge.FFOnly {
		return append(out, "nothing was changed; if the branches have diverged, make a merge commit with "+phrase.Single("git resume merge --no-ff %s", e.Run),
			"or a single commit with "+phrase.Single("git resume merge --squash %s", e.Run))
	}
	return append(out, "nothing was changed; fix that and merge again")
}

func squashAdvice(e *merge.SquashConflictsError) []string {
	out := []string{"nothing was changed; conflicts are in " + phrase.Some(e.Files)}
	if e.Path != "" {
		out = append(out, fmt.Sprintf("resolve them in the run first with %s, then squash again", phrase.Single("git -C %s merge %s", e.Path, e.Base)))
	}
	return append(out, "or resolve them in a merge commit with "+phrase.Single("git resume merge --no-ff %s", e.Run))
}

// movedAdvice says how to revert a merge if the branch has newer commits. The branch cannot simply move back then.
func movedAdvice(e *discard.BaseMovedError) []string {
	switch {
	case e.Redo:
		return []string{"merge it again with " + phrase.Single("git resume merge %s", e.Run)}
	case e.Own:
		return []string{"undo the merge with " + phrase.Single("git revert -m 1 %s", e.Want.Short())}
	case e.Single:
		return []string{"revert the commit of the run with " + phrase.Single("git revert --no-edit %s", e.Want.Short())}
	case e.Straight:
		return []string{"revert all commits of the run with " + phrase.Single("git revert --no-edit %s", e.From.Short()+".."+e.Want.Short())}
	}
	// git revert cannot handle a range of commits that contains merges. The command git merge-recursive applies the difference from the
	// run's end back to its start.
	return []string{
		"revert everything that the run changed with " + phrase.Single("git merge-recursive %s -- HEAD %s", e.Want.Short(), e.From.Short()),
		"then record that with 'git commit'",
	}
}

// managedAdvice shows the lines to add to the configuration of a hook manager, and the command that adds them.
func managedAdvice(e *hooks.ManagedError) []string {
	out := []string{fmt.Sprintf("add this to %s:", quote.Clean(e.File))}
	if e.Fit {
		out[0] = fmt.Sprintf("merge this into %s, which already has such a section:", quote.Clean(e.File))
	}
	for _, l := range e.Lines {
		out = append(out, "  "+l)
	}
	if !e.Fit {
		out = append(out, "or let it be added with 'git resume hooks install --manager'")
	}
	return out
}
