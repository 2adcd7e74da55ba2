package execution

import (
	"slices"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
)

func TestAnswers(t *testing.T) {
	asked := func(id checkpoint.TaskID, answer string) checkpoint.Task {
		return checkpoint.Task{ID: id, Question: "?", Asks: true, Answer: answer}
	}
	for _, c := range []struct {
		name  string
		tasks []checkpoint.Task
		want  []string
	}{
		{"no questions", []checkpoint.Task{{ID: "one"}}, nil},
		{"not answered yet", []checkpoint.Task{asked("pick", "")}, nil},
		{"any id", []checkpoint.Task{asked("1.2-b_C", "yes"), asked(".old", "no")}, []string{"GIT_RESUME_ANSWER_1_2_B_C=yes", "GIT_RESUME_ANSWER__OLD=no"}},
		{"strange ids of others", []checkpoint.Task{asked("x=1\ny ß", "yes")}, []string{"GIT_RESUME_ANSWER_X_1_Y__=yes"}},
		{"the text is left as it is", []checkpoint.Task{asked("a", "$(x) \"y\"\n=z\x00\x1b")}, []string{"GIT_RESUME_ANSWER_A=$(x) \"y\"\n=z\x1b"}},
		{"one variable for two questions", []checkpoint.Task{asked("a-b", "one"), asked("A.b", ""), asked("c", "two")}, []string{"GIT_RESUME_ANSWER_C=two"}},
		{"a task of the same name asks nothing", []checkpoint.Task{asked("a-b", "one"), {ID: "a_b"}}, []string{"GIT_RESUME_ANSWER_A_B=one"}},
		{"a worker's question, answered", []checkpoint.Task{{ID: "a", Answer: "one", State: checkpoint.Active}}, []string{"GIT_RESUME_ANSWER_A=one"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Answers(&checkpoint.Run{Tasks: c.tasks}); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
