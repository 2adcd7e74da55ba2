package checkpoint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
)

// Line is one stored line: its bytes, and its event if the line is readable.
type Line struct {
	Text  string
	Event Event
	Bad   bool
	// Ours is true if the signature proves that this user wrote the line in this clone.
	Ours bool
}

// ParseLine reads one stored line and keeps an unreadable one as bad. It does not set Ours.
func ParseLine(text string) Line {
	e, err := Decode([]byte(trimBlanks(text))) // lines that count as equal must be readable alike
	return Line{Text: text, Event: e, Bad: err != nil}
}

// Docs are the plans that a journal carries, by their ids.
type Docs map[object.ID][]byte

// Begins reports whether a run can start with this event.
func (k Kind) Begins() bool { return k == RunStarted || k == RunAdopted || k == RunTaken }

// Sorted returns the lines in journal order, each line once, with unreadable lines last.
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

// Words returns the text by which lines are compared: without trailing blanks, because editors add and remove them.
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
