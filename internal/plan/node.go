package plan

// kind is the type of a value in a YAML or JSON plan.
type kind string

const (
	textKind   kind = "text"
	numberKind kind = "a number"
	truthKind  kind = "true or false"
	noKind     kind = "no value"
	listKind   kind = "a list"
	tableKind  kind = "a group of keys"
)

// node is one value of a YAML or JSON plan, with its line.
// Both formats become the same tree, so that they cannot differ in meaning.
type node struct {
	kind   kind
	line   int
	text   string  // a scalar as written
	items  []node  // of a list
	fields []field // of a table, in file order, repeated keys included
}

// field is one key of a table.
type field struct {
	key   string
	line  int
	value node
}

// place is a position in a plan: a key of a task, or one item of the list under that key.
// A task of -1 means the plan itself; an item of -1 means the whole value.
type place struct {
	task int
	key  string
	item int
}

const whole = -1

// places records the line of each part of a plan.
// A nil places knows no lines.
type places map[place]int

// line returns the nearest known line: the line of the item, the key or the task, or 0.
func (p places) line(at place) int {
	for _, try := range []place{at, {at.task, at.key, whole}, {at.task, "", whole}} {
		if line, ok := p[try]; ok {
			return line
		}
	}
	return 0
}
