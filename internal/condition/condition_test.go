package condition

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func days(n int) time.Time { return now.Add(-time.Duration(n) * 24 * time.Hour) }

func TestJudge(t *testing.T) {
	t.Parallel()
	const stale = 14 * 24 * time.Hour
	other := &Commit{When: days(1), Subject: "other work"}
	for name, c := range map[string]struct {
		facts Facts
		want  Word
		by    Reason
	}{
		"all tasks done":                         {Facts{State: sources.Complete, Done: 3}, Finished, ByTasks},
		"ended by its system":                    {Facts{State: sources.Ended, Left: 2}, Finished, ByState},
		"its files say that it is over":          {Facts{State: sources.Interrupted, Done: 1, Left: 2, Said: "STATE.md says shipped"}, Finished, BySystem},
		"merged after its last change":           {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Merged: &Commit{When: days(2)}}, Finished, ByMerge},
		"merged, and changed after that":         {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(1), Merged: &Commit{When: days(2)}}, Between, ByTicks},
		"merged, and changed but not committed":  {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Merged: &Commit{When: days(2)}, Changed: "a"}, InHand, ByChange},
		"nothing started":                        {Facts{State: sources.NotStarted, Left: 2, LastActive: days(1)}, NotStarted, ByNoTask},
		"nothing ticked, but a commit names it":  {Facts{State: sources.NotStarted, Left: 2, LastActive: days(1), Named: other}, Between, ByTicks},
		"nothing ticked, but a file changed":     {Facts{State: sources.NotStarted, Left: 2, LastActive: days(1), Changed: "a"}, InHand, ByChange},
		"a task in progress":                     {Facts{State: sources.Interrupted, Done: 1, Active: 1, LastActive: days(1)}, InHand, ByActive},
		"a pause":                                {Facts{State: sources.Paused, Done: 1, Left: 1, LastActive: days(1)}, InHand, ByState},
		"a question":                             {Facts{State: sources.Interrupted, Done: 1, Left: 1, Asked: true, LastActive: days(1)}, Waiting, ByQuestion},
		"a review":                               {Facts{State: sources.Review, Done: 1, LastActive: days(1)}, Waiting, ByState},
		"some tasks done":                        {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(1), Later: other}, Between, ByTicks},
		"old, and other work since":              {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(20), Later: other}, Abandoned, BySilence},
		"old, but nothing else happened":         {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(20)}, Between, ByTicks},
		"old with uncommitted changes":           {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(20), Later: other, Changed: "a"}, InHand, ByChange},
		"old with a question, other work since":  {Facts{State: sources.Waiting, Asked: true, Done: 1, Left: 1, LastActive: days(20), Later: other}, Abandoned, BySilence},
		"not started, and a question was asked":  {Facts{State: sources.NotStarted, Asked: true, Left: 1, LastActive: days(1)}, Waiting, ByQuestion},
		"an unknown state without any task done": {Facts{State: sources.Unknown, Left: 1, LastActive: days(1)}, NotStarted, ByNoTask},
	} {
		c.facts.Now, c.facts.Stale = now, stale
		got := Judge(&c.facts)
		if got.Word != c.want || len(got.Proofs) == 0 || got.Proofs[0].Reason != c.by {
			t.Errorf("%s: got %+v, want %s by %s", name, got, c.want, c.by)
		}
	}
}

func TestHistory_about(t *testing.T) {
	t.Parallel()
	names := []string{"004-audit-log", "login"}
	for text, want := range map[string]string{
		"Merge branch '004-audit-log'":                        "merged",
		"Merge branch 'feature/004-audit-log' into main":      "merged",
		"Merge pull request #6 from ann/004-audit-log":        "merged",
		"Merge remote-tracking branch 'origin/004-audit-log'": "merged",
		"Merge branch 'login'":                                "merged",
		"feat: write the audit log of 004-audit-log (#12)":    "merged",
		"Merge branch 'main' into 004-audit-log":              "named",
		"Merge branch '014-audit-log'":                        "other",
		"Merge branch '004-audit-log-2'":                      "other",
		"fix the login (#13)":                                 "other",
		"feat(004-audit-log): first half":                     "named",
		"implement specs/004-audit-log/tasks.md":              "named",
		"fix login":                                           "other",
		"mention 004-audit-logs":                              "other",
		"Revert \"Merge branch '004-audit-log'\"":             "named",
	} {
		h := NewHistory([]past.Described{{Logged: past.Logged{When: days(1), Subject: text}, Merge: text[:5] == "Merge"}})
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
