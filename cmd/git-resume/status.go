package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/tasks"
)

// porcelainFlag is a yes/no flag that may name the version: --porcelain or --porcelain=v1.
type porcelainFlag struct {
	on      bool
	version string
}

func (f *porcelainFlag) Set(v string) error {
	f.on, f.version = true, v
	return nil
}

// check comes after Set, whose errors the library would wrap in words of its own.
func (f *porcelainFlag) check() error {
	switch f.version {
	case "", "true", "v1", "1":
		return nil
	}
	return usagef("porcelain version '%s' is unknown; v1 is what there is", printable(f.version))
}
func (f *porcelainFlag) String() string   { return "" }
func (f *porcelainFlag) IsBoolFlag() bool { return true }

func (p *program) statusCommand() *cli.Command {
	porcelain := &porcelainFlag{}
	flags := []cli.Flag{
		&cli.BoolFlag{Name: "all"}, &cli.BoolFlag{Name: "json"}, &cli.BoolFlag{Name: "z"}, &cli.BoolFlag{Name: "exit-code"},
		&cli.BoolFlag{Name: "check"}, &cli.BoolFlag{Name: "timeline"}, &cli.BoolFlag{Name: "prompt"}, &cli.BoolFlag{Name: "watch"},
		&cli.GenericFlag{Name: "porcelain", Value: porcelain}, runFlag(),
	}
	return p.command("status", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 2, "status [RUN [TASK]]"); err != nil {
			return err
		}
		if err := porcelain.check(); err != nil {
			return err
		}
		form := output{json: c.Bool("json"), porcelain: porcelain.on || c.Bool("z"), nul: c.Bool("z")}
		if form.json && form.porcelain {
			return usagef("--json and --porcelain exclude each other")
		}
		if c.Bool("prompt") {
			return p.prompt()
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		run := c.Args().First()
		if run == "" {
			run = c.String("run")
		}
		if c.Bool("watch") {
			return p.watch(run, c.Bool("all"), form)
		}
		runs, err := p.statusOf(e, run, c.Bool("all"))
		if err != nil {
			return err
		}
		form.systems = e.Find.Systems()
		if form.lost, err = candidate.LostStates(p.ctx, e.Find, runs); err != nil {
			return err
		}
		if c.Bool("check") {
			if err := p.check(e, runs); err != nil {
				return err
			}
		}
		if c.Bool("timeline") {
			return p.timeline(e, runs)
		}
		if run != "" && isOperation(runs[0].Run.ID) && !form.json && !form.porcelain {
			err = p.statusOperation(e, runs[0].Run.ID)
		} else {
			err = p.show(form, runs, run, c.Args().Get(1))
		}
		if err != nil {
			return err
		}
		if c.Bool("exit-code") && slices.ContainsFunc(runs, func(m candidate.Summary) bool { return m.State.Announced() }) {
			return exitCode(codeStopped)
		}
		return nil
	})
}

func (p *program) statusOf(e *handler.Engine, run string, all bool) ([]candidate.Summary, error) {
	if run == "" {
		mode := journal.OpenRuns
		if all {
			mode = journal.AllRuns
		}
		return e.Find.Status(p.ctx, mode)
	}
	id, err := e.Find.Which(p.ctx, run)
	if err != nil {
		return nil, err
	}
	if !candidate.Foreign(id) {
		m, err := e.Judge.Detail(p.ctx, id)
		if err != nil || m.Run.Source == "" {
			return []candidate.Summary{m}, err
		}
	}
	m, err := e.Find.Lookup(p.ctx, id)
	return []candidate.Summary{m}, err
}

// check adds verdict and findings to each run that is open.
func (p *program) check(e *handler.Engine, runs []candidate.Summary) error {
	for i := range runs {
		if runs[i].Damaged != "" || runs[i].Run.Closed() {
			continue
		}
		m, err := e.Judge.Checked(p.ctx, runs[i].Run.ID)
		if err != nil {
			return err
		}
		runs[i] = m
	}
	return nil
}

// timeline draws when each task of a run was worked on.
func (p *program) timeline(e *handler.Engine, runs []candidate.Summary) error {
	for i := range runs {
		_, lines, err := e.Reporting.Log(p.ctx, string(runs[i].Run.ID))
		if err != nil {
			return err
		}
		screen.Timeline(p.screen(), &runs[i], lines)
	}
	return nil
}

// output is the form of an answer; systems are the other systems whose work is here, lost is what deleted worktrees held.
type output struct {
	json, porcelain, nul bool
	systems              []string
	lost                 []candidate.LostState
}

func (p *program) show(form output, runs []candidate.Summary, run, task string) error {
	s := p.screen()
	switch {
	case form.json:
		return screen.JSON(p.out, runs, clock())
	case form.porcelain:
		return screen.Porcelain(p.out, runs, run != "", form.nul, p.quotesHigh())
	case task != "":
		t := candidate.FindTask(&runs[0].Run, task)
		if t == nil {
			return &candidate.NoTaskError{Run: runs[0].Run.ID, Given: task}
		}
		screen.Task(s, runs[0], *t)
	case run != "":
		screen.Run(s, runs[0])
	default:
		screen.Status(s, runs, form.systems...)
		screen.LostStates(s, form.lost)
	}
	return nil
}

func (p *program) logCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "raw"}}
	return p.command("log", flags, func(c *cli.Context) error {
		if c.NArg() == 2 {
			return p.taskLog(c.Args().Get(0), c.Args().Get(1))
		}
		run, err := oneRun(c, "log [RUN [TASK]]")
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		if run == "" && !c.Bool("raw") {
			runs, err := e.Find.Status(p.ctx, journal.AllRuns)
			if err != nil {
				return err
			}
			keep, err := e.Staging.KeepDiscarded(p.ctx)
			if err == nil {
				screen.History(p.screen(), runs, keep)
			}
			return err
		}
		id, lines, err := e.Reporting.Log(p.ctx, run)
		if err != nil {
			return err
		}
		if c.Bool("raw") {
			return screen.RawLog(tame(p.out), lines)
		}
		screen.Log(p.screen(), id, lines)
		return nil
	})
}

// taskLog shows the output that the last attempt of a task left.
func (p *program) taskLog(run, task string) error {
	e, err := p.engine()
	if err != nil {
		return err
	}
	text, err := e.Reporting.TaskLog(p.ctx, run, task)
	if err == nil {
		s := p.screen()
		s.Out = tame(p.out)
		screen.Output(s, text)
	}
	return err
}

// doubtFlag is what the user says about a task that was cut off half way.
func doubtFlag(c *cli.Context) plan.OnInterrupt {
	switch {
	case c.Bool("retry"):
		return plan.Retry
	case c.Bool("keep"):
		return tasks.Keep
	case flagOf(c, resume.FlagMarkDone).on:
		return resume.MarkDone
	default:
		return ""
	}
}
