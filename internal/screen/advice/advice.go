// Package advice says what the user can do next: for every error and every stop, it names the commands that help.
//
// Its functions are pure: they take an error or a decision and return words.
package advice

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/trash"
)

// On returns the advice on an error: one line for each way out, with the command to use.
func On(err error) []string {
	if a := adviceOnRuns(err); a != nil {
		return a
	}
	if a := adviceOnElsewhere(err); a != nil {
		return a
	}
	if a := adviceOnTrees(err); a != nil {
		return a
	}
	if a := adviceOnTasks(err); a != nil {
		return a
	}
	return adviceOnGit(err)
}

// adviceOnTasks covers errors about which task is meant and about what can be done with an interrupted task.
func adviceOnTasks(err error) []string {
	var aim *resume.AimError
	var shelved *assess.ShelvedError
	var hand *assess.ByHandError
	switch {
	case errors.As(err, &hand):
		return []string{
			"these are too many to be kept apart from the task's; nothing was changed",
			fmt.Sprintf("commit or stash them in '%s', then repeat the command", quote.Clean(hand.Path)),
		}
	case errors.As(err, &aim):
		return aimAdvice(aim)
	case errors.As(err, &shelved):
		return []string{
			"a clean tree would not be clean; nothing was changed",
			"continue on top of what is there with " + phrase.Single("git resume %s --keep", shelved.Run),
			"or take it as the task's result with " + phrase.Single("git resume %s --mark-done", shelved.Run),
		}
	}
	return nil
}

func aimAdvice(e *resume.AimError) []string {
	var out []string
	report, flag := phrase.Single("git resume task skip %s", e.Task), phrase.Single("git resume %s --skip=%s", e.Run, e.Now)
	if e.Flag == resume.FlagMarkDone {
		report, flag = phrase.Single("git resume task done %s", e.Task), phrase.Single("git resume %s --mark-done=%s", e.Run, e.Now)
	}
	if !e.Repeated {
		out = append(out, fmt.Sprintf("if you want that, use %s in the run's worktree", report))
	}
	if e.Now != "" {
		out = append(out, fmt.Sprintf("the next task of the run is '%s'; if you mean that one, use %s", quote.Clean(string(e.Now)), flag))
	}
	return append(out, "continue the run with "+phrase.Single("git resume %s", e.Run))
}

// adviceOnElsewhere covers errors about work that was not recorded in this clone.
func adviceOnElsewhere(err error) []string {
	var elsewhere *checkpoint.ElsewhereError
	var others *candidate.ElsewhereOnlyError
	var notHere *discard.NotHereError
	var onBranch *resume.HereError
	var unnamed *candidate.UnnamedError
	var unconfirmed *tasks.UnconfirmedError
	switch {
	case errors.As(err, &unconfirmed):
		return []string{"have it run at a terminal, where it is asked for, with " + phrase.Single("git resume %s", unconfirmed.Run)}
	case errors.As(err, &unnamed):
		first := &unnamed.Runs[0]
		drop := "or stop showing it in this clone with "
		if f := first.Found; f != nil && f.Worktree != "" && f.Branch != "" {
			drop = "or discard its worktree and branch (can be undone) and stop showing it with "
		}
		return []string{
			"nothing was started or changed; name it, as in " + phrase.Single("git resume %s", first.Called()),
			drop + phrase.Single("git resume --discard %s", first.Called()),
		}
	case errors.As(err, &elsewhere):
		return elsewhereAdvice(elsewhere.Run, elsewhere.Lack)
	case errors.As(err, &others):
		return elsewhereAdvice(others.Runs[0].Run.ID, others.Runs[0].Run.Lack)
	case errors.As(err, &notHere):
		return []string{fmt.Sprintf("see what was recorded with %s", phrase.Single("git resume log %s", notHere.Run))}
	case errors.As(err, &onBranch):
		return []string{fmt.Sprintf("check it out with %s, then repeat the command", phrase.Single("git switch %s", words.ShortBranch(onBranch.Branch)))}
	}
	return nil
}

// elsewhereAdvice says how a person takes over a run that was recorded elsewhere.
func elsewhereAdvice(id checkpoint.RunID, lack checkpoint.ProvenanceGap) []string {
	see := fmt.Sprintf("see it with %s", phrase.Single("git resume status %s", id))
	if lack == checkpoint.LackJournal {
		return []string{see, fmt.Sprintf("rebuild it from its commits with %s", phrase.Single("git resume %s --yes", id))}
	}
	if lack == checkpoint.LackKey {
		return []string{see, fmt.Sprintf("find out what is wrong with the key of this user with %s", phrase.Single("git resume doctor"))}
	}
	out := []string{see, fmt.Sprintf("take it over with %s", phrase.Single("git resume %s --takeover", id))}
	if lack == checkpoint.LackSignature {
		out = append(out, fmt.Sprintf("take over all runs that an older version recorded here with %s", phrase.Single("git resume trust --all-here")))
	}
	return out
}

