package main

import (
	"slices"

	"github.com/git-resume/git-resume/internal/exit"
)

// gone has the commands and options that an earlier version understood. People have typed them and written them into scripts, so each gets
// an answer that names what replaces it. The option is empty if the whole command is gone.
var gone = []struct{ command, option, instead string }{
	{"merge", "pr", "push the run's branch and use 'gh pr create' or 'glab mr create', with the text of 'git resume review --md'"},
	{"merge", "no-ff", "use 'git merge --no-ff BRANCH' with the run's branch"},
	{"merge", "ff-only", "use 'git merge --ff-only BRANCH' with the run's branch"},
	{"review", "since", "use 'git resume log' for the history of a run, or 'git log --since=TIME' for commits"},
	{"remote", "", "'git resume doctor' checks the remotes of shared runs"},
	{"push", "branch", "push the run's branch with 'git push'"},
	{"pull", "branch", "pull into the run's worktree with 'git -C WORKTREE pull'"},
	{"push", "leave-out", noSecrets},
	{"push", "even-secret", noSecrets},
	{"work", "leave-out", noSecrets},
	{"work", "even-secret", noSecrets},
	{"parked", "take", "'git resume parked' says with which 'git cherry-pick' the work can be taken"},
	{"parked", "drop", keptParked},
	{"parked", "undrop", keptParked},
	{"trust", "all-here", "use 'git resume trust' with the name of a run"},
}

const (
	noSecrets  = "let git ignore the files that are not to be sent, or move them out of the worktree"
	keptParked = "parked work is kept with its run, and dropped work until it expires, in refs below refs/resume/dropped"
)

// goneCommand returns the error for a command that an earlier version had, or nil.
func goneCommand(word string) error {
	for _, g := range gone {
		if g.command == word && g.option == "" {
			return exit.Usagef("there is no command '%s' any more; %s", word, g.instead)
		}
	}
	return nil
}

// goneOption returns the error for an option that an earlier version of a command had, or nil. If the option stands before the command, the
// path is empty, and the arguments contain the command.
func goneOption(path, args []string, name string) error {
	words := path
	if len(path) == 0 {
		words = args
	}
	for _, g := range gone {
		if g.option == name && name != "" && slices.Contains(words, g.command) {
			return exit.Usagef("'%s' has no option '--%s' any more; %s", g.command, name, g.instead)
		}
	}
	return nil
}
