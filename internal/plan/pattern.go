package plan

import (
	"regexp"
	"sync"
)

// pattern is compiled when it is first needed:
// most calls of the program read no plan, and all of them would pay.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
