package execution

import "time"

// Retryable reports whether a command that ended for this cause may succeed the next time.
func Retryable(cause string) bool {
	switch cause {
	case CauseExit, CauseSignal, CauseTimeout:
		return true
	}
	return false
}

// PauseBefore returns how long to wait before another try: one second, then twice as long each time, at most half a minute.
func PauseBefore(try int) time.Duration { return min(time.Second<<min(try, 5), 30*time.Second) }
