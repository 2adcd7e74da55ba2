package superpowers

import "testing"

// A task at the end of a plan that only verifies counts as a check, even if it prescribes a commit.
func TestParsePlan_checks(t *testing.T) {
	t.Parallel()
	p := parsePlan("## Task 1: Verify the input\n- Modify: `a.go`\n## Task 2: Build\n- Create: `b.go`\n" +
		"## Task 3: End-to-end tests\n- Create: `e2e.go`\n## Task 4: Final verification\n```\ngit commit -m \"chore: final cleanup\"\n```\n## Task 5: Push\n")
	for i, want := range []bool{false, false, false, true, true} {
		if got := p.tasks[i].check; got != want {
			t.Errorf("task %s: %v", p.tasks[i].id, got)
		}
	}
}

func TestSaysOver(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"**Status:** Completed. It landed.\n## Task 1: a": "Completed",
		"> Status: done (2026-11-12)\n## Task 1: a":       "done",
		"- **状态：** 已完成\n## Task 1: a":                     "已完成",
		"**Status:** superseded by another plan":          "",
		"Status: in progress\n## Task 1: a":               "",
		"## Task 1: a\n**Status:** done":                  "",
		"```\nStatus: done\n```\n## Task 1: a":            "",
		"The status: done is written at the end":          "",
	} {
		if got := saysOver(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
