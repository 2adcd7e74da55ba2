//go:build !testclock

package early

import "time"

// atOnce is true because released programs answer a hook while this package is initialized. In test builds it is false.
const atOnce = true

// Now returns the current time.
func Now() time.Time { return time.Now() }

// limit is the longest time that a hook of a coding agent may take. The agent waits for its hooks.
const limit = 900 * time.Millisecond
