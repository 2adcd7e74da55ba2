package planfiles

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// currently matches the sentence in which older templates name the current phase.
var currently = textdoc.NewForm(`(?i)\bcurrently in (phase [0-9a-z.]{1,12})\b`)

// readPointer reads which phase the plan calls its current one, and what it gives as the next step.
func (p *plan) readPointer(sections []textdoc.Section) {
	p.current, p.next = strings.Trim(firstLine(sections, currentTitles), "*_` "), firstLine(sections, nextTitles)
	if m := currently.FindStringSubmatch(firstLine(sections, []string{"status"})); p.current == "" && m != nil {
		p.current = m[1]
	}
}

// pointed reads each phase heading as a phase, although nothing below it shows its state, if the plan calls one of them its current phase.
func (d *document) pointed(current string) (out []*phase) {
	id, _, _ := nameOf(current)
	all := d.phaseHeadings()
	if id == "" || !slices.ContainsFunc(all, func(h heading) bool { return h.id == id }) {
		return nil
	}
	for _, h := range all {
		out = append(out, d.phaseAt(h))
	}
	return out
}

// followPointer takes the states of phases from the pointer to the current phase, in a plan that says nothing else about any phase: those
// before it are done, and it is in progress.
func (p *plan) followPointer() {
	silent := func(ph *phase) bool { return ph.wordLine == 0 && len(ph.boxes()) == 0 && ph.named == "" }
	if slices.ContainsFunc(p.phases, func(ph *phase) bool { return !silent(ph) }) {
		return
	}
	id, _, _ := nameOf(p.current)
	at := slices.IndexFunc(p.phases, func(ph *phase) bool { return id != "" && ph.id == id })
	for i, ph := range p.phases {
		switch {
		case i < at:
			ph.means, ph.pointed = sources.MeansDone, true
		case i == at:
			ph.means, ph.pointed = sources.MeansInProgress, true
		}
	}
}
