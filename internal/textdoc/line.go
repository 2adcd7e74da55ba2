package textdoc

import "strings"

// The functions below parse lines without regular expressions. Every status command reads task lists, and compiling
// regular expressions would take longer than reading the lists of most repositories.

// Blanks holds the characters that separate words in a line.
const Blanks = " \t"

// IsBlank reports whether c is one of Blanks.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Heading parses a Markdown heading and returns its level and its text.
func Heading(line string) (level int, title string, ok bool) {
	marks := strings.TrimLeft(line, " ")
	text := strings.TrimLeft(marks, "#")
	level = len(marks) - len(text)
	if len(line)-len(marks) > 3 || level < 1 || level > 6 || text == "" || !IsBlank(text[0]) {
		return 0, "", false
	}
	title = strings.Trim(text, Blanks)
	// "#" characters at the end are not part of the title if a blank separates them from the text.
	if bare := strings.TrimRight(title, "#"); bare != "" && IsBlank(bare[len(bare)-1]) {
		title = strings.TrimRight(bare, Blanks)
	}
	return level, title, true
}

// listItem splits a line like "- text" or "1. text" into its indent and its text.
func listItem(line string) (indent, content string, ok bool) {
	rest := strings.TrimLeft(line, Blanks)
	indent = line[:len(line)-len(rest)]
	n := 0
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	signs := "-*+"
	if n > 0 {
		signs = ".)"
	}
	if n > 9 || n+1 >= len(rest) || !strings.Contains(signs, rest[n:n+1]) || !IsBlank(rest[n+1]) {
		return "", "", false
	}
	return indent, strings.TrimLeft(rest[n+1:], Blanks), true
}

// Unbulleted returns a line without its indent and its bullet.
func Unbulleted(line string) string {
	rest := strings.TrimLeft(line, Blanks)
	if len(rest) > 1 && strings.Contains("-*+", rest[:1]) && IsBlank(rest[1]) {
		rest = strings.TrimLeft(rest[1:], Blanks)
	}
	return rest
}

// fenceOf returns the characters (such as "```") that begin a code block on this line. They may follow a bullet.
func fenceOf(line string) string {
	rest := Unbulleted(line)
	for _, sign := range []string{"`", "~"} {
		after := strings.TrimLeft(rest, sign)
		if n := len(rest) - len(after); n >= 3 && !strings.Contains(after, "`") {
			return rest[:n]
		}
	}
	return ""
}
