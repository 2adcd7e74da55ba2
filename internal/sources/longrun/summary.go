package longrun

import (
	"path"
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

// done: the plan's own record says that it was finished.
func (s *summary) done() bool {
	if s == nil {
		return false
	}
	if s.status == "" {
		return s.ticked > 0 && s.open == 0
	}
	return sources.MeaningOf(s.status) == sources.MeansDone
}

func (s *summary) is(word string) bool { return s != nil && sources.FoldWord(s.status) == word }

func (r *run) readSummary(id, file string) {
	u := r.unit(id)
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
	_, doubts := r.view.Recover(r.ctx, r.tree, file, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err == nil {
			r.asked = parseClarifications(text)
		}
		return err
	})
	r.doubts = append(r.doubts, doubts...)
	for _, c := range r.asked {
		r.sawText(c.asked, "clarifications.md")
	}
}

var groupHeading = sources.NewForm(`^(?i:task group)[ \t]+\[?([0-9A-Za-z.]{1,20})\]?[ \t]*(?:[:–—-][ \t]*(.*))?$`)

// parseClarifications reads the entries; what stands in code blocks is the form of an entry, not one.
func parseClarifications(text string) []clarification {
	var out []clarification
	for _, s := range sources.Sections(sources.Visible(text)) {
		m := groupHeading.FindStringSubmatch(s.Title)
		if m == nil {
			continue
		}
		c := clarification{group: m[1], title: strings.TrimSpace(m[2]), line: s.Line, last: s.Line}
		into := ""
		for _, l := range s.Body {
			c.last = l.Number
			name, value, ok := sources.Label(l.Text)
			if ok && (name == "asked" || name == "question" || name == "status" || name == "response") {
				into = name
			} else if value = strings.TrimSpace(l.Text); into != "question" {
				continue
			}
			c.take(into, value)
		}
		out = append(out, c)
	}
	return out
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
