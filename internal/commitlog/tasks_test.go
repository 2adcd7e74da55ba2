package commitlog

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/past"
)

func TestTasks(t *testing.T) {
	t.Parallel()
	ids := []string{"T001", "T002", "T003", "T012", "1", "2", "3", "2.1", "2.2"}
	for subject, want := range map[string]string{
		"feat: T002 store albums":                "T002",
		"T001-T003: set up":                      "T001 T002 T003",
		"feat(003): T001 to T003 (#12)":          "T001 T002 T003",
		"task 2: show albums":                    "2",
		"Complete tasks 1-3":                     "1 2 3",
		"Implement task 2.1 and 2.2":             "2.1 2.2",
		"implement task 2.1.4":                   "",
		"wip: T002":                              "",
		"part implementation of task 3":          "",
		"docs: add the plan with tasks T001-T02": "",
		"fix issue 2":                            "",
		"T0021 is another one":                   "",
	} {
		h := NewHistory([]past.Described{{Logged: past.Logged{ID: "c", When: days(1), Subject: subject}}})
		var got []string
		for id := range h.Tasks(ids, nil, days(2), true) {
			got = append(got, id)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", subject, got, want)
		}
		if len(h.Tasks(ids, nil, now, true)) > 0 || len(h.Tasks(ids, []string{"003-albums"}, days(2), false)) > 0 {
			t.Errorf("%q is older than the list, or about other work, and still counts", subject)
		}
	}
	named := NewHistory([]past.Described{{Logged: past.Logged{ID: "c", When: days(1), Subject: "003-albums: T002"}}})
	if len(named.Tasks(ids, []string{"003-albums"}, days(2), false)) != 1 {
		t.Error("a commit that names the work does not count")
	}
}

func TestTasks_hostileRange(t *testing.T) {
	t.Parallel()
	if n := len(tasksIn("T0001-T9999 and tasks 1-99999999999999999999")); n > longestRange {
		t.Errorf("%d ids", n)
	}
}
