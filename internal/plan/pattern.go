package plan

import (
	"regexp"
	"sync"
)

// pattern compiles a regular expression when it is first used. Most commands do not read a plan, so they save the time to compile.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
