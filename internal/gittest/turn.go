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
	return Proving() || os.Getenv(AllEnv) != "" || (row+int(time.Now().Unix()/86400))%of == 0
}
