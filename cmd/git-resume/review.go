package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/screen"
)

func (p *program) reviewCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "patch", Aliases: []string{"p"}}}
	return p.command("review", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "review [RUN]")
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		v, err := e.Merging.Review(p.ctx, run, c.Bool("patch"))
		if err == nil {
			screen.Review(p.screen(), v)
		}
		return err
	})
}

func (p *program) mergeCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "strip"}, &cli.BoolFlag{Name: "force"}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}}
	return p.command("merge", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "merge [RUN]")
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		m, err := p.merge(c, e, merge.Request{Run: run, Strip: c.Bool("strip")})
		if err != nil || c.Bool("yes") { // it answers what is asked about the merge, and drops nothing
			return err
		}
		return p.offerToDrop(c, e, m)
	})
}

// merge merges a run; whether one that is not finished shall be merged is asked first.
func (p *program) merge(c *cli.Context, e *handler.Engine, q merge.Request) (*merge.Merged, error) {
	var err error
	if q.Run, err = e.Taking.Unnamed(p.ctx, q.Run, p.interactive()); err != nil {
		return nil, err
	}
	q.Sure = c.Bool("force")
	m, err := e.Merging.Merge(p.ctx, q)
	var working *adopt.AtWorkError
	if errors.As(err, &working) {
		if err := p.vouch(c, working, "Merge it all the same?"); err != nil {
			return nil, err
		}
		q.Sure = true
		m, err = e.Merging.Merge(p.ctx, q)
	}
	var unfinished *merge.UnfinishedError
	if errors.As(err, &unfinished) {
		if err := p.confirm(c, screen.MergeUnfinished(unfinished)); err != nil {
			return nil, err
		}
		q.Unfinished = true
		m, err = e.Merging.Merge(p.ctx, q)
	}
	if err == nil {
		screen.Merged(p.screen(), m)
	}
	return m, err
}

// offerToDrop asks whether a worktree that has nothing of its own any more shall go.
// A no is no failure: the merge is done.
func (p *program) offerToDrop(c *cli.Context, e *handler.Engine, m *merge.Merged) error {
	if !p.interactive() {
		return nil
	}
	d, err := e.Dropping.Droppable(p.ctx, m.Journal.Run.ID)
	if err != nil || d == nil {
		return err
	}
	err = p.confirm(c, fmt.Sprintf("Its worktree is clean, and all of it is on %s. Drop it?", printable(m.Base)))
	var no exitCode
	if errors.As(err, &no) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.drop(e, d, discard.DiscardCarefully)
}

func (p *program) conflictsCommand() *cli.Command {
	flags := []cli.Flag{&cli.StringFlag{Name: "base"}, &cli.StringFlag{Name: "engine"}, &cli.BoolFlag{Name: "json"}}
	return p.command("conflicts", flags, func(c *cli.Context) error {
		if err := nargs(c, 2, 2, "conflicts [--base BASE] [--json] [--engine=git|builtin] OURS THEIRS"); err != nil {
			return err
		}
		engine := conflicts.Engine(c.String("engine"))
		if engine != "" && engine != conflicts.Git && engine != conflicts.Builtin {
			return usagef("engine '%s' is unknown; git and builtin are what there is", printable(string(engine)))
		}
		if c.IsSet("base") && c.String("base") == "" {
			return usagef("--base is empty; it names a commit")
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		rep, err := e.Viewing.Compare(p.ctx, compare.CompareRequest{
			Ours: c.Args().Get(0), Theirs: c.Args().Get(1), Base: c.String("base"), Engine: engine,
		})
		if err != nil {
			// Code 1 says that there are conflicts, so every fault is fatal here.
			screen.Fault(p.screen(), err)
			return exitCode(codeFatal)
		}
		if c.Bool("json") {
			if err := screen.Document(p.out, rep.Document()); err != nil {
				return err
			}
		} else {
			screen.Comparison(p.screen(), rep)
		}
		if !rep.Clean {
			return exitCode(codeFailed)
		}
		return nil
	})
}
