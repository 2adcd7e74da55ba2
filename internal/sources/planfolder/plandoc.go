package planfolder

import (
	"strings"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// PlanDoc is a plan document with front matter, and with tasks as tags within the Markdown text. The long-run system and related systems
// use this format.
type PlanDoc struct {
	Front textdoc.Value
	Title string
	// Groups lists the task groups that the plan covers, if it says so.
	Groups []string
	// Needs lists the plans that must be done before this plan.
	Needs []string
	// Steps lists the names of the tasks in order. Human means that at least one task is a checkpoint for a person.
	Steps []string
	Human bool
}

// These are the maximum lengths of a task's type, tag and name, in characters.
const (
	longestKind = 60
	longestTag  = 200
	longestName = 500
)

// planTask returns the type of a task from its opening tag, such as '<task type="auto">'. The type is empty if the tag has none.
func planTask(line string) (kind string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, textdoc.Blanks), "<task")
	if !ok || rest == "" || isWord(rest[0]) {
		return "", false
	}
	if typed, ok := strings.CutPrefix(strings.TrimLeft(rest, textdoc.Blanks), `type="`); ok && textdoc.IsBlank(rest[0]) {
		if text, after, ok := strings.Cut(typed, `"`); ok && utf8.RuneCountInString(text) <= longestKind && closes(after) {
			return text, true
		}
	}
	return "", closes(rest)
}

// closes reports whether a tag ends within the maximum length.
func closes(tag string) bool {
	inner, _, ok := strings.Cut(tag, ">")
	return ok && utf8.RuneCountInString(inner) <= longestTag
}

func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// planName returns the name from a line of the form '<name>…</name>'.
func planName(line string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, textdoc.Blanks), "<name>")
	name, _, closed := strings.Cut(rest, "</name>")
	return name, ok && closed && utf8.RuneCountInString(name) <= longestName
}

var stepMark = textdoc.NewFormWith("task", `^(?i:task)[ \t]+[0-9.]{1,8}[ \t]*[:.-][ \t]*`)

// ReadPlanDoc reads as much of a plan as possible. If the front matter is invalid, it returns an error together with the rest of the plan.
func ReadPlanDoc(text string) (PlanDoc, error) {
	front, body, err := yamldoc.FrontMatter(text)
	p := PlanDoc{Front: front, Needs: front.Get("depends_on").Texts(), Title: front.Get("task_group", "name", "title").Text()}
	if strings.Trim(p.Title, "0123456789.") == "" { // the number of a task group is not a title
		p.Title = front.Get("name", "title").Text()
	}
	p.Groups = front.Get("task_groups", "task_group").Texts()
	named, goal := true, false
	var headed []string
	for _, l := range textdoc.Visible(body) {
		if goal && p.Title == "" {
			p.Title = strings.TrimSpace(l.Text) // use the first line of the objective as the title
		}
		goal = goal && p.Title == "" || strings.TrimSpace(l.Text) == "<objective>"
		if name, value, ok := textdoc.Label(l.Text); ok && len(p.Groups) == 0 && (name == "task group" || name == "task groups") {
			p.Groups = []string{textdoc.Unmark(value)}
		}
		if kind, ok := planTask(l.Text); ok {
			p.Steps, named = append(p.Steps, ""), false
			p.Human = p.Human || strings.HasPrefix(kind, "checkpoint")
			continue
		}
		if name, ok := planName(l.Text); ok && !named {
			p.Steps[len(p.Steps)-1], named = StepName(name), true
		}
		_, title, ok := textdoc.Heading(l.Text)
		if ok && p.Title == "" {
			p.Title = headedTitle(textdoc.Unmark(title))
		}
		if title = textdoc.Unmark(title); ok && stepMark.FindString(title) != "" {
			headed = append(headed, StepName(title))
		}
	}
	if len(p.Steps) == 0 {
		p.Steps = headed // plans without tags have headings such as "## Task 1: add routes"
	}
	if len(p.Groups) == 1 && strings.Trim(p.Groups[0], "0123456789., ") == "" {
		p.Groups = strings.FieldsFunc(p.Groups[0], func(r rune) bool { return r == ',' || r == ' ' })
	}
	return p, err
}

var planMark = textdoc.NewFormWith("plan", `^(?i:plan)[ \t]+[0-9.-]{1,12}[ \t]*(?::|[–—-][ \t])[ \t]*`)

// headedTitle returns the title of a plan from its heading, without a leading "Plan 01:".
func headedTitle(title string) string {
	if rest := title[len(planMark.FindString(title)):]; rest != "" {
		return rest
	}
	return title
}

// StepName returns the name of a task without the leading "Task 1:".
func StepName(name string) string {
	name = strings.TrimSpace(name)
	return name[len(stepMark.FindString(name)):]
}

var positionForm = textdoc.NewForm(`^(?i:phase[ \t]+|plan[ \t]+)?([0-9]{1,6}(?:\.[0-9]{1,4})?)(?:[ \t]*(?:of|van|von|de|di|sur|из|/)[ \t]*([0-9]{1,6}|[A-Za-z?]{1,10}))?(?:[ \t]|$|[.,;(])`)

// Position parses the position in a state file: "2 of 5", "2/5", "4 of TBD", "Phase 2 of 5" or "2 van 5". The second result is empty if the total is not a number.
// For a text such as "All plans complete", ok is false.
func Position(text string) (at, of string, ok bool) {
	m := positionForm.FindStringSubmatch(textdoc.Unmark(text))
	if m == nil {
		return "", "", false
	}
	if digits(m[2]) == 0 {
		m[2] = ""
	}
	return m[1], m[2], true
}
