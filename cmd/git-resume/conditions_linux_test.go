package main

import (
	"cmp"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// madeConditions contains a shell script for each condition of other systems' work. In a script, 'list TEXT TIME' writes a task list and
// commits it with that time.
var madeConditions = map[string]string{
	"in-hand":       `list "- [x] T001 one\n- [-] T002 two\n" '2 hours ago'`,
	"between-tasks": `list "- [x] T001 one\n- [ ] T002 two\n" '2 hours ago'`,
	"waiting":       `list "- [x] T001 one\n- [waiting] T002 two\n" '2 hours ago'`,
	"finished":      `list "- [x] T001 one\n- [x] T002 two\n" '2 hours ago'`,
	"not-started":   `list "- [ ] T001 one\n- [ ] T002 two\n" '2 hours ago'`,
	"abandoned":     `list "- [x] T001 one\n- [ ] T002 two\n" '30 days ago'; git commit -q --allow-empty -m other`,
}

const listScript = `list() {
	mkdir -p specs/login
	printf -- "$1" > specs/login/tasks.md
	git add -A
	when=$(date -Iseconds -d "$2") # only once, because a second may pass between two calls
	GIT_AUTHOR_DATE=$when GIT_COMMITTER_DATE=$when git commit -q -m list
	touch -d "$when" specs/login/tasks.md
}
`

// conditionRows parses the table of conditions in docs/states.md.
func conditionRows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.Trim(line, "|\n"), "|")
		if len(f) != 8 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		out[strings.Trim(f[0], "`")] = f
	}
	return out
}

func TestConditions_followTheTable(t *testing.T) {
	t.Parallel()
	table := conditionRows(t)
	if len(table) != len(madeConditions) {
		t.Errorf("the table has %d conditions", len(table))
	}
	for name, script := range madeConditions {
		for _, old := range []bool{false, true} {
			if old && name == "abandoned" {
				continue // the script for abandoned work always makes old work, so run it only once
			}
			t.Run(name+map[bool]string{true: " old"}[old], func(t *testing.T) {
				t.Parallel()
				row, ok := table[name]
				if !ok {
					t.Fatal("the table does not have it")
				}
				made := script
				if old {
					made = strings.ReplaceAll(script, "2 hours ago", "30 days ago")
				}
				r := gittest.New(t).WithBinary()
				r.Git("config", "resume.notice", "all")
				if out, code := r.Try("sh", "-c", "git commit -q --amend --no-edit --date '40 days ago'; "+listScript+made); code != 0 {
					t.Fatal(out)
				}
				checkCondition(t, r, name, row, !old)
			})
		}
	}
}

func checkCondition(t *testing.T, r *gittest.Repo, name string, row []string, fresh bool) {
	t.Helper()
	var doc struct {
		Runs []struct {
			State, Detail, Condition string
			Listed                   bool
		}
	}
	out, _ := r.Resume("status", "--all", "--json")
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Runs) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	got := doc.Runs[0]
	if got.Condition != name {
		t.Errorf("the condition is %s", got.Condition)
	}
	states, detail := strings.Split(strings.ReplaceAll(row[2], "`", ""), ", "), cmp.Or(got.Detail, "none")
	if !slices.Contains(states, got.State) || strings.Trim(row[3], "`") != detail {
		t.Errorf("state %s %s, the table says %s %s", got.State, got.Detail, row[2], row[3])
	}
	holds := func(cell string) bool { return strings.HasSuffix(cell, "if fresh") && fresh }
	_, exit := r.Resume("status", "--exit-code")
	said, _ := r.Resume("status", "--prompt")
	_, auto := r.Resume("--auto")
	shown, _ := r.Resume("status")
	for what, pair := range map[string][2]bool{
		"listed": {holds(row[4]), got.Listed}, "shown": {holds(row[4]), regexp.MustCompile(`(?m)^\S.* spec-kit:login `).MatchString(shown)}, "hook": {holds(row[5]), said != ""},
		"exit code 10": {holds(row[6]), exit == 10}, "exit code 11 of --auto": {holds(row[7]), auto == 11}, "exit code 0 of --auto": {!holds(row[7]), auto == 0},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: the table says %v, the program %v", what, pair[0], pair[1])
		}
	}
}
