//go:build testclock

package early

import "time"

// atOnce is true if this package answers a hook before package main starts. It is false in test builds: there, package main answers the
// hook, because only package main knows the clock of the test.
const atOnce = false

// Now is not used in test builds. It returns the zero time.
func Now() time.Time { return time.Time{} }

// limit is the longest time that a hook of a coding agent may take. It is longer in test builds, because a tracer
// stops the program again and again.
const limit = time.Minute
