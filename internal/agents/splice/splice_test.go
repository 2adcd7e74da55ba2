package splice

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const hookCommand = "exec tool event"

func group(matcher string) string {
	if matcher != "" {
		matcher = fmt.Sprintf(`"matcher": %q, `, matcher)
	}
	return fmt.Sprintf(`{%s"hooks": [{"type": "command", "command": %q, "timeout": 5}]}`, matcher, hookCommand)
}

var ourEntries = []Entry{
	{Path: []string{"hooks", "SessionStart"}, Append: true, Value: group("")},
	{Path: []string{"hooks", "PostToolUse"}, Append: true, Value: group("TodoWrite")},
	{Path: []string{"hooks", "Stop"}, Append: true, Value: group("")},
	{Path: []string{"env", "TASKS"}, Value: `"1"`},
}

func isOurs(item any) bool {
	m, _ := item.(map[string]any)
	if list, ok := m["hooks"].([]any); ok && len(list) > 0 {
		for _, h := range list {
			if !isOurs(h) {
				return false
			}
		}
		return true
	}
	return m["command"] == hookCommand
}

func removal(edits []Edit) Removal {
	return Removal{Under: "hooks", Ours: isOurs, Keys: map[string]string{"env.TASKS": `"1"`}, Edits: edits}
}

// theirs is a hook that another tool has installed.
const theirs = `{"hooks": [{"type": "command", "command": "theirs"}]}`

// jsonTexts are settings files in the many forms in which people and programs write them.
var jsonTexts = []string{
	"", "\n", "{}", "{}\n", "{ }", "{\n}\n", "{\n\n}\n", "\t{}\r\n",
	`{"a":1}`, `{"a": 1}`, `{"a": 1, "b": [1, 2, {"c": null}]}` + "\n",
	"{\n  \"model\": \"opus\"\n}\n", "{\n    \"model\": \"opus\"\n}", "{\n\t\"model\": \"opus\"\n}\n", "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"{\n\"model\": \"opus\"\n}\n", "{ \"model\": \"opus\",\n  \"x\": 1 }\n", "{\"model\":\"opus\",\n\"x\":1}",
	"{\n  \"hooks\": {}\n}\n", "{\n  \"hooks\": {\n  }\n}\n", "{\"hooks\":{}}", "{\"hooks\": { }, \"a\": 1}",
	"{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n", "{\n  \"hooks\": {\n    \"Stop\": [\n    ]\n  },\n  \"env\": {}\n}\n",
	"{\n  \"hooks\": {\n    \"Stop\": [\n      " + theirs + "\n    ]\n  }\n}\n",
	"{\"hooks\":{\"Stop\":[" + theirs + "]}}",
	"{\n  \"hooks\": {\n    \"Stop\": [" + theirs + ", " + theirs + "]\n  },\n  \"env\": {\"A\": \"b\"}\n}\n",
	"{\n  \"env\": {\n    \"A\": \"1\"\n  },\n  \"permissions\": {\"allow\": [\"Bash(git:*)\"], \"deny\": []}\n}\n",
	"{\n  \"\\u0068ooks\": {\n    \"Stop\": []\n  }\n}\n", "{\n  \"text\": \"a \\\" b // no comment \\\\\"\n}\n", "{\n  \"näme\": \"\\ud83d\\ude00 😀\"\n}\n",
	"{\n  \"n\": [1e10, -0.5, 12345678901234567890, true, false, null]\n}\n",
	"{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"theirs\"\n          }\n        ]\n      }\n    ]\n  },\n  \"last\": true\n}\n",
}

var commentedTexts = []string{
	"// first\n{\n  \"a\": 1 // one\n}\n// last\n", "{\n  // only a comment\n}\n", "{ /* inside */ }\n", "{\"a\": 1 /* one */}", "{\"a\":1 // one\n}",
	"{\n  \"hooks\": {\n    // none yet\n  },\n  \"a\": [1, // one\n    2 /* two */\n  ]\n}\n",
	"{\r\n  \"hooks\": {\r\n    \"Stop\": [\r\n      " + theirs + " // theirs\r\n      // the end\r\n    ]\r\n  } /* x */\r\n}\r\n",
	"{\n  \"a\": \"/* no comment */\",\n  \"b\": \"// none\" /* one */ // two\n  /* three\n */\n}\n", "\xef\xbb\xbf{\n  \"a\": 1\n}\n", "\xef\xbb\xbf",
}

func TestJSON_addedAndRemoved(t *testing.T) {
	t.Parallel()
	check := func(text string, f Format) {
		out, edits, err := AddJSON([]byte(text), f, ourEntries)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		if back, ok := Undo(out, edits); !ok || string(back) != text {
			t.Errorf("%q: undone: %q", text, back)
		}
		if back, err := RemoveJSON(out, f, removal(edits)); err != nil || string(back) != text {
			t.Errorf("%q: removed: %q, %v\nfrom %s", text, back, err, out)
		}
		again, more, err := AddJSON(out, f, ourEntries)
		if err != nil || len(more) > 0 || !bytes.Equal(again, out) {
			t.Errorf("%q: added twice: %v, %v", text, more, err)
		}
		if left, err := RemoveJSON(out, f, removal(nil)); err != nil || bytes.Contains(left, []byte(hookCommand)) {
			t.Errorf("%q: removed without a record: %q, %v", text, left, err)
		}
	}
	for _, text := range jsonTexts {
		check(text, Format{})
		check(text, Format{Comments: true, BOM: true})
	}
	for _, text := range commentedTexts {
		check(text, Format{Comments: true, BOM: true})
	}
	big := "{\n  \"big\": [\n    \"" + strings.Repeat("x", 1<<20) + "\"\n  ]\n}\n"
	check(big, Format{})
}

func TestJSON_removedAfterOtherChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, old, new string }{
		{"{\n  \"model\": \"opus\"\n}\n", "opus", "sonnet"},
		{"{\n  \"model\": \"opus\"\n}\n", "{\n", "{\n  \"first\": [],\n"},
		{"{\n  \"model\": \"opus\",\n  \"x\": 1\n}\n", "\n  \"x\": 1", ""},
		{"{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n", "\"Stop\": [", "\"PreCompact\": [" + theirs + "],\n    \"Stop\": ["},
	} {
		out, edits, err := AddJSON([]byte(c.text), Format{}, ourEntries)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), c.old) {
			t.Fatalf("%q is not in %s", c.old, out)
		}
		changed := strings.Replace(string(out), c.old, c.new, 1)
		want := strings.Replace(c.text, c.old, c.new, 1)
		if c.new == "" { // instead, the user deletes the key before our first entry
			changed, want = strings.Replace(string(out), ",\n  \"x\": 1", "", 1), "{\n  \"model\": \"opus\"\n}\n"
		}
		got, err := RemoveJSON([]byte(changed), Format{}, removal(edits))
		if err != nil || string(got) != want {
			t.Errorf("%q with %q: %q, %v; want %q", c.text, c.new, got, err, want)
		}
	}
}

