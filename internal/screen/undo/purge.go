package undo

import (
	"fmt"

	"github.com/git-resume/git-resume/internal/handler/purge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// NothingToPurge says that a repository has no trace of git-resume.
func NothingToPurge(s page.Page) {
	s.Say("There is nothing of git-resume to remove from this repository.\n")
}

// PurgePlan prints what a purge removes. Work that is nowhere else comes first.
func PurgePlan(s page.Page, p *purge.Plan) {
	if p.Half {
		s.Say("An earlier purge was interrupted; this finishes it.\n")
	}
	onlyHere(s, p)
	s.Say("This removes git-resume's records and work from this repository, for good:\n")
	row := func(word, text string) { s.Paragraph(fmt.Sprintf("  %-9s ", word), "            ", text) }
	if n := len(p.Refs); n > 0 {
		row("records", fmt.Sprintf("%s with notes and snapshots, in %s", phrase.Count(len(p.Runs), "run", "runs"), phrase.Count(n, "ref", "refs")))
	}
	for _, t := range p.Trees {
		text := quote.Clean(s.Near(t.Path))
		if t.Ignored > 0 {
			text += ", with " + phrase.Count(t.Ignored, "ignored file or folder", "ignored files or folders")
		}
		row("worktree", text)
	}
	for _, b := range p.Branches {
		row("branch", quote.Clean(words.ShortBranch(b.Ref)))
	}
	if p.Discarded > 0 {
		row("discarded", phrase.Count(p.Discarded, "run", "runs")+", which undo cannot restore after the purge")
	}
	if p.OwnHook() {
		row("hook", "in this repository")
	}
	if len(p.Hidden) > 0 {
		row("setting", "resume.ignore, which hides "+phrase.Some(p.Hidden))
	}
	if p.Folder != "" {
		row("folder", quote.Clean(s.Near(p.Folder)))
	}
	s.Tell("Your own branches, worktrees and commits stay, including commits with Resume-Run trailers.")
	if p.Hook.Installed() && p.Hook.Global {
		s.Tell("The hook in your global settings stays; remove it with: git resume hooks uninstall --global")
	}
}

// onlyHere warns about commits and files that are nowhere else.
func onlyHere(s page.Page, p *purge.Plan) {
	for _, b := range p.Branches {
		switch {
		case b.Only == 1:
			s.Tell("warning: 1 commit of %s is on no other branch", quote.Clean(words.ShortBranch(b.Ref)))
		case b.Only > 1:
			s.Tell("warning: %d commits of %s are on no other branch", b.Only, quote.Clean(words.ShortBranch(b.Ref)))
		}
	}
	for _, t := range p.Trees {
		switch {
		case t.Fault != nil:
			s.Tell("warning: it is not known whether %s has uncommitted work: %s", quote.Clean(s.Near(t.Path)), quote.Printable(t.Fault.Error()))
		case len(t.Unsaved) > 0:
			s.Tell("warning: %s in %s would be lost: %s", phrase.Count(len(t.Unsaved), "uncommitted file", "uncommitted files"), quote.Clean(s.Near(t.Path)), phrase.Some(t.Unsaved))
		}
	}
}

// Purged says that the purge is complete.
func Purged(s page.Page) {
	s.Say("Removed. What may be left: trailers in commits, settings, hooks of agents.\n")
}
