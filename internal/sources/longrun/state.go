package longrun

import (
	"cmp"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// stateFile is STATE.md, in which the run itself records its position.
type stateFile struct {
	planfolder.StateFile
	current string // the plan that STATE.md names as its position, or empty if there is none
	group   string
	start   string
}

var taskNumber = textdoc.NewForm(`^(?i:task)[ \t]+([0-9]{1,6})`)

// parse reads both formats of STATE.md. The first contains "Plan: X of Y" and "Status:". The second contains "Phase:" and "Current Task:
// Task N".
func (s *stateFile) parse(text string) error {
	at := s.Positioned(text, "Current Position", "Status")
	s.Status = cmp.Or(at["status"], s.Labels["status"], at["phase"])
	s.current, _, _ = planfolder.Position(cmp.Or(at["plan"], s.Labels["plan"]))
	if m := taskNumber.FindStringSubmatch(at["current task"]); s.current == "" && m != nil {
		s.current = m[1]
	}
	s.group = at["task group"]
	s.start = s.Labels["start_commit"]
	return nil
}

// positionText returns the text of STATE.md after replacing the current plan with the plan of the given id. If both the front matter and
// the text below it name the current plan, both are changed. It returns "" if the current plan cannot be found or replaced.
func (s *stateFile) positionText(text, id string) string {
	front, body := cutFront(textdoc.Visible(text))
	position, ok := textdoc.SectionOf(textdoc.Sections(body), "Current Position", "Status")
	inSection := ok && textdoc.Labels(position.Body)["plan"] != ""
	if inSection {
		body = position.Body
	}
	all := strings.SplitAfter(text, "\n")
	inFront := s.movePlan(all, front, id, false)
	s.movePlan(all, body, id, inFront && !inSection)
	var moved stateFile
	if now := strings.Join(all, ""); now != text && moved.parse(textdoc.Text([]byte(now))) == nil && sources.NaturalOrder(moved.current, id) == 0 {
		return now
	}
	return ""
}

// movePlan changes the first of the given lines that names the current plan. If onlyOf is true, a line counts only if it also says how many
// plans there are, as in "Plan: 2 of 4".
func (s *stateFile) movePlan(all []string, lines []textdoc.Line, id string, onlyOf bool) bool {
	for _, l := range lines {
		name, value, ok := textdoc.Label(l.Text)
		at, of, is := planfolder.Position(value)
		if !ok || name != "plan" || !is || sources.NaturalOrder(at, s.current) != 0 || l.Number > len(all) || onlyOf && of == "" {
			continue
		}
		if !strings.HasPrefix(at, "0") {
			id = strings.TrimLeft(id, "0")
		}
		before, after, _ := strings.Cut(all[l.Number-1], ":")
		all[l.Number-1] = before + ":" + strings.Replace(after, at, id, 1)
		return true
	}
	return false
}

// cutFront separates the front matter from the other lines. Without front matter, the first result is empty.
func cutFront(lines []textdoc.Line) (front, body []textdoc.Line) {
	for i, l := range lines {
		switch {
		case i == 0 && l.Text != "---":
			return nil, lines
		case i > 0 && l.Text == "---":
			return lines[:i], lines[i:]
		}
	}
	return nil, lines
}

// complete reports whether STATE.md says that the whole run is done. The text "Phase complete" does not count.
func (s *stateFile) complete() bool {
	return s.OK && sources.MeaningOf(s.Status) == sources.MeansDone
}
