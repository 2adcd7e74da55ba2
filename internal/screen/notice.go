package screen

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
)

// Noticed is the line after a checkout: one for all that lies here.
func Noticed(s Screen, runs []candidate.Notice) {
	if len(runs) == 0 {
		return
	}
	r := &runs[0].Run
	more := ""
	if len(runs) > 1 {
		more = fmt.Sprintf(", and %s", count(len(runs)-1, "more", "more"))
	}
	n, t := r.Current()
	at := ""
	if t != nil {
		at = fmt.Sprintf(" at task %d of %d", n, len(r.Tasks))
	}
	place := map[candidate.Where]string{candidate.OnBranch: " on this branch", candidate.InWorktree: " here"}[runs[0].Where]
	words := map[string]string{"interrupted": "stopped", "waiting": "is waiting for you", "failed": "failed"}
	s.warn("resume: %s %s%s%s, %s%s (git resume)\n", quote.Clean(r.Name), words[string(runs[0].State)], at, place, Ago(s.Now.Sub(r.LastAt)), more)
}

// Prompt is one word for a shell's prompt: how the most recent work that lies here stands.
func Prompt(s Screen, runs []candidate.Notice) {
	if len(runs) == 0 {
		return
	}
	word := string(runs[0].State)
	if runs[0].State == checkpoint.Interrupted {
		word = "stopped"
	}
	s.say("%s\n", word)
}
