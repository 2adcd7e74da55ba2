package prompt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Key is one possible answer to a question.
type Key struct {
	// Name is the text that the user types for the answer. The field "Also" lists other texts for the same answer.
	Name string
	Also []string
	// The field "Does" describes the effect of the answer.
	Does string
}

// HelpKey is the key that lists the possible answers. DifferenceKey is the key that shows what would change. Many questions accept these
// keys. MoreKey shows the rest of a list.
const (
	HelpKey       = "?"
	DifferenceKey = "d"
	MoreKey       = "+"
)

// Ask prints a question with its possible answers. The default answer is in capitals, or in parentheses if it is a number.
func Ask(s page.Page, question string, keys []Key, def string) {
	after := ""
	if _, err := strconv.Atoi(def); err == nil {
		after = "(" + def + ") "
	}
	s.Ask("%s [%s, %s for help] %s", question, strings.Join(names(keys, def), "/"), HelpKey, after)
}

// names returns the answers as a question shows them. Numbers in a row become a range, for example 1-4.
func names(keys []Key, def string) []string {
	var out []string
	first, last := 0, 0
	for _, k := range keys {
		n, err := strconv.Atoi(k.Name)
		switch {
		case err == nil && first > 0 && n == last+1:
			last = n
			out[len(out)-1] = fmt.Sprintf("%d-%d", first, last)
		case err == nil:
			first, last = n, n
			out = append(out, k.Name)
		case k.Name == def:
			out = append(out, strings.ToUpper(k.Name))
		default:
			out = append(out, k.Name)
		}
	}
	return out
}

// Help prints what each answer does, one answer per line.
func Help(s page.Page, keys []Key) {
	List(s, append(slices.Clip(keys), Key{Name: HelpKey, Does: "show this help"}))
}

// List prints what each answer does, above the question.
func List(s page.Page, keys []Key) {
	width := 0
	for _, k := range keys {
		width = max(width, len(k.Name))
	}
	side := s.OnErr()
	for _, k := range keys {
		first := "  " + phrase.Pad(k.Name, width) + "  "
		side.Paragraph(first, strings.Repeat(" ", len(first)), quote.Clean(k.Does))
	}
}

// Unknown prints that the input is not a possible answer, and lists the answers.
func Unknown(s page.Page, typed string, keys []Key) {
	if typed == "" {
		typed = "return"
	} else {
		typed = "'" + quote.Printable(typed) + "'"
	}
	s.OnErr().Paragraph("", "  ", fmt.Sprintf("%s is not one of the keys here: %s (%s for help)", typed, strings.Join(names(keys, ""), ", "), HelpKey))
}

// NoDifference prints why there is no difference to show.
func NoDifference(s page.Page, why string) {
	s.OnErr().Paragraph("", "  ", "there is no difference to show: "+why)
}

// OwnWords asks for a free text.
func OwnWords(s page.Page) { s.Ask("Your answer: ") }

// Left prints whether anything was changed, after the user has refused to continue. It also prints where uncommitted work was saved.
func Left(s page.Page, changed bool, saved string) {
	switch {
	case changed && saved != "":
		s.Note("nothing else was changed; uncommitted changes are saved as %s", saved)
	case changed:
		s.Note("nothing else was changed")
	case saved != "":
		s.Note("nothing was changed; uncommitted changes are saved as %s", saved)
	default:
		s.Note("nothing was changed")
	}
}
