package plan

import "strings"

// The lines of a list are taken apart by hand: they are read at every status, and to compile
// the expressions that say the same takes longer than to read the lists of most repositories.

// Blanks are the characters between words of a line.
const Blanks = " \t"

// IsBlank reports one of Blanks.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Heading is the level and the text of a heading line of Markdown.
func Heading(line string) (level int, title string, ok bool) {
	marks := strings.TrimLeft(line, " ")
	text := strings.TrimLeft(marks, "#")
	level = len(marks) - len(text)
	if len(line)-len(marks) > 3 || level < 1 || level > 6 || text == "" || !IsBlank(text[0]) {
		return 0, "", false
	}
	title = strings.Trim(text, Blanks)
	// Marks at the end belong to the heading's own if something stands before them.
	if bare := strings.TrimRight(title, "#"); bare != "" && IsBlank(bare[len(bare)-1]) {
		title = strings.TrimRight(bare, Blanks)
	}
	return level, title, true
}

// listItem takes "- text" and "1. text" apart.
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

// Unbulleted is a line without its indent and the bullet that it may have.
func Unbulleted(line string) string {
	rest := strings.TrimLeft(line, Blanks)
	if len(rest) > 1 && strings.Contains("-*+", rest[:1]) && IsBlank(rest[1]) {
		rest = strings.TrimLeft(rest[1:], Blanks)
	}
	return rest
}

// fenceOf is the mark that begins a code block, which may stand behind a bullet.
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
