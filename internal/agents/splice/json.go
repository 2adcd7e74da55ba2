package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Entry is something to add to a JSON file.
type Entry struct {
	// Path is the path of an array to which Value is appended, or of a key that gets Value. Missing objects and arrays are created.
	Path []string
	// Append is true if Path is the path of an array.
	Append bool
	// Value is the JSON text to add, in one line.
	Value string
}

// Edit is one text that was inserted into a file.
type Edit struct {
	// At is the position at which the text is inserted, in the file as the earlier edits have left it.
	At   int    `json:"at"`
	Text string `json:"text"`
	// Path is the path of the entry that was added. Kept is how many parts of Path, from its beginning, were in the file before. List is
	// true if Path leads to an array.
	Path []string `json:"path,omitempty"`
	Kept int      `json:"kept,omitempty"`
	List bool     `json:"list,omitempty"`
	// Tail is the end of Text, after the new item. If the container was empty, Tail puts its closing bracket on a new line.
	Tail string `json:"tail,omitempty"`
}

// ErrConflict says that the file already has something else where an entry must be added.
var ErrConflict = errors.New("the file already has something else where git-resume's entry must be added")

// Format says how a program reads its JSON file.
type Format struct {
	// Comments is true if comments are allowed.
	Comments bool
	// BOM is true if a byte order mark at the beginning is allowed.
	BOM bool
}

// AddJSON inserts the entries that the file does not have yet, and returns the new text and the edits. A key that exists keeps its value.
func AddJSON(text []byte, f Format, entries []Entry) (out []byte, edits []Edit, err error) {
	if err := f.check(text); err != nil {
		return nil, nil, err
	}
	out = bytes.Clone(text)
	if body := bytes.TrimPrefix(out, bom); len(bytes.TrimSpace(body)) == 0 {
		e := Edit{At: len(out), Text: "{}\n"}
		out, edits = insert(out, e), append(edits, e)
	}
	for _, entry := range entries {
		before := out
		added, err := addEntry(before, f, entry)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range added {
			out = insert(out, e)
		}
		if len(added) > 0 {
			if err := proveAdded(before, out, f, entry); err != nil {
				return nil, nil, err
			}
		}
		edits = append(edits, added...)
	}
	return out, edits, nil
}

func (f Format) check(text []byte) error {
	if !f.BOM && bytes.HasPrefix(text, bom) {
		return &SyntaxError{Line: 1, Text: "a byte order mark is not allowed in this file"}
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, bom))) == 0 {
		return nil
	}
	root, err := parse(text, f.Comments)
	if err != nil {
		return err
	}
	if root.kind != '{' {
		return &SyntaxError{Line: 1, Text: "the file is not a JSON object"}
	}
	return nil
}

// container returns the path of the existing object or array into which the edit inserted something.
func (e Edit) container() []string { return e.Path[:e.Kept] }

// made returns the paths of the objects and arrays that the edit created, the innermost first.
func (e Edit) made() (paths [][]string) {
	n := len(e.Path)
	if !e.List {
		n--
	}
	for ; n > e.Kept; n-- {
		paths = append(paths, e.Path[:n])
	}
	return paths
}

func insert(text []byte, e Edit) []byte {
	return slices.Concat(text[:e.At], []byte(e.Text), text[e.At:])
}

// addEntry returns the edits that add one entry. There are two edits if a comment must stay between the comma and the new item, and none if
// nothing needs to be added.
func addEntry(text []byte, f Format, entry Entry) ([]Edit, error) {
	root, err := parse(text, f.Comments)
	if err != nil {
		return nil, err
	}
	at, rest := root, entry.Path
	for len(rest) > 0 {
		if at.kind != '{' {
			return nil, fmt.Errorf("'%s': %w", strings.Join(entry.Path, "."), ErrConflict)
		}
		next, twice := at.member(rest[0])
		if twice {
			return nil, fmt.Errorf("'%s' occurs twice: %w", rest[0], ErrConflict)
		}
		if next == nil {
			break
		}
		at, rest = next, rest[1:]
	}
	s, e := styleOf(text, root), Edit{Path: entry.Path, Kept: len(entry.Path) - len(rest), List: entry.Append}
	switch {
	case len(rest) > 0:
		return s.append(at, e, func(indent string, wide bool) string {
			return s.key(rest[0]) + s.nested(rest[1:], entry, indent, wide)
		}), nil
	case !entry.Append:
		return nil, nil // an existing key keeps the value that the user gave it
	case at.kind != '[':
		return nil, fmt.Errorf("'%s': %w", strings.Join(entry.Path, "."), ErrConflict)
	case holds(text, at, entry.Value):
		return nil, nil
	}
	return s.append(at, e, func(indent string, wide bool) string { return s.value(entry.Value, indent, wide) }), nil
}

// holds reports whether an array has an item equal to this JSON value, however it is formatted.
func holds(text []byte, array *node, value string) bool {
	want, err := decoded([]byte(value))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(array.items, func(n *node) bool {
		have, err := decoded(text[n.from:n.to])
		return err == nil && reflect.DeepEqual(have, want)
	})
}

// proveAdded checks with encoding/json that the new text has the entry and is otherwise equal to the old one.
func proveAdded(before, after []byte, f Format, entry Entry) error {
	if _, err := parse(after, f.Comments); err != nil {
		return fmt.Errorf("the edited file would not be valid: %w", err)
	}
	was, err := decoded(before)
	if err != nil {
		return err
	}
	is, err := decoded(after)
	if err != nil {
		return fmt.Errorf("the edited file would not be valid: %w", err)
	}
	var value any
	d := json.NewDecoder(strings.NewReader(entry.Value))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return err
	}
	if !reflect.DeepEqual(with(was, entry.Path, entry.Append, value), is) {
		return errors.New("the edit would change more than the new entry")
	}
	return nil
}

// The function "with" returns v, which is the decoded value of a file, with one entry added.
func with(v any, path []string, appends bool, value any) any {
	if len(path) == 0 {
		if list, ok := v.([]any); appends && (ok || v == nil) {
			return append(slices.Clone(list), value)
		}
		return value
	}
	out := map[string]any{}
	if old, ok := v.(map[string]any); ok {
		for k, x := range old {
			out[k] = x
		}
	}
	out[path[0]] = with(out[path[0]], path[1:], appends, value)
	return out
}

// JSONValue returns the JSON text of the value at a path. The result is empty if the file does not have the key, or has it twice.
func JSONValue(text []byte, f Format, path []string) (string, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, bom))) == 0 {
		return "", nil
	}
	if err := f.check(text); err != nil {
		return "", err
	}
	root, err := parse(text, f.Comments)
	if err != nil {
		return "", err
	}
	at, ok := find(root, path)
	if !ok {
		return "", nil
	}
	v := at.in.items[at.i]
	return string(text[v.from:v.to]), nil
}
