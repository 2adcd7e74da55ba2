//go:build !testclock

package early

import "time"

// atOnce is true because this program has no other clock than the system's.
const atOnce = true

func now() time.Time { return time.Now() }

// limit is the longest time that a hook of a coding agent may take. The agent waits for its hooks.
const limit = 900 * time.Millisecond
