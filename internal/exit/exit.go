// Package exit defines the program's exit codes, and the errors that set them.
package exit

import "fmt"

// These are the documented exit codes.
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
	Remote      = 16
	TimeUp      = 18
	Fatal       = 128
	Usage       = 129
	Interrupted = 130
)

// Code is an error that only sets the exit code, because the message was already printed.
type Code int

func (e Code) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Coder is an error that determines the exit code of the program.
type Coder interface {
	error
	ExitCode() int
}

// UsageError says that the command line is wrong.
type UsageError struct {
	Text string
	// Meant is the command line that the user probably meant; empty if there is no good guess.
	Meant string
	// Command is the command whose help (-h) explains the correct usage. It is empty for "git resume" itself.
	Command string
}

func (e *UsageError) Error() string { return e.Text }

// Usagef returns a UsageError with this text.
func Usagef(format string, args ...any) error { return &UsageError{Text: fmt.Sprintf(format, args...)} }

// Meantf returns a UsageError with this text and the command line that the user probably meant.
func Meantf(meant, format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...), Meant: meant}
}
