package sources

import "testing"

func TestSaysDone(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"Phase 1: Storage — complete": true, "Phase 1 - Complete": true, "Phase 1 (complete)": true, "Phase 1 ✅": true, "Phase 1 – **done**": true, "Phase 1 [COMPLETED]": true,
		"Phase 1 ✅ COMPLETE": true, "Phase 1 (✅ complete)": true, "Phase 1—done ✔️": true, "Phase 1 - 100% complete": true,
		"Phase 1: auto-complete": false, "Phase 1: Complete the form": false, "Phase 1 — not complete": false, "Phase 1 (incomplete)": false, "✅ Acceptance criteria": false,
		"Definition of done": false, "Phase 1 - 50% complete": false, "Phase 1 — mostly done": false, "Phase 1 (complete after phase 2)": false,
	} {
		if got := SaysDone(title); got != want {
			t.Errorf("%q: %v", title, got)
		}
	}
}
