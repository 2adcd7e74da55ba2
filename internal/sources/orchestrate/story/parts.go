package story

import (
	"strings"

	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/textdoc"
)

var (
	boxForm  = textdoc.NewForm(`^\s*(?:[-*+]|[0-9]+[.)])\s+\[(.)\]\s+(.*)$`)
	pathForm = textdoc.NewForm("`([^`\\s]+\\.[A-Za-z0-9]+|[^`\\s]+/[^`\\s]+)`")
	bareForm = textdoc.NewForm(`^\s*(?:[-*+]|[0-9]+[.)]|\|)\s+([^\s|]*[/.][^\s|]*[A-Za-z0-9])(?:[\s|,;:(]|$)`)
	gateForm = textdoc.NewForm(`(?i)\b(?:PASS(?:ED)?|CONCERNS|FAIL(?:ED)?|WAIVED|NEEDS[_ ]WORK)\b|\bApproved\W+Ready for Done\b|\bChanges Required\b`)
	gateLine = textdoc.NewForm(`(?i)^(?:updated |final |quality |overall )?(?:gate|verdict|assessment)(?: decision| status| result)?\s*:?(.{0,60})`)
	// finalLine matches the two sentences with which a review of BMAD ends.
	finalLine = textdoc.NewForm(`(?i)^[^\pL]*(Approved\W+Ready for Done|Changes Required)\b`)
	gateEntry = textdoc.NewForm(`(?i)\bgate\b([^.;|]{0,60})`)
	needsForm = textdoc.NewFormWith("depend|blocked by|predecessor", `(?i)^[\s>*+-]*[*_]*(?:dependencies|dependency|depends on|blocked by|predecessor|dependências)[*_]*\s*:[*_]*\s*(.+)$`)
	madeForm  = textdoc.NewForm(`(?i)\bimplement(?:ed|ation)\b`)
	goneForm  = textdoc.NewForm(`(?i)\b(?:deleted|removed|renamed|moved)\b`)
	doneForm  = textdoc.NewForm(`(?i)\b(?:complete[d]?|done|finished|implemented)\b`)
)

// Read parses the sections of a story, and caches the result.
func (s *Story) Read() *Parts {
	if s.parts != nil {
		return s.parts
	}
	s.parts = &Parts{}
	lines := textdoc.Visible(s.Text)
	sections := plainTitles(textdoc.Sections(lines))
	s.parts.boxes(lines, sections)
	for _, sec := range sections {
		switch title := strings.ToLower(sec.Title); {
		case title == "change log" || title == "changelog" || title == "histórico":
			s.parts.Log = append(s.parts.Log, entries(sec.Body)...)
		case strings.HasPrefix(title, "file list"):
			s.parts.Files = append(s.parts.Files, paths(sec.Body)...)
		case strings.HasPrefix(title, "qa") && (strings.Contains(title, "result") || strings.Contains(title, "review")):
			s.parts.verdict(sec.Body)
		case title == "dependencies":
			for _, l := range sec.Body {
				s.parts.need(l.Text)
			}
		}
	}
	for _, l := range lines[:min(len(lines), headLines)] {
		if m := needsForm.FindStringSubmatch(l.Text); m != nil {
			s.parts.need(m[1])
		}
	}
	if s.parts.Gate == "" {
		for _, e := range s.parts.Log {
			s.parts.keepVerdict(gateEntry.FindStringSubmatch(e))
		}
	}
	return s.parts
}

// plainTitles removes emoji and punctuation from both ends of the titles.
func plainTitles(sections []textdoc.Section) []textdoc.Section {
	for i := range sections {
		t := strings.TrimFunc(sections[i].Title, func(r rune) bool { return !statefile.IsLetter(r) && (r < '0' || r > '9') && r != ')' })
		if t != "" {
			sections[i].Title = t
		}
	}
	return sections
}

