package sources

import (
	"path"
	"slices"
	"strings"
)

// Driver describes a command that works on one piece of work, such as "run.py --spec 005". Program is its file name, Option is "--spec",
// and Name is the name of the work.
type Driver struct {
	Program, Option, Name string
}

// Runs reports whether a command line runs this command for this work. The name of the work may be shortened to the part
// before a hyphen, as in "--spec 005".
func (d Driver) Runs(args []string) bool {
	at := programAt(args, d.Program)
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

// NamesProgram reports whether a program is one of the words of a command line, for example as the script that an interpreter runs.
func NamesProgram(args []string, program string) bool { return programAt(args, program) >= 0 }

func programAt(args []string, program string) int {
	return slices.IndexFunc(args, func(arg string) bool {
		return strings.Contains(arg, program) && path.Base(strings.ReplaceAll(arg, `\`, "/")) == program
	})
}
