package advice

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/tasks"
)

// repeated is the user's own command with a run filled in, written so that the run's name cannot be mistaken for an option.
func repeated(e *candidate.AmbiguousError) string {
	typed := append([]string{"git", "resume"}, e.Again...)
	if at := e.At + 2; at < len(typed) && strings.HasPrefix(typed[at], "-") && !strings.HasPrefix(typed[at], "--run=") {
		typed = slices.Insert(typed, at, "--")
	}
	return quote.Words(typed)
}

func adviceOnRuns(err error) []string {
	var amb *candidate.AmbiguousError
	var open *start.OpenWorkError
	var none *candidate.NoneError
	var noTask *candidate.NoTaskError
	var state *reporting.StateError
	var closed *candidate.ClosedError
	var place *reporting.WrongPlaceError
	var untrusted *tasks.UntrustedError
	var doubt *tasks.DoubtError
	var tree *resume.TreeError
	var unready *reporting.NotReadyError
	var update *resume.UpdateError
	var lost *candidate.LostJournalError
	var unkept *resume.UnsavedError
	var scattered *candidate.ScatteredError
	var present *adopt.PresentError
	var nested *commit.NestedError
	switch changed := new(adopt.ChangedError); {
	case errors.As(err, &changed) && changed.Kept != "":
		return []string{
			"it stays as it is; nothing was undone",
			"see what it was before with " + phrase.Single("git show %s", changed.Kept),
		}
	case errors.As(err, &nested) && nested.In != "":
		return []string{"commit it there, or name other paths"}
	case errors.As(err, &nested):
		return []string{"make a commit in it, or name other paths"}
	case errors.As(err, &present):
		return []string{"nothing was moved; take it away, then repeat the command"}
	case errors.As(err, &amb) && len(amb.Runs) > 0:
		return []string{"name one, as in " + quote.Between("'", repeated(amb))}
	case errors.As(err, &open):
		return []string{
			"see where it stands with " + phrase.Single("git resume status %s", open.Runs[0].Called()),
			"start another one beside it with '--new'",
		}
	case errors.As(err, &none):
		return []string{"see all runs with 'git resume status --all'"}
	case errors.As(err, &noTask):
		hints := []string{"see its tasks with " + phrase.Single("git resume status %s", noTask.Run)}
		if noTask.Addable {
			hints = append(hints, "add a new task with '--add'")
		}
		return hints
	case errors.As(err, &unkept):
		return []string{
			"nothing was changed; a clean tree would lose " + strings.Join(words.Unsaved(unkept.Left), ", "),
			"save or remove that, then repeat the command",
			"or continue with what is there: " + phrase.Single("git resume %s --keep", unkept.Run),
		}
	case errors.As(err, &lost):
		return []string{"rebuild it from its commits first, with " + phrase.Single("git resume %s --yes", lost.Run)}
	case errors.As(err, &scattered):
		return []string{"see them with " + phrase.Single("git log --grep=%s", scattered.Run)}
	case errors.As(err, &unready):
		return []string{"make it ready with " + phrase.Single("git resume %s", unready.Run)}
	case errors.As(err, &state) && state.Wants == "answer" && !state.Task.State.Closed():
		return []string{"it asks nothing; see what does with " + phrase.Single("git resume status %s", state.Run)}
	case errors.As(err, &state):
		return []string{"make it open again with " + phrase.Single("git resume task reset %s --run %s", state.Task.ID, state.Run)}
	case errors.As(err, &closed):
		return closedAdvice(closed)
	case errors.As(err, &place):
		return placeAdvice(place)
	case errors.As(err, &untrusted):
		return untrustedAdvice(untrusted)
	case errors.As(err, &doubt):
		return doubtAdvice(doubt)
	case errors.As(err, &update):
		return append(gitSays(update.Text),
			fmt.Sprintf("resolve it in '%s', 'git %s --continue' there, then %s", quote.Clean(update.Path), update.How, phrase.Single("git resume %s", update.Run)),
			fmt.Sprintf("or take it back there with 'git %s --abort'", update.How))
	case errors.As(err, &tree):
		return []string{"if it was moved, repair it with 'git worktree repair PATH'"}
	}
	return adviceOnOthers(err)
}

func untrustedAdvice(e *tasks.UntrustedError) []string {
	out := []string{
		"read all of it with " + phrase.Single("git resume trust %s --dry-run", e.Run),
		"approve it with " + phrase.Single("git resume trust %s", e.Run),
	}
	return append(append(out, "it would run:"), page.CommandLines(e.Commands, "    ", page.Usual-len("hint: "))...)
}

func doubtAdvice(e *tasks.DoubtError) []string {
	again := func(flag string) string {
		if e.Line {
			return fmt.Sprintf("by repeating the line with '%s'", flag)
		}
		return "with " + phrase.Single("git resume %s "+flag, e.Run)
	}
	out := []string{
		"run it again from a clean tree " + again("--retry"),
		"run it again on top of what is there " + again("--keep"),
		"take it as done with " + phrase.Single("git resume task done %s --run %s", e.Task, e.Run),
	}
	switch rest := words.Unsaved(e.Unsaved); {
	case e.Here:
		out = out[1:] // the user's own tree is not cleaned, so the way with --retry is not offered
	case len(rest) > 0:
		out[0] = fmt.Sprintf("a clean tree would lose %s, which is in no snapshot: save or remove that first, then run it again %s",
			strings.Join(rest, ", "), again("--retry"))
	}
	if e.Moved {
		out = append([]string{"there are commits since it started; they are kept"}, out...)
	}
	if len(e.Changes) > 0 {
		out = append([]string{"it left " + phrase.Some(e.Changes)}, out...)
	}
	if e.Saved != "" {
		what := "what is uncommitted"
		if len(e.Unsaved) > 0 {
			what = "what else is uncommitted"
		}
		out = append([]string{fmt.Sprintf("nothing is lost: %s is saved as %s", what, e.Saved.Short())}, out...)
	}
	return out
}

func placeAdvice(e *reporting.WrongPlaceError) []string {
	switch e.What {
	case "branch":
		return []string{"go back to it with " + phrase.Single("git switch %s", e.Want)}
	case "operation":
		return []string{"finish or abort it first; 'git status' says how"}
	}
	if e.Want == "" {
		return []string{"it has none yet; make it with " + phrase.Single("git resume %s", e.Run)}
	}
	return []string{"go there with " + phrase.Single("cd %s", e.Want)}
}

func closedAdvice(e *candidate.ClosedError) []string {
	if e.Superseded != "" {
		return []string{"another run took its place; see it with " + phrase.Single("git resume status %s", e.Superseded)}
	}
	out := []string{"see what it did with " + phrase.Single("git resume log %s", e.ID)}
	if e.State == checkpoint.Discarded {
		out = append(out, "get it back with "+phrase.Single("git resume undo %s", e.ID))
	}
	return out
}
