// Package saved prints lists of snapshots, and what a restore changes.
package saved

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/handler/saved"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// List prints snapshots in the given order: the name, when and why it was taken, and the number and size of its files.
func List(s page.Page, all []saved.Listed) {
	if len(all) == 0 {
		s.Note("there are no snapshots")
		return
	}
	rows := make([][]string, 0, len(all))
	for _, l := range all {
		if l.Tree == "" {
			rows = append(rows, []string{label(l.Snapshot), "", "", "", "cannot be read"})
			continue
		}
		rows = append(rows, []string{label(l.Snapshot), s.When(l.At), extent(l.Extent), phrase.Bytes(l.Bytes), quote.Clean(cmp.Or(l.Cause, "checkpoint"))})
	}
	s.Table(rows)
	all = slices.DeleteFunc(slices.Clone(all), func(l saved.Listed) bool { return l.Files+l.Extent.Deleted == 0 })
	if len(all) == 0 {
		return // a restore of a snapshot without files changes nothing
	}
	last := all[len(all)-1].Label()
	s.Hint(fmt.Sprintf("use %s to see the changes in a snapshot", phrase.Double("git resume diff %s", last)))
	s.Hint(fmt.Sprintf("use %s to bring its files back", phrase.Double("git resume restore %s", last)))
}

// extent returns a text with the number of saved and of deleted files, for example "3 files, 1 deleted".
func extent(x snapshot.Extent) string {
	switch {
	case x.Files == 0 && x.Deleted == 0:
		return "no files"
	case x.Deleted == 0:
		return phrase.Count(x.Files, "file", "files")
	case x.Files == 0:
		return fmt.Sprintf("%d deleted", x.Deleted)
	}
	return fmt.Sprintf("%s, %d deleted", phrase.Count(x.Files, "file", "files"), x.Deleted)
}

// Planned prints what a restore into a worktree would change.
func Planned(s page.Page, p *saved.Restoring) {
	s.Say("This restores snapshot %s:\n", label(p.Snapshot))
	s.Row("where", phrase.Unbroken(quote.Clean(s.Near(p.Tree))))
	s.Row("files", filesOf(p))
	if len(p.Uncommitted) > 0 {
		s.Row("before", "uncommitted changes that are there now are saved first: "+phrase.Some(p.Uncommitted))
	}
	switch {
	case p.Moved && len(p.Saved)+len(p.Paths) == 0:
		s.Row("warning", fmt.Sprintf("the snapshot has no files; to go back to the commit at which it was taken, make a branch: %s", words.BranchOf(p.Snapshot)))
	case p.Moved:
		s.Row("warning", fmt.Sprintf("the snapshot was taken at commit %s, but %s is checked out: only the files that the snapshot saved are written, on top of the commit that is checked out", p.Snapshot.Head.Short(), p.Head.Short()))
	}
}

// filesOf names the files that a restore would change.
func filesOf(p *saved.Restoring) string {
	if len(p.Paths) > 0 {
		return phrase.Some(p.Paths)
	}
	text := cmp.Or(phrase.Some(p.Saved), "none")
	isOther := func(path string) bool { return !slices.Contains(p.Saved, path) }
	if !p.Moved && slices.ContainsFunc(p.Uncommitted, isOther) {
		text += "; every other file becomes as in commit " + p.Snapshot.Head.Short()
	}
	return text
}

// Question asks whether to restore a snapshot in its worktree.
func Question(s page.Page, p *saved.Restoring) string {
	where := quote.Clean(s.Near(p.Tree))
	if where == "." {
		where = "this worktree"
	}
	return fmt.Sprintf("Restore %s in %s?", label(p.Snapshot), where)
}

// CopyInstead says what a copy into a new folder would have.
func CopyInstead(p *saved.Restoring) string {
	what := "the whole tree of the snapshot"
	if len(p.Paths) > 0 {
		what = "the files"
	}
	return fmt.Sprintf("copy %s into the new folder '%s' instead", what, label(p.Snapshot))
}

// Restored prints what a restore has changed, and how to undo it.
func Restored(s page.Page, r *saved.Restored) {
	where := s.Near(r.Tree)
	s.Paragraph("", "  ", fmt.Sprintf("restored %s in %s: %s", label(r.Snapshot), phrase.Unbroken(quote.Clean(where)), cmp.Or(phrase.Some(r.Paths), "no files")))
	if len(r.Differs) > 0 {
		check := "git diff"
		if where != "." {
			check = quote.Command("git -C %s diff", where)
		}
		s.Note("note: the snapshot was taken at commit %s, but another commit is checked out; these files differ in the two commits: %s; check what changed with '%s'", r.Snapshot.Head.Short(), phrase.Some(r.Differs), phrase.Unbroken(check))
	}
	if r.Before.ID != "" {
		s.Note("the previous files are saved as %s", label(r.Before))
	}
	if r.Half.ID != "" && r.Half.ID != r.Before.ID {
		s.Note("an earlier restore was interrupted; what it left is saved as %s", label(r.Half))
	}
	switch {
	case r.Run != "":
		s.Hint(fmt.Sprintf("use %s to undo this", phrase.Double("git resume undo %s", string(r.Run))))
	case r.Before.ID != "":
		s.Hint(fmt.Sprintf("use %s to undo this", phrase.Double("git resume restore %s --into-worktree", r.Before.Label())))
	}
}

// Copied prints where the files of a snapshot are now.
func Copied(s page.Page, c *saved.Copied) {
	files, where := phrase.Count(c.Files, "file", "files"), phrase.Unbroken(quote.Clean(s.Near(c.Path)))
	if c.Whole {
		s.Paragraph("", "  ", fmt.Sprintf("wrote the whole tree of %s to %s: %s", label(c.Snapshot), where, files))
		return
	}
	s.Paragraph("", "  ", fmt.Sprintf("wrote %s of %s to %s", files, label(c.Snapshot), where))
}

// Diff prints the changes in a snapshot. The argument "paths" has the files that the user named, if any.
func Diff(s page.Page, text string, paths []string) {
	switch {
	case text == "" && len(paths) > 0:
		s.Note("the snapshot has no changes in these files")
		return
	case text == "":
		s.Note("the snapshot has no changed files")
		return
	}
	s.Lines(strings.TrimSuffix(text, "\n"))
}

// label returns the name of a snapshot, safe to print.
func label(s snapshot.Snapshot) string { return quote.Clean(s.Label()) }
