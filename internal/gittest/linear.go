package gittest

import (
	"testing"
	"time"
)

// Linear checks that the time of a function does not grow much faster than the size. It runs the function twice with a tenth of the size,
// and then with the whole size. It fails if the last run takes more than 50 times as long as the slower one of the first two.
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
