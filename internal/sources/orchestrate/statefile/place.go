package statefile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// SetWord replaces one existing value in a JSON or YAML state file. In a JSON file, the new value is usually a text. It is a number if
// the word is a number and the old value is not a text.
func SetWord(name string, data []byte, word string, path []string) ([]byte, error) {
	if !IsJSON(name) {
		return yamldoc.Set(data, word, path...)
	}
	at, err := textdoc.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	var steps []any
	for _, p := range path {
		if i, err := strconv.Atoi(p); err == nil && at.IsList() {
			steps = append(steps, i)
		} else {
			steps = append(steps, p)
		}
		at = child(at, p)
	}
	edit := textdoc.Edit{Path: steps, To: word}
	if n, err := strconv.Atoi(word); err == nil && at.Is() && at.Kind() != textdoc.TextKind {
		edit.To = n
	}
	return textdoc.EditJSON(data, edit)
}

// EpicRoot returns the object that describes the epic, and the path of keys to that object.
func EpicRoot(v textdoc.Value) (root textdoc.Value, in []string) {
	if inner := v.Get("epic_state"); inner.IsObject() {
		return inner, []string{"epic_state"}
	}
	return v, nil
}

// EpicPlace returns the path of keys to the status of a story in an epic's state file. It returns nil if there is no status.
func EpicPlace(v textdoc.Value, wave, task string) []string {
	root, in := EpicRoot(v)
	at, g, ok := findPart(root.Get("waves"), wave, WaveNames)
	if place := storyPlace(g.Get("stories"), task); ok && place != nil {
		return append(append(slices.Clone(in), "waves", at, "stories"), place...)
	}
	if place := storyPlace(root.Get("stories"), task); ok && place != nil {
		return append(append(slices.Clone(in), "stories"), place...)
	}
	return nil
}

// Beside returns what an epic's state file says about a story outside of its wave, where the wave lists only the id of the story.
func Beside(root textdoc.Value, task string) textdoc.Value {
	_, s, _ := findPart(root.Get("stories"), task, StoryNames)
	return s
}

// storyPlace returns the path of keys to the status of a story in a wave, or nil if there is none. Some files write "3.1: {status: done}",
// and others "3.1: done".
func storyPlace(stories textdoc.Value, task string) []string {
	at, s, ok := findPart(stories, task, StoryNames)
	switch {
	case ok && s.Get("status").Is():
		return []string{at, "status"}
	case ok && s.Text() != "" && !stories.IsList():
		return []string{at}
	}
	return nil
}

// findPart finds a wave or a story by its name. The first result is its key, or its index if v is a list.
func findPart(v textdoc.Value, id string, names []string) (at string, part textdoc.Value, ok bool) {
	for i, f := range Named(v, names...) {
		if f.Key != id && strings.TrimPrefix(f.Key, "wave-") != id {
			continue
		}
		if v.IsList() {
			return strconv.Itoa(i), v.Items()[i], true
		}
		return f.Key, f.Value, true
	}
	return "", textdoc.Value{}, false
}

// Parsed returns the parsed content of a state file, from a cache if possible. The content is empty if the file cannot be read.
func (l *Files) Parsed(name string) textdoc.Value {
	if v, ok := l.values[name]; ok {
		return v
	}
	if l.values == nil {
		l.values = map[string]textdoc.Value{}
	}
	data, err := l.Tree.Read(name)
	if err == nil {
		l.values[name], _ = Format(name)(data)
	} else {
		l.values[name] = textdoc.Value{}
	}
	return l.values[name]
}

// Named returns the entries of v with their names. In a map, the keys are the names. In a list, an item is a name or contains a name. Any
// other item gets its position as the name.
func Named(v textdoc.Value, names ...string) []textdoc.Field {
	out := v.Fields()
	for i, item := range v.Items() {
		id, value := item.Get(names...).Text(), item
		if item.Text() != "" {
			id, value = item.Text(), textdoc.Value{}
		}
		if id == "" {
			id = strconv.Itoa(i + 1)
		}
		out = append(out, textdoc.Field{Key: id, Value: value})
	}
	return out
}

func child(v textdoc.Value, name string) textdoc.Value {
	if i, err := strconv.Atoi(name); err == nil && v.IsList() && i < len(v.Items()) {
		return v.Items()[i]
	}
	return v.Get(name)
}
