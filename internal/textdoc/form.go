package textdoc

import (
	"regexp"
	"sync"
)

// Form is a regular expression that is compiled at its first use. Compiling all expressions at startup would slow down every command, and
// most commands need few of them.
type Form struct{ compiled func() *regexp.Regexp }

// NewForm stores an expression without compiling it. An invalid expression is a bug in the program and panics at its first use.
func NewForm(text string) Form {
	return Form{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// These methods work like the methods of regexp.Regexp. The first three return at once for an empty text, because most texts are empty:
// their field is missing.

// MatchString reports whether the text contains a match.
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

// FindStringIndex returns the start and the end of the first match, or nil.
func (f Form) FindStringIndex(s string) []int { return f.compiled().FindStringIndex(s) }

// FindAllString returns the first n matches, or all matches if n is negative.
func (f Form) FindAllString(s string, n int) []string { return f.compiled().FindAllString(s, n) }

// FindAllStringSubmatch returns the first n matches with their groups, or all matches if n is negative.
func (f Form) FindAllStringSubmatch(s string, n int) [][]string {
	return f.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces every match.
func (f Form) ReplaceAllString(s, with string) string { return f.compiled().ReplaceAllString(s, with) }
