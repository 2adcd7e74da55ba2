package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/machine"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/site"
)

// porcelainFlag is a boolean flag with an optional version: --porcelain or --porcelain=v1.
type porcelainFlag struct {
	on      bool
	version string
}

func (f *porcelainFlag) Set(v string) error {
	f.on, f.version = true, v
	return nil
}

// check is separate from Set, because the library would wrap the errors of Set in its own words.
func (f *porcelainFlag) check() error {
	switch f.version {
	case "", "true", "v1", "1":
		return nil
	}
	return exit.Usagef("porcelain version '%s' is unknown; only v1 is supported", quote.Printable(f.version))
}
func (f *porcelainFlag) String() string   { return "" }
func (f *porcelainFlag) IsBoolFlag() bool { return true }

func (cs commands) statusCommand() *cli.Command {
	porcelain := &porcelainFlag{}
	flags := []cli.Flag{
		&cli.BoolFlag{Name: "all"}, &cli.BoolFlag{Name: "json"}, &cli.BoolFlag{Name: "z"}, &cli.BoolFlag{Name: "exit-code"},
		&cli.BoolFlag{Name: "check"}, &cli.BoolFlag{Name: "timeline"}, &cli.BoolFlag{Name: "prompt"}, &cli.BoolFlag{Name: "watch"},
		&cli.GenericFlag{Name: "porcelain", Value: porcelain}, runFlag(),
	}
	return cs.command("status", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 2, "status [RUN [TASK]]"); err != nil {
			return err
		}
		if err := porcelain.check(); err != nil {
			return err
		}
		form := output{json: c.Bool("json"), porcelain: porcelain.on || c.Bool("z"), nul: c.Bool("z")}
		if form.json && form.porcelain {
			return exit.Usagef("--json cannot be used together with --porcelain or -z")
		}
		if c.Bool("prompt") {
			return cs.prompt()
		}
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		e, run := t.Engine, c.Args().First()
		if run == "" {
			run = c.String("run")
		}
		if c.Bool("watch") {
			return cs.watch(run, c.Bool("all"), form)
		}
		e.Find.Look.Hold() // use one scan until Release, so that each file is read only once; nothing is written meanwhile
		defer e.Find.Look.Release()
		if form.forPeople() {
			cs.call.StartLooking()
		}
		runs, err := cs.statusOf(e, run, c.Bool("all"), form.forPeople())
		if err == nil {
			runs, err = cs.complete(e, &form, runs, run, c.Bool("all"))
		}
		if cs.call.EndLooking(); err != nil {
			return err
		}
		if c.Bool("check") {
			if err := conversation.Check(t, runs); err != nil {
				return err
			}
		}
		if c.Bool("timeline") {
			return cs.timeline(e, runs)
		}
		if run != "" && runs[0].Key().Kind() == candidate.GitOperation && form.forPeople() {
			err = conversation.ShowOperation(t, runs[0].Key())
		} else {
			err = cs.show(form, runs, run, c.Args().Get(1))
		}
		// The disk space is shown only with --all, because measuring it visits every file.
		if err == nil && c.Bool("all") && run == "" && form.forPeople() {
			err = showDisk(cs.call, e)
		}
		if err != nil {
			return err
		}
		if c.Bool("exit-code") && slices.ContainsFunc(runs, func(m candidate.Summary) bool { return m.State.Announced() && (m.Listed || run != "") }) {
			return exit.Code(exit.Stopped)
		}
		return nil
	})
}

// The method "complete" adds to the output "form" what is shown besides the runs, for example the lost work. It returns those of the runs
// that are shown.
func (cs commands) complete(e *handler.Engine, form *output, runs []candidate.Summary, run string, all bool) ([]candidate.Summary, error) {
	form.systems = e.Find.Systems()
	var err error
	if form.rest.Stale, err = e.Find.StaleAfter(cs.call.ctx); err != nil {
		return nil, err
	}
	if run != "" {
		if err := (candidate.Judging{Find: e.Find}).Judge(cs.call.ctx, &runs[0]); err != nil {
			return nil, err
		}
	}
	if run == "" {
		if form.rest.Agents, err = e.Find.Sessions(cs.call.ctx, cs.call.CanAnswer(), runs); err != nil {
			return nil, err
		}
	}
	if !form.forPeople() {
		return runs, nil
	}
	for i := range runs {
		runs[i].Output = candidate.LastOutput(e.Find.Site, &runs[i])
	}
	form.halfRestored, form.halfMerged = halfRestored(e, run, runs), halfMerged(e, run, runs)
	if run != "" { // do not call LostStates, which may start processes: its result is shown only in the list of all runs
		return runs, nil
	}
	if form.lost, err = e.Find.LostStates(cs.call.ctx, runs); err != nil {
		return nil, err
	}
	if form.rest.All = all; all {
		form.rest.Left, err = e.Find.LeftOnBranches(cs.call.ctx, runs)
		return runs, err
	}
	return onlyListed(cs.call.ctx, e, form, runs)
}

// onlyListed returns the work that people should see. The rest is named or counted.
func onlyListed(ctx context.Context, e *handler.Engine, form *output, runs []candidate.Summary) (listed []candidate.Summary, err error) {
	listed, rest := candidate.Split(runs)
	form.rest, err = conversation.Unlisted(ctx, e.Find, listed, rest, form.rest.Agents)
	return listed, err
}

