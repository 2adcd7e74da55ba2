package commitlog

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// A subject says nearly the same as a text under three conditions. They have at least alikeWords words in common. The common words are at
// least the share alikeShare of all different words in the two. For every other text, this share is lower by at least alikeMargin. These
// limits are strict: among 51,000 commits that were too old to be about the texts, only two met the limits.
const (
	alikeWords  = 3
	alikeShare  = 0.5
	alikeMargin = 0.1
)

// longestText is how many bytes of a text are compared. What follows in a long text is usually only an explanation.
const longestText = 120

// commonWords are words that say nothing about which work a subject is about.
var commonWords = wordSet("an the to of for and or in on with from by as at is it its into via per use using add adds added update updates updated implement implements implemented " +
	"implementation create creates created complete completed new make support feat fix chore docs refactor style perf build ci task step")

// versions matches version numbers such as 0.2.3 and v2.
var versions = textdoc.NewForm(`\bv?[0-9]+(?:\.[0-9]+)+(?:-[a-z0-9.]+)?\b|\bv[0-9]+\b`)

// OtherVersion reports whether both texts name versions, and not the same ones.
func OtherVersion(a, b string) bool {
	named := func(text string) (out []string) {
		for _, v := range versions.FindAllString(strings.ToLower(text), -1) {
			out = append(out, strings.TrimPrefix(v, "v"))
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	x, y := named(a), named(b)
	return len(x) > 0 && len(y) > 0 && !slices.Equal(x, y)
}

func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		out[w] = true
	}
	return out
}

// wordsOf returns the words of a text in lower case, each once and without commonWords. A name such as "store/card.go" is one word.
func wordsOf(text string) []string {
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "")
	}
	var out []string
	seen := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !joins(r) && r != '.' && r != '/' }) {
		if w = strings.Trim(w, "-_./"); utf8.RuneCountInString(w) > 1 && !commonWords[w] && !seen[w] && strings.ContainsFunc(w, unicode.IsLetter) {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// subjectWords keeps the words of commit subjects, because several pieces of work are compared with the same commits.
type subjectWords struct {
	mu sync.Mutex
	of map[int][]string
}

func (s *subjectWords) at(i int, subject string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	words, ok := s.of[i]
	if !ok {
		words = wordsOf(subject)
		s.of[i] = words
	}
	return words
}

// Alike finds the commits after the given time whose subjects say nearly the same as one of the texts. The result maps the index of a text
// to its commits, the newest first. Merges do not count, and neither do subjects about plans and documents, about a part of the work, or
// about another version.
func (h History) Alike(texts []string, after time.Time) map[int][]Commit {
	found := map[int][]Commit{}
	has, sizes := map[string][]int{}, make([]int, len(texts))
	for i, text := range texts {
		words := wordsOf(text)
		sizes[i] = len(words)
		for _, w := range words {
			has[w] = append(has[w], i)
		}
	}
	common := make([]int, len(texts))
	for i := range h.commits {
		c := &h.commits[i]
		if !c.When.After(after) || len(c.parents) > 1 {
			continue
		}
		words := h.words.at(i, c.Subject)
		if best := closest(words, has, sizes, common); best >= 0 && !OtherVersion(texts[best], c.Subject) && !writing.MatchString(c.Subject) && !planned.MatchString(c.Subject) && !unfinished.MatchString(c.Subject) {
			found[best] = append(found[best], c.Commit)
		}
	}
	return found
}

// closest returns the index of the text that says nearly the same as the given words, or -1 if no text or more than one does. For each
// word, the map "has" lists the texts that contain it. The slice "sizes" has the number of words of each text. The slice "common" is a
// counter for each text; all counters are zero before and after the call.
func closest(words []string, has map[string][]int, sizes, common []int) int {
	if len(words) < alikeWords {
		return -1
	}
	var touched []int
	for _, w := range words {
		for _, i := range has[w] {
			if common[i]++; common[i] == 1 {
				touched = append(touched, i)
			}
		}
	}
	best, first, second := -1, 0.0, 0.0
	for _, i := range touched {
		share := float64(common[i]) / float64(sizes[i]+len(words)-common[i])
		switch {
		case share > first && common[i] >= alikeWords:
			best, first, second = i, share, first
		case share > second:
			second = share
		}
		common[i] = 0
	}
	if first < alikeShare || first-second < alikeMargin {
		return -1
	}
	return best
}
