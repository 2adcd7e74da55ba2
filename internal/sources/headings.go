package sources

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// doneTitle matches a heading that ends in a word or a sign which says that its section is done, as in "Phase 2: Storage — complete",
// "Phase 2 (completed)" and "Phase 2 ✅". A hyphen needs a space before it, because of words such as "auto-complete".
var doneTitle = textdoc.NewFormWith("complete|done|finished|✅|✔|☑",
	`(?i)(?:(?:[–—]|[ \t]-)[ \t]*(?:100 ?%[ \t]*)?[*_✅✔☑\x{fe0f} \t]*(?:complete|completed|done|finished)|[(\[][✅✔☑\x{fe0f} \t]*(?:complete|completed|done|finished)[ \t✅✔☑\x{fe0f}]*[)\]]|[✅✔☑]\x{fe0f}?(?:[ \t]*[*_]*(?:complete|completed|done|finished))?)[*_!.✅✔☑\x{fe0f} \t]*$`)

// SaysDone reports whether a heading says at its end that its section is done.
func SaysDone(title string) bool { return doneTitle.MatchString(title) }

// Done are the sections of a document whose headings say that they are done.
type Done []textdoc.Section

// DoneSections returns the sections of a document whose headings say that they are done. The title of the whole document does not count.
func DoneSections(text string) (out Done) {
	if !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "##") && SaysDone(line) }) {
		return nil
	}
	for _, s := range textdoc.Sections(textdoc.Visible(text)) {
		if s.Level > 1 && SaysDone(s.Title) {
			out = append(out, s)
		}
	}
	return out
}

// At returns the heading of the innermost of these sections that contains a line, or "" if none does. A heading belongs to its section.
func (d Done) At(line int) (heading string) {
	for _, s := range d {
		if line >= s.Line && (line == s.Line || len(s.Body) > 0 && line <= s.Body[len(s.Body)-1].Number) {
			heading = s.Title
		}
	}
	return heading
}
