package others

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// Proposal prints which files an action would change.
func Proposal(s page.Page, p *adopt.Proposal) {
	s.Say("%s of %s", sources.ShownName(p.Request.Name), words.Name(&p.Summary))
	if len(p.Changes) == 0 {
		s.Say(" changes no file\n")
		return
	}
	s.Say(":\n")
	for _, c := range p.Changes {
		at := phrase.Unbroken(quote.Clean(changedAt(s, p, c)))
		switch {
		case c.To != "":
			s.Row("move", at+" -> "+phrase.Unbroken(quote.Clean(c.To)))
		case c.Gone:
			s.Row("remove", at)
		case c.Was == nil:
			s.Row("write", at)
			written(s, string(c.Now))
		default:
			s.Row("change", at)
			lineChanges(s, string(c.Was), string(c.Now))
		}
	}
}

// Difference prints every line that an action would change.
func Difference(s page.Page, p *adopt.Proposal) {
	for _, c := range p.Changes {
		at := phrase.Unbroken(quote.Clean(changedAt(s, p, c)))
		if c.To != "" {
			s.Row("move", at+" -> "+phrase.Unbroken(quote.Clean(c.To)))
			continue
		}
		does := "change"
		switch {
		case c.Gone:
			does = "remove"
		case c.Was == nil:
			does = "write"
		}
		s.Row(does, at)
		s.Changed(c.Was, c.Now)
	}
}

// changedAt returns the path of a file. It includes the worktree if the same path changes in several worktrees.
func changedAt(s page.Page, p *adopt.Proposal, c sources.Change) string {
	twice := slices.ContainsFunc(p.Changes, func(o sources.Change) bool { return o.Path == c.Path && o.Tree != c.Tree })
	if !twice {
		return c.Path
	}
	return s.Near(filepath.Join(c.Tree, filepath.FromSlash(c.Path)))
}

// written prints the content of a new file, if it has at most three lines.
func written(s page.Page, text string) {
	const most = 3
	if lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); len(lines) <= most {
		s.Wholly("+ ", lines)
	}
}

// lineChanges prints the lines that differ. If there are many, it prints only their number.
func lineChanges(s page.Page, was, now string) {
	a, b := page.Differing(strings.Split(was, "\n"), strings.Split(now, "\n"))
	const most = 12
	if len(a)+len(b) > 2*most {
		s.Say("             %s %s %s\n", phrase.Count(len(a), "line", "lines"), map[bool]string{true: "becomes", false: "become"}[len(a) == 1], phrase.Count(len(b), "line", "lines"))
		return
	}
	s.Wholly("- ", a)
	s.Wholly("+ ", b)
}
