// Package sharing prints what was sent to a remote and what came from it, who has the lease of a run, and what a remote can do.
package sharing

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// The map "does" has a sentence for each property of a remote that is checked, except whether the remote can be reached.
var does = map[sharing.Property]string{
	sharing.Create:  "a ref below refs/resume can be created",
	sharing.Replace: "a push can replace this ref",
	sharing.Lease:   "a push that expects an old value of this ref is refused",
	sharing.Atomic:  "several refs move together, or none of them",
	sharing.Shallow: "a shallow clone can push",
	sharing.Remove:  "the trial refs of this check are removed again",
}

// Checked prints what "git resume remote check" found.
func Checked(s page.Page, r *sharing.Report) {
	for _, t := range r.Trials {
		word := "no"
		switch {
		case t.Holds:
			word = "ok"
		case t.Untried:
			word = "skipped"
		}
		text := does[t.Property]
		switch {
		case t.Property == sharing.Reach && !t.Holds:
			text = "it cannot be reached"
		case t.Property == sharing.Reach:
			text = fmt.Sprintf("it answers in %d ms, with %s", r.Took.Milliseconds(), phrase.Count(r.Refs, "ref", "refs"))
		}
		s.Row(word, text)
		for line := range strings.Lines(t.Text) {
			s.Row("", quote.Clean(strings.TrimSpace(line)))
		}
	}
	name := quote.Name(r.Remote)
	switch {
	case r.Fit():
		s.Tell("remote %s can keep the record of runs.", name)
	case r.Keeps():
		s.Tell("remote %s can keep the record of runs, but not everything works there.", name)
	default:
		s.Tell("remote %s cannot keep the record of runs.", name)
	}
	for _, ref := range r.Left {
		s.Hint(fmt.Sprintf("use %s to remove a ref that the check left at the remote", phrase.Double("git push %s :%s", r.Remote, string(ref))))
	}
}
