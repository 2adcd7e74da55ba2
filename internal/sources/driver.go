package sources

import (
	"path"
	"strings"
)

// Driver describes a command that works on one piece of work, such as "run.py --spec 005". Program is its file name, Option is "--spec",
// and Name is the name of the work.
type Driver struct {
	Program, Option, Name string
}

// Runs reports whether a command line runs this command for this work. Users may type only the number of the work, as in "--spec 005", so
// this counts too.
func (d Driver) Runs(args []string) bool {
	at := -1
	for i, arg := range args {
		if strings.Contains(arg, d.Program) && path.Base(strings.ReplaceAll(arg, `\`, "/")) == d.Program {
			at = i
			break
		}
	}
	if at < 0 {
		return false
	}
	for i, arg := range args[at+1:] {
		value, joined := strings.CutPrefix(arg, d.Option+"=")
		if !joined && arg == d.Option && at+i+2 < len(args) {
			value, joined = args[at+i+2], true
		}
		if value = path.Base(value); joined && (value == d.Name || strings.HasPrefix(d.Name, value+"-")) {
			return true
		}
	}
	return false
}
