package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestParse_refusesWhatDoesNotFitTogether(t *testing.T) {
	t.Parallel()
	testRefusals(t, "plan.yaml", []refusal{
		{
			name: "id twice",
			text: "tasks:\n- id: a\n- id: b\n- title: x\n  id: a\n",
			want: "plan.yaml:5: the task id 'a' is used twice, here and in line 2",
			cure: "give one of the tasks another id",
		},
		{
			name: "unknown need",
			text: "tasks:\n- id: x\n  needs:\n  - x2\n  - y\n- id: x2",
			want: "plan.yaml:5: task 'x' needs 'y', which is not in the plan",
			cure: "add the task, or remove it from 'needs'",
		},
		{
			name: "mistyped need",
			text: "tasks:\n- id: schema\n- id: b\n  needs: [shcema]",
			want: "plan.yaml:4: task 'b' needs 'shcema', which is not in the plan",
			cure: "did you mean 'schema'?",
		},
		{
			name: "need like no other",
			text: "tasks:\n- id: schema\n- id: b\n  needs: [frobnicate]",
			want: "plan.yaml:4: task 'b' needs 'frobnicate', which is not in the plan",
			cure: "add the task, or remove it from 'needs'",
		},
		{
			name: "on_interrupt of another word",
			text: "tasks:\n- id: a\n  on_interrupt: again",
			want: "plan.yaml:3: 'on_interrupt' of task 'a' is 'again'",
			cure: "write retry, verify or ask",
		},
		{
			name: "on_interrupt verify without verify",
			text: "tasks:\n- id: a\n  on_interrupt: verify",
			want: "plan.yaml:3: task 'a' has 'on_interrupt: verify' but no 'verify'",
			cure: "add the command that checks whether it is done: 'verify: …'",
		},
		{
			name: "run and ask",
			text: "tasks:\n- id: a\n  run: x\n  ask: y?",
			want: "plan.yaml:4: task 'a' has both 'run' and 'ask'",
			cure: "split it into two tasks, one of which needs the other",
		},
		{
			name: "options without ask",
			text: "tasks:\n- id: a\n  options: [b]",
			want: "plan.yaml:3: task 'a' has 'options' but no 'ask'",
			cure: "add the question: 'ask: …'",
		},
		{
			name: "option twice",
			text: "tasks:\n- id: a\n  ask: x?\n  options:\n  - b\n  - b",
			want: "plan.yaml:6: task 'a' offers the answer 'b' twice",
			cure: "remove one",
		},
		{
			name: "endless option",
			text: "tasks:\n- id: a\n  ask: x?\n  options: [" + strings.Repeat("o", 201) + "]",
			want: "plan.yaml:4: an answer in 'options' of task 'a' is longer than 200 characters",
			cure: "shorten it; details can go into the question",
		},
		{
			name: "endless question",
			text: "tasks:\n- id: a\n  ask: " + strings.Repeat("o", 4001),
			want: "plan.yaml:3: 'ask' of task 'a' is longer than 4000 characters",
			cure: "shorten the question, and refer to a file for details",
		},
		{
			name: "timeout of nothing",
			text: "tasks:\n- id: a\n  timeout: 0s",
			want: "plan.yaml:3: 'timeout' of task 'a' is '0s', which leaves no time",
			cure: "write more than 0s, or remove it",
		},
		{
			name: "timeout before now",
			text: "tasks:\n- id: a\n  timeout: -5m",
			want: "plan.yaml:3: 'timeout' of task 'a' is '-5m', which leaves no time",
			cure: "write more than 0s, or remove it",
		},
		{
			name: "timeout in days",
			text: "tasks:\n- id: a\n  timeout: 1d",
			want: "plan.yaml:3: 'timeout' of task 'a' is '1d', which is not a duration",
			cure: cureUnit,
		},
		{
			name: "timeout too long to count",
			text: "tasks:\n- id: a\n  timeout: 9999999999h",
			want: "plan.yaml:3: 'timeout' of task 'a' is '9999999999h', which is not a duration",
			cure: cureUnit,
		},
		{
			name: "fewer than no retries",
			text: "tasks:\n- id: a\n  retries: -1",
			want: "plan.yaml:3: 'retries' of task 'a' is -1",
			cure: "write a number from 0 to 1000",
		},
		{
			name: "once without a command",
			text: "tasks:\n- id: a\n  once: true",
			want: "plan.yaml:3: task 'a' has 'once' but no 'run'",
			cure: "add its command: 'run: …'",
		},
		{
			name: "confirm without a command",
			text: "tasks:\n- id: a\n  confirm: Publish?",
			want: "plan.yaml:3: task 'a' has 'confirm' but no 'run'",
			cure: "add its command: 'run: …', or ask with 'ask: …'",
		},
		{
			name: "once and again",
			text: "tasks:\n- id: a\n  run: x\n  once: true\n  retries: 2",
			want: "plan.yaml:5: task 'a' has both 'once' and 'retries'",
			cure: "remove one of them",
		},
		{
			name: "once and retried",
			text: "tasks:\n- id: a\n  run: x\n  once: true\n  on_interrupt: retry",
			want: "plan.yaml:5: task 'a' has both 'once' and 'on_interrupt: retry'",
			cure: "write verify or ask, or remove 'once'",
		},
		{
			name: "once that is no truth",
			text: "tasks:\n- id: a\n  run: x\n  once: maybe",
			want: "plan.yaml:4: 'once' of task 'a' must be true or false, not the text 'maybe'",
			cure: "write true or false, without quotes",
		},
		{
			name: "once and after a conflict",
			text: "tasks:\n- id: a\n  run: x\n  once: true\n  on_conflict: rerun",
			want: "plan.yaml:5: task 'a' has both 'once' and 'on_conflict: rerun'",
			cure: "write 'on_conflict: ask' or 'on_conflict: park', or remove 'once'",
		},
		{
			name: "unknown way to treat a conflict",
			text: "tasks:\n- id: a\n  run: x\n  on_conflict: merge",
			want: "plan.yaml:4: 'on_conflict' of task 'a' is 'merge'",
			cure: "write ask, rerun or park",
		},
		{
			name: "too many jobs",
			text: "jobs: 65\ntasks:\n- id: a\n  run: x",
			want: "plan.yaml:1: 'jobs' is 65",
			cure: "write a number from 1 to 64",
		},
		{
			name: "endless retries",
			text: "tasks:\n- id: a\n  retries: 1001",
			want: "plan.yaml:3: 'retries' of task 'a' is 1001",
			cure: "write a number from 0 to 1000",
		},
		{
			name: "retries beyond numbers",
			text: "tasks:\n- id: a\n  retries: 99999999999999999999",
			want: "plan.yaml:3: 'retries' of task 'a' must be a whole number, not '99999999999999999999'",
			cure: "write a number from 0 to 1000",
		},
	})
}

