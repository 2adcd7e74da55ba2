//go:build !testclock

package main

import "time"

// clock is the one place where the program asks what time it is. A build with the tag testclock has another one, for tests.
func clock() time.Time { return time.Now() }
