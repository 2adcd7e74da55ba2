package splice

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Undo takes inserted texts out of a file again. ok is false if one of them is no longer at its place.
func Undo(text []byte, edits []Edit) (out []byte, ok bool) {
	out = bytes.Clone(text)
	for _, e := range slices.Backward(edits) {
		if e.At < 0 || e.At > len(out) || !bytes.HasPrefix(out[e.At:], []byte(e.Text)) {
			return nil, false
		}
		out = slices.Delete(out, e.At, e.At+len(e.Text))
	}
	return out, true
}

// Removal says what to take out of a JSON file that may have changed since the entries were added.
type Removal struct {
	// Under is the top-level key below which items of ours are looked for. Ours reports whether an item of an array is ours.
	Under string
	Ours  func(item any) bool
	// Keys maps the path of each key that we added, joined by dots, to the JSON value that it got. A key that has another value now is not
	// removed.
	Keys map[string]string
	// Edits are the edits that added the entries. The objects and arrays that they created are removed if they are empty.
	Edits []Edit
}

// RemoveJSON removes our entries from a file, wherever they are now. It also removes the objects and arrays that our edits created, if
// they are empty now.
func RemoveJSON(text []byte, f Format, r Removal) ([]byte, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, bom))) == 0 {
		return text, nil
	}
	if err := f.check(text); err != nil {
		return nil, err
	}
	out := bytes.Clone(text)
	for range len(text) { // each round removes at least one byte, so there are at most as many rounds as bytes
		root, err := parse(out, f.Comments)
		if err != nil {
			return nil, fmt.Errorf("the edited file would not be valid: %w", err)
		}
		at, ok := r.next(out, root)
		if !ok {
			break
		}
		out = r.cut(out, at)
	}
	out = r.emptied(out)
	return out, r.prove(text, out)
}

// spot is the item with the index i of a container. path is the path of that container.
type spot struct {
	in   *node
	i    int
	path []string
}

// next finds an entry of ours to remove, or an empty container that our edits created. It returns false if there is none left.
func (r Removal) next(text []byte, root *node) (spot, bool) {
	if below, twice := root.member(r.Under); below != nil && !twice {
		if at, ok := r.item(text, below, []string{r.Under}); ok {
			return at, true
		}
	}
	for name, value := range r.Keys {
		if at, ok := find(root, strings.Split(name, ".")); ok && string(text[at.in.items[at.i].from:at.in.items[at.i].to]) == value {
			return at, true
		}
	}
	for _, e := range slices.Backward(r.Edits) {
		for _, path := range e.made() {
			if at, ok := find(root, path); ok && isBlank(text, at.in.items[at.i]) {
				return at, true
			}
		}
	}
	return spot{}, false
}

// item finds an item of ours in the arrays below the value n, or returns false. In the path of the found array, "*" stands for any item
// of an outer array.
func (r Removal) item(text []byte, n *node, path []string) (spot, bool) {
	for i, v := range n.items {
		below := append(slices.Clone(path), "*")
		if n.kind == '{' {
			below[len(path)] = n.keys[i]
		} else if value, err := decoded(text[v.from:v.to]); err == nil && r.Ours(value) {
			return spot{n, i, path}, true
		}
		if at, ok := r.item(text, v, below); ok {
			return at, true
		}
	}
	return spot{}, false
}

// find finds a key by its path. The second result is false if the key is missing, or if a part of the path occurs twice.
func find(root *node, path []string) (spot, bool) {
	at := root
	for i, key := range path {
		if at.kind != '{' {
			return spot{}, false
		}
		next, twice := at.member(key)
		if next == nil || twice {
			return spot{}, false
		}
		if i == len(path)-1 {
			return spot{at, slices.Index(at.keys, key), path[:i]}, true
		}
		at = next
	}
	return spot{}, false
}

// isBlank reports whether there is nothing but space between the brackets of a container.
func isBlank(text []byte, n *node) bool {
	return (n.kind == '{' || n.kind == '[') && len(bytes.TrimSpace(text[n.from+1:n.to-1])) == 0
}

