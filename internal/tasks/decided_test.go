package tasks

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/plan"
)

// TestDecided compares testdata/decided.txt with what is decided today about the tasks of a run. Only this file knows which functions decide.
func TestDecided(t *testing.T) {
	t.Parallel()
	gittest.Table(t, "testdata/decided.txt", map[string]func(*testing.T, []string) string{
		"which finished tasks are valid":     validOf,
		"what comes next":                    nextOf,
		"which tasks can start now":          readyOf,
		"whether the order of tasks matters": orderMatters,
	})
}

// tasksIn reads the tasks of a plan and their states, as in "a done, b failed needs a, c no command".
func tasksIn(t *testing.T, cell string) (plan.Plan, *checkpoint.Run, Hands, map[checkpoint.TaskID]bool) {
	var p plan.Plan
	r := &checkpoint.Run{}
	h := Hands{Working: map[checkpoint.TaskID]bool{}, Tried: map[checkpoint.TaskID]bool{}}
	for task := range strings.SplitSeq(cell, ", ") {
		if task == "-" {
			continue
		}
		words := strings.Fields(task)
		spec := plan.Task{ID: words[0], Run: "make " + words[0]}
		s := checkpoint.Task{ID: checkpoint.TaskID(words[0]), State: checkpoint.TaskState(words[1])}
		unplanned := false
		for words = words[2:]; len(words) > 0; words = words[1:] {
			switch words[0] {
			case "needs":
				words = words[1:]
				spec.Needs = append(spec.Needs, words[0])
			case "reads":
				words = words[1:]
				spec.Inputs = append(spec.Inputs, words[0])
			case "writes":
				words = words[1:]
				spec.Outputs = append(spec.Outputs, words[0])
			case "reported": // the task has no command
				spec.Run = ""
			case "question":
				spec.Run, spec.Ask = "", "Which?"
			case "optional":
				spec.Optional, s.Optional = true, true
			case "added":
				unplanned = true
			case "tried":
				h.Tried[s.ID] = true
			case "working":
				h.Working[s.ID] = true
			default:
				t.Fatalf("the table does not know '%s'", words[0])
			}
		}
		if r.Tasks = append(r.Tasks, s); !unplanned {
			p.Tasks = append(p.Tasks, spec)
		}
	}
	r.Planned = len(p.Tasks)
	return p, r, h, h.Tried
}

func nextOf(t *testing.T, cells []string) string {
	p, r, _, tried := tasksIn(t, cells[0])
	step := Next(p, r, tried)
	kinds := map[StepKind]string{StepFinish: "finish", StepRun: "run", StepAsk: "ask", StepReport: "report", StepConfirm: "confirm", StepStuck: "stuck"}
	return strings.TrimSpace(kinds[step.Kind] + " " + step.Task.ID)
}

func readyOf(t *testing.T, cells []string) string {
	p, r, h, _ := tasksIn(t, cells[0])
	h.Tools = cells[1] == "with a tool"
	var out []string
	for _, task := range Ready(p, r, h) {
		out = append(out, task.ID)
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func orderMatters(t *testing.T, cells []string) string {
	p, _, _, _ := tasksIn(t, cells[0])
	if Collide(p.Tasks[0], p.Tasks[1]) {
		return "it matters"
	}
	return "it does not"
}

func validOf(t *testing.T, cells []string) string {
	spec := plan.Task{ID: "build", Run: "make", Inputs: []string{"src/**"}, Outputs: []string{"dist/**"}}
	s := checkpoint.Task{ID: "build", State: checkpoint.Done, LastSeq: 3, Command: execution.Hash("make", nil)}
	var changed []string
	many := false
	for word := range strings.SplitSeq(cells[0], ", ") {
		path, isPath := strings.CutSuffix(word, " changed")
		do, ok := map[string]func(){
			"-": func() {}, "its command changed": func() { s.Command = execution.Hash("make all", nil) }, "it runs only once": func() { spec.Once = true },
			"no command is recorded": func() { s.Command = "" }, "it has no command now": func() { spec.Run = "" }, "it declares no files": func() { spec.Inputs, spec.Outputs = nil, nil },
			"too many files changed to name them": func() { many = true }, "it is not done": func() { s.State = checkpoint.Failed }, "only the plan says it is done": func() { s.LastSeq = 0 },
		}[word]
		switch {
		case ok:
			do()
		case isPath:
			changed = append(changed, path)
		default:
			t.Fatalf("the table does not know '%s'", word)
		}
	}
	found := firstDifferences(plan.Plan{Tasks: []plan.Task{spec}}, &checkpoint.Run{Tasks: []checkpoint.Task{s}}, changed, many)
	why, again := found["build"]
	if !again {
		return "stays as it is"
	}
	return strings.TrimSpace("again, because of its " + why.Component + " " + strings.Join(why.Paths, " "))
}
