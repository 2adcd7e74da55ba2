package textdoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// ParseJSON reads one JSON document within the bounds Tolerant.
func ParseJSON(data []byte) (Value, error) { return Tolerant.JSON(data) }

// JSON reads one JSON document within bounds. Equal keys of an object are all kept, and Get finds the last.
func (b Bounds) JSON(data []byte) (Value, error) {
	switch {
	case len(data) > math.MaxInt32:
		return Value{}, Damaged("is too large")
	case len(bytes.TrimSpace(bytes.TrimPrefix(data, bom))) == 0:
		return Value{}, Damaged("is empty")
	case bytes.Contains(data, []byte("<<<<<<< ")) && Merging(Text(data)):
		return Value{}, HalfMerged(Text(data))
	}
	p := &jsonReader{data: data, whole: string(data), line: 1, bounds: b}
	if bytes.HasPrefix(data, bom) {
		p.at = len(bom)
	}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.at < len(data) {
		return Value{}, Damaged("has text after the end of its value, at line %d", p.line)
	}
	return v, nil
}

var bom = []byte("\xef\xbb\xbf")

// jsonReader parses the bytes in one pass. It records the position of each value, so that EditJSON can replace the value in place.
type jsonReader struct {
	data  []byte
	whole string // the same bytes as a string: most texts are slices of this string, which saves memory
	at    int
	line  int
	nodes int

	bounds Bounds
}

func (p *jsonReader) broken(why string) error {
	return Damaged("is not valid JSON at line %d: %s", p.line, why)
}

// space skips white space. It returns the next byte without consuming that byte, or zero at the end.
func (p *jsonReader) space() byte {
	for ; p.at < len(p.data); p.at++ {
		switch c := p.data[p.at]; c {
		case '\n':
			p.line++
		case ' ', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

func (p *jsonReader) value(depth int) (v Value, err error) {
	first := p.space()
	if p.nodes++; p.nodes > p.bounds.Nodes || depth > p.bounds.Depth {
		return v, &DamageError{TooDeep, p.line}
	}
	start, line := p.at, p.line
	switch {
	case first == '{':
		v, err = p.inside(KeyedKind, '}', depth)
	case first == '[':
		v, err = p.inside(ListKind, ']', depth)
	case first == '"':
		v.kind = TextKind
		v.text, err = p.text()
	default:
		v, err = p.word()
	}
	v.start, v.end, v.line = int32(start), int32(p.at), int32(line)
	return v, err
}

// inside reads the members of a list or an object up to and including the closing bracket.
func (p *jsonReader) inside(kind Kind, end byte, depth int) (Value, error) {
	v := Value{kind: kind, parts: &parts{}}
	p.at++
	more, err := p.space() != end, error(nil)
	if !more {
		p.at++
	}
	for more {
		var f Field
		if kind == KeyedKind {
			f, err = p.key()
		}
		if err == nil {
			f.Value, err = p.value(depth + 1)
		}
		if err != nil {
			return v, err
		}
		if kind == KeyedKind {
			v.parts.fields = append(v.parts.fields, f)
		} else {
			v.parts.items = append(v.parts.items, f.Value)
		}
		more, err = p.more(end)
	}
	return v, err
}

// key reads a name and its colon.
func (p *jsonReader) key() (f Field, err error) {
	switch c := p.space(); {
	case c == 0 && p.at == len(p.data):
		return f, p.broken("it ends too early")
	case c != '"':
		return f, p.broken("a name in double quotes is missing")
	}
	f.Line = p.line
	if f.Key, err = p.text(); err != nil {
		return f, err
	}
	if p.space() != ':' {
		return f, p.broken("a colon is missing")
	}
	p.at++
	return f, nil
}

// The method more() skips the next token and reports whether another member follows. The token must be a comma or the closing bracket.
func (p *jsonReader) more(end byte) (bool, error) {
	switch p.space() {
	case ',':
		p.at++
		return true, nil
	case end:
		p.at++
		return false, nil
	case 0:
		return false, p.broken("it ends too early")
	}
	return false, p.broken("a comma is missing")
}

func (p *jsonReader) text() (string, error) {
	start, plain := p.at, true
	for p.at++; p.at < len(p.data); p.at++ {
		switch c := p.data[p.at]; {
		case c == '"':
			p.at++
			return p.unquote(start, plain)
		case c == '\\':
			plain = false
			p.at++
		case c < ' ' && c != '\n' && c != '\r':
			return "", p.broken(fmt.Sprintf("a string contains the byte 0x%02x", c))
		case c < ' ':
			return "", p.broken("a string continues past the end of its line")
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	return "", p.broken("it ends too early")
}

func (p *jsonReader) unquote(start int, plain bool) (string, error) {
	if plain {
		return p.whole[start+1 : p.at-1], nil
	}
	var s string
	if err := json.Unmarshal(p.data[start:p.at], &s); err != nil {
		return "", p.broken("a string has an unknown escape")
	}
	return s, nil
}

// longestQuoted limits how much of a wrong value is repeated in an error.
const longestQuoted = 20

func (p *jsonReader) word() (Value, error) {
	start := p.at
	for p.at < len(p.data) && !strings.ContainsRune(" \t\r\n,:]}[{\"", rune(p.data[p.at])) {
		p.at++
	}
	text := p.data[start:p.at]
	switch {
	case len(text) == 0 && p.at == len(p.data):
		return Value{}, p.broken("it ends too early")
	case string(text) == "null":
		return Value{kind: NullKind}, nil
	case string(text) == "true" || string(text) == "false":
		return Value{kind: TruthKind, text: p.whole[start:p.at]}, nil
	case len(text) == 0:
		return Value{}, p.broken("a value is missing")
	case !json.Valid(text):
		p.at = start
		return Value{}, p.broken(fmt.Sprintf("%q is not a value", text[:min(len(text), longestQuoted)]))
	}
	return Value{kind: NumberKind, text: p.whole[start:p.at]}, nil
}
