package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/tasks"
)

func (p *program) trustCommand() *cli.Command {
	flags := []cli.Flag{
		runFlag(), &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}},
		&cli.StringFlag{Name: "expect"}, &cli.BoolFlag{Name: "all-here"},
	}
	return p.command("trust", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "trust RUN")
		if err != nil {
			return err
		}
		e, err := p.engine()
		switch {
		case err != nil:
			return err
		case c.Bool("all-here") && (run != "" || c.String("expect") != ""):
			return usagef("--all-here cannot be used together with a run or --expect")
		case c.Bool("all-here"):
			return p.trustAll(c, e)
		case run == "":
			return usagef("usage: git resume trust RUN, or git resume trust --all-here")
		}
		return p.trust(c, e, run)
	})
}

// trust shows all that would be approved, asks, and approves exactly that.
func (p *program) trust(c *cli.Context, e *handler.Engine, run string) error {
	a, err := e.Tasks.Approval(p.ctx, run)
	if err != nil {
		return err
	}
	screen.Approval(p.screen(), a)
	if c.Bool("dry-run") || !a.Open() && a.Run.Ours() {
		return nil
	}
	if want := c.String("expect"); want != "" {
		if want != a.Hash() {
			return &expectError{run: a.Run.ID, want: want, have: a.Hash()}
		}
	} else if err := p.confirm(c, "Approve this?"); err != nil {
		return err
	}
	if err := e.Tasks.Approve(p.ctx, a); err != nil {
		return err
	}
	p.screen().Note("approved for run %s on this machine", a.Run.ID)
	return nil
}

// trustAll takes over, after one question, the runs that an older version recorded in this clone.
func (p *program) trustAll(c *cli.Context, e *handler.Engine) error {
	runs, err := e.Taking.Unsigned(p.ctx)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		p.screen().Note("every open run of this clone is signed; there is nothing to take over")
		return nil
	}
	shown := make([]*tasks.Approval, 0, len(runs))
	for _, s := range runs {
		a, err := e.Tasks.Approval(p.ctx, string(s.Run.ID))
		if err != nil {
			return err
		}
		shown = append(shown, a)
		screen.Approval(p.screen(), a)
	}
	if c.Bool("dry-run") {
		return nil
	}
	if err := p.confirm(c, fmt.Sprintf("Take over %d runs and approve their commands?", len(runs))); err != nil {
		return err
	}
	for _, a := range shown {
		if err := p.takeOver(e, a); err != nil {
			return err
		}
		p.screen().Note("took over %s", a.Run.ID)
	}
	return nil
}

// takeOver makes a run ours and approves the commands that were shown.
func (p *program) takeOver(e *handler.Engine, shown *tasks.Approval) error {
	if _, err := e.Taking.TakeOver(p.ctx, &shown.Run, shown.Tip); err != nil {
		return err
	}
	return p.approveShown(e, shown)
}

// approveShown approves what a screen has shown of a run that was then taken over.
func (p *program) approveShown(e *handler.Engine, shown *tasks.Approval) error {
	now, err := e.Tasks.Approval(p.ctx, string(shown.Run.ID))
	if err != nil {
		return err
	}
	if !slices.Equal(now.Commands, shown.Commands) || len(now.Strange) > 0 {
		return candidate.ErrMoved
	}
	if !now.Open() {
		return nil
	}
	return e.Tasks.Approve(p.ctx, now)
}

// expectError says that what a script wants to approve is not what is there.
type expectError struct {
	run        checkpoint.RunID
	want, have string
}

func (e *expectError) Error() string {
	return fmt.Sprintf("what would be approved for run '%s' has the hash %s, not %s; nothing was approved", e.run, e.have, strings.Map(plain, e.want))
}

func plain(r rune) rune {
	if r < ' ' || r > '~' {
		return '?'
	}
	return r
}
