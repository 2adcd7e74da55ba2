package textdoc

import "strings"

// Unclosed is a code block or comment that is never closed and hides boxes.
type Unclosed struct {
	Line int
	What string // "code block" or "comment"
	End  string // what would close it
}

// Boxes returns the checkboxes of a Markdown text in order, including those that contain nested boxes. The second result is nil if no code
// block and no comment hides further boxes.
func Boxes(text string) ([]Box, *Unclosed) {
	s := scanner{text: text, lastClose: strings.LastIndex(text, "-->")}
	for line := range strings.SplitSeq(text, "\n") {
		s.number++
		s.read(line)
		s.offset += len(line) + 1
	}
	return s.boxes, s.unclosed()
}

// scanner goes through the lines of a Markdown text and distinguishes lists, headings, code and comments.
type scanner struct {
	text      string
	number    int // the number of the current line, from 1
	offset    int // the offset of the current line in the text
	lastClose int // the offset of the last "-->" in the text, or -1

	fence   string // the characters that close the current code block; empty outside of code blocks
	comment bool
	opened  int // the line on which the current code block or comment begins
	covered int // the number of boxes inside the current code block or comment

	blank    bool // the previous line was blank
	headings [7]string
	titled   bool   // the title of the document was found
	items    []item // the list items that contain the current line, outermost first
	boxes    []Box
}

// item is a list item that later lines may belong to.
type item struct {
	indent int
	box    int // the index of the item's checkbox, or -1
}

func (s *scanner) read(line string) {
	if s.fence != "" {
		s.inFence(line)
		return
	}
	if !s.comment {
		if mark := fenceOf(line); mark != "" {
			s.fence, s.opened, s.covered = mark, s.number, 0
			return
		}
	}
	line = s.uncomment(line)
	if strings.TrimSpace(line) == "" {
		s.blank = true
		return
	}
	s.visible(line)
	s.blank = false
}

// inFence handles a line inside a code block.
// The block ends at a line that contains only the fence character, at least as many times as the opening line.
func (s *scanner) inFence(line string) {
	mark := strings.TrimSpace(line)
	if strings.HasPrefix(mark, s.fence) && strings.Trim(mark, s.fence[:1]) == "" {
		s.fence = ""
		return
	}
	if boxLine.MatchString(line) {
		s.covered++
	}
}

func (s *scanner) visible(line string) {
	if level, title, ok := Heading(line); ok {
		s.heading(level, title)
		return
	}
	before, content, ok := listItem(line)
	if !ok {
		// Unindented text after a blank line ends the list.
		if s.blank && indent(line) == 0 {
			s.items = nil
		}
		return
	}
	in := indent(before)
	if in >= 4 && len(s.items) == 0 {
		return // this is indented code
	}
	// Two columns of indent are enough for a nested item. Markdown is stricter, but people write lists this way.
	for len(s.items) > 0 && in < s.items[len(s.items)-1].indent+2 {
		s.items = s.items[:len(s.items)-1]
	}
	s.items = append(s.items, item{indent: in, box: s.box(content)})
}

func (s *scanner) heading(level int, title string) {
	s.items = nil
	for i := level; i < len(s.headings); i++ {
		s.headings[i] = ""
	}
	if level == 1 && !s.titled && len(s.boxes) == 0 {
		s.titled = true // this is the title of the document and not the name of a phase
		return
	}
	s.headings[level] = OneLine(unbold(title))
}

// phase returns the outermost heading above the current line.
// It prefers levels 2 to 6, because a level 1 heading usually names the whole document.
func (s *scanner) phase() string {
	for _, level := range []int{2, 3, 4, 5, 6, 1} {
		if h := s.headings[level]; h != "" {
			return h
		}
	}
	return ""
}

// box parses the content of a list item and stores its checkbox. It returns the index of the box, or -1 if there is none.
func (s *scanner) box(content string) int {
	b, ok := parseBox(content)
	if !ok {
		return -1
	}
	b.Line, b.Phase = s.number, s.phase()
	for i := len(s.items) - 1; i >= 0; i-- {
		if above := s.items[i].box; above >= 0 {
			p := &s.boxes[above]
			p.Parent, b.Above = true, above
			b.Phase, b.Optional = p.Title, b.Optional || p.Optional
			break
		}
	}
	s.boxes = append(s.boxes, b)
	return len(s.boxes) - 1
}

// uncomment returns the line without its HTML comments.
func (s *scanner) uncomment(line string) string {
	var out strings.Builder
	edge := true // true if only blanks have been found on this line so far
	for i := 0; i < len(line); {
		if s.comment {
			end := strings.Index(line[i:], "-->")
			if end < 0 {
				if boxLine.MatchString(line + " ") {
					s.covered++
				}
				break
			}
			i, s.comment = i+end+len("-->"), false
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
		if n := s.opens(line, i, edge); n > 0 {
			s.comment, s.opened, s.covered = true, s.number, 0
			i += n
			continue
		}
		n := codeSpan(line[i:])
		out.WriteString(line[i : i+n])
		i, edge = i+n, false
	}
	return out.String()
}

// opens returns 2 if an HTML comment begins at position i, or 0 if none does.
// A comment that is never closed counts only at the beginning of a line, where it hides all following text.
func (s *scanner) opens(line string, i int, edge bool) int {
	if !strings.HasPrefix(line[i:], "<!--") {
		return 0
	}
	if s.lastClose < s.offset+i+2 && !edge {
		return 0
	}
	return len("<!") // only 2, because in "<!-->" the closing "-->" shares its dashes with the opening "<!--"
}

// codeSpan returns the length of the code span at the beginning of s. A span ends with the same number of backticks with which it begins.
// For a span without an end, codeSpan returns the number of backticks. If s does not begin with a backtick, it returns 1.
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

func (s *scanner) unclosed() *Unclosed {
	switch {
	case s.covered == 0 || s.fence == "" && !s.comment:
		return nil
	case s.comment:
		return &Unclosed{s.opened, "comment", "-->"}
	}
	return &Unclosed{s.opened, "code block", s.fence}
}

// indent returns the width of a line's indent. A tab advances to the next multiple of four.
func indent(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}
