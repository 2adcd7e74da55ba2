package longrun

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// summary is how a plan ended.
type summary struct {
	path   string
	status string
	reason string
	group  string
	ended  time.Time
	data   []byte
	// ticked and open count the boxes of its list of tasks; commits are those named in it.
	ticked, open int
	commits      []string
}

// done: the plan's own record says that it was finished. The system asks only that a summary is there,
// so one without a status counts, unless its own list of tasks has some that are open.
func (s *summary) done() bool {
	if s == nil {
		return false
	}
	if s.status == "" {
		return s.open == 0
	}
	return sources.MeaningOf(s.status) == sources.MeansDone
}

func (s *summary) is(word string) bool { return s != nil && sources.FoldWord(s.status) == word }

func (r *run) readSummary(id, file string) {
	u := r.owner(id, func(u *unit) bool { return u.sum != nil })
	r.summed++
	s := &summary{path: file}
	ok, doubts := r.view.Recover(r.ctx, r.tree, file, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err != nil {
			return err
		}
		s.data = data
		return s.parse(text)
	})
	r.doubts = append(r.doubts, doubts...)
	u.sum = s
	if !ok {
		s.status, r.rebuilt = sources.UnreadableWord, true // whether that plan is done is for a person to say
		return
	}
	r.saw(s.ended, path.Base(file))
	if s.status != "" && sources.MeaningOf(s.status) == sources.MeansUnknown && !s.is("partial") && !s.is("unknown") {
		r.doubt(sources.DoubtUnknownWord, conflicts.Warning, file, "%s has the status '%s', which is not known; it does not count as done", path.Base(file), s.status)
	}
}

var summaryTask = sources.NewForm(`^[ \t]*- \[([ xX])\] (?i:task)\b.*$`)
var commitWord = sources.NewForm(`\bcommit[: ]+` + "`?" + `([0-9a-f]{7,64})\b`)

func (s *summary) parse(text string) error {
	front, body, err := sources.FrontMatter(text)
	if err != nil {
		return err
	}
	lines := sources.Visible(body)
	s.status, s.reason, s.group = front.Get("status").Text(), front.Get("reason").Text(), front.Get("task_group").Text()
	if s.status == "" {
		s.status = sources.Labels(lines)["status"]
	}
	s.ended, _, _ = sources.ParseTime(front.Get("completed_at").Text())
	for _, l := range lines {
		m := summaryTask.FindStringSubmatch(l.Text)
		if m == nil {
			continue
		}
		if m[1] == " " {
			s.open++
			continue
		}
		s.ticked++
		if c := commitWord.FindStringSubmatch(l.Text); c != nil {
			s.commits = append(s.commits, c[1])
		}
	}
	return nil
}

// clarification is a question that was put to a person.
type clarification struct {
	group, title string
	question     string
	status       string
	asked        string
	// line is that of the heading, last the last one of the entry, both from 1.
	line, last int
}

func (c clarification) pending() bool { return sources.FoldWord(c.status) == "pending" }

func (r *run) clarificationFile() string { return r.dir + "/clarifications.md" }

func (r *run) readClarifications() {
	file := r.clarificationFile()
	if !r.tree.Has(file) {
		return
	}
	r.seen(file)
	ok, doubts := r.view.Recover(r.ctx, r.tree, file, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err == nil {
			r.asked, r.unclear = parseClarifications(text)
		}
		return err
	})
	r.doubts = append(r.doubts, doubts...)
	switch {
	case !ok:
		r.unclear = true // its damage was told
	case r.unclear:
		r.doubt(sources.DoubtDamaged, conflicts.Warning, file, "%s has a question in a form that is not known: look there whether something waits for an answer", path.Base(file))
	}
	for _, c := range r.asked {
		r.sawText(c.asked, "clarifications.md")
	}
}

var groupHeading = sources.NewForm(`^(?i:task group)[ \t]+\[?([0-9A-Za-z.]{1,20})\]?[ \t]*(?:[:–—-][ \t]*(.*))?$`)

