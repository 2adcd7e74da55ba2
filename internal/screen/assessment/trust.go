package assessment

import (
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Approval prints everything that the user is asked to approve. It shortens nothing, and shows invisible characters as escapes.
func Approval(s page.Page, a *tasks.Approval) {
	r, see := &a.Run, &page.Approving{}
	s.Say("%s (%s): %s\n", see.Name(r.Name), r.ID.Suffix(), phrase.Count(len(a.Commands), "command", "commands"))
	showCommands(s, a.Commands)
	if len(a.Strange) > 0 {
		s.Say("  %s on its branch may come from elsewhere; the commands would run on them:\n", phrase.Count(len(a.Strange), "commit", "commits"))
		showCommits(s, a.Strange, see)
	}
	see.Note(s)
	if !a.Open() {
		s.Say("  all of this was approved before\n")
		return
	}
	s.Say("  hash %s\n", a.Hash())
}

func showCommands(s page.Page, all []string) {
	for _, line := range page.CommandLines(all, "    ", s.Width()) {
		s.Say("%s\n", line)
	}
}

func showCommits(s page.Page, all []object.Commit, see *page.Approving) {
	for _, c := range all {
		s.Say("    %s  %s  (%s)\n", c.ID.Short(), see.Name(c.Subject()), see.Name(c.Author.Name))
	}
}

// Takeover prints what the user trusts by taking over a run, for example its commands and commits.
func Takeover(s page.Page, a *assess.Assessment, what *tasks.Approval) {
	r, see := &a.Summary.Run, &page.Approving{}
	s.Say("\nTaking over %s (%s) means relying on what is recorded about it:\n", see.Name(r.Name), r.ID.Suffix())
	s.Say("  base      %s  %s\n", see.Name(r.Base.Name), r.Base.Commit.Short())
	if r.Branch != "" {
		s.Say("  branch    %s\n", see.Name(words.ShortBranch(r.Branch)))
	}
	if a.Tree.Path != "" {
		s.Say("  worktree  %s\n", see.Name(a.Tree.Path))
	}
	for i, t := range r.Tasks {
		if t.LastSeq > 0 || t.Found {
			s.Say("  task %-3d  %s, %s\n", i+1, see.Name(string(t.ID)), t.State)
		}
		if t.Answer != "" { // in full, because the commands get it
			s.Say("  answer    %s: %s\n", see.Name(string(t.ID)), see.Name(t.Answer))
		}
	}
	if len(what.Built) > 0 {
		s.Say("  %s since its base:\n", phrase.Count(len(what.Built), "commit", "commits"))
		showCommits(s, what.Built, see)
	}
	see.Note(s)
	if len(what.Commands) > 0 {
		s.Say("  %s that it would run:\n", phrase.Count(len(what.Commands), "command", "commands"))
		showCommands(s, what.Commands)
	} else {
		s.Say("  it runs no commands; its worker reports the tasks\n")
	}
}
