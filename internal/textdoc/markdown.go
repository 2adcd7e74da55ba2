package textdoc

import (
	"strings"
)

// Markdown returns the text of a Markdown state file. It returns an error if the file is empty, contains NUL bytes or contains conflict
// markers.
func Markdown(data []byte) (string, error) {
	text := Text(data)
	switch {
	case strings.TrimSpace(text) == "":
		return "", Damaged("is empty")
	case strings.ContainsRune(text, 0):
		return "", Damaged("holds NUL bytes")
	case Merging(text):
		return "", HalfMerged(text)
	}
	return text, nil
}

// Section is a heading with the lines below it, up to the next heading of the same or a higher level.
type Section struct {
	Level int
	Title string
	Line  int
	Body  []Line
}

// Sections returns all headings of a text in order. The body of a section includes its subsections.
func Sections(lines []Line) []Section {
	var out []Section
	var at []int // the index of each heading in "lines"
	for i, l := range lines {
		if level, title, ok := Heading(l.Text); ok {
			out = append(out, Section{Level: level, Title: strings.TrimSpace(strings.Trim(title, "*_ ")), Line: l.Number})
			at = append(at, i)
		}
	}
	for i := range out {
		end := len(lines)
		for j := i + 1; j < len(out); j++ {
			if out[j].Level <= out[i].Level {
				end = at[j]
				break
			}
		}
		out[i].Body = lines[at[i]+1 : end : end]
	}
	return out
}

// SectionOf finds the first section that has one of the given titles. Titles are equal even if they differ in upper and lower case.
func SectionOf(sections []Section, titles ...string) (Section, bool) {
	for _, s := range sections {
		for _, t := range titles {
			if strings.EqualFold(s.Title, t) {
				return s, true
			}
		}
	}
	return Section{}, false
}

// Table is a Markdown table.
type Table struct {
	Line   int
	Header []string
	Rows   [][]string
	// Lines holds the line number of each row.
	Lines []int
}

// Tables finds the Markdown tables in a text.
func Tables(lines []Line) []Table {
	var out []Table
	for i := 0; i+1 < len(lines); i++ {
		if !mayBeRule(lines[i+1].Text) {
			continue // most lines are not in a table, so this cheap check comes first
		}
		header, rule := cells(lines[i].Text), cells(lines[i+1].Text)
		if header == nil || !isRule(rule) {
			continue
		}
		t := Table{Line: lines[i].Number, Header: header}
		for i += 2; i < len(lines); i++ {
			row := cells(lines[i].Text)
			if row == nil {
				break
			}
			t.Rows, t.Lines = append(t.Rows, row), append(t.Lines, lines[i].Number)
		}
		out = append(out, t)
	}
	return out
}

// Cell tries the named columns one after the other, and returns the first cell that the row has. It ignores the case of the names. The
// result is empty if the row has no such cell.
func (t Table) Cell(row []string, names ...string) string {
	for _, name := range names {
		for i, h := range t.Header {
			if strings.EqualFold(h, name) && i < len(row) {
				return row[i]
			}
		}
	}
	return ""
}

// cells splits a table row into cells and removes bold and code marks around each cell. A pipe after a backslash is part of the text. The
// result is nil if the line does not begin with a pipe.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	line = strings.TrimPrefix(line, "|")
	var out []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case line[i] == '|':
			out = append(out, Unmark(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" {
		out = append(out, Unmark(rest))
	}
	return out
}

func mayBeRule(line string) bool {
	return strings.Contains(line, "|") && strings.Trim(line, "|-: \t") == ""
}

func isRule(row []string) bool {
	for _, c := range row {
		if strings.Trim(c, "-: ") != "" || !strings.Contains(c, "-") {
			return false
		}
	}
	return len(row) > 0
}

// Unmark removes the Markdown marks for bold, italic and code around a short text.
func Unmark(s string) string {
	s = strings.TrimSpace(s)
	for _, mark := range []string{"**", "__", "`", "*", "_"} {
		if inner, ok := strings.CutPrefix(s, mark); ok {
			if inner, ok = strings.CutSuffix(inner, mark); ok && inner != "" {
				s = strings.TrimSpace(inner)
			}
		}
	}
	return s
}

// longestLabel is the maximum length of the name in a line of the form "Name: value".
const longestLabel = 41

// Label splits a line of the form "Name: value", and returns the name in lower case. The name may be bold or follow a bullet. Label does
// not use a regular expression, because compiling one would slow down every status command.
func Label(line string) (name, value string, ok bool) {
	rest, _ := cutBold(Unbulleted(line))
	name, value, ok = strings.Cut(rest, ":")
	if !ok {
		return "", "", false
	}
	name = strings.TrimRight(name, Blanks)
	if after, bold := cutBold(value); bold && (after == "" || IsBlank(after[0])) {
		value = after
	} else if value == "" || IsBlank(value[0]) {
		if bare, bold := strings.CutSuffix(name, "**"); bold {
			name = bare
		} else {
			name = strings.TrimSuffix(name, "__")
		}
	} else {
		return "", "", false
	}
	if !isLabel(name) {
		return "", "", false
	}
	return strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value), true
}

func cutBold(s string) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "**"); ok {
		return rest, true
	}
	return strings.CutPrefix(s, "__")
}

// isLabel reports whether a name starts with an ASCII letter, consists only of ASCII letters, digits, spaces and underscores, and is not
// longer than longestLabel.
func isLabel(name string) bool {
	for i, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c != ' ' && c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= longestLabel
}

// Labels returns the values of all lines of the form "Name: value". If a name occurs twice, its first value is used.
func Labels(lines []Line) map[string]string {
	out := map[string]string{}
	for _, l := range lines {
		name, value, ok := Label(l.Text)
		if _, seen := out[name]; ok && !seen {
			out[name] = Unmark(value)
		}
	}
	return out
}
