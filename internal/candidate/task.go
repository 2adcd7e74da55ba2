package candidate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
)

// FindTask finds a task by its id, its number or a unique beginning of its id. A list shows a long id with "…" in its middle, and this form
// is a name too. FindTask returns nil if no task or several tasks match.
func FindTask(r *checkpoint.Run, given string) *checkpoint.Task {
	if t := r.Task(checkpoint.TaskID(given)); t != nil {
		return t
	}
	if n, err := strconv.Atoi(given); err == nil && n >= 1 && n <= len(r.Tasks) {
		return &r.Tasks[n-1]
	}
	var found *checkpoint.Task
	for i := range r.Tasks {
		if !begins(r.Tasks[i].ID, given) {
			continue
		}
		if found != nil {
			return nil
		}
		found = &r.Tasks[i]
	}
	return found
}

// begins reports whether a task's id begins with the given text, and ends with what stands behind a "…" in it.
func begins(id checkpoint.TaskID, given string) bool {
	head, tail, _ := strings.Cut(given, "…")
	rest, is := strings.CutPrefix(string(id), head)
	return is && strings.HasSuffix(rest, tail)
}

// NeedTask is like FindTask, but returns a *NoTaskError instead of nil.
func NeedTask(r *checkpoint.Run, given string) (*checkpoint.Task, error) {
	if t := FindTask(r, given); t != nil {
		return t, nil
	}
	missing := &NoTaskError{Run: r.ID, Given: given}
	for _, t := range r.Tasks {
		if begins(t.ID, given) {
			missing.Like = append(missing.Like, t.ID)
		}
	}
	return nil, missing
}

// NoTaskError says that the run has no such task, or several that could be meant.
type NoTaskError struct {
	Run   checkpoint.RunID
	Given string
	Like  []checkpoint.TaskID
	// Addable is true if the failed command can also add a new task to the run.
	Addable bool
}

func (e *NoTaskError) Error() string {
	if len(e.Like) > 1 {
		return fmt.Sprintf("'%s' could mean %d tasks of run '%s'", e.Given, len(e.Like), e.Run)
	}
	return fmt.Sprintf("run '%s' has no task '%s'", e.Run, e.Given)
}
