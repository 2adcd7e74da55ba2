package plan

import (
	"strings"
	"testing"
)

const (
	cureAbsent = "give it one, or remove the key"
	cureID     = "use up to 64 letters, digits, '.', '_' and '-', for example "
	curePath   = "write the path from the top of the repository, for example 'db/schema.sql'"
	cureUnit   = "write a number with a unit, for example 90s, 10m or 2h"
	cureOut    = "write the value in each place where it is needed"
)

func TestParse_refusesKeysAndTypes(t *testing.T) {
	t.Parallel()
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "unknown key of the plan",
			text: "nmae: x\ntasks: [{id: a}]",
			want: "p.yaml:1: the plan has an unknown key 'nmae'",
			cure: "did you mean 'name'?",
		},
		{
			name: "key from another tool",
			text: "tasks:\n- id: a\n  depends_on: [b]",
			want: "p.yaml:3: task 'a' has an unknown key 'depends_on'",
			cure: "did you mean 'needs'?",
		},
		{
			name: "mistyped key",
			text: "tasks:\n- id: a\n  tiemout: 1m",
			want: "p.yaml:3: task 'a' has an unknown key 'tiemout'",
			cure: "did you mean 'timeout'?",
		},
		{
			name: "key in other case",
			text: "tasks:\n- id: a\n  Run: x",
			want: "p.yaml:3: task 'a' has an unknown key 'Run'",
			cure: "did you mean 'run'?",
		},
		{
			name: "key like no other",
			text: "tasks: [{id: a}]\nfrobnicate: 1",
			want: "p.yaml:2: the plan has an unknown key 'frobnicate'",
			cure: "the keys are name, base, setup, jobs, tasks",
		},
		{
			name: "hostile key",
			text: "tasks: [{id: a}]\n\"x\\e[2J\": 1",
			want: `p.yaml:2: the plan has an unknown key 'x\x1b[2J'`,
			cure: "the keys are name, base, setup, jobs, tasks",
		},
		{
			name: "key twice",
			text: "tasks:\n- id: a\n  run: x\n  run: y",
			want: "p.yaml:4: task 'a' has 'run' twice, here and in line 3",
			cure: "keep one of them",
		},
		{
			name: "list as plan",
			text: "- id: a\n",
			want: "p.yaml:1: the plan is a list, not a mapping of keys to values",
			cure: cureNoTasks,
		},
		{
			name: "text as plan",
			text: "hello\n",
			want: "p.yaml:1: the plan is text, not a mapping of keys to values",
			cure: cureNoTasks,
		},
		{
			name: "only a comment",
			text: "# soon\n",
			want: "p.yaml: the plan is empty",
			cure: cureNoTasks,
		},
		{
			name: "only a document mark",
			text: "---\n",
			want: "p.yaml: the plan is empty",
			cure: cureNoTasks,
		},
		{
			name: "no tasks key",
			text: "name: x\n",
			want: "p.yaml:1: the plan has no tasks",
			cure: cureNoTasks,
		},
		{
			name: "no task",
			text: "name: x\ntasks: []\n",
			want: "p.yaml:2: the plan has no tasks",
			cure: cureNoTasks,
		},
		{
			name: "tasks without value",
			text: "name: x\ntasks:\n",
			want: "p.yaml:2: 'tasks' has no value",
			cure: "begin each task with '- id: …' below 'tasks:'",
		},
		{
			name: "tasks as text",
			text: "tasks: build",
			want: "p.yaml:1: 'tasks' must be a list, not the text 'build'",
			cure: "begin each task with '- id: …' below 'tasks:'",
		},
		{
			name: "task as text",
			text: "tasks:\n- Build it",
			want: "p.yaml:2: task 1 is text, not a mapping of keys to values",
			cure: "write '- id: build-it'",
		},
		{
			name: "number as name",
			text: "name: 42\ntasks: [{id: a}]",
			want: "p.yaml:1: 'name' must be text, not '42'",
			cure: `put it in quotes: "42"`,
		},
		{
			name: "number as title",
			text: "tasks:\n- id: a\n  title: 404",
			want: "p.yaml:3: 'title' of task 'a' must be text, not '404'",
			cure: `put it in quotes: "404"`,
		},
		{
			name: "truth as command",
			text: "tasks:\n- id: a\n  run: true",
			want: "p.yaml:3: 'run' of task 'a' must be text, not 'true'",
			cure: `put it in quotes: "true"`,
		},
		{
			name: "list as command",
			text: "tasks:\n- id: a\n  run: [make, it]",
			want: "p.yaml:3: 'run' of task 'a' must be text, not a list",
			cure: "write one value after the colon",
		},
		{
			name: "table as title",
			text: "tasks:\n- id: a\n  title: {b: c}",
			want: "p.yaml:3: 'title' of task 'a' must be text, not a mapping of keys to values",
			cure: "write one value after the colon",
		},
		{
			name: "key without value",
			text: "tasks:\n- id: a\n  run:\n",
			want: "p.yaml:3: 'run' of task 'a' has no value",
			cure: cureAbsent,
		},
		{
			name: "blank command",
			text: "tasks:\n- id: a\n  run: ' '\n",
			want: "p.yaml:3: 'run' of task 'a' has no value",
			cure: cureAbsent,
		},
		{
			name: "question of nothing visible",
			text: "tasks:\n- id: a\n  ask: \"\\e\"\n",
			want: "p.yaml:3: 'ask' of task 'a' has no value",
			cure: cureAbsent,
		},
		{
			name: "text as needs",
			text: "tasks:\n- id: a\n- id: b\n  needs: a",
			want: "p.yaml:4: 'needs' of task 'b' must be a list, not the text 'a'",
			cure: "put it in brackets: [a]",
		},
		{
			name: "needs without value",
			text: "tasks:\n- id: b\n  needs:",
			want: "p.yaml:3: 'needs' of task 'b' has no value",
			cure: "write a list after the colon",
		},
		{
			name: "list in a list",
			text: "tasks:\n- id: b\n  inputs:\n  - a\n  - [c]",
			want: "p.yaml:5: entry 2 of 'inputs' of task 'b' must be text, not a list",
			cure: "write one value, and put it in quotes if it has ': ' in it",
		},
		{
			name: "empty item",
			text: "tasks:\n- id: b\n  inputs:\n  - ''",
			want: "p.yaml:4: entry 1 of 'inputs' of task 'b' is empty",
			cure: "remove this entry",
		},
		{
			name: "text as retries",
			text: "tasks:\n- id: a\n  retries: many",
			want: "p.yaml:3: 'retries' of task 'a' must be a whole number, not the text 'many'",
			cure: "write a number from 0 to 1000",
		},
		{
			name: "fraction as retries",
			text: "tasks:\n- id: a\n  retries: 1.5",
			want: "p.yaml:3: 'retries' of task 'a' must be a whole number, not '1.5'",
			cure: "write a number from 0 to 1000",
		},
		{
			name: "number without unit as timeout",
			text: "tasks:\n- id: a\n  timeout: 600",
			want: "p.yaml:3: 'timeout' of task 'a' must be a duration, not '600'",
			cure: "write the unit, for example 90s, 10m or 2h",
		},
		{
			name: "text as truth",
			text: "tasks:\n- id: a\n  optional: yes",
			want: "p.yaml:3: 'optional' of task 'a' must be true or false, not the text 'yes'",
			cure: "write true or false, without quotes",
		},
		{
			name: "number as truth",
			text: "tasks:\n- id: a\n  done: 1",
			want: "p.yaml:3: 'done' of task 'a' must be true or false, not '1'",
			cure: "write true or false, without quotes",
		},
	})
}

