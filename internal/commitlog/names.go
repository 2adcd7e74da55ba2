package commitlog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// containsWord reports whether a text contains a name as a whole word. A hyphen belongs to a word, so "login-page" does not contain
// "login", and a point between digits belongs to a number, so "v1.2.3" does not contain "v1.2". Upper and lower case must match.
func containsWord(text, name string) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !joins(before) && !joins(after) && !inNumber(text, at) && !inNumber(text, end) {
			return true
		}
		from = at + 1
	}
}

// inNumber reports whether there is a point between digits just before or just after the given index.
func inNumber(text string, at int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9' }
	point := func(i int) bool { return i >= 0 && i < len(text) && text[i] == '.' && digit(i-1) && digit(i+1) }
	return point(at) || point(at-1)
}

// joins reports whether a character can be part of a word.
func joins(r rune) bool { return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// isDistinct reports whether a name is so distinctive that a commit that contains it is about this work. Such a name has at least five
// characters, among them a letter, and a digit or a sign such as a hyphen.
func isDistinct(name string) bool {
	letters := strings.ContainsFunc(name, unicode.IsLetter)
	return letters && len(name) >= 5 && strings.ContainsAny(name, "-_0123456789./")
}
