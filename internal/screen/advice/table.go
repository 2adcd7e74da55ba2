package advice

import (
	"errors"
	"reflect"
	"slices"

	"github.com/git-resume/git-resume/internal/exit"
)

// row defines the exit code and the advice for one kind of error. The message itself comes from the error.
type row struct {
	// kind identifies the row in tests. It is the error's type, the text of an error such as io.EOF, or a description of several errors.
	kind string
	// code is the exit code. If it is 0, a later row with a code decides, or exit.Failed is used.
	code int
	// ways returns the advice, one line for each possible action. ok is false if the row does not apply to the error.
	ways func(error) (lines []string, ok bool)
}

// Code returns the exit code for an error. If the error has no code of its own, the first row of the table that applies and has a code
// decides. Without such a row, the code is exit.Failed.
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

// On returns the advice for an error, one line for each possible action, or nil if there is none.
func On(err error) []string {
	for _, r := range table() {
		if lines, ok := r.ways(err); ok && len(lines) > 0 {
			return lines
		}
	}
	return nil
}

// table returns all rows. The program's own errors come first, because they may wrap errors of git or of the system.
func table() []row {
	return slices.Concat(taskRows(), runRows(), busyRows(), treeRows(), mergeRows(), savedRows(), sharedRows(), findRows(), wipRows(), agentRows(), diskRows(), gitRows())
}

// rowFor makes a row for all errors of type E.
func rowFor[E error](code int, ways func(E) []string) row {
	return rowIf(code, func(E) bool { return true }, ways)
}

// rowIf makes a row for errors of type E for which the function "fits" returns true.
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

// rowForValue makes a row for one error value, such as syscall.ENOSPC.
func rowForValue(target error, code int, lines ...string) row {
	return row{kind: target.Error(), code: code, ways: func(err error) ([]string, bool) { return lines, errors.Is(err, target) }}
}

func fixedLines[E error](text ...string) func(E) []string {
	return func(E) []string { return text }
}

func typeName[E error]() string { return reflect.TypeFor[E]().String() }
