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

// Key is one of the answers to a question.
type Key struct {
	// Name is what a person types; Also are other words for the same answer.
	Name string
	Also []string
	// Does says what the answer leads to.
	Does string
}

// The keys that every question has.
const (
	HelpKey       = "?"
	DifferenceKey = "d"
)

// Ask prints a question with its keys; the default is in capitals, or behind the keys if it is a number.
func Ask(s page.Page, question string, keys []Key, def string) {
	after := ""
	if _, err := strconv.Atoi(def); err == nil {
		after = "(" + def + ") "
	}
	s.Ask("%s [%s, %s for help] %s", question, strings.Join(names(keys, def), "/"), HelpKey, after)
}

// names are the keys as a question shows them: a row of numbers is a range.
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

// Help says what each key does, one key a line.
func Help(s page.Page, keys []Key) {
	List(s, append(slices.Clip(keys), Key{Name: HelpKey, Does: "show this help"}))
}

// List shows keys and what they do above a question that would not be understood without them.
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

// Unknown says that what was typed is not one of the keys, and names them.
func Unknown(s page.Page, typed string, keys []Key) {
	if typed == "" {
		typed = "return"
	} else {
		typed = "'" + quote.Printable(typed) + "'"
	}
	s.OnErr().Paragraph("", "  ", fmt.Sprintf("%s is not one of the keys here: %s (%s for help)", typed, strings.Join(names(keys, ""), ", "), HelpKey))
}

// NoDifference says why there is no difference to show.
func NoDifference(s page.Page, why string) {
	s.OnErr().Paragraph("", "  ", "there is no difference to show: "+why)
}

// OwnWords asks for an answer that is stored as it is typed.
func OwnWords(s page.Page) { s.Ask("Your answer: ") }

// Left says, after a no or the end of the input, whether anything was changed before, and where uncommitted work was saved.
func Left(s page.Page, changed bool, saved string) {
	switch {
	case changed:
		s.Note("nothing else was changed")
	case saved != "":
		s.Note("nothing was changed; what is not committed is also saved as %s", saved)
	default:
		s.Note("nothing was changed")
	}
}
