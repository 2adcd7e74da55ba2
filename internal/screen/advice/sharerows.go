package advice

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/site"
)

// sharedRows has the rows for errors about runs that are shared through a remote.
func sharedRows() []row {
	return []row{
		rowFor(exit.Remote, unreachableAdvice),
		rowFor(exit.Decide, distrustAdvice),
		rowFor(exit.Decide, func(e *exchange.BoundError) []string {
			if e.Known == "" {
				return []string{"see the remotes with 'git remote -v', and add one with the URL at which the run is shared", "or bind the run to another remote with " + phrase.Single("git resume push %s --rebind --to REMOTE", string(e.Run))}
			}
			return []string{
				"to use remote " + quote.Name(e.Known) + ", repeat the command without naming a remote",
				"or bind the run to " + quote.Name(e.Remote) + " with " + phrase.Single("git resume push %s --rebind --to %s", string(e.Run), e.Remote),
			}
		}),
		rowFor[*exchange.NotSharedError](exit.Usage, nil),
		rowFor(exit.Usage, func(e *exchange.AbsentError) []string {
			return []string{"use " + phrase.Single("git resume pull --from %s", e.Remote) + " to see which runs the remote has"}
		}),
		rowFor(exit.Decide, func(e *sharing.ConsentError) []string {
			if len(e.Missing) > 0 {
				return []string{"see the commands of the run with " + phrase.Single("git resume trust %s --dry-run", string(e.Run)), "or name the plan file that has these commands, with '--plan FILE'"}
			}
			return []string{"approve the commands by naming their plan file with '--plan FILE'"}
		}),
		rowFor(exit.Decide, func(e *sharing.UnsavedError) []string {
			return []string{
				fmt.Sprintf("uncommitted work is saved as %s, except %s", words.SavedAs(e.Saved), strings.Join(words.Unsaved(e.Left), ", ")),
				"save or remove these files, then repeat the command",
			}
		}),
		rowFor(exit.Decide, func(e *exchange.ApartError) []string {
			return []string{"compare them with " + phrase.Single("git log --oneline --left-right %s", string(e.Here)+"..."+e.There)}
		}),
		rowFor(exit.Busy, func(e *exchange.LeasedError) []string {
			if e.Machine {
				return []string{
					"wait with " + phrase.Single("git resume work %s --remote %s --wait", string(e.Run), e.Remote),
					"if you know that the holder has stopped, take over with " + phrase.Single("git resume work %s --remote %s --takeover", string(e.Run), e.Remote),
				}
			}
			return []string{
				"use " + phrase.Single("git resume pull %s", string(e.Run)) + " to get what the holder has done",
				"if you know that the holder has stopped, take over with " + phrase.Single("git resume %s --takeover", string(e.Run)),
			}
		}),
	}
}

// findRows has the rows for errors about the first push of a run, and about finding runs at a remote.
func findRows() []row {
	return []row{
		rowIf(exit.Decide, func(e *sharing.FirstError) bool { return e.Preview.Packed != nil }, func(e *sharing.FirstError) []string {
			return []string{"share it, with the uncommitted work, by repeating the command with " + phrase.Single("--to %s", e.Preview.Remote)}
		}),
		rowFor(exit.Decide, func(e *sharing.FirstError) []string {
			return []string{"share it with " + phrase.Single("git resume push %s --to %s", string(e.Preview.Run.ID), e.Preview.Remote)}
		}),
		rowFor(exit.Usage, func(e *sharing.WhichError) []string {
			if len(e.Fit) == 0 && e.Run == "" {
				return []string{"share a run with " + phrase.Single("git resume push --to %s", e.Remote)}
			}
			if len(e.Fit) == 0 {
				return []string{"use " + phrase.Single("git resume pull --from %s", e.Remote) + " to see which runs the remote has"}
			}
			names := make([]string, 0, len(e.Fit))
			for _, id := range e.Fit {
				names = append(names, string(id))
			}
			return []string{"name one of these: " + phrase.Some(names)}
		}),
	}
}

// wipRows has the rows for errors about sending uncommitted work to a remote.
func wipRows() []row {
	return []row{
		rowFor(exit.Decide, fixedLines[*sharing.SecretsError]("commit these files if they are not secrets; otherwise let git ignore them, or move them out of the worktree")),
		rowFor(exit.Failed, func(e *sharing.LargeError) []string {
			out := []string{}
			for _, f := range e.Files {
				out = append(out, fmt.Sprintf("%s has %s", quote.Name(f.Path), phrase.Bytes(f.Bytes)))
			}
			out = append(out, "let git ignore files that are not to be sent, or move them out of the worktree")
			if !e.One {
				out = append(out, "or raise the limit with the setting 'resume.shareLimit'")
			}
			return out
		}),
		rowFor(exit.Decide, func(e *sharing.UnsentError) []string {
			if e.Branch != "" {
				return []string{"go to the worktree of the run, check out the branch with " + phrase.Single("git switch %s", site.ShortBranch(e.Branch)) + ", then send the work again"}
			}
			return []string{"in the worktree of the run, add these commits with " + phrase.Single("git merge %s", string(exchange.HeadRef(e.Remote, e.Run))) + ", then send the work again"}
		}),
	}
}

// distrustAdvice says what to do if the record at a remote is not believed.
func distrustAdvice(e *exchange.DoubtError) []string {
	run := string(e.Run)
	switch e.Doubt {
	case exchange.RolledBack:
		return []string{
			"ask the person who looks after the remote whether it was restored from a backup",
			"then put back what is missing with " + phrase.Single("git resume push %s --restore", run),
		}
	case exchange.OtherRun:
		return []string{"share your run at another remote with " + phrase.Single("git resume push %s --rebind --to REMOTE", run)}
	}
	return []string{"ask the people who can push to the remote what they changed; nothing was taken from the remote, and the record in this clone is unchanged"}
}

// unreachableAdvice says what to do if a remote refuses a request or does not answer.
func unreachableAdvice(e *exchange.UnreachableError) []string {
	out := []string{}
	switch {
	case e.Before:
		out = append(out, "nothing was started; continue without the remote with "+phrase.Single("git resume %s --offline", string(e.Run)))
	case e.Again:
		out = append(out, "everything is recorded here; repeat the command later")
	case e.Run != "":
		out = append(out, "everything is recorded here; send it later with "+phrase.Single("git resume push %s", string(e.Run)))
	}
	if e.Refused && !e.Again { // otherwise the run may not be shared yet, so 'git resume doctor' would not check the remote
		out = append(out, "use 'git resume doctor' to see what the remote allows")
	}
	return out
}
