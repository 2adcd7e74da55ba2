package textdoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Edit is one change to a JSON text. Path leads to the value to change: a string names a key, and an int is a position in a list.
type Edit struct {
	Path []any
	// To is the new value. It may be anything that encoding/json can write. A key that the object does not have is added at the end.
	To any
	// Drop removes the value together with its key. Nothing happens if the value does not exist.
	Drop bool
}

// EditJSON changes single values of a JSON text and keeps the rest as it is written: order, white space, numbers and line ends. So a diff
// of the file has only a few lines and no reformatting. There is one exception: each object or list that contains a changed value, directly
// or further inside, loses its white space before commas.
func EditJSON(data []byte, edits ...Edit) ([]byte, error) {
	v, err := ParseJSON(data)
	if err != nil {
		return nil, err
	}
	root := &step{}
	for _, e := range edits {
		if err := root.add(e); err != nil {
			return nil, err
		}
	}
	w := &jsonWriter{data: data}
	w.out.Write(data[:v.start])
	if err := w.value(v, root); err != nil {
		return nil, err
	}
	w.out.Write(data[v.end:])
	return w.out.Bytes(), nil
}

// Append returns the edit that adds a text to the end of a text value of a JSON file. It keeps the bytes of the old text, because encoding
// that text again could write some characters in another way.
func Append(data []byte, path []any, v Value, more string) (Edit, error) {
	if v.kind != TextKind {
		return Edit{}, fmt.Errorf("edit JSON: the value at byte %d is not a text", v.start)
	}
	text, err := encodePlain(more)
	if err != nil {
		return Edit{}, err
	}
	return Edit{Path: path, To: json.RawMessage(string(data[v.start:v.end-1]) + string(text[1:]))}, nil
}

// step is a node in a tree of edits. It has the edits for one value. The nodes below it have the edits for the members of this value.
type step struct {
	below map[any]*step
	names []any // the keys in the order of the edits, because a map has no order
	to    []byte
	drop  bool
}

func (s *step) add(e Edit) error {
	for _, part := range e.Path {
		next := s.below[part]
		if next == nil {
			if s.below == nil {
				s.below = map[any]*step{}
			}
			next = &step{}
			s.below[part] = next
			s.names = append(s.names, part)
		}
		s = next
	}
	if s.drop = e.Drop; e.Drop {
		return nil
	}
	text, err := encodePlain(e.To)
	s.to = text
	return err
}

// encodePlain writes a value without escaping characters such as &.
func encodePlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

type jsonWriter struct {
	data []byte
	out  bytes.Buffer
}

func (w *jsonWriter) value(v Value, s *step) error {
	switch {
	case s == nil || s.to == nil && len(s.below) == 0:
		w.out.Write(w.data[v.start:v.end])
	case s.to != nil:
		w.out.Write(s.to)
	case v.kind == KeyedKind || v.kind == ListKind:
		return w.parts(v, w.members(v, s), s)
	default:
		return fmt.Errorf("edit JSON: the value at byte %d is neither an object nor a list", v.start)
	}
	return nil
}

// part is one member of an object or list in the original text. It consists of white space, an optional key, and the value.
type part struct {
	from  int32 // the position of the white space before the member
	value Value
	step  *step
}

// members returns the parts of an object or list with their edits. If an object contains a key twice, a new value goes to the last
// occurrence, but a deletion removes all of them.
func (w *jsonWriter) members(v Value, s *step) []part {
	last := map[string]int{}
	for i, f := range v.inside().fields {
		last[f.Key] = i
	}
	var out []part
	from := v.start + 1
	add := func(value Value, do *step) {
		out = append(out, part{from, value, do})
		from = w.after(value.end)
	}
	for i, f := range v.inside().fields {
		do := s.below[f.Key]
		if do != nil && !do.drop && last[f.Key] != i {
			do = nil
		}
		add(f.Value, do)
	}
	for i, item := range v.inside().items {
		add(item, s.below[i])
	}
	return out
}

// The method after() returns the position after the comma that follows a value. If no comma follows, it returns the end of the value.
func (w *jsonWriter) after(end int32) int32 {
	for i := end; int(i) < len(w.data); i++ {
		switch w.data[i] {
		case ' ', '\t', '\r', '\n':
		case ',':
			return i + 1
		default:
			return end
		}
	}
	return end
}

// parts rewrites an object or list without the dropped members and with the added ones.
func (w *jsonWriter) parts(v Value, all []part, s *step) error {
	w.out.WriteByte(w.data[v.start])
	tail, lead := v.start+1, []byte(nil)
	count := 0
	for _, p := range all {
		tail = p.value.end
		if p.step != nil && p.step.drop {
			continue
		}
		if count++; count > 1 {
			w.out.WriteByte(',')
		}
		lead = w.blanks(p.from)
		w.out.Write(w.data[p.from:p.value.start])
		if err := w.value(p.value, p.step); err != nil {
			return err
		}
	}
	if lead == nil && len(all) > 0 {
		lead = w.blanks(all[0].from)
	}
	if err := w.added(v, s, lead, count); err != nil {
		return err
	}
	w.out.Write(w.data[tail:v.end])
	return nil
}

func (w *jsonWriter) blanks(from int32) []byte {
	end := from
	for int(end) < len(w.data) && slices.Contains([]byte(" \t\r\n"), w.data[end]) {
		end++
	}
	return w.data[from:end]
}

// The method added() writes the new keys of an object after its existing members. Before each new key it writes the white space "lead", so
// that the key is indented like the existing members.
func (w *jsonWriter) added(v Value, s *step, lead []byte, count int) error {
	for _, name := range s.names {
		key, isName := name.(string)
		do := s.below[name]
		switch {
		case do.drop || isName && w.has(v, key):
			continue
		case place(name) >= 0 && place(name) < len(v.inside().items):
			continue
		case !isName || v.kind != KeyedKind || do.to == nil:
			return fmt.Errorf("edit JSON: %v does not exist in the value at byte %d", name, v.start)
		}
		if count++; count > 1 {
			w.out.WriteByte(',')
		}
		quoted, err := encodePlain(key)
		if err != nil {
			return err
		}
		w.out.Write(lead)
		w.out.Write(quoted)
		w.out.WriteString(": ")
		w.out.Write(do.to)
	}
	return nil
}

// place returns the list position for an int, and -1 for the key of an object.
func place(name any) int {
	if n, ok := name.(int); ok {
		return n
	}
	return -1
}

func (w *jsonWriter) has(v Value, key string) bool {
	return slices.ContainsFunc(v.inside().fields, func(f Field) bool { return f.Key == key })
}
