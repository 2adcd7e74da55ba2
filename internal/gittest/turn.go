package gittest

import (
	"flag"
	"os"
	"time"
)

// AllEnv makes everyday tests try all rows of their long tables.
const AllEnv = "GIT_RESUME_TEST_ALL"

// InTurn reports whether everyday tests try the row with this index of a long table today. Each day they try one row of so many,
// and the next rows on the next day, so that a table which takes minutes costs seconds. All rows are tried by the long proof, with
// AllEnv set, and when "go test -run" names a test.
func InTurn(row, of int) bool {
	if run := flag.Lookup("test.run"); run != nil && run.Value.String() != "" {
		return true
	}
	return Proving() || os.Getenv(AllEnv) != "" || (row+int(time.Now().Unix()/86400))%of == 0
}
