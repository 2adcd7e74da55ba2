package others

import (
	"fmt"
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
	fileChanges(s, p, [4]string{"move", "remove", "write", "change"}, true)
}

// Changed prints what was done to the files of another system before the brief was printed, and how to undo that. The argument "lines" is
// false if the user has already seen the changed lines.
func Changed(s page.Page, p *adopt.Proposal, lines bool) {
	if len(p.Changes) == 0 {
		return
	}
	s.OnErr().Say("In the files of %s:\n", quote.Name(p.Summary.Source()))
	fileChanges(s.OnErr(), p, [4]string{"moved", "removed", "wrote", "changed"}, lines)
	s.Hint(fmt.Sprintf("use %s to undo this", phrase.Double("git resume undo %s", p.Summary.Called())))
}

// fileChanges prints a row for each file. The verbs are for a file that is moved, removed, written or changed.
func fileChanges(s page.Page, p *adopt.Proposal, verbs [4]string, lines bool) {
	for _, c := range p.Changes {
		at := phrase.Unbroken(quote.Clean(changedAt(s, p, c)))
		switch {
		case c.To != "":
			s.Row(verbs[0], at+" -> "+phrase.Unbroken(quote.Clean(pathAt(s, p, c, c.To))))
		case c.Gone:
			s.Row(verbs[1], at)
		case c.Was == nil:
			s.Row(verbs[2], at)
			if lines {
				written(s, string(c.Now))
			}
		default:
			s.Row(verbs[3], at)
			if lines {
				lineChanges(s, c.Was, c.Now)
			}
		}
	}
}

// Difference prints the lines that an action would change.
func Difference(s page.Page, p *adopt.Proposal) {
	for _, c := range p.Changes {
		at := phrase.Unbroken(quote.Clean(changedAt(s, p, c)))
		if c.To != "" {
			s.Row("move", at+" -> "+phrase.Unbroken(quote.Clean(pathAt(s, p, c, c.To))))
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

// changedAt returns the path of a file that changes, as pathAt shows it.
func changedAt(s page.Page, p *adopt.Proposal, c sources.Change) string {
	return pathAt(s, p, c, c.Path)
}

// pathAt returns a path of a change. It includes the worktree if that is not the one in which the user is, or if the same path changes in
// several worktrees.
func pathAt(s page.Page, p *adopt.Proposal, c sources.Change, path string) string {
	twice := slices.ContainsFunc(p.Changes, func(o sources.Change) bool { return o.Path == c.Path && o.Tree != c.Tree })
	if !twice && s.Elsewhere(c.Tree) == "" {
		return path
	}
	return s.Near(filepath.Join(c.Tree, filepath.FromSlash(path)))
}

// The function "written" prints the content of a new file, if it has at most three lines.
func written(s page.Page, text string) {
	const most = 3
	if lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); len(lines) <= most {
		s.Wholly("+ ", lines)
	}
}

// lineChanges prints the lines that differ. If there are many, it prints only their number.
func lineChanges(s page.Page, was, now []byte) {
	edits, goes, comes := page.Edits(was, now), 0, 0
	for _, e := range edits {
		goes, comes = goes+len(e.Goes), comes+len(e.Comes)
	}
	const most = 12
	if goes+comes > 2*most {
		s.Say("             %s %s %s\n", phrase.Count(goes, "line", "lines"), map[bool]string{true: "becomes", false: "become"}[goes == 1], phrase.Count(comes, "line", "lines"))
		return
	}
	s.Edits(edits)
}

// changing says in a few words what an action does to files, for example "changes a.json and removes b.txt". It returns "" if there are
// no changes.
func changing(changes []sources.Change) string {
	if text := oneLine(changes); text != "" {
		return text
	}
	var parts []string
	for _, kind := range []struct {
		verb string
		is   func(sources.Change) bool
	}{
		{"changes", func(c sources.Change) bool { return !c.Gone && c.To == "" && c.Was != nil }},
		{"writes", func(c sources.Change) bool { return !c.Gone && c.To == "" && c.Was == nil }},
		{"moves", func(c sources.Change) bool { return c.To != "" }},
		{"removes", func(c sources.Change) bool { return c.Gone && c.To == "" }},
	} {
		var paths []string
		for _, c := range changes {
			if kind.is(c) && !slices.Contains(paths, c.Path) {
				paths = append(paths, c.Path)
			}
		}
		if len(paths) > 0 {
			parts = append(parts, kind.verb+" "+phrase.Some(paths))
		}
	}
	return strings.Join(parts, " and ")
}

// oneLine names the line that an action changes. It returns "" if the action changes more than that, or if the line is long.
func oneLine(changes []sources.Change) string {
	if len(changes) != 1 || changes[0].Gone || changes[0].To != "" || changes[0].Was == nil {
		return ""
	}
	edits := page.Edits(changes[0].Was, changes[0].Now)
	if len(edits) != 1 || len(edits[0].Goes) != 1 || len(edits[0].Comes) != 1 {
		return ""
	}
	from, to := quote.Clean(strings.Trim(edits[0].Goes[0], " \t\r,")), quote.Clean(strings.Trim(edits[0].Comes[0], " \t\r,"))
	const most = 40
	if max(len(from), len(to)) > most {
		return ""
	}
	return fmt.Sprintf("changes '%s' to '%s' in %s", from, to, phrase.Unbroken(quote.Clean(changes[0].Path)))
}
