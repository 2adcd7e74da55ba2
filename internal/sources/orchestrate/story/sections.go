package story

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// sectionChange is a part of a story that is not what it was.
type sectionChange struct {
	Title  string
	Weight conflicts.Severity
}

// asked are the headings below which stands what is asked for; kept those that the work itself writes to.
var (
	asked = []string{"acceptance criteria", "scope", "in scope", "out of scope", "critérios de aceite", "critérios de aceitação", "escopo"}
	kept  = []string{"change log", "changelog", "qa results", "dev agent record", "file list"}
	// compared is where the status stands, which is held against the state by itself.
	compared = []string{"status", "story status"}
)

var tickForm = sources.NewForm(`(?m)^(\s*(?:[-*+]|[0-9]+[.)])\s+)\[.\]`)

// Changes compares two versions of a story by their headings. Ticks and blanks make no difference,
// and what stands before the first heading of a part is the story's head, which its status is compared by.
func Changes(old, now string) []sectionChange {
	was, is := split(old), split(now)
	var out []sectionChange
	for _, k := range append(partsOf(is), partsOf(was)...) {
		if was[k.id] == is[k.id] || slices.Contains(compared, strings.ToLower(k.title)) || slices.ContainsFunc(out, func(c sectionChange) bool { return c.Title == k.title }) {
			continue
		}
		out = append(out, sectionChange{k.title, k.weight})
	}
	return out
}

// part is one stretch of text, named by the headings that it stands below.
type part struct {
	id     sectionID
	title  string
	weight conflicts.Severity
}

// split cuts a text at its headings; what stands in code blocks belongs to the text around it.
func split(text string) map[sectionID]string {
	lines := strings.Split(text, "\n")
	out := map[sectionID]string{}
	var above []sources.Section
	id, from := sectionID(""), 0
	put := func(to int) {
		if id != "" {
			out[id] += normal(lines[from:to])
		}
	}
	for _, s := range sources.Sections(sources.Visible(text)) {
		put(s.Line - 1)
		for len(above) > 0 && above[len(above)-1].Level >= s.Level {
			above = above[:len(above)-1]
		}
		s.Title = plainTitles([]sources.Section{s})[0].Title
		above = append(above, s)
		id, from = idOf(above), s.Line
	}
	put(len(lines))
	return out
}

// sectionID is a path of headings below the title of the story.
type sectionID string

const between = "\x00"

func idOf(above []sources.Section) sectionID {
	var titles []string
	for _, s := range above {
		if s.Level > 1 {
			titles = append(titles, s.Title)
		}
	}
	return sectionID(strings.Join(titles, between))
}

// normal is a text without what may change at will.
func normal(lines []string) string {
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

// partsOf gives the parts of a text with the heading that people would name.
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
	titles := strings.Split(string(id), between)
	for _, t := range titles {
		if slices.Contains(asked, strings.ToLower(t)) {
			return t, conflicts.Blocking
		}
	}
	for _, t := range titles {
		low := strings.ToLower(t)
		if slices.ContainsFunc(kept, func(k string) bool { return low == k || strings.HasPrefix(low, k+" (") }) {
			return t, conflicts.Info
		}
	}
	return titles[0], conflicts.Warning
}
