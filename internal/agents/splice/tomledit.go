package splice

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Setting is a key of a TOML file: the table, the key, and the value as it is written.
type Setting struct {
	Table      []string
	Key, Value string
}

// TOMLValue returns the text of a setting's value in the file. The result is empty if the file does not have the key.
func TOMLValue(text []byte, set Setting) (string, error) {
	f, err := parseTOML(text)
	if err != nil {
		return "", err
	}
	return f.values[joined(append(slices.Clone(set.Table), set.Key))], nil
}

// AddTOML adds a setting to a file. If the file already has the key, with whatever value, nothing is changed.
func AddTOML(text []byte, set Setting) (out []byte, edits []Edit, err error) {
	f, err := parseTOML(text)
	if err != nil {
		return nil, nil, err
	}
	path := append(slices.Clone(set.Table), set.Key)
	if _, ok := f.values[joined(path)]; ok {
		return text, nil, nil
	}
	if err := f.free(path); err != nil {
		return nil, nil, err
	}
	nl := "\n"
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		nl = "\r\n"
	}
	e := Edit{At: len(text), Text: "[" + strings.Join(set.Table, ".") + "]" + nl + set.Key + " = " + set.Value + nl}
	if at, ok := f.tables[joined(set.Table)]; ok {
		e = Edit{At: at, Text: nl + set.Key + " = " + set.Value}
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			e.At = at + len(bytes.TrimSuffix(text[at:at+i], []byte("\r")))
		} else {
			e.At = len(text)
		}
	} else if len(bytes.TrimPrefix(text, bom)) > 0 {
		e.Text = nl + e.Text
		if !bytes.HasSuffix(text, []byte("\n")) {
			e.Text = nl + e.Text
		}
	}
	out = insert(text, e)
	return out, []Edit{e}, proveTOML(f, out, path, set.Value)
}

// free returns an error if the setting cannot be added. This is the case if a part of its path has a value or is an array of tables. It
// is also the case if values of the setting's table exist, but the table has no header.
func (f tomlFile) free(path []string) error {
	for i := range path {
		name := joined(path[:i+1])
		_, isValue := f.values[name]
		_, isArray := f.tables[name+"\x00\x011"]
		if isValue || isArray {
			return fmt.Errorf("'%s': %w", strings.Join(path[:i+1], "."), ErrConflict)
		}
	}
	// A key such as update_plan.other inside [tools] defines the table tools.update_plan. TOML then forbids a header for that table.
	table := joined(path[:len(path)-1])
	for name := range f.values {
		if _, hasHeader := f.tables[table]; !hasHeader && strings.HasPrefix(name, table+"\x00") {
			return fmt.Errorf("'%s': %w", strings.Join(path[:len(path)-1], "."), ErrConflict)
		}
	}
	return nil
}

// proveTOML checks that the new text has the setting, and that all other values are the same as in the old text.
func proveTOML(was tomlFile, after []byte, path []string, value string) error {
	is, err := parseTOML(after)
	if err != nil {
		return fmt.Errorf("the edited file would not be valid: %w", err)
	}
	got, ok := is.values[joined(path)]
	delete(is.values, joined(path))
	if !ok || got != value || !maps.Equal(is.values, was.values) {
		return errors.New("the edit would change more than the new entry")
	}
	return nil
}

// RemoveTOML takes out the setting that AddTOML added. If the setting is already gone, the text stays as it is, and ok is true. ok is false
// if the setting has another value now, or if the inserted text cannot be found.
func RemoveTOML(text []byte, set Setting, edits []Edit) (out []byte, ok bool, err error) {
	before, err := parseTOML(text)
	if err != nil {
		return nil, false, err
	}
	path := joined(append(slices.Clone(set.Table), set.Key))
	if _, there := before.values[path]; !there {
		return text, true, nil
	}
	if len(edits) != 1 || before.values[path] != set.Value {
		return nil, false, nil
	}
	delete(before.values, path)
	for at := len(text); at >= 0; { // a string may contain the same text, so each occurrence is tried
		if at = bytes.LastIndex(text[:at], []byte(edits[0].Text)); at < 0 {
			break
		}
		out := slices.Delete(bytes.Clone(text), at, at+len(edits[0].Text))
		if after, err := parseTOML(out); err == nil && maps.Equal(after.values, before.values) {
			return out, true, nil
		}
	}
	return nil, false, nil
}
