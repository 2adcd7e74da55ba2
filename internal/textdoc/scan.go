package textdoc

import "strings"

// Boxes returns the checkboxes of a Markdown text in order, including those that contain nested boxes. If a code block or a comment has no
// end and hides further boxes, the second result describes it. Otherwise it is nil.
func Boxes(text string) ([]Box, *Unclosed) {
	lines, hides := uncover(text)
	var s scanner
	for _, l := range lines {
		s.number = l.Number
		s.read(l.Text)
	}
	return s.boxes, hides
}

// scanner goes through the visible lines of a Markdown text and distinguishes lists, headings and other text.
type scanner struct {
	number   int  // the number of the current line
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
	blank := strings.TrimSpace(line) == ""
	if !blank {
		s.visible(line)
	}
	s.blank = blank
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
