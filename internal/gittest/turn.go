package gittest

import (
	"flag"
	"os"
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

// Point returns the i-th of n numbers from 1 to the argument "most". The numbers are spread evenly. On the next day they are other numbers.
func Point(i, n, most int) int { return 1 + (i*most/n+today())%most }

func today() int { return int(time.Now().Unix() / 86400) }
