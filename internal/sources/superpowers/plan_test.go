package superpowers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestParsePlan_checks: if a task at the end of a plan only verifies the result, it counts as a check, even if it prescribes a commit.
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

// TestJudge_onlyFiles: the commit of task 1 also added the file of task 4, and tasks 2 and 3 were not done. The existing file alone does
// not prove that task 4 is done. A commit with the subject of task 4 proves it.
func TestJudge_onlyFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ second, want string }{
		"only its files": {"docs: nothing", "2"},
		"its commit too": {"feat: task 4", "5"},
	} {
		r := gittest.New(t)
		var text strings.Builder
		text.WriteString("# Gift cards Implementation Plan\n\n> **For agentic workers:** REQUIRED SUB-SKILL: Use superpowers:executing-plans.\n")
		for i := 1; i <= 5; i++ {
			fmt.Fprintf(&text, "\n### Task %d: part %d\n\n**Files:**\n- Create: `src/%d.go`\n\n- [ ] **Step 1: Commit**\n\n```bash\ngit commit -m \"feat: task %d\"\n```\n", i, i, i, i)
		}
		r.Write(cards, text.String())
		planned(r)
		both(add("src/1.go", "package a\n"), add("src/4.go", "package a\n"), commit(12, "feat: task 1"))(r)
		commit(13, c.second)(r)
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != c.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestCameWith_pull: all tasks of a plan change the same file. One commit added the plan and changed this file. The plan counts as carried
// out only if this commit is a squashed pull request.
func TestCameWith_pull(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]bool{"Add a toggle (#7)": true, "docs: plan a toggle": false} {
		r := gittest.New(t)
		both(add("src/page.go", "package a\n"), commit(9, "start"))(r)
		text := "# Toggle Implementation Plan\n\n> **For agentic workers:** REQUIRED SUB-SKILL: Use superpowers:executing-plans.\n"
		for _, n := range []string{"1", "2", "3"} {
			text += "\n### Task " + n + ": part " + n + "\n\n**Files:**\n- Modify: `src/page.go`\n"
		}
		both(add(cards, text), add("src/page.go", "package b\n"), commit(11, subject))(r)
		if found := sourcetest.Find(r, New()); len(found) != 1 || (found[0].State == sources.Complete) != want {
			t.Errorf("%s: %+v", subject, found)
		}
	}
}

// TestUnticked: the field Unticked is true only if no box of the plan is ticked.
func TestUnticked(t *testing.T) {
	t.Parallel()
	for box, want := range map[string]bool{"[ ]": true, "[x]": false} {
		r := gittest.New(t)
		r.Write(cards, "# Gift cards Implementation Plan\n\n> **For agentic workers:** REQUIRED SUB-SKILL: Use superpowers:executing-plans.\n\n### Task 1: `a` part\n- "+box+" one\n- [ ] two\n")
		planned(r)
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Unticked != want || found[0].Tasks[0].Title != "`a` part" {
			t.Errorf("%s: %+v", box, found)
		}
	}
}
