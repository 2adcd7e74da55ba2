//go:build !testclock

package main

import (
	"crypto/rand"
	"time"
)

// clock is the one place where the program asks what time it is. A build with the tag testclock has another one, for tests.
func clock() time.Time { return time.Now() }

// chance gives the random bytes from which names are made.
func chance() (b [4]byte) {
	_, _ = rand.Read(b[:]) // never fails
	return b
}
