package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
)

// namedTask is a yes/no flag that may name the task it is about: --skip or --skip=TASK.
type namedTask struct {
	on   bool
	task string
}

func taskFlag(name string) cli.Flag { return &cli.GenericFlag{Name: name, Value: &namedTask{}} }

func (f *namedTask) Set(v string) error {
	f.on, f.task = v != "false", v
	switch v {
	case "":
		return usagef("it names a task, or nothing")
	case "true", "false":
		f.task = ""
	}
	return nil
}

func (f *namedTask) String() string   { return f.task }
func (f *namedTask) IsBoolFlag() bool { return true }

// flagOf is the flag as it was given.
func flagOf(c *cli.Context, name string) namedTask {
	if f, ok := c.Generic(name).(*namedTask); ok {
		return *f
	}
	return namedTask{}
}

// target is the task that --skip or --mark-done means: found once, and the same however often the run is looked at again.
type target struct {
	skip, done checkpoint.TaskID
}

// aim binds --skip and --mark-done to the task that they mean. Nothing is left of an option that has had its effect already.
func (p *program) aim(c *cli.Context, e *handler.Engine, a *assess.Assessment, w *assess.Wish, to *target) error {
	r := &a.Summary.Run
	if !r.Ours() {
		return nil // it is taken over first, and looked at again
	}
	for _, f := range []struct {
		flag string
		to   *checkpoint.TaskID
	}{{resume.FlagSkip, &to.skip}, {resume.FlagMarkDone, &to.done}} {
		given := flagOf(c, f.flag)
		if !given.on {
			continue
		}
		if *f.to != "" {
			given.task = string(*f.to)
		}
		task, already, err := e.Executing.Aim(r, f.flag, given.task)
		if err != nil {
			return err
		}
		if *f.to = task; !already {
			continue
		}
		*f.to = ""
		p.screen().Note("task '%s' is %s already", task, r.Task(task).State)
		if w.Doubt == resume.MarkDone || w.Doubt == plan.Retry && !c.Bool("retry") && c.String("from") == "" {
			w.Doubt = ""
		}
	}
	if !c.Bool("dry-run") && !c.Bool("print") {
		p.said = func() { e.Executing.Acknowledged(r.ID) }
	}
	return nil
}
