package prompt

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/execution"
)

// maxNamed is the largest number of files that a question names.
const maxNamed = 5

// NotTaken returns the question about a task whose result was not accepted, because it does not go together with what other tasks did at
// the same time. The question is stored in the journal.
func NotTaken(task, cause string, files []string) crew.Question {
	named := strings.Join(files[:min(len(files), maxNamed)], "; ")
	if len(files) > maxNamed {
		named += fmt.Sprintf("; and %d more", len(files)-maxNamed)
	}
	q := crew.Question{Options: []string{"run it again"}}
	switch cause {
	case execution.CauseInputs:
		q.Text = fmt.Sprintf("Files that task '%s' reads were changed while it ran: %s. The task's result was not taken. Run the task again?", task, named)
	case execution.CauseVerify:
		q.Text = fmt.Sprintf("The result of task '%s' was merged with the results of other tasks, and then its check failed. So the result was not taken. Run the task again?", task)
	default:
		q.Text = fmt.Sprintf("The result of task '%s' conflicts with what other tasks did meanwhile: %s. The result was not taken. Run the task again?", task, named)
	}
	return q
}
