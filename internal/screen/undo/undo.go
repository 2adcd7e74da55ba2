// Package undo prints what a discard or an undo changes, before and after it happens.
package undo

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Undoing prints what an undo would change.
func Undoing(s page.Page, u *discard.Undoing) {
	back := " back"
	if u.Redo {
		back = ""
		s.Paragraph("", "  ", fmt.Sprintf("This redoes %s: %s", words.Change(&u.What), words.Title(&u.Run)))
	} else {
		s.Paragraph("", "  ", fmt.Sprintf("This undoes %s: %s", words.Change(&u.What), words.Title(&u.Run)))
	}
	if u.Base != "" {
		s.Say("  %s moves from %s%s to %s\n", quote.Clean(u.Base), u.From.Short(), back, u.To.Short())
	}
	if u.Path != "" {
		s.Say("  worktree  %s\n", quote.Clean(u.Path))
	}
	if u.FilesBack != nil {
		s.Paragraph("  ", "    ", filesBack(s, u.FilesBack, "the files in %s will be as in snapshot %s"))
	}
	if u.HandOver() && !u.Redo {
		s.Say("  it no longer counts as being worked on; no file is changed\n")
	}
	for _, f := range u.Files {
		to := ""
		if f.To != "" {
			to = " -> " + phrase.Unbroken(quote.Clean(f.To))
		}
		s.Row(f.Does, phrase.Unbroken(quote.Clean(f.Path))+to)
	}
	unmade(s, u.Unmakes)
	for _, f := range u.Committed {
		s.Paragraph("  ", "    ", phrase.Unbroken(quote.Clean(f))+" is committed: others may rely on it, and its removal has to be committed too")
	}
	if !u.WentOn.IsZero() {
		s.Paragraph("  ", "    ", fmt.Sprintf("the work continued after this change, at %s; the undo keeps the later work", s.When(u.WentOn)))
	}
	if u.Unsure {
		s.Say("  an older version recorded this change, so nothing proves who made it\n")
	}
}

// filesBack says that the files of a worktree are as in a snapshot, or will be so after the undo.
func filesBack(s page.Page, f *discard.FilesBack, form string) string {
	return fmt.Sprintf(form, phrase.Unbroken(quote.Clean(s.Near(f.Tree))), phrase.Unbroken(quote.Clean(f.Snapshot.Label())))
}

// Difference prints the lines that an undo changes in the files of another system.
func Difference(s page.Page, u *discard.Undoing) {
	for _, f := range u.Files {
		if f.To != "" {
			s.Row(f.Does, phrase.Unbroken(quote.Clean(f.Path))+" -> "+phrase.Unbroken(quote.Clean(f.To)))
			continue
		}
		s.Row(f.Does, phrase.Unbroken(quote.Clean(f.Path)))
		s.Changed(f.Was, f.Now)
	}
}

// unmade prints the worktree and the branch that an undo will remove, because they are unchanged since they were created.
func unmade(s page.Page, u *discard.RemovedWorktree) {
	if u == nil {
		return
	}
	s.Row("remove", "worktree "+phrase.Unbroken(quote.Clean(u.Path)+",")+" which is unchanged since it was created")
	if u.Branch != "" {
		s.Row("remove", "branch "+phrase.Unbroken(quote.Clean(refs.Short(u.Branch))+",")+" which is unchanged since it was created")
	}
}

// Changes prints the changes that can be undone, newest first.
func Changes(s page.Page, all []discard.Undoing) {
	if len(all) == 0 {
		s.Note("there is nothing to undo")
		return
	}
	rows := make([][]string, 0, len(all))
	for i := range all {
		u := &all[i]
		rows = append(rows, []string{fmt.Sprint(u.Number), s.When(u.What.At), words.Change(&u.What), quote.Clean(words.Called(&u.Run)), words.Caller(u.By)})
	}
	s.Table(rows)
	s.Hint(fmt.Sprintf("use %s to undo the newest of these changes", phrase.Double("git resume undo %s", all[0].Number)))
}

// TookBack prints which change was undone or redone.
func TookBack(s page.Page, u *discard.Undone) {
	back, did := " back", "undid"
	if u.Redo {
		back, did = "", "redid"
	}
	s.Paragraph("", "  ", fmt.Sprintf("%s %s: %s", did, words.Change(&u.What), words.Title(&u.Journal.Run)))
	if u.Base != "" {
		s.Say("  %s moved%s from %s to %s\n", quote.Clean(u.Base), back, u.From.Short(), u.To.Short())
	}
	if u.FilesBack != nil {
		s.Paragraph("  ", "    ", filesBack(s, u.FilesBack, "the files in %s are as in snapshot %s"))
	}
	takeUndoBack(s, u)
	if u.Redo {
		return
	}
	if u.Made != "" {
		s.Hint(fmt.Sprintf("the new worktree %s stays; discard it (can be undone) with %s", quote.Clean(u.Made), phrase.Double("git resume --discard %s", words.Called(&u.Journal.Run))))
	}
	if u.What.Event == checkpoint.RunSuperseded {
		s.Hint(fmt.Sprintf("run %s, which the restart created, stays; discard it with %s", quote.Clean(u.What.Text), phrase.Double("git resume --discard %s", u.What.Text)))
	}
}

// takeUndoBack prints the command for a redo. Repeating the undo would instead undo an earlier change.
func takeUndoBack(s page.Page, u *discard.Undone) {
	if !u.Redo {
		s.Hint(fmt.Sprintf("use %s to redo it", phrase.Double("git resume undo --redo %s", words.Called(&u.Journal.Run))))
	}
}
