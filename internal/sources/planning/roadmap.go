package planning

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// roadmap is the content of ROADMAP.md: the planned phases and their states.
type roadmap struct {
	path   string
	there  bool
	phases []roadPhase
}

type roadPhase struct {
	number, title string
	standing      phaseState
	headed        bool // a heading says at its end that the phase is complete
}

type phaseState int

const (
	unmarked phaseState = iota
	open
	closed
)

var (
	phaseBox     = textdoc.NewForm(`^[ \t]*[-*+][ \t]+\[([^\]]{1,12})\][ \t]+(?:~~)?(?:\*\*|__)?\[?Phase[ \t]+([0-9]{1,6}(?:\.[0-9]{1,4})?)[ \t]*[:–—-]?[ \t]*([^*\]]*)`)
	phaseHeading = textdoc.NewForm(`(?i)^(?:[^\w]{0,8})phase[ \t]+([0-9]{1,6}(?:\.[0-9]{1,4})?)[ \t]*[:–—-]?[ \t]*(.*)$`)
	phaseCell    = textdoc.NewForm(`^(?i:phase[ \t]+)?([0-9]{1,6}(?:\.[0-9]{1,4})?)[.:]?(?:[ \t]+(.*))?$`)
	shippedRange = textdoc.NewForm(`(?i)\bphases[ \t]+([0-9]{1,4})(?:\.[0-9]+)?[ \t]*[-–—][ \t]*([0-9]{1,4})`)
)

// parse reads the states of phases from check boxes, headings, tables and lines about shipped milestones. If they contradict each other,
// closed wins over open.
func (r *roadmap) parse(text string) error {
	lines := textdoc.Visible(text)
	for _, l := range lines {
		if m := phaseBox.FindStringSubmatch(l.Text); m != nil {
			r.note(m[2], m[3], stateOfBox(m[1], l.Text))
		}
		if m := shippedRange.FindStringSubmatch(l.Text); m != nil && (strings.Contains(l.Text, "✅") || strings.Contains(strings.ToLower(l.Text), "shipped")) {
			r.ship(m[1], m[2])
		}
	}
	for _, s := range textdoc.Sections(lines) {
		if m := phaseHeading.FindStringSubmatch(s.Title); m != nil {
			p := r.note(m[1], m[2], stateOfHeading(s))
			p.headed = p.headed || sources.SaysDone(s.Title)
		}
	}
	for _, t := range textdoc.Tables(lines) {
		for _, row := range t.Rows {
			m := phaseCell.FindStringSubmatch(t.Cell(row, "Phase", "#"))
			if status := t.Cell(row, "Status"); m != nil && status != "" {
				r.note(m[1], cmp.Or(m[2], t.Cell(row, "Name")), stateOfWord(status))
			}
		}
	}
	return nil
}

func stateOfBox(mark, line string) phaseState {
	if strings.EqualFold(strings.TrimSpace(mark), "x") || strings.Contains(line, "~~") {
		return closed
	}
	return open
}

func stateOfWord(word string) phaseState {
	switch sources.MeaningOf(word) {
	case sources.MeansDone, sources.MeansClosed:
		return closed
	case sources.MeansUnknown:
		if strings.Contains(word, "✅") {
			return closed
		}
	}
	return open
}

func stateOfHeading(s textdoc.Section) phaseState {
	if strings.Contains(s.Title, "✅") || sources.SaysDone(s.Title) {
		return closed
	}
	if word := textdoc.Labels(s.Body)["status"]; word != "" {
		return stateOfWord(word)
	}
	return unmarked
}

// The method note() stores the state that one line of the roadmap gives to a phase, and returns the phase. If several lines differ, closed wins over open.
func (r *roadmap) note(number, title string, s phaseState) *roadPhase {
	title, _, _ = strings.Cut(title, " - ")
	title = strings.TrimSpace(strings.TrimRight(title, "*_ ✅"))
	for i := range r.phases {
		if p := &r.phases[i]; sources.NaturalOrder(p.number, number) == 0 {
			p.standing, p.title = max(p.standing, s), cmp.Or(p.title, title)
			return p
		}
	}
	const most = 2000
	if len(r.phases) == most {
		return &roadPhase{}
	}
	r.phases = append(r.phases, roadPhase{number: number, title: title, standing: s})
	return &r.phases[len(r.phases)-1]
}

// ship closes the phases of a shipped milestone.
func (r *roadmap) ship(from, to string) {
	a, _ := strconv.Atoi(from)
	b, _ := strconv.Atoi(to)
	for n := a; n <= b && n-a < 500; n++ {
		r.note(strconv.Itoa(n), "", closed)
	}
}

func (r *roadmap) at(number string) (roadPhase, bool) {
	p := planfolder.Find(r.phases, number, func(p roadPhase) string { return p.number })
	return p, p.number != ""
}

func (r *roadmap) hasClosedPhase() bool {
	return slices.ContainsFunc(r.phases, func(p roadPhase) bool { return p.standing == closed })
}
