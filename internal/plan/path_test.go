package plan

import (
	"fmt"
	"testing"
)

func TestParse_refusesEscapingPaths(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ path, why, cure string }{
		{"/etc/passwd", "is absolute", curePath},
		{"~/notes", "begins with '~'", curePath},
		{"~root", "begins with '~'", curePath},
		{"..", "has '..' in it", curePath},
		{"../x", "has '..' in it", curePath},
		{"a/../../x", "has '..' in it", curePath},
		{"a/..", "has '..' in it", curePath},
		{"C:/x", "names a drive", curePath},
		{"c:x", "names a drive", curePath},
		{`a\b`, "has a backslash", "write '/' between folders"},
		{`\\host\x`, "has a backslash", "write '/' between folders"},
		{":/x", "begins with ':'", "write the path without the ':', as a plain path or a pattern such as 'db/**'"},
		{":(top)x", "begins with ':'", "write the path without the ':', as a plain path or a pattern such as 'db/**'"},
		{".git", "reaches into '.git'", "use files of the worktree; git's own files cannot be inputs or outputs"},
		{"sub/.GIT/config", "reaches into '.git'", "use files of the worktree; git's own files cannot be inputs or outputs"},
		{".git. /x", "reaches into '.git'", "use files of the worktree; git's own files cannot be inputs or outputs"},
		{"GIT~1/hooks", "reaches into '.git'", "use files of the worktree; git's own files cannot be inputs or outputs"},
		{"a[b", "is not a valid pattern", "close every '[' with ']', and put something between them"},
		{"a[]b", "is not a valid pattern", "close every '[' with ']', and put something between them"},
		{"[a/b]", "is not a valid pattern", "close every '[' with ']', and put something between them"},
		{"src/**.go", "has '**' next to other text", "let '**' stand for whole folders, for example '**/*.go'"},
	} {
		for _, key := range []string{"inputs", "outputs"} {
			text := "tasks:\n- id: x\n  " + key + ":\n  - ok\n  - '" + row.path + "'\n"
			_, err := parseText("p.yaml", []byte(text))
			if err == nil {
				t.Errorf("%s %s: accepted", key, row.path)
				continue
			}
			want := fmt.Sprintf("p.yaml:5: '%s' of task 'x' has the path '%s', which %s", key, row.path, row.why)
			if err.Error() != want || faultsOf(t, err)[0].Cure != row.cure {
				t.Errorf("%s %s:\n got %v (%s)\nwant %s (%s)", key, row.path, err, faultsOf(t, err)[0].Cure, want, row.cure)
			}
		}
	}
	testRefusals(t, "p.yaml", []refusal{
		{
			name: "control character",
			text: "tasks:\n- id: x\n  inputs: [\"a\\nb\"]",
			want: `p.yaml:3: 'inputs' of task 'x' has the path 'a\nb', which has a control character`,
			cure: "remove this character",
		},
	})
}
