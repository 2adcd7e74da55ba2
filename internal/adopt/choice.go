package adopt

import (
	"fmt"
	"strconv"
	"strings"
)

// AnswerRequest is the answer to a task's question.
type AnswerRequest struct {
	Run, Task string
	// Text is the number or the name of an option. It is the answer itself if Own is true or the question has no options.
	Text string
	// Own is true if the text is the person's own answer, and need not be one of the options.
	Own bool
}

// Chosen returns the answer to store. If there are options, the text must be the number or the name of an option, or be marked as the
// person's own answer. For any other text the error is an *OptionError.
func (q AnswerRequest) Chosen(options []string) (string, error) {
	if q.Own || len(options) == 0 {
		return q.Text, nil
	}
	if o, ok := Option(options, q.Text); ok {
		return o, nil
	}
	return "", &OptionError{Run: q.Run, Task: q.Task, Text: q.Text, Options: options}
}

// Option returns the option with the given number or full name. The second result is false for any other text, which could be a typing
// mistake.
func Option(options []string, text string) (string, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(options) {
		return options[n-1], true
	}
	for _, o := range options {
		if strings.EqualFold(o, text) {
			return o, true
		}
	}
	return "", false
}

// OptionError says that an answer is not one of the options.
type OptionError struct {
	Run     string
	Task    string
	Text    string
	Options []string
}

func (e *OptionError) Error() string {
	if e.Task == "" { // the other system asks about its work as a whole
		return fmt.Sprintf("'%s' is not one of the possible answers", e.Text)
	}
	return fmt.Sprintf("'%s' is not one of the possible answers to the question about '%s'", e.Text, e.Task)
}
