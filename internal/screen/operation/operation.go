// Package operation prints unfinished git operations, such as a rebase, and the commands to end them.
package operation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// Show prints an unfinished git operation. The argument "here" is the git dir of the user's current worktree. The argument "also" lists the
// runs that have to wait for the operation.
func Show(s page.Page, o *gitops.State, here string, also ...string) {
	if o.Life == proc.Alive {
		busyOperation(s, o, here)
		return
	}
	ago := ""
	if !o.Since.IsZero() {
		ago = ", " + phrase.LongAgo(s.Now.Sub(o.Since))
	}
	s.Tell("%s%s\n", quote.Clean(o.Headline()), ago)
	wrongContinue(s, o)
	execLine(s, o)
	if o.Subject != "" && !o.Crash.Loses() && o.Crash.Repair != gitops.RepairRewind {
		fact(s, "commit", "%s %s", object.ID(o.Commit).Short(), quote.Clean(o.Subject))
	}
	listed(s, "unresolved", o.Unmerged)
	if o.Autostash != "" {
		fact(s, "stash", "changes that were uncommitted before the operation started are in %s", o.Autostash.Short())
	}
	if o.Op == ongoing.Bisect && o.Left > 0 {
		fact(s, "left", "%s, about %s", phrase.Count(o.Left, "commit", "commits"), phrase.Count(o.Of, "step", "steps"))
	}
	if o.Life == proc.Unknown {
		fact(s, "unseen", "it cannot be checked from here whether somebody is working on it")
	}
	leftFiles(s, o)
	whereAbouts(s, o, here)
	for _, run := range also {
		fact(s, "run", "%s also works in this worktree; continue the run after the operation with: %s", quote.Clean(run), phrase.Unbroken(quote.Command("git resume %s", run)))
	}
}

func fact(s page.Page, word, format string, args ...any) {
	s.Paragraph(fmt.Sprintf("  %-10s ", word), "             ", fmt.Sprintf(format, args...))
}

// listed prints names, one per line. After ten names it prints only how many more there are.
func listed(s page.Page, word string, names []string) {
	const most = 10
	for i, n := range names {
		if i == most {
			fact(s, "", "and %d more", len(names)-most)
			return
		}
		fact(s, word, "%s", s.Cut(quote.Clean(n), s.Width()-14))
		word = ""
	}
}

// wrongContinue explains what is wrong with the operation, for example what git's own --continue would lose. It prints nothing if nothing
// is wrong.
func wrongContinue(s page.Page, o *gitops.State) {
	c := o.Crash
	what := strings.TrimSpace(c.Lost.ID.Short() + " " + quote.Clean(c.Lost.Subject()))
	plain := "git " + strings.Join(o.Ongoing.Ways.Continue, " ")
	switch c.Repair {
	case gitops.RepairPutBack:
		if c.Command.Commit == "" {
			fact(s, "missing", "it is not known whether '%s' was carried out; continuing repeats it", quote.Clean(c.Command.Line))
			return
		}
		fact(s, "lost", "%s", what)
		fact(s, "", "\"%s\" would lose this commit and report success", plain)
	case gitops.RepairRewind:
		fact(s, "missed", "%s of %s", quote.Clean(c.Command.Name), what)
		fact(s, "", "\"%s\" would skip it", plain)
	case gitops.RepairBegin:
		fact(s, "unchanged", "HEAD is still where it was before the rebase; \"%s\" would change nothing", plain)
	case gitops.RepairMessage:
		fact(s, "missing", "the message of the merge commit; \"%s\" would fail without a message", plain)
	case gitops.RepairRecord, gitops.RepairSkip, gitops.RepairFinish:
		fact(s, "made", "%s", quote.Clean(c.Why))
	case gitops.RepairDoubt:
		fact(s, "doubt", "%s", quote.Clean(c.Why))
		if c.Lost.ID != "" {
			fact(s, "", "the doubt is about commit %s", what)
		}
	}
}

// execLine says whether continuing a rebase repeats the 'exec' line at which the rebase stopped.
func execLine(s page.Page, o *gitops.State) {
	switch {
	case o.RunsAgain():
		fact(s, "exec", "continuing runs this line again")
	case o.Stop == ongoing.StopExec:
		fact(s, "exec", "continuing does not run this line again; if its command is needed, run it yourself first")
	}
}

// leftFiles prints the lock files and folders that an interrupted git process left.
func leftFiles(s page.Page, o *gitops.State) {
	var locks, folders []string
	for _, f := range o.Files {
		f = relativeTo(f, o.Tree.WorkTree)
		if strings.HasSuffix(f, ".lock") {
			locks = append(locks, f)
		} else {
			folders = append(folders, f)
		}
	}
	listed(s, "lock", locks)
	if len(locks) > 0 && o.Life == proc.Dead {
		fact(s, "", "no git process is running in this repository")
	}
	listed(s, "folder", folders)
}

