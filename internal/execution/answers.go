package execution

import (
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
)

const answerPrefix = "GIT_RESUME_ANSWER_"

// Answers returns the answers to the questions of a run as variables for its commands, such as GIT_RESUME_ANSWER_PICK_API=REST for the task
// "pick-api". If two questions would have the same variable, neither is returned, because a command could not know whose answer it gets.
//
// The record of a run that is ours has only answers that were given or confirmed here.
func Answers(r *checkpoint.Run) []string {
	askedBy := map[string]int{}
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Asks || t.Question != "" || t.Answer != "" {
			askedBy[answerVariable(t.ID)]++
		}
	}
	var out []string
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if name := answerVariable(t.ID); t.Answer != "" && askedBy[name] == 1 {
			out = append(out, name+"="+strings.ReplaceAll(t.Answer, "\x00", "")) // a variable cannot contain a NUL
		}
	}
	return out
}

// answerVariable returns the name of the variable for a task's answer. Every character of the id that a shell does not allow in such a name
// becomes "_". Letters become upper case, because Windows does not distinguish two variables whose names differ only in case.
func answerVariable(id checkpoint.TaskID) string {
	allowed := func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}
	return answerPrefix + strings.Map(allowed, strings.ToUpper(string(id)))
}
