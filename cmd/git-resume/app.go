package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/manual"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/remotework"
	"github.com/urfave/cli/v2"
)

// app defines the commands and flags of the program.
func (cs commands) app() *cli.App {
	return &cli.App{
		Flags:  rootFlags(),
		Action: cs.help("", cs.root),
		Commands: []*cli.Command{
			cs.startCommand(), cs.runCommand(), cs.pauseCommand(), cs.answerCommand(), cs.finishCommand(), waiting{cs}.wait(), cs.trustCommand(),
			cs.taskCommand(), cs.checkpointCommand(), cs.statusCommand(), cs.logCommand(),
			cs.reviewCommand(), cs.mergeCommand(), cs.conflictsCommand(), cs.discardCommand(), cs.undoCommand(), hideCommands{cs}.hide(),
			savedCommands{cs}.snapshots(), savedCommands{cs}.diff(), savedCommands{cs}.restore(),
			cs.hooksCommand(), cs.hookCommand(), agentCommands{cs}.agents(), shareCommands{cs}.push(), shareCommands{cs}.pull(), shareCommands{cs}.unshare(), shareCommands{cs}.parked(), shareCommands{cs}.work(), cs.doctorCommand(), cs.demoCommand(), cs.versionCommand(), cs.helpCommand(),
		},
	}
}

// rootFlags returns the flags of "git resume" without a command, including the flags for --discard.
func rootFlags() []cli.Flag {
	own := []cli.Flag{
		helpFlag(), runFlag(), &cli.BoolFlag{Name: "discard"}, &cli.BoolFlag{Name: "retry"}, &cli.BoolFlag{Name: "keep"},
		taskFlag(resume.FlagMarkDone), &cli.StringFlag{Name: "mode"},
		&cli.BoolFlag{Name: "auto", Aliases: []string{"auto-continue"}}, &cli.BoolFlag{Name: "preflight"},
		&cli.StringFlag{Name: "from"}, &cli.BoolFlag{Name: "restart"}, taskFlag(resume.FlagSkip),
		&cli.BoolFlag{Name: "update"}, &cli.BoolFlag{Name: "despite-conflicts"}, &cli.BoolFlag{Name: "takeover"}, &cli.BoolFlag{Name: "offline"},
		&cli.BoolFlag{Name: "even-idle"}, &cli.BoolFlag{Name: "print"}, &cli.StringFlag{Name: "plan"},
		&cli.StringFlag{Name: "choose"}, &cli.StringFlag{Name: "answer"}, jobsFlag(),
		&cli.BoolFlag{Name: "version", Hidden: true}, &cli.BoolFlag{Name: "continue", Hidden: true}, // hidden, because people often type them but need neither
	}
	return slices.Concat(own, timeFlags(), discardFlags(), executionFlags())
}

// root is called for "git resume" without a command.
func (cs commands) root(c *cli.Context) error {
	if c.Bool("discard") {
		return cs.discard(c)
	}
	switch {
	case c.Bool("version"):
		return printVersion(cs.call.out)
	case c.Bool("merged"):
		return exit.Meantf("git resume --discard --merged", "--merged can only be used with --discard")
	case c.NArg() > 1:
		return meant(c.App, cs.call.args, c.Args().Slice(), nargs(c, 0, 1, "[RUN]"))
	}
	return meant(c.App, cs.call.args, c.Args().Slice(), cs.resume(c))
}

// resume is called for "git resume" without a command and without --discard.
func (cs commands) resume(c *cli.Context) error {
	given, err := oneRun(c, "[RUN]")
	if err != nil {
		return err
	}
	if c.IsSet("from") && c.String("from") == "" {
		return exit.Usagef("--from needs the name of a task")
	}
	until, err := endOfTime(c, early.Now())
	if err != nil {
		return err
	}
	t, err := cs.call.talk(c)
	if err != nil {
		return err
	}
	return remotework.Within(t, until, func() error { return conversation.Resume(t, given) })
}

func (cs commands) versionCommand() *cli.Command {
	return cs.command("version", nil, func(c *cli.Context) error {
		if err := nargs(c, 0, 0, "version"); err != nil {
			return err
		}
		return printVersion(cs.call.out)
	})
}

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "git-resume version %s\n", ownVersion())
	return err
}

// helpCommand is the command "help", which people type before they know about -h.
func (cs commands) helpCommand() *cli.Command {
	cmd := cs.command("help", nil, func(c *cli.Context) error {
		name := strings.Join(c.Args().Slice(), " ")
		if name == "help" {
			name = "" // 'help' has no page of its own
		}
		m, ok := manual.Lookup(name)
		if !ok {
			return cmp.Or(goneCommand(name), exit.Usagef("there is no command '%s'", quote.Printable(name)))
		}
		fmt.Fprint(cs.call.out, m.Usage())
		return nil
	})
	cmd.Hidden = true
	return cmd
}
