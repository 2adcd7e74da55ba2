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

// node is one value of a YAML or JSON plan and its line. Both formats are converted into nodes, so that they cannot differ in meaning.
type node struct {
	kind   kind
	line   int
	text   string  // the text of a scalar, as it is written
	items  []node  // the items of a list
	fields []field // the fields of a table in file order, including repeated keys
}

// field is one key of a table and its value.
type field struct {
	key   string
	line  int
	value node
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
