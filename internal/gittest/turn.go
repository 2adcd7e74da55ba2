package gittest

import (
	"flag"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"testing"
	"time"
)

// AllEnv is the environment variable that makes everyday tests try all rows of their long tables, and run all long tests.
const AllEnv = "GIT_RESUME_TEST_ALL"

// InTurn reports whether everyday tests try a row of a long table today. Each day they try every n-th row, where n is the argument "of",
// and the next day other rows. All rows are tried in the long proof, with AllEnv, and with "go test -run".
func InTurn(row, of int) bool {
	if run := flag.Lookup("test.run"); run != nil && run.Value.String() != "" {
		return true
	}
	return Proving() || os.Getenv(AllEnv) != "" || (row+today())%of == 0
}

// Today returns the rows of a long table that everyday tests try today, as InTurn says.
func Today[T any](rows []T, of int) []T {
	var out []T
	for i, row := range rows {
		if InTurn(i, of) {
			out = append(out, row)
		}
	}
	return out
}

// TodayIn returns the rows that everyday tests try today from a long table whose rows have names. For a table without names, use the
// function Today.
func TodayIn[T any](rows map[string]T, of int) map[string]T {
	out := map[string]T{}
	for _, name := range Today(slices.Sorted(maps.Keys(rows)), of) {
		out[name] = rows[name]
	}
	return out
}

// Point returns number i of n numbers that are spread evenly between 1 and "most". Each day, the numbers are different.
func Point(i, n, most int) int { return 1 + (i*most/n+today())%most }

// ByTurns skips a long test on three of four days. The test's name decides on which day it runs. In the long proof, with AllEnv, and with
// "go test -run", it runs every day.
func ByTurns(t testing.TB) {
	t.Helper()
	name := fnv.New32a()
	name.Write([]byte(t.Name()))
	if !InTurn(int(name.Sum32()>>8), DaysOfATurn) {
		t.Skipf("runs on another day, and with %s=1", AllEnv)
	}
}

// DaysOfATurn is the number of days in which each long test and each long script runs once. On each day, the everyday tests run only a part
// of them.
const DaysOfATurn = 4

func today() int { return int(time.Now().Unix() / 86400) }
