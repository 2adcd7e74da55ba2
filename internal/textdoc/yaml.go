package textdoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// ParseYAML parses the first YAML document of a file. Each use of an alias counts towards the bounds, so a few nested aliases cannot use up
// all memory. If a key occurs twice, the last value counts, as in JSON.
func ParseYAML(data []byte) (Value, error) {
	text := Text(data)
	switch {
	case strings.TrimSpace(text) == "":
		return Value{}, damaged("is empty")
	case Merging(text):
		return Value{}, halfMerged(text)
	case strings.Count(text, "[") > tolerant.Nodes || tooDeep(text):
		return Value{}, damaged(TooDeep)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return Value{}, damaged("is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return Value{kind: NullKind}, nil
	}
	p := &yamlReader{bounds: tolerant}
	v := p.value(doc.Content[0], 0)
	if p.over {
		return Value{}, damaged(TooDeep)
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
	return deepest > tolerant.Depth
}

// Oddity is something that YAML allows and that makes a document hard to read: it can expand a short text into a huge one, or hide which
// value belongs to which key.
type Oddity byte

// These are the oddities. An oddity comes with its line and with the text that shows it, such as the name of an anchor.
const (
	OddAlias Oddity = iota
	OddAnchor
	OddMerge
	OddTag
	OddKey     // a key that is not a scalar
	OddControl // a control character
	OddSecond  // a second document
	OddDepth   // more levels or values than the bounds allow
)

// PlainYAML parses a text that must be one plain YAML document. It reports every oddity, such as an anchor or an alias, to the function
// odd, and leaves out the value where it occurs. Equal keys are all kept. The error is a *DamageError with the line of a mistake, or io.EOF
// if there is no document.
func (b Bounds) PlainYAML(data []byte, odd func(what Oddity, line int, text string)) (Value, error) {
	if i := bytes.IndexFunc(data, notYAML); i >= 0 {
		r, _ := utf8.DecodeRune(data[i:])
		odd(OddControl, LineAt(data, i), fmt.Sprintf("%U", r))
		return Value{}, nil
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); err != nil {
		return Value{}, yamlMistake(data, err)
	}
	if err := d.Decode(&second); err == nil {
		odd(OddSecond, second.Line, "")
	} else if !errors.Is(err, io.EOF) {
		return Value{}, yamlMistake(data, err)
	}
	if len(doc.Content) == 0 {
		return Value{}, io.EOF
	}
	return (&yamlReader{bounds: b, odd: odd}).value(doc.Content[0], 0), nil
}

// notYAML reports whether YAML forbids a character in a file.
func notYAML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || 0x7f <= r && r <= 0x9f && r != 0x85 || r == 0xfffe || r == 0xffff
}

// yamlReader converts the YAML library's tree into values, in file order.
type yamlReader struct {
	bounds Bounds
	nodes  int
	over   bool                      // stop, because the document is beyond its bounds
	odd    func(Oddity, int, string) // nil if oddities are accepted
}

func (p *yamlReader) value(n *yaml.Node, depth int) Value {
	v := Value{kind: NullKind, line: int32(n.Line)}
	if p.nodes++; !p.over && (p.nodes > p.bounds.Nodes || depth > p.bounds.Depth) {
		p.over = true
		if p.odd != nil {
			p.odd(OddDepth, n.Line, "")
		}
	}
	if p.over || p.refuses(n) {
		return v
	}
	switch n.Kind {
	case yaml.AliasNode:
		return p.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		v.kind, v.parts = ListKind, &parts{}
		for _, c := range n.Content {
			v.parts.items = append(v.parts.items, p.value(c, depth+1))
		}
	case yaml.MappingNode:
		v.kind, v.parts = KeyedKind, &parts{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			p.field(v.parts, n.Content[i], n.Content[i+1], depth+1)
		}
	default:
		if v.kind = scalarKind(n); v.kind != NullKind {
			v.text = n.Value
		}
	}
	return v
}

func (p *yamlReader) field(in *parts, key, value *yaml.Node, depth int) {
	if p.odd != nil && key.Kind != yaml.ScalarNode {
		p.odd(OddKey, key.Line, "")
		return
	}
	if p.refuses(key) {
		return
	}
	f := Field{key.Value, p.value(value, depth), key.Line}
	if p.odd == nil && len(in.fields) < 64 { // searching a long object for every key would be slow, and Get finds the last of several equal keys anyway
		for i := range in.fields {
			if in.fields[i].Key == f.Key {
				in.fields[i] = f
				return
			}
		}
	}
	in.fields = append(in.fields, f)
}

// refuses reports anchors, aliases, merge keys and tags to the function odd, and then returns true. If there is no such function, they are
// accepted.
func (p *yamlReader) refuses(n *yaml.Node) bool {
	switch {
	case p.odd == nil:
		return false
	case n.Kind == yaml.AliasNode:
		p.odd(OddAlias, n.Line, "*"+n.Value)
	case n.Anchor != "":
		p.odd(OddAnchor, n.Line, "&"+n.Anchor)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!merge":
		p.odd(OddMerge, n.Line, n.Value)
	case n.Style&yaml.TaggedStyle != 0:
		p.odd(OddTag, n.Line, n.Tag)
	default:
		return false
	}
	return true
}

func scalarKind(n *yaml.Node) Kind {
	switch n.ShortTag() {
	case "!!int", "!!float":
		return NumberKind
	case "!!bool":
		return TruthKind
	case "!!null":
		return NullKind
	}
	return TextKind // dates count as text too, because people mean them as text
}

var (
	yamlError   = NewForm(`^yaml: (?:line ([0-9]+): )?(.*)`)
	yamlAnchor  = NewForm(`^unknown anchor '(.*)' referenced`)
	yamlTab     = NewForm(`(?m)^ *\t`)
	yamlGrammar = NewForm(`^did not find expected (?:key|node content|'-' indicator|',' or '[\]}]'|<.*>)$`)
)

// yamlMistake returns an error of the YAML library with its line number. The library counts lines from 0 in parser errors and from 1 in
// scanner errors. It gives no number for the first line.
func yamlMistake(data []byte, err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil {
		return damaged("%s", err)
	}
	line, why := 1, m[2]
	if n, err := strconv.Atoi(m[1]); err == nil {
		line = n
		if yamlGrammar.MatchString(why) {
			line++
		}
	}
	if a := yamlAnchor.FindStringSubmatch(why); a != nil {
		line = LineAt(data, bytes.Index(data, []byte("*"+a[1])))
	}
	if tab := yamlTab.FindStringIndex(string(data)); tab != nil && strings.Contains(why, "tab character") {
		line = max(line, LineAt(data, tab[0])) // the library reports the line of the value before the tab, but the tab itself may be on a later line
	}
	if strings.Contains(why, "exceeded max depth") {
		return &DamageError{TooDeep, line}
	}
	return &DamageError{why, min(line, LineAt(data, len(data)))}
}
