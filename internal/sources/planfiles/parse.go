package planfiles

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// plan is a task_plan.md.
type plan struct {
	phases []*phase
	// more is the number of phases that are not read, because there are too many.
	more int
	// current is what the plan calls its current phase, and next is what it calls its next step.
	current, next string
}

// phase is a unit of work. It has a status word, boxes below it, or a box of its own.
type phase struct {
	id, title string
	line      int
	// raw is the status word, and means its meaning. The word stands in the line wordLine, in the given column of a table or as its last
	// word. There is no word if wordLine is zero.
	raw      string
	means    sources.Meaning
	wordLine int
	column   int
	own      *textdoc.Box
	steps    []textdoc.Box
	needs    []string
	optional bool
	// first means that the numbers begin again here: one document may hold several plans.
	first bool
}

// mostPhases is the number of phases from which on the rest is counted.
const mostPhases = 2000

// heading is a heading with the lines up to the next heading, and up to the end of its section.
type heading struct {
	level       int
	title       string
	line, index int
	place       int // its place among all headings
	end         int // the index of the first line that does not belong to it
	id, name    string
	named       bool
}

// document is the visible text of a plan.
type document struct {
	lines    []textdoc.Line
	boxes    []textdoc.Box
	headings []heading
}

// parse reads the phases of a plan in the first form that it has.
func parse(text string) *plan {
	d := &document{lines: textdoc.Visible(text)}
	d.boxes, _ = textdoc.Boxes(text)
	d.readHeadings()
	p := &plan{}
	for _, form := range []func() []*phase{d.headed, d.bracketed, d.tabled, d.grouped, d.sectioned, d.boxed} {
		if p.phases = form(); len(p.phases) > 0 {
			break
		}
	}
	if n := len(p.phases); n > mostPhases {
		p.phases, p.more = p.phases[:mostPhases], n-mostPhases
	}
	giveIDs(p.phases)
	sections := textdoc.Sections(d.lines)
	p.current, p.next = firstLine(sections, currentTitles), firstLine(sections, nextTitles)
	if m := currently.FindStringSubmatch(firstLine(sections, []string{"status"})); p.current == "" && m != nil {
		p.current = m[1]
	}
	return p
}

// currently matches the text by which older templates name the current phase.
var currently = textdoc.NewForm(`(?i)\bcurrently in (phase [0-9a-z.]{1,12})\b`)

// firstLine returns the first line with text in the first section that has one of the titles.
func firstLine(sections []textdoc.Section, titles []string) string {
	s, _ := textdoc.SectionOf(sections, titles...)
	for _, l := range s.Body {
		if _, _, ok := textdoc.Heading(l.Text); ok {
			return ""
		}
		if text := textdoc.OneLine(textdoc.Unbulleted(l.Text)); text != "" {
			return textdoc.Shorten(text, 200)
		}
	}
	return ""
}

func (d *document) readHeadings() {
	for i, l := range d.lines {
		if level, title, ok := textdoc.Heading(l.Text); ok {
			h := heading{level: level, title: title, line: l.Number, index: i, place: len(d.headings)}
			h.id, h.name, h.named = nameOf(title)
			if level == 1 && len(d.headings) == 0 {
				h.named = false // the title of the document
			}
			d.headings = append(d.headings, h)
		}
	}
}

// phaseHeadings returns the headings of phases: those that call themselves so, and those right below a heading for all phases. A heading
// within a phase that repeats its number belongs to it.
func (d *document) phaseHeadings() []heading {
	var out, above []heading
	group := 0
	for _, h := range d.headings {
		above = slices.DeleteFunc(above, func(a heading) bool { return a.level >= h.level })
		if group >= h.level {
			group = 0
		}
		repeats := slices.ContainsFunc(above, func(a heading) bool { return a.named && a.id == h.id })
		above = append(above, h)
		switch {
		case isGroup(h.title):
			group = h.level
		case h.named && !repeats, group > 0 && h.level == group+1 && !h.named:
			out = append(out, h)
		}
	}
	return d.spans(out)
}

// spans finds the end of each heading: the next one of them, or the next heading of the same or a higher level.
func (d *document) spans(some []heading) []heading {
	for i := range some {
		h := &some[i]
		h.end = len(d.lines)
		for _, o := range d.headings[h.place+1:] {
			if isNext := i+1 < len(some) && o.line == some[i+1].line; isNext || o.level <= h.level {
				h.end = o.index
				break
			}
		}
	}
	return some
}

