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

// positionText returns the text of STATE.md after replacing the current plan with the plan of the given id. It returns "" if the current
// plan cannot be found or replaced.
func (s *stateFile) positionText(text, id string) string {
	if !strings.HasPrefix(s.current, "0") {
		id = strings.TrimLeft(id, "0")
	}
	lines := textdoc.Visible(text)
	if position, ok := textdoc.SectionOf(textdoc.Sections(lines), "Current Position", "Status"); ok && textdoc.Labels(position.Body)["plan"] != "" {
		lines = position.Body
	}
	all := strings.SplitAfter(text, "\n")
	for _, l := range lines {
		name, value, ok := textdoc.Label(l.Text)
		if at, _, is := planfolder.Position(value); !ok || name != "plan" || !is || at != s.current || l.Number > len(all) {
			continue
		}
		before, after, _ := strings.Cut(all[l.Number-1], ":")
		all[l.Number-1] = before + ":" + strings.Replace(after, s.current, id, 1)
		var moved stateFile
		if now := strings.Join(all, ""); id != "" {
			if moved.parse(textdoc.Text([]byte(now))) == nil && sources.NaturalOrder(moved.current, id) == 0 {
				return now
			}
		}
		return ""
	}
	return ""
}

// complete reports whether STATE.md says that the whole run is done. The text "Phase complete" does not count.
func (s *stateFile) complete() bool {
	return s.OK && sources.MeaningOf(s.Status) == sources.MeansDone
}
