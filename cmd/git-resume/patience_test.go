package main

import (
	"testing"
	"time"
)

func TestReadingDelay(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]time.Duration{"": 300 * time.Millisecond, "x": 300 * time.Millisecond, "0": 0, "2": 2 * time.Second} {
		p := &program{env: []string{"GIT_PROGRESS_DELAY=" + setting}}
		if got := p.readingDelay(); got != want {
			t.Errorf("%q: %v, want %v", setting, got, want)
		}
	}
}
