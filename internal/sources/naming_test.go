package sources

import "testing"

// TestFound_is checks which records belong to a piece of work. Earlier versions recorded all task lists under the name of their reader.
func TestFound_is(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		found, record string
		want          bool
	}{
		{SpecKit, SpecKit, true}, {SpecKit, TaskLists, true}, {Kiro, TaskLists, true}, {OpenSpec, TaskLists, true}, {TaskPlan, TaskLists, true}, {Plans, TaskLists, true},
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
	if f := (Found{Source: Kiro, ID: "login"}); f.Key() != "kiro:login" || f.FormerKey() != "boxes:login" {
		t.Errorf("the names are %s and %s", f.Key(), f.FormerKey())
	}
}
