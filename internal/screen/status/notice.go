package status

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Noticed prints the line after a checkout: one line for all the work that is here.
func Noticed(s page.Page, runs []candidate.Notice) {
	if len(runs) == 0 {
		return
	}
	r := &runs[0].Run
	more := ""
	if len(runs) > 1 {
		more = fmt.Sprintf(", and %s", phrase.Count(len(runs)-1, "more", "more"))
	}
	n, t := r.Current()
	at := ""
	if t != nil {
		at = fmt.Sprintf(" at task %d of %d", n, len(r.Tasks))
	}
	place := map[candidate.Where]string{candidate.OnBranch: " on this branch", candidate.InWorktree: " here"}[runs[0].Where]
	words := map[string]string{"interrupted": "stopped", "waiting": "is waiting for you", "failed": "failed"}
	s.Warn("resume: %s %s%s%s, %s%s (git resume)\n", quote.Clean(r.Name), words[string(runs[0].State)], at, place, phrase.Ago(s.Now.Sub(r.LastAt)), more)
}

// Prompt prints one word for a shell's prompt: the state of the most recent work that is here.
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
