package gittest

import (
	"testing"
	"time"
)

// Linear runs a function at a tenth of a size and at the whole size, and fails if the whole takes far more than ten times as long:
// comparing everything with everything takes a hundred times as long. Both are measured here and now, on the same busy machine.
func Linear(t *testing.T, size int, run func(size int)) {
	t.Helper()
	timed := func(n int) time.Duration {
		begun := time.Now()
		run(n)
		return time.Since(begun)
	}
	few := max(timed(size/10), timed(size/10))
	if many := timed(size); many > 50*few {
		t.Errorf("%d took %s, %d took %s", size/10, few, size, many)
	}
}
