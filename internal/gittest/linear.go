package gittest

import (
	"testing"
	"time"
)

// Linear runs a function with a tenth of a size and with the whole size. It fails if the whole takes far more than ten times as long.
// Code that compares everything with everything would take a hundred times as long. Both runs are measured on the same busy machine.
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
