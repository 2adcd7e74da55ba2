package textdoc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Value is a part of a JSON or YAML file. It can have any type and any keys, because real files differ from their schema. The zero Value
// stands for a missing value, and all its methods return empty results.
type Value struct {
	kind Kind
	line int32
	// start and end are the byte positions of a JSON value in its text. YAML values do not have them.
	start, end int32
	text       string
	parts      *parts
}

// parts holds the members of a list or an object. It is a separate type to keep Value small, because most values have no members.
type parts struct {
	items  []Value
	fields []Field
}

var noParts parts

// inside returns the members of a list or an object. The result is never nil, and callers must not change it.
func (v Value) inside() *parts {
	if v.parts == nil {
		return &noParts
	}
	return v.parts
}

// Field is one key of an object with its value. Line is the line of the key.
type Field struct {
	Key   string
	Value Value
	Line  int
}

// Kind is the type of a value.
type Kind byte

// These are the types of values. Texts, numbers and booleans are stored as they are written.
const (
	AbsentKind Kind = iota
	NullKind
	TextKind
	NumberKind
	TruthKind
	ListKind
	KeyedKind
)

// Bounds limit the memory and time that a hostile text can use.
type Bounds struct {
	Depth int // the number of levels
	Nodes int // the number of values
}

// Tolerant has the bounds for state files of other systems.
var Tolerant = Bounds{Depth: 200, Nodes: 500000}

// TooDeep says why a document exceeds its Bounds.
const TooDeep = "is nested too deeply or has too many parts"

// DamageError says why a text could not be parsed. Line is 0 if the line is not known, or only named in Why.
type DamageError struct {
	Why  string
	Line int
}

func (e *DamageError) Error() string { return e.Why }

// Damaged returns a *DamageError without a line number.
func Damaged(format string, args ...any) error {
	return &DamageError{Why: fmt.Sprintf(format, args...)}
}

// Text returns the content of a file without the byte order mark and with "\n" line ends. It replaces invalid UTF-8 by U+FFFD.
func Text(data []byte) string {
	data = bytes.TrimPrefix(data, bom)
	s := strings.ToValidUTF8(string(data), "\uFFFD")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// Merging reports whether a text contains the conflict markers of an unfinished merge.
func Merging(text string) bool {
	return strings.Contains("\n"+text, "\n<<<<<<< ") && strings.Contains("\n"+text, "\n>>>>>>> ")
}

// HalfMerged returns the error for a text with conflict markers. It names the two versions as the first markers do.
func HalfMerged(text string) error {
	name := func(mark string) string {
		_, after, _ := strings.Cut("\n"+text, "\n"+mark)
		line, _, _ := strings.Cut(after, "\n")
		return Shorten(OneLine(line), 80)
	}
	return Damaged("contains conflict markers of an unfinished merge: it holds two versions, '%s' and '%s'", name("<<<<<<< "), name(">>>>>>> "))
}

// NewScalar makes a text, a number, a boolean or null. A null value has no text.
func NewScalar(kind Kind, text string, line int) Value {
	if kind == NullKind {
		text = ""
	}
	return Value{kind: kind, text: text, line: int32(line)}
}

// NewList makes a list.
func NewList(items []Value, line int) Value {
	return Value{kind: ListKind, parts: &parts{items: items}, line: int32(line)}
}

// NewObject makes an object.
func NewObject(fields []Field, line int) Value {
	return Value{kind: KeyedKind, parts: &parts{fields: fields}, line: int32(line)}
}

// Kind returns the type of the value.
func (v Value) Kind() Kind { return v.kind }

// Line returns the line on which the value begins, from 1.
func (v Value) Line() int { return int(v.line) }

// Raw returns a text, number or boolean with all its spaces. It returns an empty text for any other value.
func (v Value) Raw() string { return v.text }

func (v Value) isScalar() bool {
	return v.kind == TextKind || v.kind == NumberKind || v.kind == TruthKind
}

// Is reports whether the value exists. A null value exists.
func (v Value) Is() bool { return v.kind != AbsentKind }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.kind == KeyedKind }

// IsList reports whether the value is a list.
func (v Value) IsList() bool { return v.kind == ListKind }

// Get looks up the names in order and returns the first value that exists and is not null. If there is none, the result
// is absent.
func (v Value) Get(names ...string) Value {
	fields := v.inside().fields
	for _, name := range names {
		for i := len(fields) - 1; i >= 0; i-- {
			if fields[i].Key == name && fields[i].Value.kind != NullKind {
				return fields[i].Value
			}
		}
	}
	return Value{}
}

// At follows a path: a string names a key, and an int is a position in a list. The result is absent if the path leads nowhere.
func (v Value) At(path ...any) Value {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.Get(step)
		case int:
			if step < 0 || step >= len(v.inside().items) {
				return Value{}
			}
			v = v.inside().items[step]
		}
	}
	return v
}

// Fields returns the fields of an object in the order of the file.
func (v Value) Fields() []Field { return v.inside().fields }

// Items returns the members of a list. A single value counts as a list with one member, because people often omit the list.
func (v Value) Items() []Value {
	if v.isScalar() {
		return []Value{v}
	}
	return v.inside().items
}

// Text returns a text, number or boolean without the spaces around it. It returns an empty text for any other value.
func (v Value) Text() string {
	return strings.TrimSpace(v.text)
}

// Texts returns the non-empty texts of a list, or of a single value.
func (v Value) Texts() []string {
	var out []string
	for _, i := range v.Items() {
		if s := i.Text(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Int returns the whole number that a number or a text contains. If the value is anything else, ok is false.
func (v Value) Int() (n int, ok bool) {
	text := v.Text()
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return int(f), err == nil && f == float64(int(f))
}

// True reports whether the value means true in JSON or YAML.
func (v Value) True() bool {
	switch strings.ToLower(v.Text()) {
	case "true", "yes", "on":
		return true
	}
	return false
}

// Plain converts the value to Go types such as map[string]any, int, bool and string. A text that looks like a whole number or a boolean is
// converted too. A number that is not a whole number becomes a string.
func (v Value) Plain() any {
	switch v.kind {
	case ListKind:
		out := make([]any, 0, len(v.inside().items))
		for _, i := range v.inside().items {
			out = append(out, i.Plain())
		}
		return out
	case KeyedKind:
		out := make(map[string]any, len(v.inside().fields))
		for _, f := range v.inside().fields {
			out[f.Key] = f.Value.Plain()
		}
		return out
	case TextKind, NumberKind, TruthKind:
		if n, ok := v.Int(); ok && strconv.Itoa(n) == v.text {
			return n
		}
		if v.text == "true" || v.text == "false" {
			return v.text == "true"
		}
		return v.text
	}
	return nil
}
