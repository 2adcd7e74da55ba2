// Package commitlog finds in the messages of recent commits what they say about a piece of work: that it was merged, that a task of it was
// carried out, or that people now work on something else.
package commitlog

import (
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// History holds the newest commits of a repository, prepared for many questions. It is read from git once for all pieces of work.
type History struct {
	commits []described
	// at maps the id of a commit to its index in the field "commits".
	at map[object.ID]int
	// children has, for the index of each commit, the indexes of its child commits.
	children [][]int
	words    *subjectWords
}

// Commit is a commit that says something about the work.
type Commit struct {
	ID      object.ID
	When    time.Time
	Subject string
}

// described is a commit, and what its message says. The message is in lower case.
type described struct {
	Commit
	text string
	// branch is the branch that the commit merged, according to its subject. landed is the subject of a merge commit or of a squashed
	// pull request, in lower case. If it names a piece of work, this work was merged. Both may be empty.
	branch, landed string
	parents        []object.ID
}

// pullRequest matches the number that hosting services append to the subject of a squashed pull request.
var pullRequest = textdoc.NewFormWith("(#", `\(#[0-9]+\)$`)

// mergeSubject matches the subjects that git, hosting services and workflow systems give to a merge, and captures the merged branch.
var mergeSubject = textdoc.NewFormWith("merge ", `^(?:[a-z-]+: )?Merge (?:branch |remote-tracking branch |pull request #?[0-9]+ from |tag )?['"]?([^'" :]+)['"]?`)

// NewHistory makes a History from commits, which must be sorted with the newest first.
func NewHistory(commits []past.Described) History {
	h := History{make([]described, len(commits)), make(map[object.ID]int, len(commits)), make([][]int, len(commits)), &subjectWords{of: map[int][]string{}}}
	for i := range commits {
		c := &commits[i]
		d := described{Commit: Commit{c.ID, c.When, c.Subject}, text: strings.ToLower(c.Text()), parents: c.Parents}
		subject, _, _ := strings.Cut(c.Subject, " into ") // after " into " comes the branch that received the merge
		switch m := mergeSubject.FindStringSubmatch(subject); {
		case m != nil:
			d.branch = strings.ToLower(m[1])
			if len(c.Parents) > 1 {
				d.landed = strings.ToLower(subject)
			}
		case pullRequest.MatchString(c.Subject):
			d.landed = strings.ToLower(c.Subject)
		}
		h.commits[i], h.at[c.ID] = d, i
	}
	for i := range h.commits {
		for _, p := range h.commits[i].parents {
			if at, ok := h.at[p]; ok {
				h.children[at] = append(h.children[at], i)
			}
		}
	}
	return h
}

// About finds three commits: the newest one that merged the work, the newest other one that names the work, and the newest one that is
// not about the work. Commits before the time "since" are ignored, because other work may have had the same name.
func (h History) About(names []string, since time.Time) (merged, named, other *Commit) {
	all, special, spoken := lower(names), distinct(names), spoken(names)
	for i := range h.commits {
		c := &h.commits[i]
		to := &other
		switch {
		case c.When.Before(since):
			continue
		case c.mergedPart(all):
			to = &named
		case c.mergedBranch(all) || mentions(c.landed, special):
			to = &merged
		case mentions(c.text, special) || mentions(strings.ToLower(c.Subject), spoken) && c.carriesOut():
			to = &named
		}
		if *to == nil {
			*to = &c.Commit
		}
	}
	return merged, named, other
}

// Carried returns the newest commit after the time "since" whose message names the work, if the commit may do at least a part of this work.
// It returns nil if there is no such commit. Merges and commits about plans or documents do not count.
func (h History) Carried(names []string, since time.Time) *Commit {
	special, spoken := distinct(names), spoken(names)
	for i := range h.commits {
		c := &h.commits[i]
		if c.When.After(since) && (mentions(c.text, special) || mentions(strings.ToLower(c.Subject), spoken)) && c.isWork() {
			return &c.Commit
		}
	}
	return nil
}

// IsPull reports whether a commit is a squashed pull request.
func (h History) IsPull(id object.ID) bool {
	i, ok := h.at[id]
	return ok && len(h.commits[i].parents) < 2 && pullRequest.MatchString(h.commits[i].Subject)
}

func lower(names []string) []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = strings.ToLower(n)
	}
	return all
}

// distinct returns, in lower case, the names for which isDistinct is true. A text that contains such a name is about the work.
func distinct(names []string) []string {
	return slices.DeleteFunc(lower(names), func(n string) bool { return !isDistinct(n) })
}

// spokenWords is the least number of words in a name that is recognized when people write it with spaces. Shorter names could be ordinary
// words.
const spokenWords = 3

// spoken returns names as people write them in a sentence: in lower case, with spaces, and without a number before them. Names with fewer
// than spokenWords words are left out.
func spoken(names []string) (out []string) {
	for _, n := range lower(names) {
		words := strings.FieldsFunc(strings.TrimLeft(n, "0123456789-_"), func(r rune) bool { return r == '-' || r == '_' })
		if len(words) >= spokenWords {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// mergedBranch reports whether the commit merged a branch with one of the names.
func (c *described) mergedBranch(names []string) bool {
	return c.branch != "" && slices.ContainsFunc(names, func(n string) bool { return c.branch == n || strings.HasSuffix(c.branch, "/"+n) })
}

// Brought reports whether a merge, or a squashed pull request, is about work with one of the names, and not about work with a name in "but".
func (h History) Brought(c *Commit, names, but []string) bool {
	i, ok := h.at[c.ID]
	if !ok {
		return false
	}
	about := func(names []string) bool {
		return h.commits[i].mergedBranch(lower(names)) || mentions(h.commits[i].landed, distinct(names))
	}
	return about(names) && !about(but)
}

// mergedPart reports whether the commit merged a branch for a part of the work: one of the names is a folder in the name of the branch, as
// in "001-login/phase-2".
func (c *described) mergedPart(names []string) bool {
	return c.branch != "" && slices.ContainsFunc(names, func(n string) bool { return isDistinct(n) && strings.Contains("/"+c.branch, "/"+n+"/") })
}

func mentions(text string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return containsWord(text, n) })
}