// phaseAt reads the phase below a heading.
func (d *document) phaseAt(h heading) *phase {
	p := &phase{line: h.line, id: h.id}
	bare, word := suffix(h.name)
	if p.title = textdoc.OneLine(bare); word != "" {
		p.raw, p.means, p.wordLine = word, meaningOf(word), h.line
	}
	if p.title == "" {
		p.title = textdoc.OneLine(h.title)
	}
	for _, l := range d.lines[h.index+1 : h.end] {
		name, value := label(l.Text)
		switch {
		case slices.Contains(statusLabels, name) && p.wordLine == 0 && value != "":
			p.raw, p.means, p.wordLine = textdoc.Unmark(value), meaningOf(value), l.Number
		case slices.Contains(needsLabels, name) && p.needs == nil:
			p.needs = needsOf(value)
		}
	}
	p.steps = d.boxesIn(h.line, d.endLine(h.end))
	lower := strings.ToLower(p.title)
	p.optional = strings.Contains(lower, "(optional)") || strings.Contains(lower, "可选")
	return p
}

// endLine returns the number of the line at an index, or a number behind the last line.
func (d *document) endLine(index int) int {
	if index < len(d.lines) {
		return d.lines[index].Number
	}
	return int(^uint(0) >> 1)
}

// boxesIn returns the boxes between two lines that have no boxes below them.
func (d *document) boxesIn(from, to int) (out []textdoc.Box) {
	at, _ := slices.BinarySearchFunc(d.boxes, from+1, func(b textdoc.Box, line int) int { return b.Line - line })
	for _, b := range d.boxes[at:] {
		if b.Line >= to {
			break
		}
		if !b.Parent {
			out = append(out, b)
		}
	}
	return out
}

var numbers = textdoc.NewForm(`[0-9]+(?:\.[0-9]+)*[a-z]?`)

func needsOf(value string) []string {
	if value == "" {
		return nil
	}
	return numbers.FindAllString(value, 50)
}

// headed reads phases by headings, if one of them has a status.
func (d *document) headed() []*phase {
	all, least := d.phaseHeadings(), 1
	if len(all) == 0 {
		all, least = d.spans(slices.Clone(d.headings)), 2 // nothing else shows that a heading is a phase
	}
	var out []*phase
	words := 0
	for _, h := range all {
		p := d.phaseAt(h)
		if p.wordLine > 0 {
			words++
		}
		if p.wordLine > 0 || len(p.steps) > 0 || h.named {
			out = append(out, p)
		}
	}
	if words < least {
		return nil
	}
	if len(out) > diaryPhases || least > 1 {
		out = slices.DeleteFunc(out, func(p *phase) bool { return p.wordLine == 0 && (least > 1 || len(p.steps) == 0) })
	}
	return out
}

// bracketed reads items such as "- [in_progress] text", if most boxes have a word.
func (d *document) bracketed() []*phase {
	words := 0
	for _, b := range d.boxes {
		if isWord(b.Mark) {
			words++
		}
	}
	if words == 0 || words*2 < len(d.boxes) {
		return nil
	}
	out := d.items(0, d.endLine(len(d.lines)))
	return slices.DeleteFunc(out, func(p *phase) bool { return !isWord(p.own.Mark) })
}

// isWord reports whether the text in the brackets of a box is a word.
func isWord(mark string) bool { return len(sources.FoldWord(mark)) > 1 }

// items reads the outer boxes between two lines as phases. Boxes below them are their steps.
func (d *document) items(from, to int) (out []*phase) {
	at := map[int]*phase{}
	for i := range d.boxes {
		b := &d.boxes[i]
		if b.Line <= from || b.Line >= to {
			continue
		}
		if above := at[b.Above]; above != nil {
			if at[i] = above; !b.Parent {
				above.steps = append(above.steps, *b)
			}
			continue
		}
		p := &phase{line: b.Line, own: b, optional: b.Optional && !b.Dropped}
		if p.id, p.title, _ = nameOf(b.Title); b.ID != "" {
			p.id = b.ID
		}
		if p.title == "" {
			p.title = b.Title
		}
		if isWord(b.Mark) {
			p.raw, p.means, p.wordLine = b.Mark, meaningOf(b.Mark), b.Line
		} else if bare, word := suffix(p.title); meaningOf(word) == sources.MeansInProgress && !b.Done {
			p.title, p.raw, p.means = bare, word, sources.MeansInProgress // such as "- [ ] Phase 2: Sell cards (in progress)"
		}
		at[i], out = p, append(out, p)
	}
	return out
}

