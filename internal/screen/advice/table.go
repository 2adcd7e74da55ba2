package advice

import (
	"errors"
	"reflect"
	"slices"

	"github.com/git-resume/git-resume/internal/exit"
)

// row says what the program does about one kind of error: the exit code of a command that ends with it,
// and what the user can do next. The words for what happened are the error's own.
type row struct {
	// kind names the error for tests: its type, or the text of an error that is a single value.
	kind string
	// code is 0 if the error leaves the exit code to a later row.
	code int
	// ways reports whether the row covers an error, and returns one line for each way out.
	ways func(error) (lines []string, ok bool)
}

// Code returns the exit code of a command that ends with this error: its own, or that of the first row that covers it and has one.
func Code(err error) int {
	var own exit.Coder
	if errors.As(err, &own) {
		return own.ExitCode()
	}
	for _, r := range table() {
		if r.code == 0 {
			continue
		}
		if _, ok := r.ways(err); ok {
			return r.code
		}
	}
	return exit.Failed
}

// On returns the advice on an error, one line for each way out: that of the first row that covers the error and has any.
func On(err error) []string {
	for _, r := range table() {
		if lines, ok := r.ways(err); ok && len(lines) > 0 {
			return lines
		}
	}
	return nil
}

// table returns all rows. Errors of this program come before those of git and of the system, which they may wrap.
func table() []row {
	return slices.Concat(taskRows, runRows, busyRows, treeRows, mergeRows, diskRows, gitRows)
}

// rowFor is the row for a type of error.
func rowFor[E error](code int, ways func(E) []string) row {
	return rowIf(code, func(E) bool { return true }, ways)
}

// rowIf is the row for errors of a type that meet a condition.
func rowIf[E error](code int, fits func(E) bool, ways func(E) []string) row {
	return row{kind: typeName[E](), code: code, ways: func(err error) ([]string, bool) {
		var e E
		if !errors.As(err, &e) || !fits(e) {
			return nil, false
		}
		if ways == nil {
			return nil, true
		}
		return ways(e), true
	}}
}

// rowForValue is the row for an error that is a single value.
func rowForValue(target error, code int, lines ...string) row {
	return row{kind: target.Error(), code: code, ways: func(err error) ([]string, bool) { return lines, errors.Is(err, target) }}
}

// fixedLines returns the same advice for every error of a type.
func fixedLines[E error](text ...string) func(E) []string {
	return func(E) []string { return text }
}

func typeName[E error]() string { return reflect.TypeFor[E]().String() }
