package specloop

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// page is an index that is edited line by line. A line that is not edited stays the same, byte for byte.
type page struct{ lines []string }

func newPage(data []byte) page { return page{strings.Split(string(data), "\n")} }

func (p page) bytes() []byte { return []byte(strings.Join(p.lines, "\n")) }

// tables returns the tables of the page. It returns nil if the file has unusual line ends, because the line numbers would be wrong.
func (p page) tables() []textdoc.Table {
	text := textdoc.Text(p.bytes())
	if strings.Count(text, "\n") != len(p.lines)-1 {
		return nil
	}
	return textdoc.Tables(textdoc.Visible(text))
}

// setField changes a field of the loop state. It returns false if there is no such field.
func (p page) setField(name, value string) bool {
	for _, t := range p.tables() {
		if len(t.Header) != 2 {
			continue
		}
		for i, row := range t.Rows {
			if len(row) > 0 && fieldName(row[0]) == name {
				p.setCell(t.Lines[i], 1, value)
				return true
			}
		}
	}
	return false
}

// putField changes a field of the loop state. If the field is missing, putField adds a row below the loop status.
func (p *page) putField(name, value string) {
	if p.setField(name, value) {
		return
	}
	for _, t := range p.tables() {
		for i, row := range t.Rows {
			if len(t.Header) != 2 || len(row) == 0 || fieldName(row[0]) != "loop status" {
				continue
			}
			at := t.Lines[i]
			p.lines = slices.Insert(p.lines, at, p.lines[at-1])
			p.setCell(at+1, 0, "**"+strings.ToUpper(name[:1])+name[1:]+"**")
			p.setCell(at+1, 1, value)
			return
		}
	}
}

// setAnswer marks a question as answered and writes the answer into the answer column, which it adds if it is missing. It returns false if
// no table has the question.
func (p page) setAnswer(id, answer string) bool {
	for _, t := range p.tables() {
		status := column(t, "Status")
		if status < 0 || column(t, "ID", "Question ID") < 0 || column(t, "Question", "Question Summary", "Summary") < 0 {
			continue
		}
		for i, row := range t.Rows {
			if t.Cell(row, "ID", "Question ID") != id {
				continue
			}
			at := column(t, "Answer", "User Answer", "Response")
			if at < 0 {
				at = len(t.Header)
				p.addColumn(t, "Answer")
			}
			p.setCell(t.Lines[i], status, "answered")
			p.setCell(t.Lines[i], at, answer)
			return true
		}
	}
	return false
}

// setGap changes the status of one gap in the index's table of gaps. It returns false if no table has the gap.
func (p page) setGap(id, value string) bool {
	for _, t := range p.tables() {
		status := column(t, "Status")
		if status < 0 || column(t, "Priority") < 0 || column(t, "Gap ID", "Gap", "ID") < 0 {
			continue
		}
		for i, row := range t.Rows {
			if t.Cell(row, "Gap ID", "Gap", "ID") == id {
				p.setCell(t.Lines[i], status, value)
				return true
			}
		}
	}
	return false
}

func column(t textdoc.Table, names ...string) int {
	for _, n := range names {
		for i, h := range t.Header {
			if strings.EqualFold(h, n) {
				return i
			}
		}
	}
	return -1
}

func (p page) addColumn(t textdoc.Table, name string) {
	width := len(t.Header)
	p.extend(t.Line, width, " "+name+" ")
	p.extend(t.Line+1, width, "---")
	for _, n := range t.Lines {
		p.extend(n, width, "  ")
	}
}

// extend pads a row to the given number of cells and then adds one cell.
func (p page) extend(number, width int, cell string) {
	parts, indent, end := p.split(number)
	for len(parts) < width {
		parts = append(parts, "  ")
	}
	p.join(number, append(parts[:width:width], cell), indent, end)
}

func (p page) setCell(number, at int, value string) {
	parts, indent, end := p.split(number)
	for len(parts) <= at {
		parts = append(parts, "  ")
	}
	parts[at] = " " + cellText(value) + " "
	p.join(number, parts, indent, end)
}

// cellText converts a text so that it can be written into one table cell. For example, line breaks become spaces.
func cellText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\\|", "|"), "|", "\\|")
	return strings.Join(strings.Fields(s), " ")
}

// split splits a row into its cells without changing their text.
func (p page) split(number int) (cells []string, indent, end string) {
	line := p.lines[number-1]
	if cut, ok := strings.CutSuffix(line, "\r"); ok {
		line, end = cut, "\r"
	}
	start := strings.Index(line, "|")
	indent, line = line[:start+1], line[start+1:]
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteString(`\|`)
			i++
		case line[i] == '|':
			cells = append(cells, cell.String())
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	if strings.TrimSpace(cell.String()) != "" {
		cells = append(cells, cell.String())
	}
	return cells, indent, end
}

func (p page) join(number int, cells []string, indent, end string) {
	p.lines[number-1] = indent + strings.Join(cells, "|") + "|" + end
}
