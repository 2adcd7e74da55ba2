package commitlog

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func days(n int) time.Time { return now.Add(-time.Duration(n) * 24 * time.Hour) }

func TestHistory_about(t *testing.T) {
	t.Parallel()
	names := []string{"004-audit-log", "login", "cards-v1.2"}
	parents := map[bool][]object.ID{true: {"1", "2"}, false: {"1"}}
	for text, want := range map[string]string{
		"Merge branch '004-audit-log'":                        "merged",
		"Merge branch 'feature/004-audit-log' into main":      "merged",
		"Merge pull request #6 from ann/004-audit-log":        "merged",
		"Merge remote-tracking branch 'origin/004-audit-log'": "merged",
		"Merge branch 'login'":                                "merged",
		"auto-claude: Merge auto-claude/004-audit-log":        "merged",
		"Merge 004-audit-log":                                 "merged",
		"Merge 004-audit-log: write the log":                  "merged",
		"Merge feature/004-audit-log into main":               "merged",
		"Merge 004-audit-log-2: write the log":                "other",
		"feat: write the audit log of 004-audit-log (#12)":    "merged",
		"Merge branch 'parts/004-audit-log/phase-1'":          "named",
		"Merge pull request #7 from ann/004-audit-log/part-2": "named",
		"Merge branch 'main' into 004-audit-log":              "named",
		"Merge branch '014-audit-log'":                        "other",
		"Merge branch '004-audit-log-2'":                      "other",
		"fix the login (#13)":                                 "other",
		"feat(004-audit-log): first half":                     "named",
		"implement specs/004-audit-log/tasks.md":              "named",
		"fix login":                                           "other",
		"mention 004-audit-logs":                              "other",
		"feat: sell cards-v1.2 (#14)":                         "merged",
		"feat: sell cards-v1.2. 3 fixes (#15)":                "merged",
		"feat: sell cards-v1.2.3 (#16)":                       "other", // another version
		"feat: sell 2.cards-v1.2.":                            "named",
		"Revert \"Merge branch '004-audit-log'\"":             "named",
	} {
		h := NewHistory([]past.Described{{Logged: past.Logged{When: days(1), Subject: text}, Parents: parents[text[:5] == "Merge"]}})
		merged, named, other := h.About(names, days(2))
		got := map[bool]string{merged != nil: "merged", named != nil: "named", other != nil: "other"}[true]
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if merged, named, other := h.About(names, now); merged != nil || named != nil || other != nil {
			t.Errorf("%q is older than the work, and still counts", text)
		}
	}
}
