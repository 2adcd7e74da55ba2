package sources

import (
	"regexp"
	"sync"
)

// Form is a regular expression that is compiled when it is first needed: most calls of the program never read a file that needs it,
// and compiling it at the start would slow down all of them.
type Form struct{ compiled func() *regexp.Regexp }

// NewForm stores an expression without compiling it; an invalid expression is a bug in the program and panics at its first use.
func NewForm(text string) Form {
	return Form{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// The methods are those of regexp.Regexp, but the first three do not search an empty text, because most questions are about
// fields that do not exist.

// MatchString reports whether the text holds a match.
func (f Form) MatchString(s string) bool { return s != "" && f.compiled().MatchString(s) }

// FindString returns the first match.
func (f Form) FindString(s string) string {
	if s == "" {
		return ""
	}
	return f.compiled().FindString(s)
}

// FindStringSubmatch returns the first match and its groups.
func (f Form) FindStringSubmatch(s string) []string {
	if s == "" {
		return nil
	}
	return f.compiled().FindStringSubmatch(s)
}

// FindAllString returns all matches, at most n.
func (f Form) FindAllString(s string, n int) []string { return f.compiled().FindAllString(s, n) }

// FindAllStringSubmatch returns all matches with their groups, at most n.
func (f Form) FindAllStringSubmatch(s string, n int) [][]string {
	return f.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces every match.
func (f Form) ReplaceAllString(s, with string) string { return f.compiled().ReplaceAllString(s, with) }
