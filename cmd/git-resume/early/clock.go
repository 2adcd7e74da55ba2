//go:build !testclock

package early

import (
	"crypto/rand"
	"time"
)

// atOnce says that a hook is answered while this package is initialized. Released programs do that, because the clock of the system is
// enough.
const atOnce = true

func now() time.Time { return time.Now() }

// limit is the longest time that a hook of a coding agent may take. The agent waits for its hooks.
const limit = 900 * time.Millisecond

// random returns the random bytes for ids.
func random() (b [4]byte) {
	_, _ = rand.Read(b[:]) // rand.Read never fails
	return b
}
