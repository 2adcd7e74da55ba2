package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/tasks"
)

// commandForRun repeats the user's command with the id of one run. It adds "--" if the id starts with a dash.
func commandForRun(e *candidate.AmbiguousError) string {
	typed := append([]string{"git", "resume"}, e.Again...)
	if at := e.At + 2; at < len(typed) && strings.HasPrefix(typed[at], "-") && !strings.HasPrefix(typed[at], "--run=") {
		typed = slices.Insert(typed, at, "--")
	}
	return quote.Words(typed)
}

func untrustedAdvice(e *tasks.UntrustedError) []string {
	out := []string{
		"read all commands with " + phrase.Single("git resume trust %s --dry-run", e.Run),
		"approve the commands with " + phrase.Single("git resume trust %s", e.Run),
	}
	return append(append(out, "the run would execute:"), page.CommandLines(e.Commands, "    ", page.Usual-len("hint: "))...)
}

func doubtAdvice(e *tasks.DoubtError) []string {
	again := func(flag string) string {
		if e.Line {
			return fmt.Sprintf("by repeating the command with '%s'", flag)
		}
		return "with " + phrase.Single("git resume %s "+flag, e.Run)
	}
	out := []string{
		"run the task again from a clean tree " + again("--retry"),
		"run the task again on top of its changes " + again("--keep"),
		"mark the task as done with " + phrase.Single("git resume task done %s --run %s", e.Task, e.Run),
	}
	switch rest := words.Unsaved(e.Unsaved); {
	case e.Uncertain:
		out = out[1:] // --retry would not clean the worktree, so do not offer it
	case len(rest) > 0:
		out[0] = fmt.Sprintf("cleaning the tree would lose %s, which no snapshot contains: save or remove these files first, then run the task again %s",
			strings.Join(rest, ", "), again("--retry"))
	}
	if e.Moved {
		out = append([]string{"commits were made since the task started; they are kept"}, out...)
	}
	if len(e.Changes) > 0 {
		out = append([]string{"it left " + phrase.Some(e.Changes)}, out...)
	}
	if e.Saved != "" {
		kept := "nothing is lost: uncommitted work is saved as " + words.SavedAs(e.Saved)
		if rest := words.Unsaved(e.Unsaved); len(rest) > 0 {
			kept = fmt.Sprintf("uncommitted work is saved as %s, except %s", words.SavedAs(e.Saved), strings.Join(rest, ", "))
		}
		out = append([]string{kept}, out...)
	}
	return out
}

func placeAdvice(e *reporting.WrongPlaceError) []string {
	switch e.What {
	case "branch":
		if e.Want == "" {
			return []string{phrase.Single("git resume status %s", e.Run) + " shows where the run works"}
		}
		return []string{"go back to the run's branch with " + phrase.Single("git switch %s", e.Want)}
	case "operation":
		return []string{"finish or abort the operation first; 'git status' says how"}
	case "attached":
		return []string{"leave that branch with " + phrase.Single("git checkout --detach")}
	case "task", "idle":
		return []string{"use " + phrase.Single("git resume status %s", e.Run) + " to see which task works where"}
	}
	if e.Want == "" {
		return []string{"the run has no worktree now; create it with " + phrase.Single("git resume %s", e.Run)}
	}
	return []string{"go to the run's worktree with " + phrase.Single("cd %s", e.Want)}
}

func closedAdvice(e *candidate.ClosedError) []string {
	if e.Superseded != "" {
		return []string{"another run replaced it; see that run with " + phrase.Single("git resume status %s", e.Superseded)}
	}
	out := []string{"use " + phrase.Single("git resume log %s", e.ID) + " to see what it did"}
	if e.State == checkpoint.Discarded {
		out = append(out, "get it back with "+phrase.Single("git resume undo %s", e.ID))
	}
	return out
}
