//go:build !testclock

package main

import (
	"crypto/rand"
	"time"
)

// clock is the only place where the program asks for the time. A build with the tag testclock uses another clock, for tests.
func clock() time.Time { return time.Now() }

// randomBytes returns the random bytes from which names are made.
func randomBytes() (b [4]byte) {
	_, _ = rand.Read(b[:]) // never fails
	return b
}