// relativeTo returns a path relative to the worktree. A path outside of the worktree stays as it is.
func relativeTo(path, tree string) string {
	if rel, ok := strings.CutPrefix(path, tree+"/"); ok {
		return rel
	}
	return path
}

func whereAbouts(s page.Page, o *gitops.State, here string) {
	where := "this worktree"
	if o.Tree.GitDir != here {
		where = s.Cut(quote.Clean(o.Tree.WorkTree), 64)
	}
	others := slices.DeleteFunc(slices.Clone(o.Uncommitted), func(p string) bool { return slices.Contains(o.Unmerged, p) })
	if len(o.Uncommitted) == 0 && o.Op != ongoing.HalfWorktree && o.Op != ongoing.NotesMerge {
		where += "; nothing uncommitted"
	}
	fact(s, "where", "%s", where)
	if len(others) > 0 {
		fact(s, "unsaved", "%s", phrase.Some(others))
	}
}

func busyOperation(s page.Page, o *gitops.State, here string) {
	s.Tell("%s: not touched.\n", quote.Clean(o.Headline()))
	for _, w := range o.Workers {
		fact(s, "process", "%d (%s)", w.PID, s.Cut(quote.Clean(strings.Join(w.Args, " ")), 55))
	}
	where := "this worktree"
	if o.Tree.GitDir != here {
		where = s.Cut(quote.Clean(o.Tree.WorkTree), 60)
	}
	fact(s, "where", "%s", where)
}

// Ways prints on stderr the commands that end or continue the operation.
func Ways(s page.Page, o *gitops.State, here string) {
	side := s.OnErr()
	rows := [][]string{}
	var destroy []string
	for _, f := range resolveFirst(o, here) {
		rows = append(rows, []string{"  " + f[0], phrase.Unbroken(f[1]), f[2]})
	}
	for _, w := range o.Ways() {
		if w.Destroys {
			destroy = append(destroy, w.Name)
		}
		command := quote.Clean(o.Command(w, here))
		if movesAside(o) {
			command = quote.Command("git resume %s --choose %s", o.Key(), w.Name)
		}
		rows = append(rows, []string{"  " + w.Name, phrase.Unbroken(command), quote.Clean(w.Text)})
	}
	s.Warn("\nOne of:\n")
	side.Table(rows)
	if len(o.Edited) > 0 && len(destroy) > 0 {
		s.Note("warning: git's own %s would destroy uncommitted changes in %s", strings.Join(destroy, " and "), phrase.Some(o.Edited))
	}
	if o.Crash.Repair == gitops.RepairDoubt {
		manualWay(s, o, here)
	}
	savedFirst(s, o)
}

// movesAside reports whether git-resume only moves the files aside that the operation left. It takes no snapshot for that, or needs none.
// Commands of git or of the shell would delete these files.
func movesAside(o *gitops.State) bool {
	return o.Op == ongoing.StaleLock || o.Op == ongoing.FilterBranch || o.Op == ongoing.HalfWorktree
}

// gitAt returns the beginning of a git command for the worktree of the operation. The argument "here" is the git dir of the user's current
// worktree.
func gitAt(o *gitops.State, here string) string {
	if o.Tree.GitDir == here {
		return "git "
	}
	return quote.Command("git -C %s", o.Tree.WorkTree) + " "
}

// savedFirst prints the git-resume command that takes a snapshot before it continues or aborts the operation.
func savedFirst(s page.Page, o *gitops.State) {
	var names []string
	for _, w := range o.Ways() {
		names = append(names, w.Name)
	}
	if len(names) == 0 || movesAside(o) {
		return
	}
	others := ""
	if len(names) > 1 {
		others = "; the same holds for " + strings.Join(names[1:], ", ")
	}
	s.Hint(phrase.Double("git resume %s --choose %s", o.Key(), names[0]) + " saves a snapshot first" + others)
}

// resolveFirst returns the steps that the user must take before git can continue, for example resolving conflicts. The last step is usually
// the command that continues. It returns nil if git can continue at once.
func resolveFirst(o *gitops.State, here string) [][3]string {
	at := gitAt(o, here)
	next := [3]string{gitops.Continue, at + strings.Join(o.Ongoing.Ways.Continue, " "), "when the step above is done"}
	if o.Unnoted {
		next[1] = quote.Command("git resume %s", o.Key())
	}
	switch {
	case o.Op == ongoing.NotesMerge && len(o.Unmerged) > 0:
		return [][3]string{{"resolve", "edit the files in " + quote.Clean(o.Dir), "until no conflict markers are left"}, next}
	case len(o.Unmerged) > 0:
		first := [3]string{"resolve", at + "add PATH", "for each path, once its content is right"}
		switch o.Op {
		case ongoing.FilesMerge:
			return [][3]string{first}
		case ongoing.StashPop:
			ways := o.Ongoing.Ways.Continue
			drop := quote.Command(strings.Join(ways[:len(ways)-1], " ")+" %s", ways[len(ways)-1])
			next = [3]string{"drop", at + drop, "when the step above is done, if the stash is no longer needed"}
		}
		return [][3]string{first, next}
	case o.Stop == ongoing.StopReword:
		return [][3]string{{"reword", at + "commit --amend", "gives the commit the message that you wanted"}}
	case o.Stop == ongoing.StopPatch && o.Crash.Repair == gitops.RepairNothing:
		return [][3]string{{"see", at + "am --show-current-patch=diff", "apply the patch by hand, and 'git add' the files that it changes"}, next}
	}
	return nil
}

