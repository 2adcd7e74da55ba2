package splice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// SyntaxError says why a file is not accepted, and in which line.
type SyntaxError struct {
	// Line is the number of the line, beginning with 1.
	Line int
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// These limits keep hostile or damaged files from using much memory.
const (
	MaxSize  = 16 << 20
	maxDepth = 200
)

var bom = []byte("\xef\xbb\xbf")

// node is one JSON value, with its place in the text.
type node struct {
	// kind is '{' for an object, '[' for an array, '"' for a string, and 'v' for a number or a word such as true.
	kind     byte
	from, to int
	// keys has the decoded key of each item of an object. keyAt has the position at which each key begins.
	keys  []string
	keyAt []int
	items []*node
}

// begins returns the position at which item i begins: in an object the position of its key, otherwise of its value.
func (n *node) begins(i int) int {
	if n.kind == '{' {
		return n.keyAt[i]
	}
	return n.items[i].from
}

// member returns the value of a key, or nil. twice is true if the key occurs more than once, so that programs may disagree about its value.
func (n *node) member(key string) (value *node, twice bool) {
	for i, k := range n.keys {
		if k == key {
			value, twice = n.items[i], value != nil
		}
	}
	return value, twice
}

// parser reads JSON, with comments if the program that owns the file allows them.
type parser struct {
	text     []byte
	at       int
	comments bool
	depth    int
}

func parse(text []byte, comments bool) (*node, error) {
	p := &parser{text: text, comments: comments}
	if len(text) > MaxSize {
		return nil, p.fail("the file is too large")
	}
	if bytes.HasPrefix(text, bom) {
		p.at = len(bom)
	}
	if !utf8.Valid(text) {
		return nil, p.fail("the file is not UTF-8")
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	n, err := p.value()
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(text) {
		return nil, p.fail("there is more text after the end of the JSON value")
	}
	return n, nil
}

func (p *parser) fail(text string) error {
	return &SyntaxError{Line: 1 + bytes.Count(p.text[:min(p.at, len(p.text))], []byte("\n")), Text: text}
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// space skips spaces, and comments where they are allowed.
func (p *parser) space() error {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case isSpace(c):
			p.at++
		case c != '/':
			return nil
		case !p.comments:
			return p.fail("a comment is not allowed in this file")
		default:
			to, ok := commentEnd(p.text, p.at)
			if !ok {
				return p.fail("a comment is not closed")
			}
			p.at = to
		}
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// commentEnd returns where a comment ends. The line break after a line comment is not part of it. The second result is false if the comment
// has no end.
func commentEnd(text []byte, at int) (int, bool) {
	switch rest := text[at:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return at + len(bytes.TrimSuffix(rest[:i], []byte("\r"))), true
		}
		return len(text), true
	case bytes.HasPrefix(rest, []byte("/*")):
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			return at + 2 + i + 2, true
		}
	}
	return 0, false
}

func (p *parser) value() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail("the values are nested too deeply")
	}
	defer func() { p.depth-- }()
	switch c := p.peek(); c {
	case '{', '[':
		return p.container(c)
	case '"':
		from := p.at
		_, err := p.text1()
		return &node{kind: '"', from: from, to: p.at}, err
	}
	from := p.at
	for p.at < len(p.text) && !isSpace(p.text[p.at]) && !bytes.ContainsRune([]byte(`{}[],:"/`), rune(p.text[p.at])) {
		p.at++
	}
	if word := p.text[from:p.at]; len(word) == 0 || !json.Valid(word) {
		p.at = from
		return nil, p.fail("a value is expected here")
	}
	return &node{kind: 'v', from: from, to: p.at}, nil
}

// container reads an object or an array.
func (p *parser) container(open byte) (*node, error) {
	n, end := &node{kind: open, from: p.at}, open+2 // in ASCII, the closing bracket is two after the opening one
	p.at++
	if err := p.space(); err != nil {
		return nil, err
	}
	for p.peek() != end {
		if len(n.items) > 0 {
			if p.peek() != ',' {
				return nil, p.fail("a comma or a closing bracket is expected here")
			}
			p.at++
			if err := p.space(); err != nil {
				return nil, err
			}
		}
		if err := p.item(n); err != nil {
			return nil, err
		}
	}
	p.at++
	n.to = p.at
	return n, nil
}

// item reads one item of an object or an array, and the space after it.
func (p *parser) item(n *node) error {
	if n.kind == '{' {
		n.keyAt = append(n.keyAt, p.at)
		key, err := p.text1()
		if err != nil {
			return err
		}
		n.keys = append(n.keys, key)
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() != ':' {
			return p.fail("a colon is expected here")
		}
		p.at++
		if err := p.space(); err != nil {
			return err
		}
	}
	v, err := p.value()
	if err != nil {
		return err
	}
	n.items = append(n.items, v)
	return p.space()
}

// text1 reads one string and returns its decoded value.
func (p *parser) text1() (string, error) {
	if p.peek() != '"' {
		return "", p.fail("a string in double quotes is expected here")
	}
	for i := p.at + 1; i < len(p.text); i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '"':
			var s string
			if err := json.Unmarshal(p.text[p.at:i+1], &s); err != nil {
				return "", p.fail("a string is not valid")
			}
			p.at = i + 1
			return s, nil
		}
	}
	return "", p.fail("a string is not closed")
}

// plain replaces comments and the byte order mark by spaces, so that encoding/json can read the text.
func plain(text []byte) []byte {
	out := bytes.Clone(text)
	if bytes.HasPrefix(out, bom) {
		copy(out, "   ")
	}
	inText := false
	for i := 0; i < len(out); i++ {
		switch {
		case inText && out[i] == '\\':
			i++
		case out[i] == '"':
			inText = !inText
		case !inText && out[i] == '/':
			if to, ok := commentEnd(out, i); ok {
				for ; i < to; i++ {
					out[i] = ' '
				}
				i--
			}
		}
	}
	return out
}

// decoded decodes a text with encoding/json, which is independent of our own parser.
func decoded(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(plain(text)))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}
