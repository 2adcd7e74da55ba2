package sources

import (
	"slices"
	"testing"
)

// TestFound_is: earlier versions of git-resume recorded the work of all task lists under the source TaskLists. Such a record must still
// match the work, which now has a source of its own.
func TestFound_is(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		found, record string
		want          bool
	}{
		{SpecKit, SpecKit, true}, {SpecKit, TaskLists, true}, {Kiro, TaskLists, true}, {OpenSpec, TaskLists, true}, {Plans, TaskLists, true},
		{PlanningFiles, TaskLists, true}, {PlanningFiles, TaskPlan, true}, {PlanningFiles, Kiro, false}, {SpecKit, TaskPlan, false},
		{SpecKit, Kiro, false}, {"planning", TaskLists, false}, {"planning", "planning", true}, {"long-run", "planning", false},
	} {
		f := Found{Source: c.found, ID: "login"}
		if got := f.Is(c.record, "login"); got != c.want {
			t.Errorf("work of %s, recorded for %s: %v", c.found, c.record, got)
		}
		if f.Is(c.record, "logout") {
			t.Errorf("work of %s: a record with another id counts", c.found)
		}
	}
	top, other := Found{Source: PlanningFiles, ID: "task_plan"}, Found{Source: PlanningFiles, ID: "login"}
	if top.FormerKey() != "boxes:task_plan" || !slices.Contains(KeysOf(&top), "task-plan:task_plan") || slices.ContainsFunc(KeysOf(&other), func(k string) bool { return k != other.Key() }) {
		t.Errorf("the names are %v and %v", KeysOf(&top), KeysOf(&other))
	}
	if !Selects([]string{"task-plan"}, PlanningFiles) || !Selects([]string{"kiro,boxes"}, PlanningFiles) || Selects([]string{"kiro"}, PlanningFiles) {
		t.Error("the setting resume.sources does not know the names of earlier versions")
	}
	if f := (Found{Source: Kiro, ID: "login"}); f.Key() != "kiro:login" || f.FormerKey() != "boxes:login" {
		t.Errorf("the names are %s and %s", f.Key(), f.FormerKey())
	}
}
