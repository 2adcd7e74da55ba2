package story

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// sectionChange describes a changed section of a story.
type sectionChange struct {
	Title  string
	Weight conflicts.Severity
}

// scopeHeadings lists the headings of sections that define the required work. workHeadings lists the headings of sections that are written
// during the work.
var (
	scopeHeadings = []string{"acceptance criteria", "scope", "in scope", "out of scope", "critérios de aceite", "critérios de aceitação", "escopo"}
	workHeadings  = []string{"change log", "changelog", "qa results", "dev agent record", "file list"}
	// statusHeadings are the headings of the status section, which Changes ignores.
	statusHeadings = []string{"status", "story status"}
)

var tickForm = textdoc.NewForm(`(?m)^(\s*(?:[-*+]|[0-9]+[.)])\s+)\[.\]`)

// Changes returns the sections that differ between two versions of a story. It ignores ticks, white space and the status, because the
// status is compared with the state file separately.
func Changes(old, now string) []sectionChange {
	was, is := split(old), split(now)
	var out []sectionChange
	for _, k := range append(partsOf(is), partsOf(was)...) {
		if was[k.id] == is[k.id] || slices.Contains(statusHeadings, strings.ToLower(k.title)) || slices.ContainsFunc(out, func(c sectionChange) bool { return c.Title == k.title }) {
			continue
		}
		out = append(out, sectionChange{k.title, k.weight})
	}
	return out
}

// part is one section of a story. Its id consists of its heading and the headings above it.
type part struct {
	id     sectionID
	title  string
	weight conflicts.Severity
}

// split divides a text into sections at its headings. A line in a code block is never a heading.
func split(text string) map[sectionID]string {
	lines := strings.Split(text, "\n")
	out := map[sectionID]string{}
	var above []textdoc.Section
	id, from := sectionID(""), 0
	put := func(to int) {
		if id != "" {
			out[id] += normalize(lines[from:to])
		}
	}
	for _, s := range textdoc.Sections(textdoc.Visible(text)) {
		put(s.Line - 1)
		for len(above) > 0 && above[len(above)-1].Level >= s.Level {
			above = above[:len(above)-1]
		}
		s.Title = plainTitles([]textdoc.Section{s})[0].Title
		above = append(above, s)
		id, from = idOf(above), s.Line
	}
	put(len(lines))
	return out
}

// sectionID is the path of headings to a section, without the title of the story.
type sectionID string

const idSeparator = "\x00"

func idOf(above []textdoc.Section) sectionID {
	var titles []string
	for _, s := range above {
		if s.Level > 1 {
			titles = append(titles, s.Title)
		}
	}
	return sectionID(strings.Join(titles, idSeparator))
}

// normalize removes parts of a text whose changes do not matter: ticks, white space, horizontal rules and status lines.
func normalize(lines []string) string {
	text := tickForm.ReplaceAllString(strings.Join(lines, "\n"), "$1[]")
	var out []string
	for l := range strings.Lines(text) {
		l = strings.Join(strings.Fields(l), " ")
		if l != "" && strings.Trim(l, "-") != "" && !statusForm.MatchString(l) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// partsOf returns the given sections, sorted by id. The title of each is the heading that a report shows.
func partsOf(texts map[sectionID]string) []part {
	var out []part
	for id := range texts {
		title, weight := weigh(id)
		out = append(out, part{id, title, weight})
	}
	slices.SortFunc(out, func(a, b part) int { return strings.Compare(string(a.id), string(b.id)) })
	return out
}

func weigh(id sectionID) (title string, weight conflicts.Severity) {
	titles := strings.Split(string(id), idSeparator)
	for _, t := range titles {
		if slices.Contains(scopeHeadings, strings.ToLower(t)) {
			return t, conflicts.Blocking
		}
	}
	for _, t := range titles {
		low := strings.ToLower(t)
		if slices.ContainsFunc(workHeadings, func(k string) bool { return low == k || strings.HasPrefix(low, k+" (") }) {
			return t, conflicts.Info
		}
	}
	return titles[0], conflicts.Warning
}
