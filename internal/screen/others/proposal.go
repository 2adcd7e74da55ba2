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

// Proposal shows which files an alternative changes.
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

// changedAt names a file, together with its worktree if several worktrees contain a file of that name.
func changedAt(s page.Page, p *adopt.Proposal, c sources.Change) string {
	twice := slices.ContainsFunc(p.Changes, func(o sources.Change) bool { return o.Path == c.Path && o.Tree != c.Tree })
	if !twice {
		return c.Path
	}
	return s.Near(filepath.Join(c.Tree, filepath.FromSlash(c.Path)))
}

// written shows the content of a new file if it is only a few lines long.
func written(s page.Page, text string) {
	const most = 3
	if lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); len(lines) <= most {
		wholly(s, "+ ", lines)
	}
}

// lineChanges shows the lines that differ if there are only a few, as in a state file, where an edit changes a word or two.
func lineChanges(s page.Page, was, now string) {
	a, b := strings.Split(was, "\n"), strings.Split(now, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	a, b = onlyDiffering(a, b)
	const most = 12
	if len(a)+len(b) > 2*most {
		s.Say("             %s %s %s\n", phrase.Count(len(a), "line", "lines"), map[bool]string{true: "becomes", false: "become"}[len(a) == 1], phrase.Count(len(b), "line", "lines"))
		return
	}
	wholly(s, "- ", a)
	wholly(s, "+ ", b)
}

// onlyDiffering leaves out the lines that both texts have in the same order; for very long texts it leaves nothing out.
func onlyDiffering(a, b []string) (goes, comes []string) {
	const most = 600
	if len(a) > most || len(b) > most {
		return a, b
	}
	same := make([][]int, len(a)+1) // the length of the longest common part of what remains of both
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same[i][j] = max(same[i+1][j], same[i][j+1]); a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			goes = append(goes, a[i])
			i++
		default:
			comes = append(comes, b[j])
			j++
		}
	}
	return append(goes, a[i:]...), append(comes, b[j:]...)
}

// wholly shows, in full, lines of a file that are about to be removed or added.
func wholly(s page.Page, mark string, lines []string) {
	for _, l := range lines {
		shown, _ := page.WholeLines(mark, l, "           ", s.Width())
		for _, line := range shown {
			s.Say("%s\n", line)
		}
	}
}
