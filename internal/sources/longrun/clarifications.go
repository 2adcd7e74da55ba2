package longrun

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// clarification is a question that long-run asked a person.
type clarification struct {
	group, title string
	question     string
	status       string
	response     string
	asked        string
	// line is the number of the entry's first line, which is usually a heading. last is the number of its last line. Both count from 1.
	line, last int
	// columns holds the names of the columns if the entry is a row of a table.
	columns []string
}

func (c clarification) pending() bool { return sources.FoldWord(c.status) == "pending" }

var groupHeading = textdoc.NewForm(`^(?i:task group)[ \t]+\[?([0-9A-Za-z.]{1,20})\]?[ \t]*(?:[:–—-][ \t]*(.*))?$`)

// parseClarifications reads the questions in clarifications.md. An entry may be a section, a list or a table row, and a list may be in a
// code block of YAML. The result "unclear" means that the text outside of the entries may contain another open question.
func parseClarifications(text string) (out []clarification, unclear bool) {
	lines := textdoc.Visible(unfenced(text))
	sections := textdoc.Sections(lines)
	head := lines
	if len(sections) > 0 {
		head = lines[:slices.IndexFunc(lines, func(l textdoc.Line) bool { return l.Number >= sections[0].Line })]
	}
	if len(head) > 0 { // a list or a table without a heading
		out = listed(textdoc.Section{Line: head[0].Number}, head)
	}
	for i, s := range sections {
		m := groupHeading.FindStringSubmatch(s.Title)
		if m != nil {
			c := clarification{group: m[1], title: strings.TrimSpace(m[2]), line: s.Line, last: s.Line}
			c.read(s.Body)
			out = append(out, c)
			continue
		}
		body := s.Body
		// Leave out the subsections, because each of them is read separately.
		if i+1 < len(sections) {
			if end := slices.IndexFunc(body, func(l textdoc.Line) bool { return l.Number >= sections[i+1].Line }); end >= 0 {
				body = body[:end]
			}
		}
		if !slices.ContainsFunc(out, func(c clarification) bool { return c.line < s.Line && s.Line <= c.last }) {
			out = append(out, listed(s, body)...)
		}
	}
	lines = slices.DeleteFunc(slices.Clone(lines), func(l textdoc.Line) bool { return headsEntry(l, sections, out) })
	return out, speaksOfMore(lines, out)
}

// unfenced removes the first and the last line of each code block of YAML, so that its content becomes visible. The lines keep their
// numbers.
func unfenced(text string) string {
	lines := strings.Split(text, "\n")
	inside := false
	for i, line := range lines {
		switch bare := strings.ToLower(strings.TrimSpace(line)); {
		case !inside && (bare == "```yaml" || bare == "```yml"), inside && bare == "```":
			lines[i], inside = "", !inside
		}
	}
	return strings.Join(lines, "\n")
}

// listed returns the entries in a section whose heading does not name a task group.
func listed(s textdoc.Section, body []textdoc.Line) []clarification {
	var out []clarification
	from, lead := 0, ""
	take := func(to int) {
		part := body[from:to]
		labels := textdoc.Labels(part)
		if labels["status"] == "" || labels["question"] == "" {
			return
		}
		c := clarification{group: cmp.Or(labels["task group"], labels["task_group"], labels["group"], labels["id"], s.Title), line: s.Line, last: s.Line}
		if name, _, ok := textdoc.Label(part[0].Text); ok && name == lead {
			c.line = part[0].Number
		}
		if c.read(part); !isPlaceholder(c.question) {
			out = append(out, c)
		}
	}
	for i, l := range body {
		name, _, ok := textdoc.Label(l.Text)
		if ok && (isGroup(name) || name == lead) && textdoc.Labels(body[from:i])["status"] != "" { // each entry begins with the same label
			take(i)
			from = i
		}
		if ok && (lead == "" || isGroup(name)) {
			lead = name
		}
	}
	take(len(body))
	for _, t := range textdoc.Tables(body) {
		for i, row := range t.Rows {
			c := clarification{group: t.Cell(row, "task group", "task_group", "group", "id", "#"), question: t.Cell(row, "question"), status: t.Cell(row, "status"),
				response: t.Cell(row, responseWords...), line: t.Lines[i], last: t.Lines[i], columns: t.Header}
			if c.question != "" && c.status != "" {
				out = append(out, c)
			}
		}
	}
	return out
}

// responseWords are the names that files give to the answer of a person.
var responseWords = []string{"response", "answer"}

// isPlaceholder reports whether a question only shows where a question has to be written, as in "[what is needed]".
func isPlaceholder(question string) bool {
	return strings.HasPrefix(question, "[") && strings.HasSuffix(question, "]") || strings.HasPrefix(question, "<") && strings.HasSuffix(question, ">")
}

func isGroup(label string) bool {
	return label == "task group" || label == "task_group" || label == "group"
}

// speaksOfMore reports whether a line outside of the entries looks like another open question: it contains the word "pending". If there are
// no entries at all, a line that ends with a question mark counts too.
func speaksOfMore(lines []textdoc.Line, entries []clarification) bool {
	for _, l := range lines {
		if slices.ContainsFunc(entries, func(c clarification) bool { return c.line <= l.Number && l.Number <= c.last }) {
			continue
		}
		text := strings.ToLower(l.Text)
		// A line that also contains "answered" only explains the possible values, as in "pending | answered".
		if strings.Contains(text, "pending") && !strings.Contains(text, "answered") {
			return true
		}
		if len(entries) == 0 && strings.HasSuffix(strings.TrimSpace(text), "?") {
			return true
		}
	}
	return false
}

// headsEntry reports whether a line is a heading with an entry below it, such as "# Pending clarifications". Such a heading is not a question
// itself.
func headsEntry(l textdoc.Line, sections []textdoc.Section, entries []clarification) bool {
	return slices.ContainsFunc(sections, func(s textdoc.Section) bool {
		return s.Line == l.Number && len(s.Body) > 0 && slices.ContainsFunc(entries, func(c clarification) bool {
			return s.Line <= c.line && c.line <= s.Body[len(s.Body)-1].Number
		})
	})
}

// read reads the labels of an entry. If none of them is a question, the question is the text without a label, or otherwise the title.
func (c *clarification) read(body []textdoc.Line) {
	into, text := "", ""
	for _, l := range body {
		c.last = l.Number
		name, value, ok := textdoc.Label(l.Text)
		switch {
		case ok && isGroup(name):
			into = ""
			continue
		case ok && (name == "asked" || name == "question" || name == "status" || name == "response" || name == "answer"):
			into = name
		case into == "question", into == "response", into == "answer":
			value = strings.ReplaceAll(strings.TrimSpace(l.Text), "**", "")
		case !ok && strings.Trim(l.Text, "- \t") != "":
			text = strings.TrimSpace(text + "\n" + strings.TrimSpace(l.Text))
			continue
		default:
			continue
		}
		c.take(into, unquoted(value))
	}
	c.question = cmp.Or(c.question, text, c.title)
}

// unquoted returns the content of a text in double quotes, as YAML writes it. Any other text stays as it is.
func unquoted(text string) string {
	if inner, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return inner
	}
	return text
}

func (c *clarification) take(name, value string) {
	switch name {
	case "asked":
		c.asked = value
	case "status":
		c.status = value
	case "question":
		c.question = strings.TrimSpace(c.question + "\n" + value)
	case "response", "answer":
		if strings.Trim(value, "-") != "" { // a line of hyphens ends the entry
			c.response = strings.TrimSpace(c.response + "\n" + value)
		}
	}
}
