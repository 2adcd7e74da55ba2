// Package exit names the codes with which the program ends, and the answers that are given by a code alone.
package exit

import "fmt"

// The exit codes, as documented.
const (
	Done        = 0
	Failed      = 1
	No          = 2
	Stopped     = 10
	Decide      = 11
	Conflicts   = 12
	Busy        = 13
	Lost        = 14
	Waiting     = 15
	Fatal       = 128
	Usage       = 129
	Interrupted = 130
)

// Code is an answer given by the code alone; everything was said already.
type Code int

func (e Code) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// UsageError says that the command line is wrong.
type UsageError struct {
	Text string
	// Meant is the command line that was probably meant; empty if nobody can guess.
	Meant string
	// Command is whose -h helps; empty for git resume itself.
	Command string
}

func (e *UsageError) Error() string { return e.Text }

// Usagef is a UsageError with these words.
func Usagef(format string, args ...any) error { return &UsageError{Text: fmt.Sprintf(format, args...)} }

// Meantf is a UsageError with these words, and the command line that was probably meant.
func Meantf(meant, format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...), Meant: meant}
}
