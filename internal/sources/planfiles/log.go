package planfiles

import (
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// addLog notes which open phases are done according to progress.md, because agents often write there what they did and leave the plan as it
// was. The caller must check that progress.md is newer than the plan. The section of a phase must have the same number and title as in the
// plan, because the log may also contain phases of earlier plans.
func (p *plan) addLog(text string) {
	d := &document{lines: textdoc.Visible(text)}
	d.readHeadings()
	for _, h := range d.phaseHeadings() {
		logged := d.phaseAt(h)
		if logged.means != sources.MeansDone {
			continue
		}
		for _, ph := range p.phases {
			if ph.id == logged.id && ph.means != sources.MeansDone && sameTitle(ph.title, logged.title) {
				ph.logged = h.line
			}
		}
	}
}

// sameTitle reports whether two titles of a phase are equal, or one of them is the beginning of the other. It ignores explanations in
// brackets.
func sameTitle(a, b string) bool {
	a, b = sources.FoldWord(a), sources.FoldWord(b)
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
