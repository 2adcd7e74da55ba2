//go:build !testclock

package early

import "time"

// atOnce says that a hook is answered while this package is initialized. Released programs can do that, because they need only the clock of
// the system.
const atOnce = true

// Now returns the current time. In test builds it is not used.
func Now() time.Time { return time.Now() }

// limit is the longest time that a hook of a coding agent may take. The agent waits for its hooks.
const limit = 900 * time.Millisecond
