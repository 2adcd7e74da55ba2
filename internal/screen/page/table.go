package page

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Wrap splits text at spaces into lines of the given width. It splits a longer word only as phrase.Split does, and never a text that
// phrase.Unbroken protects.
func Wrap(text string, width int) []string {
	var lines []string
	line, gap := "", ""
	for _, word := range words().FindAllString(strings.TrimSpace(text), -1) {
		if strings.TrimSpace(word) == "" {
			gap = word
			continue
		}
		for _, part := range phrase.Split(word, width) {
			if line != "" && phrase.Width(line+gap+part) > width {
				lines, line = append(lines, line), part
			} else {
				line += gap + part
			}
			gap = ""
		}
	}
	return append(lines, line)
}

// words matches a word or the spaces between two words.
var words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \t\n]+|[^ \t\n]+`) })

// Table prints rows in columns. On a terminal, cells that are too long are wrapped at spaces.
func (s Page) Table(rows [][]string) {
	width := 0
	if s.Terminal {
		width = s.Width()
	}
	var all strings.Builder
	for _, lines := range TableRows(rows, width) {
		for _, line := range lines {
			all.WriteString(line)
			all.WriteByte('\n')
		}
	}
	s.Say("%s", all.String()) // print all lines with one write
}

// TableRows aligns rows in columns and returns the lines of each row. If width is not 0, a cell that is too long continues on further
// lines.
func TableRows(rows [][]string, width int) [][]string {
	const hanging, least = "      ", 24
	wide := columnWidths(rows)
	var out [][]string
	for _, row := range rows {
		wide := wide
		if width > 0 && !fits(row, wide, width, least) { // with columns as wide as in the other rows, this row would be too long
			wide = slices.Clone(wide)
			for i := 1; i < len(row); i++ {
				wide[i] = phrase.Width(row[i])
			}
		}
		var lines []string
		line := ""
		for i, cell := range row {
			if i > 0 && wide[i-1] > 0 {
				line += "  "
			}
			at, n := phrase.Width(line), phrase.Width(cell)
			switch {
			case width == 0 || cell == "" || at+n <= width:
				line += phrase.Pad(cell, wide[i])
				continue
			case width-at >= least && i == len(row)-1:
				parts := Wrap(cell, width-at)
				lines, line = append(lines, line+parts[0]), ""
				for _, p := range parts[1:] {
					lines = append(lines, strings.Repeat(" ", at)+p)
				}
				continue
			}
			if strings.TrimSpace(line) != "" {
				lines = append(lines, line)
			}
			parts := Wrap(cell, width-len(hanging))
			for _, p := range parts[:len(parts)-1] {
				lines = append(lines, hanging+p)
			}
			line = hanging + parts[len(parts)-1]
		}
		if lines = append(lines, line); len(lines) > 1 && strings.TrimSpace(line) == "" {
			lines = lines[:len(lines)-1]
		}
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		out = append(out, lines)
	}
	return out
}

// fits reports whether a row fits on one line, or its last cell has enough room to be wrapped.
func fits(row []string, wide []int, width, least int) bool {
	at, last := 0, 0
	if len(row) > 0 {
		last = phrase.Width(row[len(row)-1])
	}
	for i := range row[:max(len(row)-1, 0)] {
		if at += wide[i]; wide[i] > 0 {
			at += len("  ")
		}
	}
	return at+last <= width || at <= width-least
}

func columnWidths(rows [][]string) []int {
	var out []int
	for _, row := range rows {
		for i, cell := range row {
			if i >= len(out) {
				out = append(out, 0)
			}
			out[i] = max(out[i], phrase.Width(cell))
		}
	}
	return out
}
