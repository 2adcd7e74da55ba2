package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/machine"
)

func (cs commands) reviewCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "patch", Aliases: []string{"p"}}, &cli.BoolFlag{Name: "md"}}
	return cs.command("review", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "review [RUN]")
		if err != nil {
			return err
		}
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		v, err := e.Merging.Review(cs.call.ctx, run, c.Bool("patch"))
		switch {
		case err != nil:
			return err
		case c.Bool("md"):
			cs.call.Screen().Say("%s", history.Markdown(v))
		default:
			history.Review(cs.call.Screen(), v)
		}
		return nil
	})
}

func (cs commands) mergeCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "squash"}, &cli.StringFlag{Name: "message", Aliases: []string{"m"}}, &cli.BoolFlag{Name: "strip"},
		&cli.BoolFlag{Name: "force"}, &cli.BoolFlag{Name: "despite-conflicts"}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}}
	return cs.command("merge", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "merge [RUN]")
		if err != nil {
			return err
		}
		switch {
		case c.Bool("despite-conflicts") && c.Bool("squash"):
			return exit.Usagef("--squash and --despite-conflicts cannot be used together: git has no squash that could stop at conflicts")
		case c.IsSet("message") && strings.TrimSpace(c.String("message")) == "":
			return exit.Usagef("the message of the merge is empty")
		}
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		return conversation.Merge(t, merge.Request{
			Run: run, Strip: c.Bool("strip"), Squash: c.Bool("squash"), Message: c.String("message"), Conflicts: c.Bool("despite-conflicts"),
		})
	})
}

func (cs commands) conflictsCommand() *cli.Command {
	flags := []cli.Flag{&cli.StringFlag{Name: "base"}, &cli.StringFlag{Name: "engine"}, &cli.BoolFlag{Name: "json"}}
	return cs.command("conflicts", flags, func(c *cli.Context) error {
		if err := nargs(c, 2, 2, "conflicts [--base BASE] [--json] [--engine=git|builtin] OURS THEIRS"); err != nil {
			return err
		}
		engine := conflicts.Engine(c.String("engine"))
		if engine != "" && engine != conflicts.Git && engine != conflicts.Builtin {
			return exit.Usagef("engine '%s' is unknown; choose git or builtin", quote.Printable(string(engine)))
		}
		if c.IsSet("base") && c.String("base") == "" {
			return exit.Usagef("--base needs a commit")
		}
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		rep, err := e.Viewing.Compare(cs.call.ctx, compare.CompareRequest{
			Ours: c.Args().Get(0), Theirs: c.Args().Get(1), Base: c.String("base"), Engine: engine,
		})
		if err != nil {
			// Exit code 1 means that there are conflicts. An error must therefore have another code.
			screen.Fault(cs.call.Screen(), err)
			return exit.Code(exit.Fatal)
		}
		if c.Bool("json") {
			if err := machine.Document(cs.call.out, rep.Document()); err != nil {
				return err
			}
		} else {
			history.Comparison(cs.call.Screen(), rep)
		}
		if !rep.Clean {
			return exit.Code(exit.Failed)
		}
		return nil
	})
}
