//go:build !testclock

package early

import (
	"crypto/rand"
	"time"
)

// limit is the longest time that a hook of a coding agent may take. The agent waits for its hooks.
const limit = 900 * time.Millisecond

// Now returns the current time. The whole program reads the clock here, and so do the packages that it calls, through functions that it
// passes to them. A build with the tag testclock has another clock, which tests can set.
func Now() time.Time { return time.Now() }

// Random returns the random bytes for ids.
func Random() (b [4]byte) {
	_, _ = rand.Read(b[:]) // rand.Read never fails
	return b
}
