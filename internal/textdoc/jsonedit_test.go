package textdoc

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEditJSON_changesNothingElse(t *testing.T) {
	t.Parallel()
	item := func(names ...any) []any { return append([]any{"items", 0}, names...) }
	for name, c := range map[string]struct {
		in    string
		edits []Edit
		want  string
	}{
		"a value": {"{\n  \"items\": [ {\"a\":1.0e5,  \"s\" : \"x\"} ]\n}\n", []Edit{{Path: item("s"), To: "pending"}},
			"{\n  \"items\": [ {\"a\":1.0e5,  \"s\" : \"pending\"} ]\n}\n"},
		"dropped in the middle": {"{\n\t\"a\": 1,\n\t\"b\": [2],\n\t\"c\": 3\n}", []Edit{{Path: []any{"b"}, Drop: true}}, "{\n\t\"a\": 1,\n\t\"c\": 3\n}"},
		"dropped at the end":    {"{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n", []Edit{{Path: []any{"b"}, Drop: true}}, "{\r\n  \"a\": 1\r\n}\r\n"},
		"neighbours dropped":    {`{"a":1, "b":2, "c":3, "d":4}`, []Edit{{Path: []any{"b"}, Drop: true}, {Path: []any{"c"}, Drop: true}}, `{"a":1, "d":4}`},
		"all dropped":           {"{\n \"a\": 1\n}", []Edit{{Path: []any{"a"}, Drop: true}}, "{\n}"},
		"added":                 {"{\n    \"a\": 1\n}", []Edit{{Path: []any{"note"}, To: "<&>"}}, "{\n    \"a\": 1,\n    \"note\": \"<&>\"\n}"},
		"added to nothing":      {"{}", []Edit{{Path: []any{"a"}, To: true}}, `{"a": true}`},
		"added for a dropped":   {"{\n \"a\": 1\n}", []Edit{{Path: []any{"a"}, Drop: true}, {Path: []any{"b"}, To: 2}}, "{\n \"b\": 2\n}"},
		"the last of equals":    {`{"a":1,"a":2}`, []Edit{{Path: []any{"a"}, To: 3}}, `{"a":1,"a":3}`},
		"all of equals dropped": {`{"a":1,"b":0,"a":2}`, []Edit{{Path: []any{"a"}, Drop: true}}, `{"b":0}`},
		"an element":            {"[\n 1,\n 2,\n 3\n]", []Edit{{Path: []any{1}, Drop: true}}, "[\n 1,\n 3\n]"},
		"after a mark":          {"\ufeff{\"a\":1}", []Edit{{Path: []any{"a"}, To: "ä"}}, "\ufeff{\"a\":\"ä\"}"},
		"blank before a comma":  {"{\"a\":1 , \"b\":2}", []Edit{{Path: []any{"a"}, To: 3}}, "{\"a\":3, \"b\":2}"},
		"what is not there":     {`{"a":1}`, []Edit{{Path: []any{"b"}, Drop: true}}, `{"a":1}`},
		"nothing":               {" [ 1 ,2 ]\n", nil, " [ 1 ,2 ]\n"},
	} {
		got, err := EditJSON([]byte(c.in), c.edits...)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// Append keeps the escapes in the old text as they are written, and refuses a value that is not a text.
func TestAppend_keepsTheOldBytes(t *testing.T) {
	t.Parallel()
	data := []byte(`{"a": ["caf\u00e9 \/<", 7]}`)
	root, err := ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	edit, err := Append(data, []any{"a", 0}, root.At("a", 0), "\n\"x\"")
	if err != nil {
		t.Fatal(err)
	}
	now, err := EditJSON(data, edit)
	if want := `{"a": ["caf\u00e9 \/<\n\"x\"", 7]}`; err != nil || string(now) != want {
		t.Errorf("got %s, %v\nwant %s", now, err, want)
	}
	if _, err := Append(data, nil, root.At("a", 1), "x"); err == nil || root.At("a", 2).Is() || root.At("b", "c").Is() {
		t.Error("a number was continued, or something was found where nothing is")
	}
}

// A JSON or Markdown file with conflict markers is refused, and the error names the two versions.
func TestDamage_conflictMarkers(t *testing.T) {
	t.Parallel()
	readers := map[string]func(string) error{
		"JSON":     func(s string) error { _, err := Tolerant.JSON([]byte(s)); return err },
		"Markdown": func(s string) error { _, err := Markdown([]byte(s)); return err },
	}
	for name, read := range readers {
		err := read("{\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> side\x1b[31m\n<<<<<<< b\n>>>>>>> c\n}")
		if err == nil || !strings.HasSuffix(err.Error(), "it holds two versions, 'HEAD' and 'side[31m'") {
			t.Errorf("%s: %v", name, err)
		}
		if err := read("<<<<<<< HEAD\n"); err != nil && strings.Contains(err.Error(), "versions") {
			t.Errorf("%s: half of a merge is taken for one", name)
		}
	}
}

func TestEditJSON_refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		path []any
		want string
	}{
		"damage":         {"{", nil, "ends too early"},
		"below a text":   {`{"a":"x"}`, []any{"a", "b"}, "neither an object nor a list"},
		"no such path":   {`{"a":{}}`, []any{"b", "c"}, "b does not exist"},
		"past the end":   {`[1]`, []any{1}, "1 does not exist"},
		"name of a list": {`[1]`, []any{"a"}, "a does not exist"},
	} {
		_, err := EditJSON([]byte(c.in), Edit{Path: c.path, To: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null,"c":"\u00e4\n"}],"s":-0.5e+7,"a":true}`), "a")
	f.Add([]byte("\ufeff[\r\n{} ,\t[] ]\r\n"), "x")
	f.Fuzz(func(t *testing.T, data []byte, key string) {
		if !utf8.ValidString(key) {
			return // a JSON key must be valid UTF-8
		}
		_, err := ParseJSON(data)
		bare := strings.TrimPrefix(string(data), "\ufeff")
		if valid := json.Valid([]byte(bare)); valid != (err == nil) {
			if valid && strings.Contains(err.Error(), "nested") || strings.Contains(bare, "<<<<<<< ") {
				return
			}
			t.Fatalf("valid is %v, and the reader says %v", valid, err)
		}
		if err != nil {
			return
		}
		same, err := EditJSON(data)
		if err != nil || string(same) != string(data) {
			t.Fatalf("without an edit: %q, %v", same, err)
		}
		edited, err := EditJSON(data, Edit{Path: []any{key}, To: "new"})
		if err != nil {
			return // the text is not an object, so it has no keys
		}
		var was, is map[string]any
		if json.Unmarshal([]byte(bare), &was) != nil {
			return
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(string(edited), "\ufeff")), &is); err != nil {
			t.Fatalf("%q is no JSON: %v", edited, err)
		}
		delete(was, key)
		if is[key] != "new" {
			t.Fatalf("%q was not set in %q", key, edited)
		}
		delete(is, key)
		if len(was) != len(is) || len(was) > 0 && !reflect.DeepEqual(was, is) {
			t.Fatalf("%q became %q", data, edited)
		}
	})
}
