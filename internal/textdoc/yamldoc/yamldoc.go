package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// Parse parses the first YAML document of a file. Each use of an alias counts towards the bounds, so a few nested aliases cannot use up
// all memory. If a key occurs twice, the last value counts, as in JSON.
func Parse(data []byte) (textdoc.Value, error) {
	text := textdoc.Text(data)
	switch {
	case strings.TrimSpace(text) == "":
		return textdoc.Value{}, textdoc.Damaged("is empty")
	case textdoc.Merging(text):
		return textdoc.Value{}, textdoc.HalfMerged(text)
	case strings.Count(text, "[") > textdoc.Tolerant.Nodes || tooDeep(text):
		return textdoc.Value{}, textdoc.Damaged(textdoc.TooDeep)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return textdoc.Value{}, textdoc.Damaged("is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return textdoc.NewScalar(textdoc.NullKind, "", 0), nil
	}
	p := &yamlReader{bounds: textdoc.Tolerant}
	v := p.value(doc.Content[0], 0)
	if p.over {
		return textdoc.Value{}, textdoc.Damaged(textdoc.TooDeep)
	}
	return v, nil
}

// tooDeep reports whether brackets are nested too deeply. Parse refuses such a text before the YAML library reads it.
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
	return deepest > textdoc.Tolerant.Depth
}

// Plain parses a text that must be one plain YAML document. It calls odd() for everything that is not plain, such as an anchor or an
// alias. Such a value becomes null, and such a key is left out. Equal keys are all kept. If the text has a forbidden character, the
// result is empty. The error is a *DamageError with the line of a mistake, or io.EOF if there is no document.
func Plain(b textdoc.Bounds, data []byte, odd func(what textdoc.Oddity, line int, text string)) (textdoc.Value, error) {
	if i := bytes.IndexFunc(data, notYAML); i >= 0 {
		r, _ := utf8.DecodeRune(data[i:])
		odd(textdoc.OddControl, textdoc.LineAt(data, i), fmt.Sprintf("%U", r))
		return textdoc.Value{}, nil
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); err != nil {
		return textdoc.Value{}, yamlMistake(data, err)
	}
	if err := d.Decode(&second); err == nil {
		odd(textdoc.OddSecond, second.Line, "")
	} else if !errors.Is(err, io.EOF) {
		return textdoc.Value{}, yamlMistake(data, err)
	}
	if len(doc.Content) == 0 {
		return textdoc.Value{}, io.EOF
	}
	return (&yamlReader{bounds: b, odd: odd}).value(doc.Content[0], 0), nil
}

// notYAML reports whether YAML forbids a character in a file.
func notYAML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || 0x7f <= r && r <= 0x9f && r != 0x85 || r == 0xfffe || r == 0xffff
}

// yamlReader converts the YAML library's tree into values, in file order.
type yamlReader struct {
	bounds textdoc.Bounds
	nodes  int
	over   bool                              // true if the document is beyond its bounds, so that reading stops
	odd    func(textdoc.Oddity, int, string) // nil if oddities are accepted
}

func (p *yamlReader) value(n *yaml.Node, depth int) textdoc.Value {
	if p.nodes++; !p.over && (p.nodes > p.bounds.Nodes || depth > p.bounds.Depth) {
		p.over = true
		if p.odd != nil {
			p.odd(textdoc.OddDepth, n.Line, "")
		}
	}
	if p.over || p.refuses(n) {
		return textdoc.NewScalar(textdoc.NullKind, "", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return p.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		var items []textdoc.Value
		for _, c := range n.Content {
			items = append(items, p.value(c, depth+1))
		}
		return textdoc.NewList(items, n.Line)
	case yaml.MappingNode:
		var fields []textdoc.Field
		for i := 0; i+1 < len(n.Content); i += 2 {
			fields = p.field(fields, n.Content[i], n.Content[i+1], depth+1)
		}
		return textdoc.NewObject(fields, n.Line)
	}
	return textdoc.NewScalar(scalarKind(n), n.Value, n.Line)
}

func (p *yamlReader) field(fields []textdoc.Field, key, value *yaml.Node, depth int) []textdoc.Field {
	if p.odd != nil && key.Kind != yaml.ScalarNode {
		p.odd(textdoc.OddKey, key.Line, "")
		return fields
	}
	if p.refuses(key) {
		return fields
	}
	f := textdoc.Field{Key: key.Value, Value: p.value(value, depth), Line: key.Line}
	// In a short object, a key replaces an earlier equal one. In a long object the search would be slow, and Get finds the last one anyway.
	if p.odd == nil && len(fields) < 64 {
		for i := range fields {
			if fields[i].Key == f.Key {
				fields[i] = f
				return fields
			}
		}
	}
	return append(fields, f)
}

// The method refuses() returns true for anchors, aliases, merge keys and tags, and calls odd() for each. If odd is nil, it accepts them and
// returns false.
func (p *yamlReader) refuses(n *yaml.Node) bool {
	switch {
	case p.odd == nil:
		return false
	case n.Kind == yaml.AliasNode:
		p.odd(textdoc.OddAlias, n.Line, "*"+n.Value)
	case n.Anchor != "":
		p.odd(textdoc.OddAnchor, n.Line, "&"+n.Anchor)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!merge":
		p.odd(textdoc.OddMerge, n.Line, n.Value)
	case n.Style&yaml.TaggedStyle != 0:
		p.odd(textdoc.OddTag, n.Line, n.Tag)
	default:
		return false
	}
	return true
}

func scalarKind(n *yaml.Node) textdoc.Kind {
	switch n.ShortTag() {
	case "!!int", "!!float":
		return textdoc.NumberKind
	case "!!bool":
		return textdoc.TruthKind
	case "!!null":
		return textdoc.NullKind
	}
	return textdoc.TextKind // dates count as text too, because people mean them as text
}

var (
	yamlError   = textdoc.NewForm(`^yaml: (?:line ([0-9]+): )?(.*)`)
	yamlAnchor  = textdoc.NewForm(`^unknown anchor '(.*)' referenced`)
	yamlTab     = textdoc.NewForm(`(?m)^ *\t`)
	yamlGrammar = textdoc.NewForm(`^did not find expected (?:key|node content|'-' indicator|',' or '[\]}]'|<.*>)$`)
)

// yamlMistake returns an error of the YAML library with its line number. The library counts lines from 0 in parser errors and from 1 in
// scanner errors. It gives no number for the first line.
func yamlMistake(data []byte, err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil {
		return textdoc.Damaged("%s", err)
	}
	line, why := 1, m[2]
	if n, err := strconv.Atoi(m[1]); err == nil {
		line = n
		if yamlGrammar.MatchString(why) {
			line++
		}
	}
	if a := yamlAnchor.FindStringSubmatch(why); a != nil {
		line = textdoc.LineAt(data, bytes.Index(data, []byte("*"+a[1])))
	}
	if tab := yamlTab.FindStringIndex(string(data)); tab != nil && strings.Contains(why, "tab character") {
		line = max(line, textdoc.LineAt(data, tab[0])) // the library reports the line of the value before the tab, but the tab itself may be on a later line
	}
	if strings.Contains(why, "exceeded max depth") {
		return &textdoc.DamageError{Why: textdoc.TooDeep, Line: line}
	}
	return &textdoc.DamageError{Why: why, Line: min(line, textdoc.LineAt(data, len(data)))}
}
