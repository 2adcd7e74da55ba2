package gittest

import (
	"flag"
	"maps"
	"os"
	"slices"
	"time"
)

// AllEnv makes everyday tests try all rows of their long tables.
const AllEnv = "GIT_RESUME_TEST_ALL"

// InTurn reports whether everyday tests try the row with this index of a long table today. On each day they try one in every "of" rows, and
// on the next day other rows, so that a table which takes minutes costs seconds. The long proof tries all rows, and so does a test with
// AllEnv or "go test -run".
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

// TodayIn is Today for a table whose rows have names.
func TodayIn[T any](rows map[string]T, of int) map[string]T {
	out := map[string]T{}
	for _, name := range Today(slices.Sorted(maps.Keys(rows)), of) {
		out[name] = rows[name]
	}
	return out
}

// Point returns the i-th of n numbers from 1 to the argument "most". The numbers are spread evenly. On the next day they are other numbers.
func Point(i, n, most int) int { return 1 + (i*most/n+today())%most }

func today() int { return int(time.Now().Unix() / 86400) }
