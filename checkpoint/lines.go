package checkpoint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
)

// Line is one stored line: its bytes, and the event if it can be read.
type Line struct {
	Text  string
	Event Event
	Bad   bool
	// Ours: this user wrote it in this clone, as its signature proves.
	Ours bool
}

// ParseLine reads one stored line; one that cannot be understood is kept as bad. Nothing is said about who wrote it.
func ParseLine(text string) Line {
	e, err := Decode([]byte(trimBlanks(text))) // equal lines are all readable, or none is
	return Line{Text: text, Event: e, Bad: err != nil}
}

// Docs are the plans that a journal carries, by their ids.
type Docs map[object.ID][]byte

// Begins reports an event with which a run can begin.
func (k Kind) Begins() bool { return k == RunStarted || k == RunAdopted || k == RunTaken }

// Sorted puts lines in the order of the journal, equal ones once, unreadable ones last.
func Sorted(lines []Line) []Line {
	out := slices.SortedFunc(slices.Values(lines), func(a, b Line) int {
		return cmp.Or(
			boolCompare(a.Bad, b.Bad),
			cmp.Compare(a.Event.Seq, b.Event.Seq),
			cmp.Compare(a.Event.ID, b.Event.ID),
			cmp.Compare(a.Words(), b.Words()),
			cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.CompactFunc(out, func(a, b Line) bool { return a.Words() == b.Words() })
}

// Words are what makes two lines equal: blanks at the end come and go with editors.
func (l Line) Words() string { return trimBlanks(l.Text) }

func trimBlanks(s string) string { return strings.TrimRight(s, " \t\r") }

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
