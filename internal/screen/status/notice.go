package status

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Noticed prints one line after a checkout, about work that belongs to this branch or worktree, or is based on this branch.
func Noticed(s page.Page, runs []candidate.Notice) {
	if len(runs) == 0 {
		return
	}
	r := &runs[0].Run
	more := ""
	if len(runs) > 1 {
		more = fmt.Sprintf(", and %s", phrase.Count(len(runs)-1, "more", "more"))
	}
	state := map[string]string{"interrupted": "stopped", "waiting": "is waiting for you", "failed": "failed"}[string(runs[0].State)]
	based, place, command := whereNoticed(&runs[0])
	if len(runs) > 1 {
		command = "git resume"
	}
	s.Note("resume: %s%s %s%s%s, %s%s (%s)", quote.Clean(r.Name), based, state, words.At(&runs[0].Summary), place, phrase.Ago(s.Now.Sub(r.LastAt)), more, command)
}

// whereNoticed returns three texts for the message after a checkout. The text "based" follows the name of the work, for example ", based on
// this branch,". The text "place" follows its task, for example " on this branch". The text "command" is the command that continues the
// work.
func whereNoticed(n *candidate.Notice) (based, place, command string) {
	switch {
	case n.Where == candidate.OnBranch:
		return "", " on this branch", "git resume"
	case n.Where == candidate.InWorktree && n.Source() == candidate.Native && n.Run.Branch != "":
		// The run's branch must be checked out here before the run can continue.
		branch := refs.Short(n.Run.Branch)
		return "", " on " + quote.Clean(branch), quote.Command("git switch %s", branch) + " && " + quote.Command("git resume %s", n.Called())
	case n.Where == candidate.InWorktree:
		return "", " here", "git resume"
	case n.Where == candidate.OnBase:
		return ", based on this branch,", "", quote.Command("git resume %s", n.Called())
	}
	return "", "", quote.Command("git resume %s", n.Called())
}

// Prompt prints one word for the shell prompt: the state of the latest work in this worktree.
func Prompt(s page.Page, runs []candidate.Notice) {
	if len(runs) == 0 {
		return
	}
	word := string(runs[0].State)
	if runs[0].State == checkpoint.Interrupted {
		word = "stopped"
	}
	s.Say("%s\n", word)
}
