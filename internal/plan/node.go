package plan

import "github.com/git-resume/git-resume/internal/textdoc"

// kindWords says what a value is, for messages about a wrong type.
var kindWords = map[textdoc.Kind]string{
	textdoc.TextKind:   "text",
	textdoc.NumberKind: "a number",
	textdoc.TruthKind:  "true or false",
	textdoc.NullKind:   "no value",
	textdoc.ListKind:   "a list",
	textdoc.KeyedKind:  "a mapping of keys to values",
}

// place identifies a part of a plan: a key of a task, or one item of the list under that key. If task is -1, the key
// belongs to the plan itself. If item is -1, the whole value is meant.
type place struct {
	task int
	key  string
	item int
}

const whole = -1

// places maps the parts of a plan to their lines. If it is nil, no lines are known.
type places map[place]int

// line returns the line of the item. If that line is unknown, it returns the line of the key, then of the task, then 0.
func (p places) line(at place) int {
	for _, try := range []place{at, {at.task, at.key, whole}, {at.task, "", whole}} {
		if line, ok := p[try]; ok {
			return line
		}
	}
	return 0
}
