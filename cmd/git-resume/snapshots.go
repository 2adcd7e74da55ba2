package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/saved"
)

// savedCommands has the commands that show and restore snapshots.
type savedCommands struct{ cs commands }

func (x savedCommands) snapshots() *cli.Command {
	return x.cs.command("snapshots", []cli.Flag{runFlag()}, func(c *cli.Context) error {
		name, err := oneRun(c, "snapshots [RUN | OPERATION]")
		if err != nil {
			return err
		}
		e, err := x.cs.call.engine()
		if err != nil {
			return err
		}
		all, err := e.Saved.List(x.cs.call.ctx, name)
		if err == nil {
			saved.List(x.cs.call.Screen(), all)
		}
		return err
	})
}

func (x savedCommands) diff() *cli.Command {
	return x.cs.command("diff", nil, func(c *cli.Context) error {
		name, paths, err := snapshotAndPaths(c, "diff SNAPSHOT [PATH]...")
		if err != nil {
			return err
		}
		e, err := x.cs.call.engine()
		if err != nil {
			return err
		}
		text, err := e.Saved.Diff(x.cs.call.ctx, name, paths)
		if err == nil {
			saved.Diff(x.cs.call.Screen(), text, paths)
		}
		return err
	})
}

func (x savedCommands) restore() *cli.Command {
	flags := []cli.Flag{&cli.StringFlag{Name: "to"}, &cli.BoolFlag{Name: "into-worktree"}, &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}}
	return x.cs.command("restore", flags, func(c *cli.Context) error {
		name, paths, err := snapshotAndPaths(c, "restore SNAPSHOT [PATH]...")
		if err != nil {
			return err
		}
		q := conversation.RestoreRequest{Snapshot: name, Paths: paths, To: c.String("to"), IntoWorktree: c.Bool("into-worktree")}
		switch {
		case c.IsSet("to") && q.To == "":
			return exit.Usagef("--to needs the name of a new folder")
		case q.To != "" && q.IntoWorktree:
			return exit.Usagef("--to and --into-worktree cannot be used together")
		case q.To != "" && c.Bool("dry-run"):
			return exit.Usagef("--to and --dry-run cannot be used together: --to changes no existing file")
		}
		t, err := x.cs.call.talk(c)
		if err != nil {
			return err
		}
		return conversation.Restore(t, q)
	})
}

// snapshotAndPaths returns the snapshot and the paths that the user named.
func snapshotAndPaths(c *cli.Context, form string) (name string, paths []string, err error) {
	if err := nargs(c, 1, -1, form); err != nil {
		return "", nil, err
	}
	name, paths = c.Args().First(), c.Args().Tail()
	if name == "" {
		return "", nil, exit.Usagef("the name of the snapshot is empty")
	}
	for _, p := range paths {
		if p == "" {
			return "", nil, exit.Usagef("a path is empty")
		}
	}
	return name, paths, nil
}