// adviceOnOthers covers errors that arise because somebody else is working on the run, or may be.
func adviceOnOthers(err error) []string {
	var held *owner.HeldError
	var unchecked *reporting.UncheckedError
	var stuck *flock.StuckError
	var working *adopt.AtWorkError
	var option *adopt.OptionError
	var inUse *discard.InUseError
	var living *worktree.LivingError
	var busy *trash.BusyError
	var gone *trash.DiscardedError
	var lost *discard.LostTreeError
	switch {
	case errors.As(err, &lost) && lost.Branch != "":
		return []string{"get the worktree back with " + phrase.Single("git worktree add -f %s %s", lost.Path, words.ShortBranch(lost.Branch)) + ", then repeat the command"}
	case errors.As(err, &gone):
		return []string{"nothing is lost: get it back with " + phrase.Single("git -C %s resume undo %s", gone.Home, gone.Run)}
	case errors.As(err, &option):
		return optionAdvice(option)
	case errors.As(err, &stuck) && stuck.PID > 0:
		return []string{fmt.Sprintf("look at it with 'ps -o pid,stat,command -p %d'; if it was stopped, let it continue with 'kill -CONT %d'", stuck.PID, stuck.PID)}
	case errors.As(err, &stuck):
		return []string{"another git-resume may have been stopped: let it continue, or end it"}
	case errors.As(err, &working):
		return []string{
			"see where it stands with " + phrase.Single("git resume status %s", working.Key),
			"only if you are sure that nobody is, repeat the command with '--force'",
		}
	case errors.As(err, &inUse):
		return inUseAdvice(inUse)
	case errors.As(err, &living):
		return []string{"wait until it ends, and repeat the command"}
	case errors.As(err, &busy):
		return []string{"wait a moment, then see where it stands with " + phrase.Single("git resume status %s", busy.Run)}
	case errors.As(err, &held):
		return heldAdvice(held)
	case errors.As(err, &unchecked):
		return []string{
			fmt.Sprintf("the last record is from %s", unchecked.Last.UTC().Format("2006-01-02 15:04:05Z")),
			"only if that process is gone, repeat the command with " + phrase.Single("--takeover --run %s", unchecked.Run),
		}
	}
	return nil
}

// inUseAdvice names the processes that work in a worktree that the user wanted to discard.
func inUseAdvice(e *discard.InUseError) []string {
	var out, pids []string
	for _, p := range e.By[:min(len(e.By), maxLiving)] {
		out = append(out, fmt.Sprintf("process %d is '%s'", p.PID, commandOf(p)))
		pids = append(pids, fmt.Sprint(p.PID))
	}
	return append(out, fmt.Sprintf("wait until it ends, or end it with 'kill %s'", strings.Join(pids, " ")),
		"or repeat the command with '--force': what is written meanwhile is kept and named")
}

// maxLiving is the largest number of processes that are named.
const maxLiving = 5

// commandOf is the command line of a process, cut to a useful length.
func commandOf(p proc.Process) string {
	const most = 60
	text := []rune(quote.Clean(strings.Join(p.Args, " ")))
	if len(text) > most {
		text = append(text[:most-1], '…')
	}
	return string(text)
}

// Living names the processes that work in a worktree.
func Living(at []proc.Process) string {
	var lines []string
	for _, p := range at[:min(len(at), maxLiving)] {
		lines = append(lines, fmt.Sprintf("Process %d works in it: %s", p.PID, commandOf(p)))
	}
	if more := len(at) - maxLiving; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s", phrase.Count(more, "other", "others")))
	}
	return strings.Join(lines, "\n")
}

func heldAdvice(e *owner.HeldError) []string {
	out := []string{"see it with " + phrase.Single("git resume status %s", e.Run)}
	if e.Task && len(e.PIDs) > 0 {
		return append(out, "wait until it ends; what it did is then looked at before anything else runs",
			fmt.Sprintf("or end it with 'kill %s'", strings.Trim(fmt.Sprint(e.PIDs), "[]")))
	}
	if e.By != nil && e.By.PID > 0 {
		out = append(out, fmt.Sprintf("process %d is '%s'; wait for it or stop it", e.By.PID, quote.Clean(e.By.Command)))
		if e.Reports {
			out = append(out, "or take the run from it with "+phrase.Single("git resume pause %s", e.Run)+", then repeat the command")
		}
	}
	return out
}

// optionAdvice lists the options to choose from, and says how to give a different answer.
func optionAdvice(e *adopt.OptionError) []string {
	var out []string
	for i, o := range e.Options {
		out = append(out, fmt.Sprintf("%d  %s", i+1, quote.Clean(o)))
	}
	return append(out, "give an answer of your own with "+phrase.Single("git resume answer --run %s %s --text TEXT", e.Run, e.Task))
}
