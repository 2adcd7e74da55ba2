package textdoc

import (
	"regexp"
	"strings"
	"sync"
)

// Form is a regular expression that is compiled at its first use. Compiling all expressions at startup would slow down every command, and
// most commands need few of them.
type Form struct {
	text string
	// parts has words in lower case, separated by "|". Every match contains at least one of these words. If parts is empty, nothing is
	// known about the matches.
	parts  string
	once   sync.Once
	result *regexp.Regexp
}

// NewForm stores an expression without compiling it. An invalid expression is a bug in the program and panics at its first use. The
// compiler can compute the result of this small function, so that a global Form costs no time at startup.
func NewForm(text string) *Form { return &Form{text: text} }

// NewFormWith stores an expression whose matches all contain at least one of the words in "parts". The words are in lower case and
// separated by "|". A text without any of these words has no match, so the expression is not compiled for it.
func NewFormWith(parts, text string) *Form { return &Form{text: text, parts: parts} }

// mayMatch returns false if the text is empty or certainly contains no match.
func (f *Form) mayMatch(s string) bool {
	if s == "" {
		return false
	}
	if f.parts == "" {
		return true
	}
	for part := range strings.SplitSeq(f.parts, "|") {
		if hasPart(s, part) {
			return true
		}
	}
	return false
}

// hasPart reports whether the text s contains the given part, which is in lower case. It ignores the case of the letters A to Z in s.
func hasPart(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		n := 0
		for n < len(part) && lower(s[i+n]) == part[n] {
			n++
		}
		if n == len(part) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func (f *Form) compiled() *regexp.Regexp {
	f.once.Do(func() { f.result = regexp.MustCompile(f.text) })
	return f.result
}

// The methods below work like those of regexp.Regexp, but find nothing in an empty text. So the expression need not be compiled for empty
// texts, which are frequent because fields are often missing.

// MatchString reports whether the text contains a match.
func (f *Form) MatchString(s string) bool { return f.mayMatch(s) && f.compiled().MatchString(s) }

// FindString returns the first match, or "" if there is none.
func (f *Form) FindString(s string) string {
	if !f.mayMatch(s) {
		return ""
	}
	return f.compiled().FindString(s)
}

// FindStringSubmatch returns the first match and its groups, or nil if there is none.
func (f *Form) FindStringSubmatch(s string) []string {
	if !f.mayMatch(s) {
		return nil
	}
	return f.compiled().FindStringSubmatch(s)
}

// FindStringIndex returns the start and the end of the first match, or nil.
func (f *Form) FindStringIndex(s string) []int {
	if !f.mayMatch(s) {
		return nil
	}
	return f.compiled().FindStringIndex(s)
}

// FindAllString returns the first n matches, or all matches if n is negative.
func (f *Form) FindAllString(s string, n int) []string {
	if !f.mayMatch(s) {
		return nil
	}
	return f.compiled().FindAllString(s, n)
}

// FindAllStringSubmatch returns the first n matches with their groups, or all matches if n is negative.
func (f *Form) FindAllStringSubmatch(s string, n int) [][]string {
	if !f.mayMatch(s) {
		return nil
	}
	return f.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces every match.
func (f *Form) ReplaceAllString(s, with string) string {
	if !f.mayMatch(s) {
		return s
	}
	return f.compiled().ReplaceAllString(s, with)
}
