package gittest

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Update is the flag -update of a test. With it, a test writes today's results into the files with which it compares them.
var Update = flag.Bool("update", false, "write today's results into the files with which the tests compare them")

// Table compares a text table with what the program answers today. A line "== name ==" begins a part of the table. Each row of it is one
// line: the facts in columns that are separated by " | ", and after " => " the answer. Other lines are empty or begin with #. The map has
// the function that answers the rows of each part. With -update, Table writes the answers into the file and aligns the columns.
func Table(t *testing.T, file string, parts map[string]func(t *testing.T, facts []string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	NoError(t, "read the table", err)
	rows := readTable(t, file, string(text))
	seen, answered := map[string]bool{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if r.facts == nil {
			continue
		}
		answer, ok := parts[r.part]
		if !ok {
			t.Fatalf("%s:%d: no part of the table is called '%s'", file, i+1, r.part)
		}
		if key := r.part + "|" + strings.Join(r.facts, "|"); seen[key] {
			t.Errorf("%s:%d: this row is there twice: %s", file, i+1, strings.Join(r.facts, " | "))
		} else {
			seen[key], answered[r.part] = true, true
		}
		got := answer(t, r.facts)
		if got != r.answer && !*Update {
			t.Errorf("%s:%d: %s\n     got %s\n    want %s", file, i+1, strings.Join(r.facts, " | "), got, r.answer)
		}
		r.answer = got
	}
	for name := range parts {
		if !answered[name] {
			t.Errorf("%s: the part '%s' has no row", file, name)
		}
	}
	if *Update && !t.Failed() {
		NoError(t, "write the table", os.WriteFile(file, []byte(writeTable(rows)), 0o644))
	}
}

// tableLine is one line of a table. The field "facts" is nil if the line is not a row.
type tableLine struct {
	text, part, answer string
	facts              []string
}

func readTable(t *testing.T, file, text string) []tableLine {
	var out []tableLine
	part := ""
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		r := tableLine{text: strings.TrimSpace(line), part: part}
		switch {
		case strings.HasPrefix(r.text, "== "):
			part = strings.Trim(r.text, "= ")
		case r.text != "" && !strings.HasPrefix(r.text, "#"):
			facts, answer, ok := strings.Cut(r.text, " =>")
			if !ok && !*Update {
				t.Fatalf("%s:%d: the row has no answer after '=>'", file, i+1)
			}
			r.answer = strings.TrimSpace(answer)
			for cell := range strings.SplitSeq(facts, "|") {
				r.facts = append(r.facts, strings.TrimSpace(cell))
			}
		}
		out = append(out, r)
	}
	return out
}

// writeTable returns the text of a table. An empty line ends a group of rows with aligned columns.
func writeTable(lines []tableLine) string {
	var b strings.Builder
	for len(lines) > 0 {
		n := slices.IndexFunc(lines, func(r tableLine) bool { return r.text == "" }) + 1
		if n == 0 {
			n = len(lines)
		}
		widths := map[int]int{}
		for _, r := range lines[:n] {
			for k, cell := range r.facts {
				widths[k] = max(widths[k], utf8.RuneCountInString(cell))
			}
		}
		for _, r := range lines[:n] {
			cells := make([]string, len(r.facts))
			for k, cell := range r.facts {
				cells[k] = cell + strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell))
			}
			if r.facts != nil {
				r.text = strings.Join(cells, " | ") + " => " + r.answer
			}
			b.WriteString(r.text + "\n")
		}
		lines = lines[n:]
	}
	return b.String()
}
