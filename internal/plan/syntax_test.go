package plan

import (
	"strings"
	"testing"
)

func TestParse_refusesWhatMakesYAMLExplode(t *testing.T) {
	t.Parallel()
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "anchor",
			text: "tasks:\n- &a\n  id: x\n",
			want: "p.yaml:2: the anchor '&a' is not allowed in a plan",
			cure: cureOut + "; text that begins with '&' must be in quotes",
		},
		{
			name: "anchor on a key",
			text: "&k name: x\ntasks: [{id: a}]",
			want: "p.yaml:1: the anchor '&k' is not allowed in a plan",
			cure: cureOut + "; text that begins with '&' must be in quotes",
		},
		{
			name: "alias",
			text: "tasks:\n- id: &a x\n- id: *a\n",
			want: "p.yaml:2: the anchor '&a' is not allowed in a plan\np.yaml:3: the alias '*a' is not allowed in a plan",
			cure: cureOut + "; text that begins with '&' must be in quotes",
		},
		{
			name: "alias of nothing",
			text: "tasks:\n- id: x\n  outputs: *out\n",
			want: "p.yaml:3: the plan is not valid YAML: unknown anchor 'out' referenced",
			cure: cureYAML,
		},
		{
			name: "merge key",
			text: "tasks:\n- <<: {id: x}\n",
			want: "p.yaml:2: the merge key '<<' is not allowed in a plan",
			cure: cureOut,
		},
		{
			name: "tag",
			text: "tasks:\n- id: !!binary eA==\n",
			want: "p.yaml:2: the tag '!!binary' is not allowed in a plan",
			cure: "remove it; text that begins with '!' must be in quotes",
		},
		{
			name: "table as key",
			text: "? {a: b}\n: c\n",
			want: "p.yaml:1: a key is not a plain word",
			cure: "write each key as one word and a colon",
		},
		{
			name: "second document",
			text: "tasks: [{id: a}]\n---\ntasks: [{id: b}]\n",
			want: "p.yaml:2: a second YAML document begins here",
			cure: "keep one plan per file, and remove the '---' line between them",
		},
		{
			name: "broken second document",
			text: "tasks: [{id: a}]\n---\na: [\n",
			want: "p.yaml:4: the plan is not valid YAML: did not find expected node content",
			cure: cureYAML,
		},
		{
			name: "nesting",
			text: "tasks: " + strings.Repeat("[", 20) + strings.Repeat("]", 20),
			want: "p.yaml:1: the plan is nested too deeply",
			cure: cureNesting,
		},
		{
			name: "nesting bomb",
			text: "tasks:\n " + strings.Repeat("[", 20000),
			want: "p.yaml:2: the plan is nested too deeply",
			cure: cureNesting,
		},
		{
			name: "block nesting bomb",
			text: strings.Repeat("- ", 20000),
			want: "p.yaml:1: the plan is nested too deeply",
			cure: cureNesting,
		},
	})
}

func TestParse_tellsTheLineOfBrokenYAML(t *testing.T) {
	t.Parallel()
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "tab",
			text: "tasks:\n  - id: a\n\t  run: x\n",
			want: "p.yaml:3: the plan is not valid YAML: found a tab character that violates indentation",
			cure: cureYAML,
		},
		{
			name: "star without quotes",
			text: "tasks:\n- id: a\n  outputs: [*.sql]\n",
			want: "p.yaml:3: the plan is not valid YAML: did not find expected alphabetic or numeric character",
			cure: cureYAML,
		},
		{
			name: "two colons in the first line",
			text: "name: a: b\n",
			want: "p.yaml:1: the plan is not valid YAML: mapping values are not allowed in this context",
			cure: cureYAML,
		},
		{
			name: "two colons later",
			text: "name: x\ntasks:\n- id: a\n  run: echo a: b\n",
			want: "p.yaml:4: the plan is not valid YAML: mapping values are not allowed in this context",
			cure: cureYAML,
		},
		{
			name: "indentation",
			text: "tasks:\n  - id: a\n run: x\n",
			want: "p.yaml:3: the plan is not valid YAML: did not find expected key",
			cure: cureYAML,
		},
		{
			name: "open bracket",
			text: "name: [\n",
			want: "p.yaml:2: the plan is not valid YAML: did not find expected node content",
			cure: cureYAML,
		},
		{
			name: "open quote",
			text: "name: \"x\n",
			want: "p.yaml:2: the plan is not valid YAML: found unexpected end of stream",
			cure: cureYAML,
		},
		{
			name: "at sign",
			text: "name: x\nbase: @main\n",
			want: "p.yaml:2: the plan is not valid YAML: found character that cannot start any token",
			cure: cureYAML,
		},
		{
			name: "raw escape",
			text: "name: x\nbase: \x1b[1m\n",
			want: "p.yaml:2: the plan has the control character U+001B",
			cure: "remove it",
		},
		{
			name: "raw C1 control",
			text: "name: \u009b1m\n",
			want: "p.yaml:1: the plan has the control character U+009B",
			cure: "remove it",
		},
	})
}

