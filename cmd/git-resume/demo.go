package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
)

//go:embed demo.sh
var demoScript string

//go:embed demo_rebase.sh
var demoRebaseScript string

func (cs commands) demoCommand() *cli.Command {
	return cs.command("demo", []cli.Flag{&cli.BoolFlag{Name: "explain"}}, func(c *cli.Context) error {
		if err := nargs(c, 0, 1, "demo [--explain] | demo rebase"); err != nil {
			return err
		}
		var extra []string
		if c.Bool("explain") {
			extra = append(extra, "EXPLAIN=1")
		}
		switch name := c.Args().First(); name {
		case "":
			return cs.demo(demoScript, extra...)
		case "rebase":
			if len(extra) > 0 {
				return exit.Usagef("--explain cannot be used with 'demo rebase', which always explains its steps")
			}
			return cs.demo(demoRebaseScript)
		default:
			return exit.Usagef("there is no demo '%s'; use 'git resume demo' or 'git resume demo rebase'", quote.Printable(name))
		}
	})
}

// demo runs an embedded script with this program, in a temporary folder.
func (cs commands) demo(script string, extra ...string) error {
	dir, err := os.MkdirTemp("", "git-resume-demo-")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder for temporary files, '%s', does not exist; set TMPDIR to another one", os.TempDir())
	}
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // on Windows, making a link needs a special permission
		bin = filepath.Dir(self)
	} else if err := os.Symlink(self, filepath.Join(bin, "git-resume")); err != nil {
		return err
	}
	cmd := proc.Command{
		Name: "sh", Args: []string{"-s"}, Dir: dir, Stdin: strings.NewReader(script),
		Stdout: cs.call.stream(), Stderr: cs.call.err, Env: append(demoEnv(cs.call, dir, bin), extra...),
	}
	if _, err := cmd.Run(cs.call.ctx); err != nil && cs.call.out.failed() == nil {
		return fmt.Errorf("run the demo: %w", err)
	}
	return nil
}

// demoEnv returns an environment in which the demo cannot use the user's settings and repositories.
func demoEnv(p *program, dir, bin string) []string {
	env := slices.DeleteFunc(slices.Clone(p.env), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "XDG_CONFIG_HOME=") || strings.HasPrefix(v, "EXPLAIN=")
	})
	return append(env, "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+dir,
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@localhost", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@localhost",
		"PATH="+bin+string(os.PathListSeparator)+p.getenv("PATH"))
}