// tabled reads tables with a column for phases and one for their status.
func (d *document) tabled() (out []*phase) {
	for _, t := range textdoc.Tables(d.lines) {
		status := slices.IndexFunc(t.Header, func(h string) bool { return slices.Contains(statusLabels, strings.ToLower(h)) })
		first := slices.IndexFunc(t.Header, func(h string) bool {
			return slices.ContainsFunc(phaseColumns, func(c string) bool { return strings.HasPrefix(strings.ToLower(h), c) })
		})
		if status < 0 || first < 0 || first == status {
			continue
		}
		for i, row := range t.Rows {
			if len(row) > max(status, first) {
				out = append(out, rowPhase(t, i, first, status))
			}
		}
	}
	return out
}

// rowPhase reads a row of a table. The title is in the column of the phase, or in the next one if the first has only a number.
func rowPhase(t textdoc.Table, i, first, status int) *phase {
	row := t.Rows[i]
	p := &phase{line: t.Lines[i], raw: row[status], means: meaningOf(row[status]), wordLine: t.Lines[i], column: status + 1}
	p.id, p.title, _ = nameOf(row[first])
	if p.id == "" && numbers.FindString(p.title) == p.title {
		p.id, p.title = p.title, ""
	}
	if second := first + 1; p.title == "" && second < len(row) && second != status {
		p.title = textdoc.OneLine(row[second])
	}
	if p.title == "" {
		p.title = textdoc.OneLine(row[first])
	}
	return p
}

// grouped reads a list of boxes right below the heading for all phases. A heading with the number of such a box has its steps.
func (d *document) grouped() (out []*phase) {
	for i, h := range d.headings {
		end := len(d.lines)
		if i+1 < len(d.headings) {
			end = d.headings[i+1].index
		}
		if isGroup(h.title) {
			out = append(out, d.items(h.line, d.endLine(end))...)
		}
	}
	if len(out) < 2 {
		return nil
	}
	byID := map[string]*phase{}
	for _, p := range out {
		byID[p.id] = p
	}
	for _, h := range d.phaseHeadings() {
		switch p, item := d.phaseAt(h), byID[h.id]; {
		case len(p.steps) == 0:
		case h.id == "" || item == nil:
			out = append(out, p)
		case len(item.steps) == 0:
			item.steps, item.title = p.steps, p.title
		}
	}
	return out
}

// sectioned reads headings with boxes.
func (d *document) sectioned() []*phase {
	withBoxes := func(some []heading) (out []*phase) {
		for _, h := range some {
			if p := d.phaseAt(h); len(p.steps) > 0 {
				out = append(out, p)
			}
		}
		return out
	}
	if out := withBoxes(d.phaseHeadings()); len(out) > 0 {
		return out
	}
	all := slices.Clone(d.headings)
	for i := range all {
		if all[i].end = len(d.lines); i+1 < len(all) {
			all[i].end = all[i+1].index
		}
	}
	if out := withBoxes(all); len(out) > 1 {
		return out
	}
	return nil
}

// boxed reads all boxes of the document.
func (d *document) boxed() []*phase { return d.items(0, d.endLine(len(d.lines))) }

// giveIDs gives each phase an id that no other phase has: its number, or otherwise its place.
func giveIDs(all []*phase) {
	taken, own := map[string]bool{}, map[string]bool{}
	for _, p := range all {
		if p.first = own[p.id]; p.first {
			own = map[string]bool{}
		}
		own[p.id] = p.id != ""
		for p.id != "" && taken[p.id] {
			p.id += "-" + strconv.Itoa(p.line)
		}
		taken[p.id] = true
	}
	for i, p := range all {
		for n := i + 1; p.id == ""; n += len(all) {
			if id := strconv.Itoa(n); !taken[id] {
				p.id, taken[id] = id, true
			}
		}
	}
}
