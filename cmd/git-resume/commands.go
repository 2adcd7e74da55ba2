package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/manual"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/trash"
)

// app describes the command line. Errors come back to run, nothing prints or exits by itself.
func (p *program) app() *cli.App {
	cli.HelpFlag = nil // or the library would answer -h itself
	return &cli.App{
		Name: "git-resume", HideVersion: true, HideHelpCommand: true,
		HideHelp: true, Writer: p.out, ErrWriter: io.Discard,
		DisableSliceFlagSeparator: true, // a title with a comma is one title
		ExitErrHandler:            func(*cli.Context, error) {}, OnUsageError: onUsage,
		Flags:  rootFlags(),
		Action: p.help("", p.root),
		Commands: []*cli.Command{
			p.startCommand(), p.runCommand(), p.pauseCommand(), p.answerCommand(), p.finishCommand(), p.trustCommand(),
			p.taskCommand(), p.checkpointCommand(), p.statusCommand(), p.logCommand(),
			p.reviewCommand(), p.mergeCommand(), p.conflictsCommand(), p.discardCommand(), p.undoCommand(),
			p.hooksCommand(), p.hookCommand(), p.doctorCommand(), p.demoCommand(), p.versionCommand(),
		},
	}
}

// rootFlags are those of "git resume" itself, among them the ones of --discard.
func rootFlags() []cli.Flag {
	own := []cli.Flag{
		helpFlag(), runFlag(), &cli.BoolFlag{Name: "discard"}, &cli.BoolFlag{Name: "retry"}, &cli.BoolFlag{Name: "keep"},
		taskFlag(resume.FlagMarkDone), &cli.StringFlag{Name: "mode"},
		&cli.BoolFlag{Name: "auto", Aliases: []string{"auto-continue"}}, &cli.BoolFlag{Name: "preflight"},
		&cli.StringFlag{Name: "from"}, &cli.BoolFlag{Name: "restart"}, taskFlag(resume.FlagSkip),
		&cli.BoolFlag{Name: "update"}, &cli.BoolFlag{Name: "despite-conflicts"}, &cli.BoolFlag{Name: "takeover"},
		&cli.BoolFlag{Name: "even-idle"}, &cli.BoolFlag{Name: "print"}, &cli.StringFlag{Name: "plan"},
		&cli.StringFlag{Name: "choose"}, &cli.StringFlag{Name: "answer"},
	}
	return append(append(own, discardFlags()...), executionFlags()...)
}

// root is the command without a name.
func (p *program) root(c *cli.Context) error {
	if c.Bool("discard") {
		return p.discard(c)
	}
	if c.Bool("merged") {
		return usagef("--merged goes with --discard")
	}
	return p.resume(c)
}

func (p *program) versionCommand() *cli.Command {
	return p.command("version", nil, func(c *cli.Context) error {
		if err := nargs(c, 0, 0, "version"); err != nil {
			return err
		}
		fmt.Fprintf(p.out, "git-resume version %s\n", version)
		return nil
	})
}

func onUsage(_ *cli.Context, err error, _ bool) error { return usagef("%s", printable(err.Error())) }

func helpFlag() cli.Flag { return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Hidden: true} }

// command builds one command with the manners that all share. Its path is how the manual names it: "task done".
func (p *program) command(path string, flags []cli.Flag, action cli.ActionFunc) *cli.Command {
	return &cli.Command{
		Name: path[strings.LastIndex(path, " ")+1:], HideHelp: true, Flags: append(flags, helpFlag()),
		OnUsageError: onUsage, Action: p.help(path, action),
	}
}

// help answers -h as git does: the usage on stdout and the code of a usage error.
func (p *program) help(path string, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Bool("help") {
			m, ok := manual.Lookup(path)
			if !ok { // what the hook's stub calls is not for people
				m, _ = manual.Lookup("")
			}
			fmt.Fprint(p.out, m.Usage())
			return exitCode(codeUsage)
		}
		return action(c)
	}
}

// nargs refuses too few or too many arguments.
func nargs(c *cli.Context, least, most int, form string) error {
	if n := c.NArg(); n < least || (most >= 0 && n > most) {
		return usagef("usage: git resume %s", form)
	}
	return nil
}

func runFlag() cli.Flag {
	return &cli.StringFlag{Name: "run"}
}

func ownerFlag() cli.Flag {
	return &cli.IntFlag{Name: "owner"}
}

