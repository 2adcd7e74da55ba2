package commitlog

import (
	"strings"
	"time"
	"unicode"

	"github.com/git-resume/git-resume/gitstate/object"
)

// ShortestSubject is how many bytes a commit subject must have to be looked for. Many commits may have a shorter subject, such as "wip", so
// it would prove nothing.
const ShortestSubject = 8

// FoldSubject returns a subject in the form in which Subjects compares it: in lower case, with single spaces, and without punctuation at
// its end.
func FoldSubject(subject string) string {
	return strings.TrimRightFunc(strings.ToLower(strings.Join(strings.Fields(subject), " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// Subjects finds the commits whose subject begins with one of the wanted subjects, the newest first. The wanted subjects must be results
// of FoldSubject. In a merge or a squashed pull request, each line of the message counts as a subject.
func (h History) Subjects(wanted map[string]bool) map[string][]Commit {
	found := map[string][]Commit{}
	if len(wanted) == 0 {
		return found
	}
	for i := range h.commits {
		c := &h.commits[i]
		lines := []string{c.Subject}
		if c.landed != "" {
			lines = strings.Split(c.text, "\n")
		}
		for _, line := range lines {
			if key := plannedIn(line, wanted); key != "" {
				found[key] = append(found[key], c.Commit)
			}
		}
	}
	return found
}

// plannedIn returns the longest wanted subject with which a line begins, or "".
func plannedIn(line string, wanted map[string]bool) string {
	text := FoldSubject(strings.TrimLeft(line, "*- \t"))
	for len(text) >= ShortestSubject {
		if wanted[text] {
			return text
		}
		cut := strings.LastIndexByte(text, ' ')
		if cut < 0 {
			return ""
		}
		text = FoldSubject(text[:cut])
	}
	return ""
}

// Within returns a function that reports whether a commit is in the history of one of the tips, as far as h has that history.
func (h History) Within(tips ...object.ID) func(object.ID) bool {
	found := make([]bool, len(h.commits))
	var todo []int
	visit := func(id object.ID) {
		if i, ok := h.at[id]; ok && !found[i] {
			found[i] = true
			todo = append(todo, i)
		}
	}
	for _, t := range tips {
		visit(t)
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range h.commits[i].parents {
			visit(p)
		}
	}
	return func(id object.ID) bool { i, ok := h.at[id]; return ok && found[i] }
}

// NewestOn returns the tip as a Commit if it is newer than the given time, and otherwise nil.
func (h History) NewestOn(tip object.ID, after time.Time) *Commit {
	if i, ok := h.at[tip]; ok && h.commits[i].When.After(after) {
		return &h.commits[i].Commit
	}
	return nil
}

// Starting returns the newest commit whose id begins with the given digits, or nil.
func (h History) Starting(digits string) *Commit {
	for i := range h.commits {
		if strings.HasPrefix(string(h.commits[i].ID), digits) {
			return &h.commits[i].Commit
		}
	}
	return nil
}

// Commit returns the commit with this id, or nil if the history does not have it.
func (h History) Commit(id object.ID) *Commit {
	if i, ok := h.at[id]; ok {
		return &h.commits[i].Commit
	}
	return nil
}

// Before returns the newest commit that is older than a time, or "" if there is none.
func (h History) Before(when time.Time) object.ID {
	for i := range h.commits {
		if h.commits[i].When.Before(when) {
			return h.commits[i].ID
		}
	}
	return ""
}
