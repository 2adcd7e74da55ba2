package tasks_test

import (
	"cmp"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

func TestLeftBy_everyTaskWithoutAResult(t *testing.T) {
	t.Parallel()
	p := plan.Plan{Tasks: []plan.Task{{ID: "runs", Run: "true"}, {ID: "reported"}, {ID: "next", Run: "true"}}}
	for _, test := range []struct {
		name   string
		inTree checkpoint.TaskID
		state  checkpoint.TaskState
		here   bool
		left   bool
	}{
		{name: "none has started"},
		{name: "done", inTree: "runs", state: checkpoint.Done},
		{name: "failed", inTree: "runs", state: checkpoint.Failed, left: true},
		{name: "skipped", inTree: "runs", state: checkpoint.Skipped, left: true},
		{name: "blocked", inTree: "reported", state: checkpoint.Blocked, left: true},
		{name: "reset", inTree: "runs", state: checkpoint.Pending, left: true},
		{name: "interrupted", inTree: "runs", state: checkpoint.Active, left: true},
		{name: "interrupted, and its worker may continue", inTree: "reported", state: checkpoint.Active},
		{name: "the task itself", inTree: "next", state: checkpoint.Failed},
		{name: "in the worktree of the user", inTree: "runs", state: checkpoint.Failed, here: true},
	} {
		r := &checkpoint.Run{Here: test.here, InTree: test.inTree, Tasks: []checkpoint.Task{{ID: cmp.Or(test.inTree, "runs"), State: test.state}, {ID: "other", State: checkpoint.Failed}}}
		switch left := tasks.LeftBy(p, r, "next"); {
		case left == nil && test.left:
			t.Errorf("%s: nothing is set aside", test.name)
		case left != nil && (!test.left || left.ID != test.inTree):
			t.Errorf("%s: what %s left is set aside", test.name, left.ID)
		}
	}
}