func TestJSON_leavesOtherHooks(t *testing.T) {
	t.Parallel()
	out, edits, err := AddJSON([]byte("{}\n"), Format{}, ourEntries)
	if err != nil {
		t.Fatal(err)
	}
	mine := fmt.Sprintf(`"command": %q,`, hookCommand)
	text := strings.Replace(string(out), `"hooks": [`+"\n          {", `"hooks": [{"type": "command", "command": "theirs"},`+"\n          {", 1)
	if text == string(out) || !strings.Contains(text, mine) {
		t.Fatalf("nothing was changed in %s", out)
	}
	got, err := RemoveJSON([]byte(text), Format{}, removal(edits))
	if err != nil || bytes.Contains(got, []byte(hookCommand)) || !bytes.Contains(got, []byte("theirs")) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestJSON_refused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300)
	for _, text := range []string{
		"{", "[]", "1", "{} {}", "{\"a\": 1,}", "{\"a\": 1 // one\n}", "/* c */ {}", "{'a': 1}", "{a: 1}", "{\"a\" 1}", "{\"a\": 01}", "{\"a\": \"\n\"}", "\xef\xbb\xbf{}", "{\"a\": \"\xff\"}",
		"{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "{\"hooks\": {}, \"hooks\": {}}", "{\"env\": 1}", "<<<<<<< HEAD\n{}\n", deep, "{\"a\": nul}", "{\"a\": 1 \"b\": 2}", "{,}", "\x00",
	} {
		if out, _, err := AddJSON([]byte(text), Format{}, ourEntries); err == nil {
			t.Errorf("%q was accepted: %s", text, out)
		}
	}
	var at *SyntaxError
	_, _, err := AddJSON([]byte("{\n  \"a\": 1,\n}\n"), Format{}, ourEntries)
	if !errors.As(err, &at) || at.Line != 3 {
		t.Errorf("a trailing comma: %v", err)
	}
}

var plans = Setting{Table: []string{"tools", "update_plan"}, Key: "enabled", Value: "true"}

