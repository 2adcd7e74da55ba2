package sources

import (
	"regexp"
	"sync"
)

// Form is an expression that is compiled when it is first needed: most calls of the program never meet a file that needs it,
// and all of them would pay for it at the start.
type Form struct{ compiled func() *regexp.Regexp }

// NewForm keeps an expression; one that cannot be compiled is a mistake of the program, and a panic when it is used.
func NewForm(text string) Form {
	return Form{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// The questions are those of a regexp.Regexp, but that an empty text matches nothing: a field that is not there is asked about
// more often than any other.

// MatchString reports whether the text holds a match.
func (f Form) MatchString(s string) bool { return s != "" && f.compiled().MatchString(s) }

// FindString is the first match.
func (f Form) FindString(s string) string {
	if s == "" {
		return ""
	}
	return f.compiled().FindString(s)
}

// FindStringSubmatch is the first match and its parts.
func (f Form) FindStringSubmatch(s string) []string {
	if s == "" {
		return nil
	}
	return f.compiled().FindStringSubmatch(s)
}

// FindAllString are all matches, at most n.
func (f Form) FindAllString(s string, n int) []string { return f.compiled().FindAllString(s, n) }

// FindAllStringSubmatch are all matches and their parts, at most n.
func (f Form) FindAllStringSubmatch(s string, n int) [][]string {
	return f.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString puts something else in the place of every match.
func (f Form) ReplaceAllString(s, with string) string { return f.compiled().ReplaceAllString(s, with) }