func (cs commands) statusOf(e *handler.Engine, run string, all, forPeople bool) ([]candidate.Summary, error) {
	if run == "" {
		work := candidate.Merges{Find: e.Find, ForPrograms: !forPeople}
		if all {
			return work.All(cs.call.ctx)
		}
		return work.Open(cs.call.ctx)
	}
	key, err := e.Find.Which(cs.call.ctx, run)
	if err != nil {
		return nil, err
	}
	if key.Kind() == candidate.OwnRun {
		m, err := e.Judge.Detail(cs.call.ctx, key.Run())
		m.AddMerge(cs.call.ctx, e.Find.Site)
		if err != nil || m.Run.Source == "" {
			return []candidate.Summary{m}, err
		}
	}
	m, err := e.Find.Lookup(cs.call.ctx, key)
	return []candidate.Summary{m}, err
}

// halfRestored returns the restores that were interrupted. If the user named a run, it returns only those that belong to that run or to its
// worktree.
func halfRestored(e *handler.Engine, run string, runs []candidate.Summary) []site.HalfRestored {
	return slices.DeleteFunc(site.AllHalfRestored(e.Repo, e.Find.Look.Registered(e.Repo)), func(h site.HalfRestored) bool {
		return run != "" && !slices.ContainsFunc(runs, func(m candidate.Summary) bool { return m.Path == h.Tree || string(m.Run.ID) == h.Run })
	})
}

// halfMerged returns the merges that were interrupted. If the user named a run, it returns only those of that run.
func halfMerged(e *handler.Engine, run string, runs []candidate.Summary) []site.HalfMerged {
	return slices.DeleteFunc(site.AllHalfMerged(e.Repo, e.Find.Look.Registered(e.Repo)), func(h site.HalfMerged) bool {
		return run != "" && !slices.ContainsFunc(runs, func(m candidate.Summary) bool { return string(m.Run.ID) == h.Run })
	})
}

// showDisk prints how much disk space git-resume takes.
func showDisk(p *program, e *handler.Engine) error {
	space, err := e.Checking.Disk(p.ctx)
	if err == nil {
		status.Disk(p.Screen(), space)
	}
	return err
}

// timeline draws for each of the runs when its tasks were worked on.
func (cs commands) timeline(e *handler.Engine, runs []candidate.Summary) error {
	for i := range runs {
		_, lines, err := e.Reporting.Log(cs.call.ctx, string(runs[i].Run.ID))
		if err != nil {
			return err
		}
		history.Timeline(cs.call.Screen(), &runs[i], lines)
	}
	return nil
}

// output says in which form to print the answer. Its field "systems" lists other systems that have work here, and "lost" lists state
// files of deleted worktrees.
type output struct {
	json, porcelain, nul bool
	systems              []string
	lost                 []candidate.LostState
	halfRestored         []site.HalfRestored
	halfMerged           []site.HalfMerged
	// rest is work that is only counted.
	rest status.Unlisted
}

func (o output) forPeople() bool { return !o.json && !o.porcelain }

func (cs commands) show(form output, runs []candidate.Summary, run, task string) error {
	s := cs.call.Screen()
	switch {
	case form.json:
		return machine.JSON(cs.call.out, runs, form.rest.Agents, early.Now(), form.rest.Stale)
	case form.porcelain:
		return machine.Porcelain(cs.call.out, runs, run != "", form.nul, cs.call.quotesHigh())
	case task != "":
		t := candidate.FindTask(&runs[0].Run, task)
		if t == nil {
			return &candidate.NoTaskError{Run: runs[0].Run.ID, Given: task}
		}
		status.Task(s, runs[0], *t)
	case run != "":
		status.Run(s, runs[0])
	default:
		status.List(s, runs, form.rest, form.systems...)
		status.LostStates(s, form.lost)
	}
	if form.forPeople() {
		status.HalfRestored(s, form.halfRestored)
		status.HalfMerged(s, form.halfMerged)
	}
	return nil
}

func (cs commands) logCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "raw"}, &cli.BoolFlag{Name: "follow", Aliases: []string{"f"}}}
	return cs.command("log", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 2, "log [RUN [TASK]]"); err != nil {
			return err
		}
		if c.Bool("follow") {
			run := cmp.Or(c.Args().Get(0), c.String("run"))
			switch {
			case run == "":
				return exit.Usagef("--follow needs the name of a run")
			case c.Bool("raw"):
				return exit.Usagef("--follow and --raw cannot be used together")
			}
			return cs.follow(run, c.Args().Get(1))
		}
		if c.NArg() == 2 {
			for _, other := range []string{"raw", "run"} {
				if c.IsSet(other) {
					return exit.Usagef("--%s cannot be used with a task", other)
				}
			}
			return cs.taskLog(c.Args().Get(0), c.Args().Get(1))
		}
		run, err := oneRun(c, "log [RUN [TASK]]")
		if err != nil {
			return err
		}
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		if run == "" && !c.Bool("raw") {
			runs, err := candidate.Merges{Find: e.Find}.All(cs.call.ctx)
			if err != nil {
				return err
			}
			keep, err := e.Staging.KeepDiscarded(cs.call.ctx)
			if err == nil {
				history.Runs(cs.call.Screen(), runs, keep)
			}
			return err
		}
		id, lines, err := e.Reporting.Log(cs.call.ctx, run)
		if err != nil {
			return err
		}
		if c.Bool("raw") {
			return machine.RawLog(tame(cs.call.out), lines)
		}
		history.Log(cs.call.Screen(), id, lines)
		return nil
	})
}

// taskLog prints the output of a task's last attempt.
func (cs commands) taskLog(run, task string) error {
	e, err := cs.call.engine()
	if err != nil {
		return err
	}
	text, err := e.Reporting.TaskLog(cs.call.ctx, run, task)
	if err == nil {
		s := cs.call.Screen()
		s.Out = tame(cs.call.out)
		outcome.Output(s, text)
	}
	return err
}