func TestTOML_addedAndRemoved(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\n", "# only a comment", "# only a comment\n", "model = \"x\"", "model = \"x\"\n", "model = 'x'\r\n[a]\r\nb = 1\r\n", "\xef\xbb\xbfmodel = \"x\"\n", "\xef\xbb\xbf",
		"[tools]\nweb_search = true\n", "[tools]\n", "[tools.update_plan]\n", "[tools.update_plan] # plans\nother = 1\n", "[ tools . update_plan ]\nother = 1", "[tools.\"update_plan\"]\r\nother = 1\r\n",
		"a = \"\"\"\n[tools.update_plan]\nenabled = true\n\"\"\"\n", "a = '''\n'''''\n", "a = [\n  1, # one\n  [2, 3],\n]\n", "a = { b = 1, c = { d = [] } }\n",
		"[[rules]]\na = 1\n[[rules]]\na = 2\n[rules.sub]\nx = 1\n", "a.b.c = 1\n\"quoted key\" = 2\n'x' = 3\n", "t = 2026-11-16T10:00:00Z\nd = 2026-11-16 10:00:00\nn = 1_000\nh = 0xff\nf = -1.5e3\ni = inf\n",
		"[mcp_servers.\"a.b\"]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\n\n[mcp_servers.\"a.b\".env]\nK = \"v\"\n", "# " + strings.Repeat("x", 1<<20) + "\n[a]\nb = true",
	} {
		out, edits, err := AddTOML([]byte(text), plans)
		if err != nil {
			t.Errorf("%.80q: %v", text, err)
			continue
		}
		if len(edits) != 1 {
			t.Errorf("%.80q: %d edits", text, len(edits))
		}
		if v, err := TOMLValue(out, plans); v != "true" || err != nil {
			t.Errorf("%.80q: the value is %q, %v", text, v, err)
		}
		if back, ok := Undo(out, edits); !ok || string(back) != text {
			t.Errorf("%.80q: undone: %.80q", text, back)
		}
		if back, ok, err := RemoveTOML(out, plans, edits); err != nil || !ok || string(back) != text {
			t.Errorf("%.80q: removed: %.80q, %v, %v", text, back, ok, err)
		}
		if again, more, err := AddTOML(out, plans); err != nil || len(more) > 0 || !bytes.Equal(again, out) {
			t.Errorf("%.80q: added twice", text)
		}
	}
}

func TestTOML_leftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[tools.update_plan]\nenabled = false\n", "tools.update_plan.enabled = true\n", "[tools]\nupdate_plan.enabled = true\n"} {
		if out, edits, err := AddTOML([]byte(text), plans); err != nil || len(edits) > 0 || string(out) != text {
			t.Errorf("%q: %q, %v", text, out, err)
		}
	}
	for _, text := range []string{
		"a", "a =", "a = b", "= 1", "[a", "[a]\n[a]\n", "a = 1\na = 2\n", "a = \"x\n", "a = \"\"\"x", "a = [1", "a = {b = 1,}", "a = 1 b = 2\n", "[a] b = 1\n", "\xff", "a = 01\n", "a = {\n b = 1}\n",
		"tools = 1\n", "tools = {}\n", "[tools]\nupdate_plan = true\n", "[tools]\nupdate_plan.other = 1\n", "[[tools]]\n", "[[tools.update_plan]]\n", "a = 1\n[a]\n", "[a]\rb = 1\n", "{}", "<<<<<<< HEAD\n",
		"a = " + strings.Repeat("[", 300) + strings.Repeat("]", 300),
	} {
		if out, _, err := AddTOML([]byte(text), plans); err == nil {
			t.Errorf("%.80q was accepted: %.80q", text, out)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range append(append([]string{}, jsonTexts...), commentedTexts...) {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, comments bool) {
		format := Format{Comments: comments, BOM: comments}
		out, edits, err := AddJSON(text, format, ourEntries)
		if err != nil {
			return
		}
		if back, ok := Undo(out, edits); !ok || !bytes.Equal(back, text) {
			t.Fatalf("undone: %q", back)
		}
		if bytes.Contains(text, []byte(hookCommand)) || bytes.Contains(text, []byte("TASKS")) || bytes.Contains(text, []byte(`\`)) {
			return
		}
		back, err := RemoveJSON(out, format, removal(edits))
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("removed: %q, %v\nfrom %q", back, err, out)
		}
	})
}

func FuzzTOML(f *testing.F) {
	f.Add([]byte("a = 1\n[tools]\nb = [1, 2]\n"))
	f.Add([]byte("[tools.update_plan]\r\n[[a]]\nx = \"\"\"\n\"\"\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, edits, err := AddTOML(text, plans)
		if err != nil {
			return
		}
		if back, ok := Undo(out, edits); !ok || !bytes.Equal(back, text) {
			t.Fatalf("undone: %q", back)
		}
		if v, err := TOMLValue(out, plans); err != nil || v == "" {
			t.Fatalf("the value is %q, %v", v, err)
		}
	})
}
