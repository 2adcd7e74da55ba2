package textdoc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Value is a part of a JSON or YAML file. It accepts any type and any key, because real files differ from their schema. The zero Value means
// absent, and all its methods return empty results.
type Value struct {
	kind kind
	// start and end are the byte positions of a JSON value in its file. YAML values do not have them.
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

// Field is one key of an object with its value.
type Field struct {
	Key   string
	Value Value
}

type kind byte

const (
	absent kind = iota
	null
	scalar // a text, a number or a boolean, stored as text
	list
	keyed
)

// maxDepth and maxNodes limit the memory and time that a hostile file can use.
const (
	maxDepth = 200
	maxNodes = 500000
)

// DamageError says why a state file could not be parsed.
type DamageError struct{ Why string }

func (e *DamageError) Error() string { return e.Why }

func damaged(format string, args ...any) error { return &DamageError{fmt.Sprintf(format, args...)} }

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

// set adds a field. If the key already exists, the new value replaces the old one, as in every JSON reader.
func (v *Value) set(key string, item Value) {
	if v.parts == nil {
		v.parts = &parts{}
	}
	p := v.parts
	if len(p.fields) < 64 { // searching a long object for every key would be slow, and Get finds the last of several equal keys anyway
		for i := range p.fields {
			if p.fields[i].Key == key {
				p.fields[i].Value = item
				return
			}
		}
	}
	p.fields = append(p.fields, Field{Key: key, Value: item})
}

// ParseYAML parses the first YAML document of a file. Each use of an alias counts towards maxNodes and maxDepth, so a few nested aliases
// cannot use up all memory.
func ParseYAML(data []byte) (Value, error) {
	text := Text(data)
	switch {
	case strings.TrimSpace(text) == "":
		return Value{}, damaged("is empty")
	case Merging(text):
		return Value{}, damaged("contains conflict markers of an unfinished merge")
	case strings.Count(text, "[") > maxNodes || tooDeep(text):
		return Value{}, damaged("is nested too deeply or has too many parts")
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return Value{}, damaged("is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return Value{kind: null}, nil
	}
	p := &yamlReader{}
	v := p.value(doc.Content[0], 0)
	if p.over {
		return Value{}, damaged("is nested too deeply or has too many parts")
	}
	return v, nil
}

// tooDeep reports whether brackets are nested too deeply. The YAML library would recurse without limit on such a text.
func tooDeep(text string) bool {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(0, depth-1)
		case '\n':
			if i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '\n' && text[i+1] != '[' && text[i+1] != '{' {
				depth = 0
			}
		}
	}
	return deepest > maxDepth
}

type yamlReader struct {
	nodes int
	over  bool
}

func (p *yamlReader) value(n *yaml.Node, depth int) Value {
	if p.nodes++; p.nodes > maxNodes || depth > maxDepth {
		p.over = true
	}
	if p.over {
		return Value{}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return p.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		v := Value{kind: list, parts: &parts{}}
		for _, c := range n.Content {
			v.parts.items = append(v.parts.items, p.value(c, depth+1))
		}
		return v
	case yaml.MappingNode:
		v := Value{kind: keyed}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v.set(n.Content[i].Value, p.value(n.Content[i+1], depth+1))
		}
		return v
	}
	if n.Tag == "!!null" {
		return Value{kind: null}
	}
	return Value{kind: scalar, text: n.Value}
}

// Is reports whether the value exists. A null value exists.
func (v Value) Is() bool { return v.kind != absent }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.kind == keyed }

// IsList reports whether the value is a list.
func (v Value) IsList() bool { return v.kind == list }

// Get looks up the names in order and returns the first value that exists and is not null.
func (v Value) Get(names ...string) Value {
	fields := v.inside().fields
	for _, name := range names {
		for i := len(fields) - 1; i >= 0; i-- {
			if fields[i].Key == name && fields[i].Value.kind != null {
				return fields[i].Value
			}
		}
	}
	return Value{}
}

// Fields returns the fields of an object in the order of the file.
func (v Value) Fields() []Field { return v.inside().fields }

// Items returns the members of a list. A single value counts as a list with one member, because people often omit the list.
func (v Value) Items() []Value {
	if v.kind == scalar {
		return []Value{v}
	}
	return v.inside().items
}

// Text returns a text, number or boolean as text. It returns an empty text for any other value.
func (v Value) Text() string {
	if v.kind != scalar {
		return ""
	}
	return strings.TrimSpace(v.text)
}

// Texts returns the non-empty texts of a list.
func (v Value) Texts() []string {
	var out []string
	for _, i := range v.Items() {
		if s := i.Text(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Int returns a whole number. If the value is anything else, ok is false.
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

// Plain converts the value to the standard Go types for JSON, such as map[string]any.
func (v Value) Plain() any {
	switch v.kind {
	case list:
		out := make([]any, 0, len(v.inside().items))
		for _, i := range v.inside().items {
			out = append(out, i.Plain())
		}
		return out
	case keyed:
		out := make(map[string]any, len(v.inside().fields))
		for _, f := range v.inside().fields {
			out[f.Key] = f.Value.Plain()
		}
		return out
	case scalar:
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
