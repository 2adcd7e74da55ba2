//go:build !testclock

package early

import "time"

// atOnce is true so that this package answers a hook while it is initialized, before package main starts. In test builds, atOnce is false,
// and package main answers the hook.
const atOnce = true

// Now returns the current time.
func Now() time.Time { return time.Now() }

// limit is the longest time that a hook of a coding agent may take. The agent waits for its hooks.
const limit = 900 * time.Millisecond
