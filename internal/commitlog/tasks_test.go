package commitlog

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
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
		"feat(02): Task 1: the store":            "",
		"feat(1-02): tasks 1 and 2":              "",
		"feat(2): task 2.1":                      "2.1",
		"feat(2): task 1.1":                      "",
		"feat(store): Task 1":                    "1",
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
	scoped := NewHistory([]past.Described{{Logged: past.Logged{ID: "c", When: days(1), Subject: "feat(003): Task 1: the store"}}})
	if len(scoped.Tasks(ids, []string{"003-albums"}, days(2), true)) != 1 || len(scoped.Tasks(ids, []string{"004-cards"}, days(2), true)) != 0 {
		t.Error("a task counts in a commit about another plan, or not in a commit about its own")
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

// TestParts checks which subjects say that a phase or a user story was carried out as a whole.
func TestParts(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"feat: complete Phase 2":                      "phase 2",
		"Completed phases 1-3 (#5)":                   "phase 1 phase 2 phase 3",
		"feat(sync): implement offline sync (US7)":    "story 7",
		"feat: implement User Story 2":                "story 2",
		"feat: implement phase 6 - the archive (US4)": "phase 6",
		"feat: implement the backend of phase 2":      "",
		"feat: phase 2":                               "",
		"docs: complete phase 2":                      "",
		"feat: complete part of phase 2":              "",
		"feat: implement User Story 1 (T003-T005)":    "",
	} {
		h := NewHistory([]past.Described{{Logged: past.Logged{ID: "a", When: days(1), Subject: subject}, Parents: []object.ID{"1"}}})
		if got := strings.Join(slices.Sorted(maps.Keys(h.Parts(nil, days(2), "", true))), " "); got != want {
			t.Errorf("%q: %q, want %q", subject, got, want)
		}
		if len(h.Parts(nil, now, "", true)) > 0 || want != "" && len(h.Parts(nil, now, "a", true)) == 0 || len(h.Parts([]string{"004-audit-log"}, days(2), "", false)) > 0 {
			t.Errorf("%q counts although it is too old or about other work, or does not count", subject)
		}
	}
}

// TestAbout_spoken: the subject of a commit also names a plan if it contains the words of the plan's name with spaces. A subject that
// begins with "docs:" does not count.
func TestAbout_spoken(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]bool{
		"feat(deps): add libraries for CRM gap closure": true, "docs: plan the CRM gap closure": false, "feat: gap closure": false,
	} {
		h := NewHistory([]past.Described{{Logged: past.Logged{When: days(1), Subject: subject}}})
		if _, named, _ := h.About([]string{"012-crm-gap-closure"}, days(2)); (named != nil) != want {
			t.Errorf("%q: %v", subject, named)
		}
	}
}