// cut removes one item, with its comma and the space around it.
func (r Removal) cut(text []byte, at spot) []byte {
	n, from, to := at.in, at.in.begins(at.i), at.in.items[at.i].to
	lead := n.from + 1
	if at.i > 0 {
		lead = n.items[at.i-1].to
	}
	start := spaceBefore(text, lead, from)
	switch {
	case at.i > 0:
		prev := lead
		comma := commaAfter(text, prev)
		if comma+1 >= start { // there is no comment between the previous item and this one
			return slices.Delete(slices.Clone(text), prev, to)
		}
		out := slices.Delete(slices.Clone(text), start, to)
		return slices.Delete(out, comma, comma+1)
	case len(n.items) > 1:
		comma := commaAfter(text, to)
		after := comma + 1 + len(text[comma+1:]) - len(bytes.TrimLeft(text[comma+1:], " \t\r\n"))
		out := slices.Delete(slices.Clone(text), comma, after)
		return slices.Delete(out, from, to)
	}
	if tail := r.tail(at.path); tail != "" && bytes.HasPrefix(text[to:], []byte(tail)) {
		to += len(tail)
	}
	return slices.Delete(slices.Clone(text), start, to)
}

// spaceBefore returns where the space directly before an item begins. It looks only at the text from position "at" to position "item",
// which has nothing but space, comments and perhaps a comma.
func spaceBefore(text []byte, at, item int) int {
	start := at
	for at < item {
		switch {
		case text[at] == '/':
			at, _ = commentEnd(text, at)
			start = at
		case text[at] == ',':
			at++
			start = at
		default:
			at++
		}
	}
	return start
}

// commaAfter returns the position of the first comma after the given position. Commas in comments do not count.
func commaAfter(text []byte, at int) int {
	for text[at] != ',' {
		if text[at] == '/' {
			at, _ = commentEnd(text, at)
			continue
		}
		at++
	}
	return at
}

// tail returns the text that an edit added after its item. Only an edit of an empty container adds such a text. For other containers, the
// result is "".
func (r Removal) tail(container []string) string {
	for _, e := range r.Edits {
		if e.Tail != "" && slices.Equal(e.container(), container) {
			return e.Tail
		}
	}
	return ""
}

// emptied removes the empty object that AddJSON wrote into a file without content, if the file has nothing else now.
func (r Removal) emptied(text []byte) []byte {
	if len(r.Edits) == 0 || len(r.Edits[0].Path) > 0 {
		return text
	}
	if rest, ok := bytes.CutSuffix(text, []byte(r.Edits[0].Text)); ok && len(bytes.TrimSpace(bytes.TrimPrefix(rest, bom))) == 0 {
		return rest
	}
	return text
}

// prove checks with encoding/json that the texts before and after differ only in our entries, and in empty objects and arrays.
func (r Removal) prove(before, after []byte) error {
	was, err := decoded(before)
	if err != nil {
		return err
	}
	is := any(map[string]any{})
	if len(bytes.TrimSpace(bytes.TrimPrefix(after, bom))) > 0 {
		if is, err = decoded(after); err != nil {
			return fmt.Errorf("the edited file would not be valid: %w", err)
		}
	}
	if !reflect.DeepEqual(r.without(was, nil), r.without(is, nil)) {
		return errors.New("the edit would change more than git-resume's own entries")
	}
	return nil
}

// The function "without" returns a decoded value without our entries, and without keys that have an empty object or array.
func (r Removal) without(v any, path []string) any {
	switch v := v.(type) {
	case []any:
		out := []any{}
		for _, x := range v {
			if len(path) == 0 || path[0] != r.Under || !r.Ours(x) {
				out = append(out, r.without(x, append(slices.Clone(path), "*")))
			}
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			below := append(slices.Clone(path), k)
			if value, ok := r.Keys[strings.Join(below, ".")]; ok {
				if set, err := decoded([]byte(value)); err == nil && reflect.DeepEqual(set, x) {
					continue
				}
			}
			x = r.without(x, below)
			if c := reflect.ValueOf(x); (c.Kind() == reflect.Map || c.Kind() == reflect.Slice) && c.Len() == 0 {
				continue
			}
			out[k] = x
		}
		return out
	}
	return v
}
