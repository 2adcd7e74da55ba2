package planfiles

import (
	"strings"
	"testing"
)

func TestPhasesIn(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"feat(itinerary): Phase 3 - add tokens": "3",
		"Phase 6+7: DayCard":                    "6 7",
		"phases 1-3 of the form":                "1 2 3",
		"Phases 1 - 3, and 5":                   "1 2 3",
		"Phases 1 – 3 , 5 + 6":                  "1 2 3 5 6",
		"Phase 3 - 2 bugs fixed":                "3",
		"完成阶段 4":                                "4",
		"fix(phase2): roll back":                "2",
		"docs: plan phase 3":                    "",
		"start phase 3":                         "",
		"phase 2b of nothing":                   "",
		"rephrase 3 texts":                      "",
		"phase 5-7.6":                           "5",
	} {
		if got := strings.Join(phasesIn(subject), " "); got != want {
			t.Errorf("%q: %q", subject, got)
		}
	}
}
