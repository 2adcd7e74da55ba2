// Package advice returns the exit code of an error, and the commands that help a user after an error or when a run cannot continue. It
// prints nothing.
package advice

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

func aimAdvice(e *resume.AimError) []string {
	switch {
	case e.Reported && e.Flag == resume.FlagRetry:
		return []string{
			"set its changes aside and start it again with " + phrase.Single("git resume %s --from %s", e.Run, e.Task),
			"or continue on top of its changes with " + phrase.Single("git resume %s", e.Run),
		}
	case e.Reported:
		return []string{fmt.Sprintf("if the task is done, use %s in the run's worktree", phrase.Single("git resume task done %s", e.Task))}
	}
	var out []string
	do, report, flag := "to skip task '%s'", phrase.Single("git resume task skip %s", e.Task), phrase.Single("git resume %s --skip=%s", e.Run, e.Now)
	if e.Flag == resume.FlagMarkDone {
		do, report, flag = "to mark task '%s' as done", phrase.Single("git resume task done %s", e.Task), phrase.Single("git resume %s --mark-done=%s", e.Run, e.Now)
	}
	if !e.Repeated && !e.Done {
		out = append(out, fmt.Sprintf(do+" anyway, use %s in the run's worktree", quote.Clean(string(e.Task)), report))
	}
	if e.Now != "" {
		out = append(out, fmt.Sprintf("the next task of the run is '%s'; if you mean that one, use %s", quote.Clean(string(e.Now)), flag))
	}
	return append(out, "continue the run with "+phrase.Single("git resume %s", e.Run))
}

// elsewhereAdvice returns the advice for a run that this clone does not trust as its own.
func elsewhereAdvice(id checkpoint.RunID, lack checkpoint.ProvenanceGap) []string {
	see := fmt.Sprintf("see the run with %s", phrase.Single("git resume status %s", id))
	if lack == checkpoint.LackJournal {
		return []string{see, fmt.Sprintf("rebuild it from its commits with %s", phrase.Single("git resume %s --yes", id))}
	}
	if lack == checkpoint.LackKey {
		return []string{see, fmt.Sprintf("use %s to see what is wrong with your key for signing records", phrase.Single("git resume doctor"))}
	}
	return []string{see, fmt.Sprintf("take it over with %s", phrase.Single("git resume %s --takeover", id))}
}

// inUseAdvice says how to discard a worktree in which processes still work.
func inUseAdvice(e *discard.InUseError) []string {
	var out, pids []string
	for _, p := range e.By[:min(len(e.By), maxLiving)] {
		out = append(out, fmt.Sprintf("process %d is '%s'", p.PID, commandOf(p)))
		pids = append(pids, fmt.Sprint(p.PID))
	}
	return append(out, fmt.Sprintf("wait until nothing uses the worktree, or end what uses it with 'kill %s'", strings.Join(pids, " ")),
		"or repeat the command with '--force': files that these processes write during the discard are kept, and their names are shown")
}

// maxLiving limits how many processes a message lists.
const maxLiving = 5

func commandOf(p proc.Process) string {
	const most = 60
	return phrase.Shorten(quote.Clean(strings.Join(p.Args, " ")), most)
}

// Living describes the processes that work in a worktree. A long list is shortened.
func Living(at []proc.Process) string {
	var lines []string
	for _, p := range at[:min(len(at), maxLiving)] {
		lines = append(lines, fmt.Sprintf("Process %d is using the worktree: %s", p.PID, commandOf(p)))
	}
	if more := len(at) - maxLiving; more > 0 {
		lines = append(lines, fmt.Sprintf("%s using the worktree", phrase.Count(more, "more process is", "more processes are")))
	}
	return strings.Join(lines, "\n")
}

func heldAdvice(e *owner.HeldError) []string {
	out := []string{"see the run with " + phrase.Single("git resume status %s", e.Run)}
	if e.NoLocks != nil {
		return out
	}
	if e.Task && len(e.PIDs) > 0 {
		return append(out, "wait until the task ends; its results are then checked before anything else runs",
			fmt.Sprintf("or end its processes with 'kill %s'", strings.Trim(fmt.Sprint(e.PIDs), "[]")))
	}
	if e.By != nil && e.By.PID > 0 {
		out = append(out, fmt.Sprintf("wait for process %d (%s) or stop it", e.By.PID, quote.Clean(words.Program(e.By))))
		if e.Reports {
			out = append(out, "or pause the run with "+phrase.Single("git resume pause %s", e.Run)+" even while that process runs, then repeat the command")
		}
	}
	return out
}

// optionAdvice lists the possible answers to a question, and the command for a free answer.
func optionAdvice(e *adopt.OptionError) []string {
	var out []string
	for i, o := range e.Options {
		out = append(out, fmt.Sprintf("%d  %s", i+1, quote.Clean(o)))
	}
	return append(out, "give an answer of your own with "+phrase.Single("git resume answer --run %s %s --text TEXT", e.Run, e.Task))
}
