package splice

import (
	"bytes"
	"encoding/json"
	"strings"
)

// style is how a JSON file is laid out. New text gets the same layout.
type style struct {
	text []byte
	// unit is the indentation of one level. It is empty if the first key of the file is not on a line of its own.
	unit, newline string
	// gap is the space after the colon of a key.
	gap string
}

func styleOf(text []byte, root *node) style {
	s := style{text: text, newline: "\n", gap: " ", unit: "  "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if len(root.items) == 0 {
		return s
	}
	if own, ok := s.ownLine(root.begins(0)); ok && own != "" {
		s.unit = own
	} else if !ok {
		s.unit = ""
	}
	if v := root.items[0]; v.from > 0 && text[v.from-1] == ':' {
		s.gap = ""
	}
	return s
}

// ownLine returns the indentation before a position. ok is false if the line has other text before the position, or if it is the first
// line.
func (s style) ownLine(at int) (indent string, ok bool) {
	line := s.text[bytes.LastIndexByte(s.text[:at], '\n')+1 : at]
	if len(line) == at { // this is the first line
		return "", false
	}
	return string(line), len(bytes.Trim(line, " \t")) == 0
}

// indentOf returns the indentation of the line in which a position is.
func (s style) indentOf(at int) string {
	line := s.text[bytes.LastIndexByte(s.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func (s style) key(name string) string {
	quoted, _ := json.Marshal(name) // a string can always be marshalled
	return string(quoted) + ":" + s.gap
}

// append returns the edits that add a new item after the last item of a container, or into an empty container.
func (s style) append(into *node, e Edit, item func(indent string, wide bool) string) []Edit {
	e.At = s.lastComment(into)
	commented := e.At > into.from+1 && (len(into.items) == 0 || e.At > into.items[len(into.items)-1].to)
	if len(into.items) > 0 {
		return s.behind(into, e, commented, item)
	}
	if s.unit == "" && !commented {
		e.Text = item("", false)
		return []Edit{e}
	}
	indent := s.indentOf(into.from)
	if !bytes.Contains(s.text[e.At:into.to], []byte("\n")) {
		e.Tail = s.newline + indent
	}
	e.Text = s.newline + indent + s.step() + item(indent+s.step(), true) + e.Tail
	return []Edit{e}
}

// behind returns the edits that add an item after the last item of a container that has items. commented is true if a comment follows that
// last item.
func (s style) behind(into *node, e Edit, commented bool, item func(indent string, wide bool) string) []Edit {
	n := len(into.items)
	indent, wide := s.ownLine(into.begins(n - 1))
	if !wide && commented && s.endsLine(e.At) {
		indent, wide = s.indentOf(into.from)+s.step(), true
	}
	lead := s.gap
	if wide {
		lead = s.newline + indent
	}
	if !commented {
		e.Text = "," + lead + item(indent, wide)
		return []Edit{e}
	}
	// The comma is inserted directly after the last value, so that the comment after that value stays in place.
	comma := Edit{At: into.items[n-1].to, Text: ",", Path: e.Path, Kept: len(e.Path)}
	e.At, e.Text = e.At+1, lead+item(indent, wide)
	return []Edit{comma, e}
}

// step returns the indentation of one level. If the file shows none, it is two spaces.
func (s style) step() string {
	if s.unit == "" {
		return "  "
	}
	return s.unit
}

// endsLine reports whether a comment that ends at a position is a line comment, after which a line break must come.
func (s style) endsLine(at int) bool { return !bytes.HasSuffix(s.text[:at], []byte("*/")) }

// lastComment returns the end of the last comment after the last item of a container. Without such a comment it returns the end of the last
// item. For an empty container it returns the position after the opening bracket.
func (s style) lastComment(n *node) int {
	at := n.from + 1
	if len(n.items) > 0 {
		at = n.items[len(n.items)-1].to
	}
	for i := at; i < n.to-1; i++ {
		if s.text[i] == '/' {
			i, _ = commentEnd(s.text, i)
			at = i
			i--
		}
	}
	return at
}

// nested returns the JSON text of an entry inside new objects. The path has the keys of these objects. If wide is true, each item gets a
// line of its own.
func (s style) nested(path []string, entry Entry, indent string, wide bool) string {
	open, shut, inner := "{", "}", ""
	switch {
	case len(path) > 0:
		inner = s.key(path[0]) + s.nested(path[1:], entry, indent+s.step(), wide)
	case entry.Append:
		open, shut, inner = "[", "]", s.value(entry.Value, indent+s.step(), wide)
	default:
		return s.value(entry.Value, indent, wide)
	}
	if !wide {
		return open + inner + shut
	}
	return open + s.newline + indent + s.step() + inner + s.newline + indent + shut
}

// value formats a JSON text in the layout of the file.
func (s style) value(text, indent string, wide bool) string {
	var b bytes.Buffer
	if !wide {
		if s.gap != "" {
			return text
		}
		if json.Compact(&b, []byte(text)) != nil {
			return text
		}
		return b.String()
	}
	if json.Indent(&b, []byte(text), indent, s.step()) != nil {
		return text
	}
	return strings.ReplaceAll(b.String(), "\n", s.newline)
}
