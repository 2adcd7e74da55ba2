package planfiles

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// plan is the content of a file task_plan.md.
type plan struct {
	phases []*phase
	// more is the number of phases beyond mostPhases, which are left out.
	more int
	// current is the phase that the plan calls its current one, and next is the text that it gives as the next step.
	current, next string
}

// phase is a unit of work. Its progress is shown by a status word, by boxes below it, or by its own box.
type phase struct {
	id, title string
	line      int
	// raw is the status word, and the field "means" holds its meaning. wordLine is the line number of the word, or zero if there is none.
	// In a table row, column is the column of the word.
	raw      string
	means    sources.Meaning
	wordLine int
	column   int
	own      *textdoc.Box
	steps    []textdoc.Box
	needs    []string
	optional bool
	// named is a commit that names the phase and is not older than the plan. The field "passed" means that such a commit names a later
	// phase.
	named  object.ID
	passed bool
	logged int // the line of progress.md below which the phase is recorded as done, or zero
	// pointed is true if the phase has no status word, and its meaning was derived from the plan's current phase instead.
	pointed bool
	// first means that the phase numbers start again here, because another plan begins in the same document.
	first bool
}

// mostPhases is how many phases are read. Further phases are only counted.
const mostPhases = 2000

// heading is a heading of the document. It also says where its section ends.
type heading struct {
	level       int
	title       string
	line, index int
	place       int // the index of this heading among all headings
	end         int // the index of the first line after this section
	id, name    string
	named       bool
}

// document is the text of a plan without hidden parts such as comments, with its boxes and headings.
type document struct {
	lines    []textdoc.Line
	boxes    []textdoc.Box
	headings []heading
}

// parse reads the phases of a plan. Plans have many forms: the first form that gives phases is used.
func parse(text string) *plan {
	d := &document{lines: textdoc.Visible(text)}
	d.boxes, _ = textdoc.Boxes(text)
	d.readHeadings()
	p := &plan{}
	sections := textdoc.Sections(d.lines)
	p.readPointer(sections)
	pointed := func() []*phase { return d.pointed(p.current) }
	for _, form := range []func() []*phase{d.headed, d.bracketed, d.tabled, d.grouped, d.sectioned, pointed, d.boxed} {
		if p.phases = form(); len(p.phases) > 0 {
			break
		}
	}
	if n := len(p.phases); n > mostPhases {
		p.phases, p.more = p.phases[:mostPhases], n-mostPhases
	}
	giveIDs(p.phases)
	return p
}

// firstLine returns the first line with text in the first section that has one of the given titles, or "".
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
				h.named = false // this heading is the title of the document, and not a phase
			}
			d.headings = append(d.headings, h)
		}
	}
}

// phaseHeadings returns the headings that begin a phase. Such a heading starts with a word such as "Phase", or it is in a list of phases:
// one level below a heading such as "Phases". Inside a phase, a heading with the same phase number does not begin a new phase.
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

// spans sets where each given heading ends: before the next given heading or the next heading of its level or a higher one.
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

// phaseAt reads the phase that a heading begins.
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

// endLine returns the line number for an index into the lines. After the last line, it returns a very large number.
func (d *document) endLine(index int) int {
	if index < len(d.lines) {
		return d.lines[index].Number
	}
	return int(^uint(0) >> 1)
}

// boxesIn returns the boxes between two lines. It leaves out boxes that have other boxes below them.
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

// headed reads phases from headings. It returns nil if too few of these phases have a status word.
func (d *document) headed() []*phase {
	all, least := d.phaseHeadings(), 1
	if len(all) == 0 {
		all, least = d.spans(slices.Clone(d.headings)), 2 // without other signs of phases, at least two headings must have a status word
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

// bracketed reads phases from items such as "- [in_progress] text". It returns nil if fewer than half of the boxes contain a word.
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

// isWord reports whether the mark in a box is a word and not a single character.
func isWord(mark string) bool { return len(sources.FoldWord(mark)) > 1 }

// items reads the outermost boxes between two lines as phases. The boxes inside them are their steps.
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

// tabled reads phases from tables that have a column for the phase and a column for the status.
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

// rowPhase reads the phase in a table row. Its title is in the phase column, or in the next column if the phase column has only a number.
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

// grouped reads the checkboxes directly below headings such as "Phases" as phases, and returns nil if there are fewer than two. A heading
// such as "Phase 2" with checkboxes gives its steps to the phase with this id, or becomes a further phase if no phase has this id.
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

// sectioned reads each phase heading with boxes below it as a phase. If there is no such heading, but at least two other headings have
// boxes, it reads these headings as phases.
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

// boxed reads the outermost boxes of the whole document as phases.
func (d *document) boxed() []*phase { return d.items(0, d.endLine(len(d.lines))) }

// giveIDs gives each phase a unique id, made from its number or its position in the plan.
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
