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

// pointed reads all phase headings as phases if the plan calls one of them its current phase. The headings need no status and no boxes.
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

// followPointer is for a plan that shows nothing about its phases except which one is current. It marks the current phase as in progress,
// and the phases before it as done.
func (p *plan) followPointer() {
	silent := func(ph *phase) bool { return ph.wordLine == 0 && len(ph.boxes()) == 0 && !ph.carriedOut() }
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
