package textdoc

import (
	"regexp"
	"sync"
)

// Form is a regular expression that is compiled at its first use. Compiling all expressions at startup would slow down every command, and
// most commands need few of them.
type Form struct {
	text   string
	once   sync.Once
	result *regexp.Regexp
}

// NewForm stores an expression without compiling it. An invalid expression is a bug in the program and panics at its first use. The
// function is so small that the compiler puts its result into the program file, and nothing is left to do at startup.
func NewForm(text string) *Form { return &Form{text: text} }

func (f *Form) compiled() *regexp.Regexp {
	f.once.Do(func() { f.result = regexp.MustCompile(f.text) })
	return f.result
}

// These methods work like the methods of regexp.Regexp. The first three return at once for an empty text, because most texts are empty:
// their field is missing.

// MatchString reports whether the text contains a match.
func (f *Form) MatchString(s string) bool { return s != "" && f.compiled().MatchString(s) }

// FindString returns the first match.
func (f *Form) FindString(s string) string {
	if s == "" {
		return ""
	}
	return f.compiled().FindString(s)
}

// FindStringSubmatch returns the first match and its groups.
func (f *Form) FindStringSubmatch(s string) []string {
	if s == "" {
		return nil
	}
	return f.compiled().FindStringSubmatch(s)
}

// FindStringIndex returns the start and the end of the first match, or nil.
func (f *Form) FindStringIndex(s string) []int { return f.compiled().FindStringIndex(s) }

// FindAllString returns the first n matches, or all matches if n is negative.
func (f *Form) FindAllString(s string, n int) []string { return f.compiled().FindAllString(s, n) }

// FindAllStringSubmatch returns the first n matches with their groups, or all matches if n is negative.
func (f *Form) FindAllStringSubmatch(s string, n int) [][]string {
	return f.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces every match.
func (f *Form) ReplaceAllString(s, with string) string { return f.compiled().ReplaceAllString(s, with) }