// parseClarifications reads the entries; what stands in code blocks is the form of an entry, not one.
// An entry is a section about a task group, one that has a status and a question, a list that begins with its task group, or a row of a table.
// unclear: something else speaks of a question that waits.
func parseClarifications(text string) (out []clarification, unclear bool) {
	lines := sources.Visible(text)
	sections := sources.Sections(lines)
	for i, s := range sections {
		m := groupHeading.FindStringSubmatch(s.Title)
		if m != nil {
			c := clarification{group: m[1], title: strings.TrimSpace(m[2]), line: s.Line, last: s.Line}
			c.read(s.Body)
			out = append(out, c)
			continue
		}
		body := s.Body
		if i+1 < len(sections) { // what stands below a heading within it is an entry of its own
			if end := slices.IndexFunc(body, func(l sources.Line) bool { return l.Number >= sections[i+1].Line }); end >= 0 {
				body = body[:end]
			}
		}
		if !slices.ContainsFunc(out, func(c clarification) bool { return c.line < s.Line && s.Line <= c.last }) {
			out = append(out, listed(s, body)...)
		}
	}
	return out, speaksOfMore(lines, out)
}

// listed are the entries below a heading that is not a task group's.
func listed(s sources.Section, body []sources.Line) []clarification {
	var out []clarification
	from := 0
	take := func(to int) {
		part := body[from:to]
		labels := sources.Labels(part)
		if labels["status"] == "" || labels["question"] == "" {
			return
		}
		c := clarification{group: first(labels["task group"], labels["group"], s.Title), line: s.Line, last: s.Line}
		if name, _, ok := sources.Label(part[0].Text); ok && isGroup(name) {
			c.line = part[0].Number
		}
		c.read(part)
		out = append(out, c)
	}
	for i, l := range body {
		if name, _, ok := sources.Label(l.Text); ok && isGroup(name) && sources.Labels(body[from:i])["status"] != "" {
			take(i)
			from = i
		}
	}
	take(len(body))
	for _, t := range sources.Tables(body) {
		for i, row := range t.Rows {
			c := clarification{group: t.Cell(row, "task group", "group", "id"), question: t.Cell(row, "question"), status: t.Cell(row, "status"), line: t.Lines[i], last: t.Lines[i]}
			if c.question != "" && c.status != "" {
				out = append(out, c)
			}
		}
	}
	return out
}

func isGroup(label string) bool { return label == "task group" || label == "group" }

// speaksOfMore: outside of the entries something is called pending, or nothing but a question is there.
func speaksOfMore(lines []sources.Line, entries []clarification) bool {
	for _, l := range lines {
		if slices.ContainsFunc(entries, func(c clarification) bool { return c.line <= l.Number && l.Number <= c.last }) {
			continue
		}
		text := strings.ToLower(l.Text)
		if strings.Contains(text, "pending") && !strings.Contains(text, "answered") { // a line with both words lists them
			return true
		}
		if len(entries) == 0 && strings.HasSuffix(strings.TrimSpace(text), "?") {
			return true
		}
	}
	return false
}

// read takes in the lines of an entry.
func (c *clarification) read(body []sources.Line) {
	into := ""
	for _, l := range body {
		c.last = l.Number
		name, value, ok := sources.Label(l.Text)
		switch {
		case ok && isGroup(name):
			into = ""
			continue
		case ok && (name == "asked" || name == "question" || name == "status" || name == "response" || name == "answer"):
			into = name
		case into == "question":
			value = strings.TrimSpace(l.Text)
		default:
			continue
		}
		c.take(into, value)
	}
}

func (c *clarification) take(name, value string) {
	switch name {
	case "asked":
		c.asked = value
	case "status":
		c.status = value
	case "question":
		c.question = strings.TrimSpace(c.question + "\n" + value)
	}
}
