package main

import (
	"slices"
	"strings"
)

// suite is a group of trials with a common goal.
type suite struct {
	letter string
	name   string
	// goal is the number of trials that must pass without a failure.
	goal int
	// share is the suite's part of the time, in percent.
	share int
}

// fuzzing is the name of the row that sums up the fuzz targets of suite H. Only this row of suite H has a goal.
const fuzzing = "fuzz inputs"

var suites = []suite{
	{"A", "kills at every system call that writes", 5000, 16},
	{"B", "random and repeated kills", 5000, 21},
	{"C", "power cuts", 200, 8},
	{"D", "races of eight processes", 2000, 8},
	{"E", "pauses of the owner", 200, 4},
	{"F", "errors of the disk", 1500, 8},
	{"G", "random sequences against a model", 10_000, 17},
	{"H", "hostile repositories and bytes", 10_000_000, 10},
	{"I", "clones that share a run at a server that fails", 2000, 8},
}

func suiteOf(letter string) (suite, bool) {
	i := slices.IndexFunc(suites, func(s suite) bool { return s.letter == letter })
	if i < 0 {
		return suite{}, false
	}
	return suites[i], true
}

// wanted reports whether the command line asks for a suite.
func (o options) wanted(letter string) bool {
	return o.suites == "" || slices.Contains(strings.Split(o.suites, ","), letter)
}
