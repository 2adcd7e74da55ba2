//go:build testclock

package main

import (
	"fmt"
	"os"
	"time"
)

// clockVariable sets the clock of a program that was built for tests, to a time (2026-11-14T10:42:07Z) or by so much (+48h, -10m).
const clockVariable = "GIT_RESUME_TEST_CLOCK"

// shift is by how much the clock is off; it goes on from there.
var shift = readShift(os.Getenv(clockVariable))

func clock() time.Time { return time.Now().Add(shift) }

func readShift(text string) time.Duration {
	if text == "" {
		return 0
	}
	if by, err := time.ParseDuration(text); err == nil {
		return by
	}
	to, err := time.Parse(time.RFC3339, text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %s='%s' is neither a time nor a duration\n", clockVariable, text)
		os.Exit(codeUsage)
	}
	return time.Until(to)
}
