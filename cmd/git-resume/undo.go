package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/screen"
)

// listedChanges is how many changes "undo --list" shows at most.
const listedChanges = 1000

func (p *program) undoCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}, &cli.BoolFlag{Name: "list"}, &cli.BoolFlag{Name: "redo"}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}}
	return p.command("undo", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "undo [RUN]")
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		if c.Bool("list") && c.Bool("redo") {
			return usagef("--list and --redo cannot be used together")
		}
		if c.Bool("list") {
			return p.undoList(e, run)
		}
		question, find := "Undo this?", e.Undoing.Undoing
		if c.Bool("redo") {
			question, find = "Do this again?", e.Undoing.Redoing
		}
		u, err := find(p.ctx, run)
		if err != nil {
			return err
		}
		if err := e.Undoing.Weigh(p.ctx, u); err != nil {
			return err
		}
		side := p.screen().OnErr()
		if c.Bool("dry-run") {
			screen.Undoing(p.screen(), u)
			return nil
		}
		screen.Undoing(side, u)
		if err := p.confirmUndo(c, u, question); err != nil {
			return err
		}
		done, err := e.Undoing.Undo(p.ctx, u)
		if err == nil {
			screen.Undone(p.screen(), done)
		}
		return err
	})
}

// confirmUndo asks; what others may rely on is asked about whatever the options say.
func (p *program) confirmUndo(c *cli.Context, u *discard.Undoing, question string) error {
	switch {
	case (u.Unsure || u.Weighty()) && !p.interactive():
		return &noTerminalError{question: question}
	case u.Weighty():
		p.screen().Ask("%s [y,N] ", question)
		return p.yes()
	}
	return p.confirm(c, question)
}

// undoList shows what could be undone, the newest first.
func (p *program) undoList(e *handler.Engine, run string) error {
	only, err := e.Find.Resolve(p.ctx, run)
	var none *candidate.NoneError
	var many *candidate.AmbiguousError
	if run == "" && (errors.As(err, &none) || errors.As(err, &many)) || run == "" {
		only, err = "", nil
	}
	if err != nil {
		return err
	}
	all, err := e.Undoing.Changes(p.ctx, only, listedChanges)
	if err == nil {
		screen.Changes(p.screen(), all)
	}
	return err
}