func TestParse_refusesCycle(t *testing.T) {
	t.Parallel()
	ring := "tasks:\n"
	for i := range 20 {
		ring += fmt.Sprintf("- {id: t%d, needs: [t%d]}\n", i, (i+1)%20)
	}
	const cure = "remove one of these tasks from 'needs'"
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "of one",
			text: "tasks:\n- id: a\n  needs: [a]",
			want: "p.yaml:3: task 'a' needs itself",
			cure: "remove it from its own 'needs'",
		},
		{
			name: "of two",
			text: "tasks:\n- id: a\n  needs: [b]\n- id: b\n  needs: [a]",
			want: "p.yaml:5: tasks depend on each other in a cycle: 'a' -> 'b' -> 'a'",
			cure: cure,
		},
		{
			name: "behind a tail",
			text: "tasks:\n- {id: s, needs: [a]}\n- {id: a, needs: [b]}\n- {id: b, needs: [c]}\n- {id: c, needs: [a]}",
			want: "p.yaml:5: tasks depend on each other in a cycle: 'a' -> 'b' -> 'c' -> 'a'",
			cure: cure,
		},
		{
			name: "of many",
			text: ring,
			want: "p.yaml:21: tasks depend on each other in a cycle: 't0' -> 't1' -> 't2' -> 't3' -> … -> 't17' -> 't18' -> 't19' -> 't0'",
			cure: cure,
		},
	})
}

func TestParse_refusesHiddenTextInCommandsAndNames(t *testing.T) {
	t.Parallel()
	const shows = "remove it; every character of a command must be visible"
	const visible = "write it on one line, in visible characters"
	const branch = "name a branch, a tag or a full commit id"
	testRefusals(t, "p.json", []refusal{
		{
			name: "escape in run",
			text: `{"tasks":[{"id":"a","run":"x\u001b[2J"}]}`,
			want: "p.json:1: 'run' of task 'a' has the control character U+001B",
			cure: shows,
		},
		{
			name: "carriage return in verify",
			text: `{"tasks":[{"id":"a","verify":"rm x\rls"}]}`,
			want: "p.json:1: 'verify' of task 'a' has the control character U+000D",
			cure: shows,
		},
		{
			name: "reordering in setup",
			text: `{"setup":"a \u202e b","tasks":[{"id":"a"}]}`,
			want: "p.json:1: 'setup' has the control character U+202E",
			cure: shows,
		},
		{
			name: "isolate in run",
			text: `{"tasks":[{"id":"a","run":"a \u2066 b"}]}`,
			want: "p.json:1: 'run' of task 'a' has the control character U+2066",
			cure: shows,
		},
		{
			name: "NUL in run",
			text: `{"tasks":[{"id":"a","run":"a\u0000b"}]}`,
			want: "p.json:1: 'run' of task 'a' has the control character U+0000",
			cure: shows,
		},
		{
			name: "endless command",
			text: `{"tasks":[{"id":"a","run":"` + strings.Repeat("x", maxCommand+1) + `"}]}`,
			want: "p.json:1: 'run' of task 'a' is longer than 1 MiB",
			cure: "move it into a script, and run that",
		},
		{
			name: "line break in name",
			text: `{"name":"a\nb","tasks":[{"id":"a"}]}`,
			want: `p.json:1: the name 'a\nb' has a control character`,
			cure: visible,
		},
		{
			name: "reordering in name",
			text: `{"name":"a\u202eb","tasks":[{"id":"a"}]}`,
			want: `p.json:1: the name 'a\u202eb' has a control character`,
			cure: visible,
		},
		{
			name: "endless name",
			text: `{"name":"` + strings.Repeat("é", 201) + `","tasks":[{"id":"a"}]}`,
			want: "p.json:1: the name of the plan is longer than 200 characters",
			cure: "shorten it; details can go into the titles of tasks",
		},
		{
			name: "option as base",
			text: `{"base":"--upload-pack=x","tasks":[{"id":"a"}]}`,
			want: "p.json:1: the base '--upload-pack=x' is not a valid name",
			cure: branch,
		},
		{
			name: "range as base",
			text: `{"base":"a..b","tasks":[{"id":"a"}]}`,
			want: "p.json:1: the base 'a..b' is not a valid name",
			cure: branch,
		},
		{
			name: "file as base",
			text: `{"base":"HEAD:x","tasks":[{"id":"a"}]}`,
			want: "p.json:1: the base 'HEAD:x' is not a valid name",
			cure: branch,
		},
	})
}
