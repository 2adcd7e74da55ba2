package statefile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// SetWord changes one word of a state file that is there, whatever its format; a number stays one.
func SetWord(name string, data []byte, word string, path []string) ([]byte, error) {
	if !IsJSON(name) {
		return sources.SetYAML(data, word, path...)
	}
	at, err := sources.ParseJSON(data)
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
	edit := sources.Edit{Path: steps, To: word}
	if n, err := strconv.Atoi(word); err == nil && at.Is() {
		if _, isText := at.Plain().(string); !isText {
			edit.To = n
		}
	}
	return sources.EditJSON(data, edit)
}

// EpicRoot is the part of a state that is about the epic, and the way to it.
func EpicRoot(v sources.Value) (root sources.Value, in []string) {
	if inner := v.Get("epic_state"); inner.IsObject() {
		return inner, []string{"epic_state"}
	}
	return v, nil
}

// EpicPlace is where the state of an epic keeps the status of a story; nil if it keeps none.
func EpicPlace(v sources.Value, wave, task string) []string {
	root, in := EpicRoot(v)
	at, g, ok := within(root.Get("waves"), wave, WaveNames)
	place := storyPlace(g.Get("stories"), task)
	if !ok || place == nil {
		return nil
	}
	return append(append(slices.Clone(in), "waves", at, "stories"), place...)
}

// storyPlace is where the stories of a wave keep the status of one of them: below its name, or as the value of it.
func storyPlace(stories sources.Value, task string) []string {
	at, s, ok := within(stories, task, StoryNames)
	switch {
	case ok && s.Get("status").Is():
		return []string{at, "status"}
	case ok && s.Text() != "" && !stories.IsList():
		return []string{at}
	}
	return nil
}

// within finds one of the parts of a record by its name: the key or the place in the list under which it stands.
func within(v sources.Value, id string, names []string) (at string, part sources.Value, ok bool) {
	for i, f := range Named(v, names...) {
		if f.Key != id && strings.TrimPrefix(f.Key, "wave-") != id {
			continue
		}
		if v.IsList() {
			return strconv.Itoa(i), v.Items()[i], true
		}
		return f.Key, f.Value, true
	}
	return "", sources.Value{}, false
}

// Parsed is a state file as read, once for all its parts; nothing where it cannot be read.
func (l *Files) Parsed(name string) sources.Value {
	if v, ok := l.values[name]; ok {
		return v
	}
	if l.values == nil {
		l.values = map[string]sources.Value{}
	}
	data, err := l.Tree.Read(name)
	if err == nil {
		l.values[name], _ = Format(name)(data)
	} else {
		l.values[name] = sources.Value{}
	}
	return l.values[name]
}

// Named are the parts of a record, whether they stand below their names, in a list with their names in them, or as bare names;
// one without a name is called by its place.
func Named(v sources.Value, names ...string) []sources.Field {
	out := v.Fields()
	for i, item := range v.Items() {
		id, value := item.Get(names...).Text(), item
		if item.Text() != "" {
			id, value = item.Text(), sources.Value{}
		}
		if id == "" {
			id = strconv.Itoa(i + 1)
		}
		out = append(out, sources.Field{Key: id, Value: value})
	}
	return out
}

func child(v sources.Value, name string) sources.Value {
	if i, err := strconv.Atoi(name); err == nil && v.IsList() && i < len(v.Items()) {
		return v.Items()[i]
	}
	return v.Get(name)
}
