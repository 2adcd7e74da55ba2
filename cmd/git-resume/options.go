package main

import (
	"strings"

	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/urfave/cli/v2"
)

// options returns the values of the flags. A flag that the command does not have counts as not set.
func options(c *cli.Context) conversation.Options {
	return conversation.Options{
		Yes: c.Bool("yes"), Force: c.Bool("force"), Auto: c.Bool("auto"), Preflight: c.Bool("preflight"), DryRun: c.Bool("dry-run"), Print: c.Bool("print"),
		Mode: c.String("mode"), Takeover: c.Bool("takeover"), Offline: c.Bool("offline"), EvenIdle: c.Bool("even-idle"), Update: c.Bool("update"), DespiteConflicts: c.Bool("despite-conflicts"),
		Retry: c.Bool("retry"), Keep: c.Bool("keep"), Restart: c.Bool("restart"), Skip: flagOf(c, resume.FlagSkip), MarkDone: flagOf(c, resume.FlagMarkDone),
		From: c.String("from"), Plan: c.String("plan"), HasPlan: c.IsSet("plan"),
		KeepGoing: c.Bool("keep-going"), NoVerify: c.Bool("no-verify"), Verbose: c.Bool("verbose"), Choose: c.String("choose"), Answer: c.String("answer"),
		Jobs: c.Int("jobs"), HasJobs: c.IsSet("jobs"),
	}
}

// namedTask makes a TaskFlag usable as a flag of the cli library.
type namedTask struct{ conversation.TaskFlag }

func taskFlag(name string) cli.Flag { return &cli.GenericFlag{Name: name, Value: &namedTask{}} }

func (f *namedTask) Set(v string) error {
	f.On, f.Task = v != "false", v
	switch v {
	case "":
		return exit.Usagef("write '=TASK' after the option, or nothing")
	case "true", "false":
		f.Task = ""
	}
	return nil
}

func (f *namedTask) String() string   { return f.Task }
func (f *namedTask) IsBoolFlag() bool { return true }

// repeated is the value of a flag that can be given several times. Each value is kept as it is: a title may contain commas.
type repeated []string

func repeatedFlag(name string) cli.Flag { return &cli.GenericFlag{Name: name, Value: &repeated{}} }

func (r *repeated) Set(v string) error {
	*r = append(*r, v)
	return nil
}

func (r *repeated) String() string { return strings.Join(*r, ",") }

// allOf returns all values of a flag that can be given several times. There are none if the command has no such flag.
func allOf(c *cli.Context, name string) []string {
	if r, ok := c.Generic(name).(*repeated); ok {
		return *r
	}
	return nil
}

// flagOf returns the value of a flag that takes an optional task. It is empty if the command has no such flag.
func flagOf(c *cli.Context, name string) conversation.TaskFlag {
	if f, ok := c.Generic(name).(*namedTask); ok {
		return f.TaskFlag
	}
	return conversation.TaskFlag{}
}
