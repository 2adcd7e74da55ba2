//go:build testclock

package early

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-resume/git-resume/internal/exit"
)

// clockVariable is the environment variable that sets the clock in test builds. The value 2026-11-14T10:42:07Z starts the clock at that
// time. With "=" before the time, the clock stands still at that time. A value such as +48h or -10m shifts the clock.
const clockVariable = "GIT_RESUME_TEST_CLOCK"

// If "standing" is true, the clock always shows the time "stood". Otherwise the duration "shift" is added to the real time.
var (
	setting         = os.Getenv(clockVariable)
	stood, standing = standStill(setting)
	shift           = readShift(setting)
	chances         atomic.Int64
)

// Now returns the time of the test's clock.
func Now() time.Time {
	if standing {
		return stood
	}
	return time.Now().Add(shift)
}

// limit is long in test builds, because a tracer stops the program at each of its steps.
const limit = time.Minute

// Random returns the same bytes for the same command line if the clock is stopped. So the ids in the documentation do not change.
func Random() (b [4]byte) {
	if !standing {
		_, _ = rand.Read(b[:]) // rand.Read never fails
		return b
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %d", setting, os.Args[1:], chances.Add(1)))
	copy(b[:], sum[:])
	return b
}

func standStill(text string) (time.Time, bool) {
	at, ok := strings.CutPrefix(text, "=")
	if !ok {
		return time.Time{}, false
	}
	return readTime(at), true
}

func readShift(text string) time.Duration {
	if text == "" || standing {
		return 0
	}
	if by, err := time.ParseDuration(text); err == nil {
		return by
	}
	return time.Until(readTime(text))
}

func readTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %s='%s' is neither a time nor a duration\n", clockVariable, text)
		os.Exit(exit.Usage)
	}
	return at.Local()
}
