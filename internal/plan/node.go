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

// node is one value of a YAML or JSON plan with the line it stands on.
// Both formats become the same tree, so that they cannot differ in what they mean.
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

// place names a spot in a plan: a key of a task, or one item of its list.
// A task of -1 means the plan itself, an item of -1 the whole value.
type place struct {
	task int
	key  string
	item int
}

const whole = -1

// places remembers on which line each part of a plan stands.
// A nil places knows no lines.
type places map[place]int

// line is the nearest known line: the item's, the key's, the task's, or 0.
func (p places) line(at place) int {
	for _, try := range []place{at, {at.task, at.key, whole}, {at.task, "", whole}} {
		if line, ok := p[try]; ok {
			return line
		}
	}
	return 0
}
