package checkpoint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
)

// Line is one stored line: its bytes and, if the line is readable, its event.
type Line struct {
	Text  string
	Event Event
	Bad   bool
	// Ours is true if the signature proves that this user wrote the line in this clone.
	Ours bool
}

// ParseLine parses one stored line. An unreadable line is marked as Bad. ParseLine does not set Ours.
func ParseLine(text string) Line {
	e, err := Decode([]byte(trimBlanks(text))) // trailing blanks do not matter
	return Line{Text: text, Event: e, Bad: err != nil}
}

// Docs maps ids to the documents (plans) of a journal.
type Docs map[object.ID][]byte

// Begins reports whether a run can start with this event.
func (k Kind) Begins() bool { return k == RunStarted || k == RunAdopted || k == RunTaken }

// Sorted returns the lines in journal order, without duplicates. Unreadable lines come last.
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

// Words returns the text for comparing lines. It has no trailing blanks, because editors add and remove them.
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
