//go:build testclock

package early

import "time"

// atOnce is false in test builds: a hook is answered later, by package main, because only that package knows the clock of the test.
const atOnce = false

// Now is not used in test builds. It returns the zero time.
func Now() time.Time { return time.Time{} }

// limit is long in test builds, because a tracer stops the program at each of its steps.
const limit = time.Minute
