package condition

import (
	"regexp"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/past"
)

// History holds the newest commits of a repository. One question to git serves all pieces of work.
type History struct{ Commits []past.Described }

// About finds the commits that name the work under one of its names, and the newest commit that names none of them. Commits that are older
// than the time since say nothing about the work, because names are used again.
func (h *History) About(names []string, since time.Time) (merged, named, other *Commit) {
	for i := range h.Commits {
		c := &h.Commits[i]
		if c.When.Before(since) {
			continue
		}
		this := &Commit{c.ID, c.When, c.Subject}
		switch {
		case merges(c, names):
			merged = first(merged, this)
		case mentions(c.Text(), names):
			named = first(named, this)
		default:
			other = first(other, this)
		}
	}
	return merged, named, other
}

func first(have, this *Commit) *Commit {
	if have != nil {
		return have
	}
	return this
}

// mentions reports whether a text contains one of the names. A name that is a common word proves nothing.
func mentions(text string, names []string) bool {
	for _, n := range names {
		if Distinct(n) && Named(text, n) {
			return true
		}
	}
	return false
}

// pullRequest matches the number that hosting services append to the subject of a squashed pull request.
var pullRequest = regexp.MustCompile(`\(#[0-9]+\)$`)

// mergeSubject matches the subjects that git and hosting services give to a merge, and captures the merged branch.
var mergeSubject = regexp.MustCompile(`^Merge (?:branch |remote-tracking branch |pull request #?[0-9]+ from |tag )?['"]?([^'" ]+)['"]?`)

// merges reports whether a commit merged the branch of the work, or is the squashed pull request of the work.
func merges(c *past.Described, names []string) bool {
	subject, _, _ := strings.Cut(c.Subject, " into ") // what follows is the branch into which something was merged
	if m := mergeSubject.FindStringSubmatch(subject); m != nil {
		branch := strings.ToLower(m[1])
		for _, n := range names {
			n = strings.ToLower(n)
			if branch == n || strings.HasSuffix(branch, "/"+n) {
				return true
			}
		}
		return c.Merge && mentions(subject, names)
	}
	return pullRequest.MatchString(c.Subject) && mentions(c.Subject, names)
}
