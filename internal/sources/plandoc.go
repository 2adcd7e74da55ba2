package sources

import (
	"regexp"
	"strings"
)

// PlanDoc is a plan as the long-run family writes it: front matter, and tasks as tags within Markdown.
type PlanDoc struct {
	Front Value
	Title string
	// Needs are the plans that come first.
	Needs []string
	// Steps are the names of its tasks, in order; Human says that one of them waits for a person.
	Steps []string
	Human bool
}

var (
	planTask = lazily(`^[ \t]*<task\b(?:[ \t]+type="([^"]{0,60})")?[^>]{0,200}>`)
	planName = lazily(`^[ \t]*<name>(.{0,500}?)</name>`)
	stepMark = regexp.MustCompile(`^(?i:task)[ \t]+[0-9.]{1,8}[ \t]*[:.-][ \t]*`)
)

// ReadPlanDoc reads what it can; a front matter that cannot be read is told by the error, and the rest is there all the same.
func ReadPlanDoc(text string) (PlanDoc, error) {
	front, body, err := FrontMatter(text)
	p := PlanDoc{Front: front, Needs: front.Get("depends_on").Texts(), Title: front.Get("task_group", "name", "title").Text()}
	named, goal := true, false
	for _, l := range Visible(body) {
		if goal && p.Title == "" {
			p.Title = strings.TrimSpace(l.Text) // the first line of what the plan is for
		}
		goal = goal && p.Title == "" || strings.TrimSpace(l.Text) == "<objective>"
		if m := planTask().FindStringSubmatch(l.Text); m != nil {
			p.Steps, named = append(p.Steps, ""), false
			p.Human = p.Human || strings.HasPrefix(m[1], "checkpoint")
			continue
		}
		if m := planName().FindStringSubmatch(l.Text); m != nil && !named {
			p.Steps[len(p.Steps)-1], named = StepName(m[1]), true
		}
		if m := headingMark().FindStringSubmatch(l.Text); m != nil && p.Title == "" {
			p.Title = Unmark(m[2])
		}
	}
	return p, err
}

// StepName is the name of a task without its number.
func StepName(name string) string {
	name = strings.TrimSpace(name)
	return name[len(stepMark.FindString(name)):]
}

var positionForm = lazily(`^([0-9]{1,6}(?:\.[0-9]{1,4})?)(?:[ \t]*(?:of|/)[ \t]*([0-9]{1,6}|[A-Za-z?]{1,10}))?(?:[ \t]|$|[.,;(])`)

// Position reads where a state file says that it stands: "2 of 5", "2/5", "4 of TBD"; ok is false for a text such as "All plans complete".
func Position(text string) (at, of string, ok bool) {
	m := positionForm().FindStringSubmatch(Unmark(text))
	if m == nil {
		return "", "", false
	}
	if digits(m[2]) == 0 {
		m[2] = ""
	}
	return m[1], m[2], true
}
