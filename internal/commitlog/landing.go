package commitlog

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Landing returns the commit by which a change reached the history of a tip: the merge of another branch, or a squashed pull request. It
// is nil if the change was committed on the branch itself, or if the commits in h do not show how it arrived.
func (h History) Landing(tip, change object.ID) *Commit {
	from, ok := h.at[change]
	if !ok {
		return nil
	}
	after := h.after(from)
	for range h.commits { // each round continues with an older tip, so this many rounds are enough
		last := -1
		for _, i := range h.firstParents(tip) {
			if !after[i] {
				break
			}
			last = i
		}
		switch {
		case last < 0:
			return nil
		case last == from && !pullRequest.MatchString(h.commits[from].Subject):
			return nil
		case last == from || h.commits[last].mergesWork():
			return &h.commits[last].Commit
		}
		// This merge brought in the trunk or a branch from another clone, not the branch of a piece of work. Search further along the
		// merged branch that has the change.
		next := slices.IndexFunc(h.commits[last].parents, func(p object.ID) bool { i, known := h.at[p]; return known && after[i] })
		if next < 0 {
			return nil
		}
		tip = h.commits[last].parents[next]
	}
	return nil
}

// Since counts the commits that came after a change and do not name the work. The result "others" counts only those along first parents
// from the tip, and "newest" is the newest of these. The result "upon" also counts commits on merged branches, but leaves out merges that
// brought in the change itself. If h does not know the change, nothing is counted.
func (h History) Since(tip, change object.ID, names []string) (others, upon int, newest *Commit) {
	from, ok := h.at[change]
	if !ok {
		return 0, 0, nil
	}
	after, special, within := h.after(from), distinct(names), h.Within(tip)
	for _, i := range h.firstParents(tip) {
		c := &h.commits[i]
		if i == from || !after[i] {
			break
		}
		if mentions(c.text, special) {
			continue
		}
		if others++; newest == nil {
			newest = &c.Commit
		}
	}
	for i := range h.commits {
		c := &h.commits[i]
		if i != from && after[i] && within(c.ID) && (len(c.parents) < 2 || h.onFirst(c, after)) && !mentions(c.text, special) {
			upon++
		}
	}
	return others, upon, newest
}

// writing matches the subjects of commits that only change plans or documents.
var writing = textdoc.NewForm(`(?i)^(?:docs?|plan|planning|spec|specs)\b`)

// WorkSince returns the newest commit with real work after the commit "change", along first parents from the tip. A merge is not real work,
// and neither is a commit whose subject is about plans or documents. WorkSince returns nil if there is no such commit, or if h does not
// know "change".
func (h History) WorkSince(tip, change object.ID) *Commit {
	from, ok := h.at[change]
	if !ok {
		return nil
	}
	after := h.after(from)
	for _, i := range h.firstParents(tip) {
		c := &h.commits[i]
		if i == from || !after[i] {
			break
		}
		if len(c.parents) == 1 && !writing.MatchString(c.Subject) && !planned.MatchString(c.Subject) {
			return &c.Commit
		}
	}
	return nil
}

// onFirst reports whether the first parent of a commit is marked in the second argument.
func (h History) onFirst(c *described, marked []bool) bool {
	i, ok := h.at[c.parents[0]]
	return ok && marked[i]
}

// firstParents returns the indexes of a tip and of its ancestors along first parents, as far as h has them.
func (h History) firstParents(tip object.ID) (chain []int) {
	for i, ok := h.at[tip]; ok && len(chain) <= len(h.commits); i, ok = h.at[tip] {
		chain = append(chain, i)
		if len(h.commits[i].parents) == 0 {
			break
		}
		tip = h.commits[i].parents[0]
	}
	return chain
}

// after marks the indexes of a commit and of all commits that have it in their history.
func (h History) after(from int) []bool {
	found := make([]bool, len(h.commits))
	found[from] = true
	for todo := []int{from}; len(todo) > 0; {
		next := h.children[todo[0]]
		todo = todo[1:]
		for _, i := range next {
			if !found[i] {
				found[i] = true
				todo = append(todo, i)
			}
		}
	}
	return found
}

// pulled matches the subject of a merge that brings in a branch of another clone, such as "Merge branch 'main' of host:repo".
var pulled = textdoc.NewForm(`^Merge (?:remote-tracking )?branch(?:es)? '[^']+' of `)

// trunks are names of branches on which several pieces of work come together.
var trunks = []string{"main", "master", "develop", "dev", "trunk", "staging", "next"}

// mergesWork reports whether a commit merged the branch of a piece of work. A merge of the trunk, or of a branch from another clone, does
// not count.
func (c *described) mergesWork() bool {
	if len(c.parents) < 2 || pulled.MatchString(c.Subject) {
		return false
	}
	name := c.branch[strings.LastIndexByte(c.branch, '/')+1:]
	return !slices.Contains(trunks, name)
}
