package textdoc

import "strings"

// Line is one line of a Markdown text without its comments. Lines of code blocks are left out.
type Line struct {
	Number int
	Text   string
}

// Unclosed is a code block or comment that is never closed and hides boxes.
type Unclosed struct {
	Line int
	What string // "code block" or "comment"
	End  string // the text that would close the code block or comment
}

// Visible returns the lines of a Markdown text without code blocks and comments. Code blocks and comments often contain examples, which
// must not be read as state.
func Visible(text string) []Line {
	lines, _ := uncover(text)
	return lines
}

// uncover returns the visible lines. If a code block or a comment has no end and hides boxes, the second result describes it. Otherwise it
// is nil.
func uncover(text string) ([]Line, *Unclosed) {
	c := cover{lastClose: strings.LastIndex(text, "-->")}
	var out []Line
	for line := range strings.SplitSeq(text, "\n") {
		c.number++
		if shown, ok := c.strip(line); ok {
			out = append(out, Line{c.number, shown})
		}
		c.offset += len(line) + 1
	}
	return out, c.unclosed()
}

// cover keeps track of the code block or comment that covers the current line.
type cover struct {
	number    int // the number of the current line, from 1
	offset    int // the offset of the current line in the text
	lastClose int // the offset of the last "-->" in the text, or -1

	fence   string // the characters that close the current code block; empty outside of code blocks
	comment bool
	opened  int // the line on which the current code block or comment begins
	covered int // the number of boxes inside the current code block or comment
}

// strip returns the visible part of a line. It returns false if the line belongs to a code block.
func (c *cover) strip(line string) (string, bool) {
	if c.fence != "" {
		c.inFence(line)
		return "", false
	}
	if !c.comment {
		if mark := fenceOf(line); mark != "" {
			c.fence, c.opened, c.covered = mark, c.number, 0
			return "", false
		}
		if !strings.ContainsAny(line, "`<") {
			return line, true // most lines contain no comment
		}
	}
	return c.uncomment(line), true
}

// inFence handles a line inside a code block.
// The block ends at a line that contains only the fence character, at least as many times as the opening line.
func (c *cover) inFence(line string) {
	mark := strings.TrimSpace(line)
	if strings.HasPrefix(mark, c.fence) && strings.Trim(mark, c.fence[:1]) == "" {
		c.fence = ""
		return
	}
	if boxLine.MatchString(line) {
		c.covered++
	}
}

// uncomment returns the line without its HTML comments.
func (c *cover) uncomment(line string) string {
	var out strings.Builder
	edge := true // true if only blanks have been found on this line so far
	for i := 0; i < len(line); {
		if c.comment {
			end := strings.Index(line[i:], "-->")
			if end < 0 {
				if boxLine.MatchString(line + " ") {
					c.covered++
				}
				break
			}
			i, c.comment = i+end+len("-->"), false
			continue
		}
		next := strings.IndexAny(line[i:], "`<")
		if next < 0 {
			out.WriteString(line[i:])
			break
		}
		out.WriteString(line[i : i+next])
		edge = edge && strings.TrimSpace(line[i:i+next]) == ""
		i += next
		if n := c.opens(line, i, edge); n > 0 {
			c.comment, c.opened, c.covered = true, c.number, 0
			i += n
			continue
		}
		n := codeSpan(line[i:])
		out.WriteString(line[i : i+n])
		i, edge = i+n, false
	}
	return out.String()
}

// The method opens() checks whether an HTML comment begins at position i of a line. If so, it returns how many bytes to skip before the
// search for the end of the comment, and otherwise 0. The argument "edge" is true if only blanks come before position i. A comment that is
// never closed counts only there, at the beginning of a line, and hides all following text.
func (c *cover) opens(line string, i int, edge bool) int {
	if !strings.HasPrefix(line[i:], "<!--") {
		return 0
	}
	if c.lastClose < c.offset+i+2 && !edge {
		return 0
	}
	return len("<!") // only 2, because in "<!-->" the closing "-->" shares its dashes with the opening "<!--"
}

// codeSpan returns the length of the code span at the beginning of s. A span ends with the same number of backticks with which it begins.
// If no end is found, codeSpan returns the number of backticks. If s does not begin with a backtick, it returns 1.
func codeSpan(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	if n == 0 {
		return 1
	}
	// In a very long line, do not search for the end, because a search from each group of backticks would take too long.
	for i := n; i < len(s) && len(s) <= 1<<14; {
		next := strings.IndexByte(s[i:], '`')
		if next < 0 {
			break
		}
		i += next
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		i += run
		if run == n {
			return i
		}
	}
	return n
}

func (c *cover) unclosed() *Unclosed {
	switch {
	case c.covered == 0 || c.fence == "" && !c.comment:
		return nil
	case c.comment:
		return &Unclosed{c.opened, "comment", "-->"}
	}
	return &Unclosed{c.opened, "code block", c.fence}
}