func TestParse_refusesHostileIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65)
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "no id",
			text: "tasks:\n- title: Add the Schema\n",
			want: "p.yaml:2: task 1 has no id",
			cure: "add 'id: add-the-schema'",
		},
		{
			name: "neither id nor title",
			text: "tasks:\n- run: x\n",
			want: "p.yaml:2: task 1 has no id",
			cure: "add 'id: my-task'",
		},
		{
			name: "empty id",
			text: "tasks:\n- id:\n",
			want: "p.yaml:2: 'id' of task 1 has no value",
			cure: cureAbsent,
		},
		{
			name: "space",
			text: "tasks:\n- id: a b\n",
			want: "p.yaml:2: the task id 'a b' has ' ' in it",
			cure: cureID + "'a-b'",
		},
		{
			name: "slash",
			text: "tasks:\n- id: a/b\n",
			want: "p.yaml:2: the task id 'a/b' has '/' in it",
			cure: cureID + "'a-b'",
		},
		{
			name: "backslash",
			text: "tasks:\n- id: a\\b\n",
			want: `p.yaml:2: the task id 'a\b' has '\' in it`,
			cure: cureID + "'a-b'",
		},
		{
			name: "escape sequence",
			text: "tasks:\n- id: \"a\\e[1m\"\n",
			want: `p.yaml:2: the task id 'a\x1b[1m' has '\x1b' in it`,
			cure: cureID + "'a-1m'",
		},
		{
			name: "NUL",
			text: "tasks:\n- id: \"a\\0\"\n",
			want: `p.yaml:2: the task id 'a\x00' has '\x00' in it`,
			cure: cureID + "'a'",
		},
		{
			name: "line break",
			text: "tasks:\n- id: \"a\\nb\"\n",
			want: `p.yaml:2: the task id 'a\nb' has '\n' in it`,
			cure: cureID + "'a-b'",
		},
		{
			name: "not ASCII",
			text: "tasks:\n- id: été\n",
			want: "p.yaml:2: the task id 'été' has 'é' in it",
			cure: cureID + "'t'",
		},
		{
			name: "option",
			text: "tasks:\n- id: --force\n",
			want: "p.yaml:2: the task id '--force' begins with '-'",
			cure: cureID + "'force'",
		},
		{
			name: "dots",
			text: "tasks:\n- id: ..\n",
			want: "p.yaml:2: the task id '..' begins with '.'",
			cure: cureID + "'my-task'",
		},
		{
			name: "question mark",
			text: "tasks:\n- id: '?'\n",
			want: "p.yaml:2: the task id '?' has '?' in it",
			cure: cureID + "'my-task'",
		},
		{
			name: "too long",
			text: "tasks:\n- id: " + long,
			want: "p.yaml:2: the task id '" + long[:59] + "…' is longer than 64 characters",
			cure: cureID + "'" + long[:40] + "'",
		},
		{
			name: "list as id",
			text: "tasks:\n- id: [a]\n",
			want: "p.yaml:2: 'id' of task 1 must be text, not a list",
			cure: "write one value after the colon",
		},
	})
}

func TestParse_refusesEndlessLists(t *testing.T) {
	t.Parallel()
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "of inputs",
			text: "tasks:\n- id: a\n  inputs: [" + strings.Repeat("x,", maxItems+1) + "]",
			want: "p.yaml:3: 'inputs' of task 'a' has 10001 entries, but at most 10000 are allowed",
			cure: "shorten it; a pattern such as 'db/**' names many files",
		},
	})
}

func TestParse_refusesTooManyTasks(t *testing.T) {
	t.Parallel()
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "in YAML",
			text: "name: x\ntasks:\n" + strings.Repeat("- {}\n", maxTasks+1),
			want: "p.yaml:2: the plan has 10001 tasks, but at most 10000 are allowed",
			cure: "split it into several plans",
		},
	})
	testRefusals(t, "p.md", []refusal{
		{
			name: "in Markdown",
			text: strings.Repeat("- [ ] x\n", maxTasks+1),
			want: "p.md: the plan has 10001 tasks, but at most 10000 are allowed",
			cure: "split it into several plans",
		},
	})
}
