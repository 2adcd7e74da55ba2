//go:build !testclock

package main

import (
	"crypto/rand"
	"time"
)

// clock returns the current time. A build with the tag testclock has another clock for tests.
func clock() time.Time { return time.Now() }

// eventLimit is the longest time that a hook of a coding agent may take. The agent waits for its hooks.
const eventLimit = 900 * time.Millisecond

// randomBytes returns the random bytes for ids.
func randomBytes() (b [4]byte) {
	_, _ = rand.Read(b[:]) // rand.Read never fails
	return b
}
