package screen

import (
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Approval shows in full what would be approved: nothing is shortened, and what cannot be seen is shown as an escape.
func Approval(s Screen, a *tasks.Approval) {
	r, see := &a.Run, &approving{}
	s.say("%s (%s): %s\n", see.name(r.Name), r.ID.Suffix(), count(len(a.Commands), "command", "commands"))
	showCommands(s, a.Commands)
	if len(a.Strange) > 0 {
		s.say("  %s on its branch came from elsewhere; the commands would run on them:\n", count(len(a.Strange), "commit", "commits"))
		showCommits(s, a.Strange, see)
	}
	see.note(s)
	if !a.Open() {
		s.say("  all of this was approved before\n")
		return
	}
	s.say("  hash %s\n", a.Hash())
}

// showCommands shows command texts whole.
func showCommands(s Screen, all []string) {
	for _, line := range commandLines(all, "    ", s.width()) {
		s.say("%s\n", line)
	}
}

func showCommits(s Screen, all []object.Commit, see *approving) {
	for _, c := range all {
		s.say("    %s  %s  (%s)\n", c.ID.Short(), see.name(c.Subject()), see.name(c.Author.Name))
	}
}

// Takeover shows what taking a run over would rely on.
func Takeover(s Screen, a *assess.Assessment, what *tasks.Approval) {
	r, see := &a.Summary.Run, &approving{}
	s.say("\nTaking over %s (%s) means to rely on what is recorded of it:\n", see.name(r.Name), r.ID.Suffix())
	s.say("  base      %s  %s\n", see.name(r.Base.Name), r.Base.Commit.Short())
	if r.Branch != "" {
		s.say("  branch    %s\n", see.name(shortBranch(r.Branch)))
	}
	if a.Tree.Path != "" {
		s.say("  worktree  %s\n", see.name(a.Tree.Path))
	}
	for i, t := range r.Tasks {
		if t.LastSeq > 0 || t.Found {
			s.say("  task %-3d  %s, %s\n", i+1, see.name(string(t.ID)), t.State)
		}
	}
	if len(what.Built) > 0 {
		s.say("  %s since its base:\n", count(len(what.Built), "commit", "commits"))
		showCommits(s, what.Built, see)
	}
	see.note(s)
	if len(what.Commands) > 0 {
		s.say("  %s that it would run:\n", count(len(what.Commands), "command", "commands"))
		showCommands(s, what.Commands)
	} else {
		s.say("  it runs no commands; whoever works on it reports\n")
	}
}