// boxes counts the ticked and the open tasks in the tasks section. Without such a section, it counts in the whole story. It ignores open
// tasks that are struck through.
func (p *Parts) boxes(lines []textdoc.Line, sections []textdoc.Section) {
	body := lines
	for _, s := range sections {
		if t := strings.ToLower(s.Title); t == "tasks" || strings.HasPrefix(t, "tasks /") || strings.HasPrefix(t, "tasks/") || t == "subtasks" || t == "tarefas" {
			body, p.tasked = s.Body, true
			break
		}
	}
	for _, l := range body {
		if ticked(l.Text) {
			p.Done++
			continue
		}
		m := boxOf(l.Text)
		switch {
		case m == nil:
		case m[1] == "x" || m[1] == "X":
			p.Done++
		case strings.HasPrefix(strings.TrimSpace(m[2]), "~~") || struck.MatchString(m[2]):
		default:
			p.Open++
			if p.NextBox == "" {
				p.NextBox = statefile.Short(strings.ReplaceAll(m[2], "**", ""))
			}
		}
	}
}

// ticked recognizes the usual form of a ticked task without the cost of a regular expression.
func ticked(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "- [x] ") || strings.HasPrefix(line, "* [x] ")
}

// boxOf returns the whole line, the mark and the text of a task line, or nil for any other line. A quick check first excludes most other
// lines, because the regular expression is slow.
func boxOf(line string) []string {
	if !strings.Contains(line, "] ") {
		return nil
	}
	return boxForm.FindStringSubmatch(line)
}

var struck = textdoc.NewFormWith("~~", `^[0-9. ]*~~.*~~`)

// entries returns the table rows and list items of a change log.
func entries(body []textdoc.Line) []string {
	var out []string
	for _, t := range textdoc.Tables(body) {
		for _, row := range t.Rows {
			out = append(out, strings.Join(row, " | "))
		}
	}
	for _, l := range body {
		if t := strings.TrimSpace(l.Text); strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ") {
			out = append(out, t[2:])
		}
	}
	return out
}

// maxPaths limits how many paths are read from the file list of one story.
const maxPaths = 60

func paths(body []textdoc.Line) []string {
	var out []string
	for _, l := range body {
		if goneForm.MatchString(l.Text) {
			continue // the story says that this file was removed or moved
		}
		if !strings.Contains(l.Text, "`") && len(out) < maxPaths {
			out = append(out, barePath(l.Text)...)
		}
		for _, m := range pathForm.FindAllStringSubmatch(l.Text, -1) {
			if len(out) < maxPaths {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// barePath returns an unquoted path at the start of a list item or table row.
func barePath(line string) []string {
	if m := bareForm.FindStringSubmatch(line); m != nil && !strings.Contains(m[1], "://") && !strings.Contains(m[1], "**") {
		return []string{m[1]}
	}
	return nil
}

// verdict reads the verdict from the text of a review. The last verdict in the text counts.
func (p *Parts) verdict(body []textdoc.Line) {
	for _, l := range body {
		plain := strings.NewReplacer("*", "", "`", "").Replace(l.Text)
		plain = strings.TrimLeft(plain, "#>|- ")
		p.keepVerdict(gateLine.FindStringSubmatch(plain))
		p.keepVerdict(finalLine.FindStringSubmatch(plain))
	}
}

// keepVerdict sets the verdict to the last one in the text. For example, PASS after an earlier CONCERNS means that the story has passed.
func (p *Parts) keepVerdict(m []string) {
	if m == nil {
		return
	}
	if words := gateForm.FindAllString(m[1], -1); len(words) > 0 {
		p.Gate = GateWord(words[len(words)-1])
	}
}

// GateWord normalizes the spelling of a review's verdict.
func GateWord(s string) string {
	switch s = strings.ReplaceAll(strings.ToUpper(s), " ", "_"); {
	case s == "PASSED" || strings.HasPrefix(s, "APPROVED"):
		return "PASS"
	case s == "FAILED":
		return "FAIL"
	case s == "CHANGES_REQUIRED":
		return "NEEDS_WORK"
	}
	return s
}

func (p *Parts) need(text string) {
	p.Needs = append(p.Needs, IDsIn(text, 20)...)
}

// Implemented returns two signs of a finished implementation: whether all tasks are ticked, and whether the change log says that the
// story is implemented.
func (p *Parts) Implemented() (ticked, said bool) {
	for _, e := range p.Log {
		said = said || madeForm.MatchString(e) && doneForm.MatchString(e)
	}
	return p.Open == 0 && p.Done > 0, said
}
