package report

import (
	"fmt"

	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/resume"
)

// Hook tells how our hook stands.
func (s Screen) Hook(h hooks.State) {
	switch {
	case !h.Installed:
		s.say("hook  not installed\n")
		s.Hint(`"git resume hooks install" makes interrupted work say so after a checkout`)
		return
	case !h.Alive:
		s.say("hook  in place at %s, but git does not run it\n", Clean(h.Path))
	case h.Chained:
		s.say("hook  installed at %s; the hook that was there runs first\n", Clean(h.Path))
	default:
		s.say("hook  installed at %s\n", Clean(h.Path))
	}
	if !h.Current {
		s.Note(`note: it is of another version; "git resume hooks install" renews it`)
	}
}

// Noticed is the line after a checkout: one for all that lies here.
func (s Screen) Noticed(runs []resume.Summary) {
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
	words := map[string]string{"interrupted": "stopped", "waiting": "is waiting for you", "failed": "failed"}
	s.warn("resume: %s %s%s here, %s%s (git resume)\n", Clean(r.Name), words[string(runs[0].State)], at, Ago(s.Now.Sub(r.LastAt)), more)
}
