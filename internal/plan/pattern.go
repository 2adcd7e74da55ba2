package plan

import (
	"regexp"
	"sync"
)

// pattern compiles an expression when it is first needed,
// because most calls of the program read no plan and should not pay for it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