func (p *program) startCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "name"}, &cli.StringSliceFlag{Name: "task"}, &cli.StringFlag{Name: "base"},
		&cli.BoolFlag{Name: "here"}, &cli.BoolFlag{Name: "take"}, &cli.BoolFlag{Name: "new"}, &cli.BoolFlag{Name: "auto"}, &cli.StringFlag{Name: "mode"}, ownerFlag(),
	}
	flags = append(flags, executionFlags()...)
	return p.command("start", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 1, "start PLAN | start --name NAME [--task TASK]..."); err != nil {
			return err
		}
		q := start.Request{
			PlanFile: c.Args().First(), Name: c.String("name"), Tasks: c.StringSlice("task"),
			Base: c.String("base"), New: c.Bool("new"), Here: c.Bool("here"), Take: c.Bool("take"), Auto: c.Bool("auto"), Owner: c.Int("owner"),
			Hold: true,
		}
		switch {
		case q.PlanFile == "" && q.Name == "":
			return usagef("start needs a plan file or --name")
		case q.Here && q.Take:
			return usagef("--take brings work into a new worktree; --here makes none")
		case q.PlanFile != "" && len(q.Tasks) > 0:
			return usagef("--task goes with --name, not with a plan file")
		}
		var err error
		if q.Mode, err = modeFlag(c); err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		st, err := e.Starting.Start(p.ctx, q)
		var open *start.OpenWorkError
		if errors.As(err, &open) && p.interactive() {
			return p.openAlready(c, e, q, open)
		}
		if err != nil {
			return err
		}
		return p.beginOrGoOn(c, e, st)
	})
}

// beginOrGoOn: a start that found its own open run is judged like every other way to go on.
func (p *program) beginOrGoOn(c *cli.Context, e *handler.Engine, st *staging.Started) error {
	r := &st.Journal.Run
	if st.Done {
		screen.FinishedBefore(p.screen(), st)
		e.Store.Folder().Told(r.ID)
		return nil
	}
	if !st.Again || !r.Paused && (len(st.Commands) == 0 || !r.Begun()) {
		return p.begin(c, e, st)
	}
	st.Held.Release() // whoever goes on takes it again, after a look at how it stands
	w, err := p.wish(c, e, true)
	if err != nil {
		return err
	}
	if !r.Paused { // nobody goes there otherwise
		screen.Started(p.screen(), st)
	}
	return p.goOn(c, e, r.ID, w)
}

// openAlready asks what to do about work of the same name, plan file or spec that is open.
func (p *program) openAlready(c *cli.Context, e *handler.Engine, q start.Request, open *start.OpenWorkError) error {
	screen.OpenAlready(p.screen(), open)
	fmt.Fprint(p.err, "Which? [c,r,m,f,b,q] (c) ")
	id := open.Runs[0].Run.ID
	switch answer := strings.ToLower(p.readLine()); answer {
	case "", "c":
		w, err := p.wish(c, e, true)
		if err != nil {
			return err
		}
		return p.goOn(c, e, id, w)
	case "r", "m":
		return p.chooseAlternative(c, e, id, map[string]string{"r": candidate.AltReview, "m": candidate.AltMerge}[answer])
	case "f":
		if open.Runs[0].Found != nil {
			return p.chooseAlternative(c, e, id, sources.StartFresh)
		}
		return p.restart(c, e, id)
	case "b":
		q.New = true
		st, err := e.Starting.Start(p.ctx, q)
		if err != nil {
			return err
		}
		return p.begin(c, e, st)
	}
	return exitCode(codeNo)
}

// begin says that a run began and executes it, if it has commands.
func (p *program) begin(c *cli.Context, e *handler.Engine, st *staging.Started) error {
	screen.Started(p.screen(), st)
	if len(st.Commands) == 0 {
		return nil
	}
	return p.rest(p.executeAsking(c, e, st))
}

// executeAsking executes a run; at a terminal the questions of the plan are asked as they come.
func (p *program) executeAsking(c *cli.Context, e *handler.Engine, st *staging.Started) (*resume.Executed, error) {
	x, err := p.execute(c, e, st.Journal.Run.ID, resume.ExecuteRequest{Held: st.Held})
	st.Held = nil // it was for the first time
	return p.askOn(c, e, x, err, resume.ExecuteRequest{})
}

// askOn goes on with an execution that came to rest at a question, once that is answered. No lock is held meanwhile.
func (p *program) askOn(c *cli.Context, e *handler.Engine, x *resume.Executed, err error, q resume.ExecuteRequest) (*resume.Executed, error) {
	for err == nil && x != nil && !x.Stopped && len(x.Failed) == 0 && p.interactive() {
		r := &x.Journal.Run
		switch x.Step.Kind {
		case tasks.StepAsk:
			skip, err := p.askQuestion(e, r)
			if err == nil && skip {
				err = e.Reporting.LeaveOut(p.ctx, r.ID, r.Question().ID)
			}
			if err != nil {
				return nil, err
			}
		case tasks.StepConfirm:
			if err := p.allow(screen.Confirming(p.screen(), r, x.Confirm)); err != nil {
				return nil, err
			}
			q.Confirmed = append(q.Confirmed, x.Confirm.Task.ID)
		default:
			return x, nil
		}
		x, err = p.execute(c, e, r.ID, q)
	}
	return x, err
}

