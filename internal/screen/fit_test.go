package screen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// interruptedAmid is a run that was interrupted at the sixth of twelve tasks, with everything that is usually shown about it.
func interruptedAmid() *assess.Assessment {
	r := run("big", func(r *checkpoint.Run) {
		r.Tasks = nil
		for i := range 12 {
			t := checkpoint.Task{ID: checkpoint.TaskID(fmt.Sprintf("t%d", i+1)), Title: fmt.Sprintf("step number %d of the migration", i+1), State: checkpoint.Pending}
			if i < 5 {
				t.State = checkpoint.Done
			} else if i == 5 {
				t.State = checkpoint.Active
			}
			r.Tasks = append(r.Tasks, t)
		}
	})
	m := candidate.Summary{Run: r, State: checkpoint.Interrupted, Path: "/tmp/repo.worktrees/big-a7f3"}
	a := assessed("big", m, candidate.Warnings)
	a.Tree.Path, a.NewPlan, a.Conflicts = m.Path, nil, nil
	a.Snapshot = snapshot.Snapshot{ID: "1", Tree: "1", Number: 1, Run: "big-a7f3", Paths: []string{"half.txt"}}
	a.Findings = []candidate.Finding{{Code: candidate.FindPartly, Severity: candidate.Warning, Said: "task 't6' was interrupted", More: []string{"half.txt"}}}
	a.Point = tasks.Step{Kind: tasks.StepRun}
	a.Point.Task.Run = "make step-6"
	return a
}

func TestAssessment_fitsOnALowTerminal(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {80, 20}, {60, 22}, {40, 20}} {
		var out bytes.Buffer
		s := page.Page{Out: &out, Err: &out, Now: noon, Marks: page.UTF8, Terminal: true, ErrTerminal: true, Columns: size[0], Rows: size[1]}
		a := interruptedAmid()
		assessment.Show(s, a)
		keys := append(prompt.Interrupted(s, a, []checkpoint.TaskID{"t6"}), prompt.Key{Name: "q", Does: "leave as it is"})
		prompt.List(s, keys)
		prompt.Ask(s, "Which?", slices.Clip(keys), "q")
		shown := strings.Split(out.String(), "\n") // the last line is the one in which the user types
		if len(shown) > size[1] {
			t.Errorf("%d lines do not fit on a terminal of %dx%d:\n%s", len(shown), size[0], size[1], out.String())
		}
		if !strings.Contains(out.String(), "→ 6  t6") && !strings.Contains(out.String(), "→  6  t6") {
			t.Errorf("at %dx%d the current task is missing:\n%s", size[0], size[1], out.String())
		}
	}
	for rows, why := range map[int]string{50: "there is room", 8: "nothing makes it fit"} {
		var all bytes.Buffer
		assessment.Show(page.Page{Out: &all, Err: &all, Now: noon, Marks: page.UTF8, Terminal: true, Columns: 80, Rows: rows}, interruptedAmid())
		if !strings.Contains(all.String(), " 3  t3") || !strings.Contains(all.String(), "\n\n") {
			t.Errorf("shortened although %s:\n%s", why, all.String())
		}
	}
}