func TestParse_tellsTheLineOfBrokenJSON(t *testing.T) {
	t.Parallel()
	const cure = "fix the JSON; it has no comments, no single quotes and no comma before a closing bracket"
	testRefusals(t, "p.json", []refusal{
		{
			name: "key twice",
			text: "{\"tasks\":[{\n\"id\":\"a\",\n\"id\":\"b\"}]}",
			want: "p.json:3: task 'a' has 'id' twice, here and in line 2",
			cure: "keep one of them",
		},
		{
			name: "unknown key",
			text: "{\"tasks\":[\n{\"id\":\"a\",\n\"cmd\":\"b\"}]}",
			want: "p.json:3: task 'a' has an unknown key 'cmd'",
			cure: "did you mean 'run'?",
		},
		{
			name: "null",
			text: "{\"tasks\":[\n{\"id\":\"a\",\n\"run\":null}]}",
			want: "p.json:3: 'run' of task 'a' has no value",
			cure: cureAbsent,
		},
		{
			name: "trailing data",
			text: "{\"tasks\":[{\"id\":\"a\"}]}\n{}",
			want: "p.json:2: there is more text after the end of the plan",
			cure: "keep one JSON object per file",
		},
		{
			name: "trailing comma",
			text: "{\"tasks\":[\n{\"id\":\"a\"},\n]}",
			want: "p.json:3: the plan is not valid JSON: invalid character ']' looking for beginning of value",
			cure: cure,
		},
		{
			name: "comment",
			text: "// plan\n{}",
			want: "p.json:1: the plan is not valid JSON: invalid character '/' looking for beginning of value",
			cure: cure,
		},
		{
			name: "cut off",
			text: "{\"tasks\":[\n{\"id\":",
			want: "p.json:2: the plan is not valid JSON: unexpected end of JSON input",
			cure: cure,
		},
		{
			name: "raw control character",
			text: "{\"name\":\"a\x1b\"}",
			want: `p.json:1: the plan is not valid JSON: invalid character '\x1b' in string literal`,
			cure: cure,
		},
		{
			name: "list",
			text: "[1]",
			want: "p.json:1: the plan is a list, not a mapping of keys to values",
			cure: cureNoTasks,
		},
		{
			name: "number",
			text: "7",
			want: "p.json:1: the plan is a number, not a mapping of keys to values",
			cure: cureNoTasks,
		},
		{
			name: "null alone",
			text: "null",
			want: "p.json: the plan is empty",
			cure: cureNoTasks,
		},
		{
			name: "empty object",
			text: "{}",
			want: "p.json:1: the plan has no tasks",
			cure: cureNoTasks,
		},
		{
			name: "nesting",
			text: `{"tasks":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + "}",
			want: "p.json:1: the plan is nested too deeply",
			cure: cureNesting,
		},
		{
			name: "nesting bomb",
			text: strings.Repeat(`{"a":`, 200000),
			want: "p.json:1: the plan is nested too deeply",
			cure: cureNesting,
		},
		{
			name: "broken escape",
			text: `{"name":"\ud8zz"}`,
			want: "p.json:1: the plan is not valid JSON: invalid character 'z' in \\u hexadecimal character escape",
			cure: cure,
		},
	})
}

func TestParse_survivesHalfACharacterInJSON(t *testing.T) {
	t.Parallel()
	if got := mustParse(t, "p.json", `{"tasks":[{"id":"a","title":"x\ud800y"}]}`).Tasks[0].Title; got != "x\ufffdy" {
		t.Errorf("title is %q", got)
	}
}
