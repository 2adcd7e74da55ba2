package undo

import (
	"cmp"
	"fmt"

	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Preview prints what a discard would remove.
func Preview(s page.Page, d *discard.Preview) {
	r := &d.Run.Run
	if d.Half {
		s.Say("The discard of %s was interrupted; it will be finished.\n", words.Title(r))
		return
	}
	if r.Discarded {
		s.Tell("%s is discarded already. To get it back: %s", words.Title(r), quote.Command("git resume undo %s", words.Called(r)))
		return
	}
	s.Say("This discards run %s:\n", words.Title(r))
	if r.Here {
		s.Say("  its record only: it has no worktree or branch of its own, and no file is touched\n")
		return
	}
	p := &d.Preview
	tree := quote.Clean(p.Tree.Path)
	if tree == "" {
		tree = "none"
	}
	s.Say("  worktree  %s\n", tree)
	dropped(s, len(p.Changed), "file changed, not committed", "files changed, not committed", p.Changed)
	dropped(s, len(p.Untracked), "file untracked", "files untracked", p.Untracked)
	ignored(s, p.Ignored)
	if len(p.Nested) > 0 {
		kept := ", kept beside it"
		if d.Keep == 0 {
			kept = ""
		}
		s.Say("    %s%s: %s\n", phrase.Count(len(p.Nested), "nested repository", "nested repositories"), kept, phrase.Some(p.Nested))
	}
	if p.Branch != "" {
		s.Paragraph("  branch    ", "            ", quote.Clean(words.ShortBranch(p.Branch))+aheadOf(d))
	}
	if f := d.Run.Found; f != nil && f.Stays != "" {
		s.Paragraph("  stays     ", "            ", quote.Clean(f.Stays))
	}
	if d.Keep == 0 {
		s.Say("Nothing of it is kept: the setting resume.keepDiscarded is 0.\n")
		return
	}
	s.Paragraph("", "  ", fmt.Sprintf("Everything except ignored files is kept for %s in %s.", phrase.Long(d.Keep), trash.DiscardedRef(string(cmp.Or(d.As, r.ID)))))
}

func aheadOf(d *discard.Preview) string {
	base := words.BaseName(&d.Run.Run)
	if d.Run.Run.Base.Name == "" {
		base = d.Run.Run.Base.Commit.Short()
	}
	switch n := d.Preview.Ahead; {
	case n < 0:
		return ""
	case n == 0:
		return ", all of its commits are on " + base
	case d.InBase:
		return ", all of its changes are on " + base
	default:
		return fmt.Sprintf(", %s not on %s", phrase.Count(n, "commit", "commits"), base)
	}
}

func dropped(s page.Page, n int, one, many string, names []string) {
	if n > 0 {
		s.Say("    %s  %s\n", phrase.Pad(phrase.Count(n, one, many), 32), phrase.Some(names))
	}
}

// ignored prints the ignored files, which cannot be restored after the discard.
func ignored(s page.Page, left []snapshot.Omission) {
	if len(left) == 0 {
		return
	}
	var size int64
	names := make([]string, 0, len(left))
	for _, l := range left {
		size += l.Size
		names = append(names, l.Path)
	}
	s.Say("    %s  %s\n", phrase.Pad(fmt.Sprintf("%d ignored, %s, not kept", len(left), phrase.Bytes(size)), 32), phrase.Some(names))
}

// Removed prints that the worktree and the branch of a merged run were removed, and how to restore them. The merge itself stays.
func Removed(s page.Page, d *discard.Discarded) {
	if d.Forgotten || d.Already {
		Discarded(s, d)
		return
	}
	s.Tell("Removed its worktree and branch. To get them back: %s", quote.Command("git resume undo %s", words.Called(&d.Journal.Run)))
	rest(s, d)
}

// Discarded prints that a run was discarded, and how to restore it.
func Discarded(s page.Page, d *discard.Discarded) {
	switch {
	case d.Forgotten:
		s.Say("Discarded permanently.\n")
	case !d.Already:
		s.Tell("Discarded. To get it back: %s", quote.Command("git resume undo %s", words.Called(&d.Journal.Run)))
	}
	rest(s, d)
}

// The function "rest" prints which files the discard did not delete, and where they are now. It also says if the notes could not be
// updated.
func rest(s page.Page, d *discard.Discarded) {
	switch {
	case d.RestCount > 0:
		s.Note("note: %s not deleted, because %s during the discard or cannot be read: %s", phrase.Count(d.RestCount, "file was", "files were"),
			map[bool]string{true: "it changed or appeared", false: "they changed or appeared"}[d.RestCount == 1], phrase.Some(d.Rest))
		s.Note("note: the files that were not deleted are in %s", quote.Clean(d.Remains))
	case d.Remains != "":
		s.Note("note: the files that were not deleted are in %s", quote.Clean(d.Remains))
	}
	outcome.Unpublished(s, d.Journal)
}

// Unfinished prints the folders with files that interrupted starts left. These folders are deleted later, like discarded work.
func Unfinished(s page.Page, places []string) {
	for _, place := range places {
		s.Note("note: files left by an interrupted start are in %s; they are deleted later, like discarded work", quote.Clean(place))
	}
}

// Undone prints what an undo or a redo has changed.
func Undone(s page.Page, u *discard.Undone) {
	if _, ok := words.UndoWords()[u.What.Event]; ok {
		TookBack(s, u)
		return
	}
	if u.Again != nil {
		s.Say("discarded again: %s\n", words.Title(&u.Journal.Run))
		Discarded(s, u.Again)
		return
	}
	s.Say("undid the discard of %s\n", words.Title(&u.Journal.Run))
	defer takeUndoBack(s, u)
	if u.Back == nil {
		return
	}
	if u.Back.Path != "" {
		s.Say("  worktree  %s\n", quote.Clean(u.Back.Path))
	} else {
		s.Tell("  worktree  was missing when the run was discarded; %s recreates it", phrase.Single("git resume %s", words.Called(&u.Journal.Run)))
	}
	if u.Back.Branch != "" && u.Back.Tip != "" {
		s.Say("  branch    %s  %s\n", quote.Clean(words.ShortBranch(u.Back.Branch)), u.Back.Tip.Short())
	}
	if u.Back.Remains != "" {
		s.Note("note: files that appeared while the worktree was being restored are in %s", quote.Clean(u.Back.Remains))
	}
	if u.Back.Rebuilt {
		s.Note("note: all files were restored except ignored ones")
	}
}