// manualWay explains how to repair a rebase by hand, if git keeps its state in the folder rebase-merge. Otherwise it prints nothing.
func manualWay(s page.Page, o *gitops.State, here string) {
	c := o.Crash
	git := func(args string) string { return quote.Between("'", gitAt(o, here)+args) }
	edit, onward := git("rebase --edit-todo"), git("rebase --continue")
	if o.Dir != "rebase-merge" {
		return
	}
	if c.Command.Commit == "" {
		s.Note("By hand: if the interrupted command was not carried out, add its line at the top with %s. Then run %s.", edit, onward)
		return
	}
	if c.Unlisted {
		s.Note("By hand: add the missing line at the top with %s, then %s.", edit, onward)
		s.Warn("This line was in the original todo list, and is in none of git's lists now:\n  %s\n", quote.Clean(c.Command.Line))
		return
	}
	s.Warn("By hand: check whether %s shows a copy of %s (%s). If it does, continue with %s.\n", git("log"), c.Lost.ID.Short(), quote.Clean(c.Lost.Subject()), onward)
	s.Warn("If %s does not show a copy of %s: run %s, which removes all uncommitted changes, add this line at the top with %s, and run %s:\n  %s\n",
		git("log"), c.Lost.ID.Short(), git("reset --hard"), edit, onward, quote.Clean(c.Command.Line))
}

// Starts prints what was saved, repaired and removed before git continues or aborts the operation.
func Starts(s page.Page, out *repair.Operated) {
	savedOperation(s, out)
	c := out.State.Crash
	switch out.Repaired {
	case gitops.RepairPutBack:
		if c.Command.Commit != "" {
			s.Note("put back: %s %s", c.Lost.ID.Short(), quote.Clean(c.Lost.Subject()))
		}
	case gitops.RepairRewind:
		s.Note("repeating this line of the todo list: %s %s %s", quote.Clean(c.Command.Name), c.Lost.ID.Short(), quote.Clean(c.Lost.Subject()))
	case gitops.RepairBegin:
		s.Note("starting at %s", c.To.Short())
	}
	if len(out.Cleared) > 0 {
		s.Note("deleted from the worktree, but kept in the snapshot: %s", phrase.Some(out.Cleared))
	}
}

func savedOperation(s page.Page, out *repair.Operated) {
	if snap := out.Snapshot; snap.ID != "" {
		switch {
		case len(snap.Paths) > 0:
			s.Note("saved: %s as %s", words.Held(snap), words.SavedAs(snap.Label()))
		case snap.Head != "": // on a branch without commits, there was nothing to save
			s.Note("saved: HEAD as %s; make a branch of its commit with: %s", quote.Clean(snap.Label()), words.BranchOf(snap))
		}
		outcome.NotSaved(s, snap.Left)
	}
	for _, from := range slices.Sorted(maps.Keys(out.Aside)) {
		if out.Aside[from] != "" {
			s.Note("moved aside: %s is now %s", quote.Clean(relativeTo(from, out.State.Tree.WorkTree)), quote.Clean(relativeTo(out.Aside[from], out.State.Tree.WorkTree)))
		}
	}
}

// Operated prints what came of the action that the user chose: the operation is over, or something is left to do.
func Operated(s page.Page, out *repair.Operated, here string) {
	side := s.OnErr()
	switch {
	case out.Now != nil:
		s.Warn("\n")
		Show(side, out.Now, here)
		if len(out.Now.Unmerged) > 0 || out.Code != 0 {
			Ways(s, out.Now, here)
		}
	case out.Choice == gitops.Continue && out.Code == 0:
		s.Note("%s: done", quote.Clean(out.State.Title()))
	case out.Code == 0:
		s.Note("%s: %s done", quote.Clean(out.State.Title()), quote.Clean(out.Choice))
	}
	if out.Stash != "" {
		s.Note("changes that were uncommitted before the operation started are in %s", quote.Clean(out.Stash))
		pop := phrase.Double("git stash pop %s", stashNumber(out.Stash))
		if out.State.Tree.GitDir != here {
			pop = phrase.Double("git -C %s stash pop %s", out.State.Tree.WorkTree, stashNumber(out.Stash))
		}
		s.Hint("use " + pop + " to get the stashed changes back")
	}
}

// stashNumber returns the number in a name such as stash@{2}.
func stashNumber(name string) string {
	if number, ok := strings.CutPrefix(name, "stash@{"); ok {
		return strings.TrimSuffix(number, "}")
	}
	return name
}