// allow asks what no option answers.
func (p *program) allow(question string) error {
	p.screen().Ask("%s [y,N] ", question)
	switch strings.ToLower(p.readLine()) {
	case "y", "yes":
		return nil
	}
	return exitCode(codeNo)
}

func (p *program) pauseCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.StringFlag{Name: "message", Aliases: []string{"m"}}}
	return p.command("pause", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "pause [RUN]")
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		j, err := e.Reporting.Pause(p.ctx, run, c.String("message"))
		if err == nil {
			screen.Paused(p.screen(), j)
		}
		return err
	})
}

func (p *program) finishCommand() *cli.Command {
	return p.command("finish", []cli.Flag{runFlag()}, func(c *cli.Context) error {
		run, err := oneRun(c, "finish [RUN]")
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		j, err := e.Reporting.Finish(p.ctx, run)
		if err == nil {
			screen.Finished(p.screen(), &j.Run)
			screen.Unfinished(p.screen(), trash.Unfinished(p.repo, string(j.Run.ID)))
		}
		return err
	})
}

func (p *program) answerCommand() *cli.Command {
	return p.command("answer", []cli.Flag{runFlag(), &cli.StringFlag{Name: "text"}, &cli.BoolFlag{Name: "force"}}, func(c *cli.Context) error {
		const form = "answer TASK ANSWER, or answer TASK --text TEXT"
		own := c.IsSet("text")
		want := 2
		if own {
			want = 1
		}
		if err := nargs(c, want, want, form); err != nil {
			return err
		}
		q := adopt.AnswerRequest{Run: c.String("run"), Task: c.Args().Get(0), Text: c.Args().Get(1), Own: own}
		if own {
			q.Text = c.String("text")
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		if id, ok := p.foreignAsks(e, q.Run, q.Task); ok {
			w := sources.Wish{Name: sources.Answer, Task: q.Task, Text: q.Text, Own: own}
			if err := p.answerForeign(c, e, id, w); err != nil {
				return err
			}
			p.whatNext(e, id, w)
			return nil
		}
		j, id, err := e.Reporting.Answer(p.ctx, q)
		if err == nil {
			screen.Answered(p.screen(), j, id)
		}
		return err
	})
}

// oneRun takes the run from the argument or from --run, not from both.
func oneRun(c *cli.Context, form string) (string, error) {
	if err := nargs(c, 0, 1, form); err != nil {
		return "", err
	}
	arg, flag := c.Args().First(), c.String("run")
	if c.Args().Len() == 1 && arg == "" || c.IsSet("run") && flag == "" {
		// A script's variable that holds nothing must not mean the only run there is.
		return "", usagef("the name of the run is empty")
	}
	if arg != "" && flag != "" && arg != flag {
		return "", usagef("two runs are named: '%s' and '%s'", printable(arg), printable(flag))
	}
	if arg != "" {
		return arg, nil
	}
	return flag, nil
}

func (p *program) checkpointCommand() *cli.Command {
	flags := []cli.Flag{
		runFlag(), ownerFlag(), &cli.BoolFlag{Name: "commit"}, &cli.BoolFlag{Name: "no-verify"},
		&cli.StringFlag{Name: "message", Aliases: []string{"m"}},
	}
	return p.command("checkpoint", flags, func(c *cli.Context) error {
		e, err := p.engine()
		if err != nil {
			return err
		}
		if !c.Bool("commit") {
			return p.snapshot(c, e)
		}
		rep, err := e.Reporting.Checkpoint(p.ctx, reporting.CheckpointRequest{
			Run: c.String("run"), Message: c.String("message"), Paths: c.Args().Slice(),
			NoVerify: c.Bool("no-verify"), Owner: c.Int("owner"),
		})
		if err == nil {
			screen.Checkpointed(p.screen(), rep)
		}
		return err
	})
}

// snapshot saves what is uncommitted without touching index, HEAD or files.
func (p *program) snapshot(c *cli.Context, e *handler.Engine) error {
	if c.NArg() > 0 {
		return usagef("a checkpoint without --commit saves everything; paths go with --commit")
	}
	saved, err := e.Reporting.Save(p.ctx, c.String("run"), c.String("message"))
	if err == nil {
		screen.Saved(p.screen(), saved)
	}
	return err
}
