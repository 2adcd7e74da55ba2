package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/completions"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/resume"
	"github.com/git-resume/git-resume/man"
)

func (p *program) doctorCommand() *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "fix"}}
	return p.command("doctor", "look after the installation and the runs", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 0, "doctor [--fix]"); err != nil {
			return err
		}
		checks := p.installation()
		e, err := p.engine()
		if err == nil {
			var own []resume.Check
			own, err = e.Doctor(p.ctx)
			checks = append(own, checks...)
		} else if errors.Is(err, gitstate.ErrNotRepository) {
			err = nil // the installation can be looked at anywhere
		}
		if err != nil {
			return err
		}
		left := p.treat(checks, c.Bool("fix"))
		if left > 0 {
			return exitCode(codeFailed)
		}
		return nil
	})
}

// treat shows what was found, mends what can be mended if that is wanted, and counts what is left.
func (p *program) treat(checks []resume.Check, fix bool) (left int) {
	s := p.screen()
	for _, c := range checks {
		switch {
		case c.Well:
			s.Check("ok", c)
		case c.Fix == nil:
			s.Check("look", c)
			left++
		case !fix:
			s.Check("fix", c)
			left++
		default:
			if err := c.Fix(p.ctx); err != nil {
				c.Text += ": " + err.Error()
				s.Check("fail", c)
				left++
				continue
			}
			s.Check("done", c)
		}
	}
	return left
}

// installation looks at what lies around the program itself.
func (p *program) installation() []resume.Check {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	checks := []resume.Check{p.onPath(self)}
	prefix := filepath.Dir(filepath.Dir(self))
	for _, f := range []struct {
		name, path, without string
		text                []byte
	}{
		{"man page", "share/man/man1/git-resume.1", `"git resume --help" will fail`, man.Page},
		{"bash", "share/bash-completion/completions/git-resume", "no completion", completions.Bash},
		{"zsh", "share/zsh/site-functions/_git-resume", "no completion", completions.Zsh},
		{"fish", "share/fish/vendor_completions.d/git-resume.fish", "no completion", completions.Fish},
	} {
		checks = append(checks, fileCheck(f.name, filepath.Join(prefix, filepath.FromSlash(f.path)), f.without, f.text))
	}
	return checks
}

func fileCheck(name, path, without string, text []byte) resume.Check {
	c := resume.Check{Name: name, Fix: func(context.Context) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := gitstate.WriteFile(path, text); err != nil {
			return err
		}
		return os.Chmod(path, 0o644)
	}}
	have, err := os.ReadFile(path)
	if _, packed := os.Stat(path + ".gz"); err != nil && packed == nil { // how distributions ship it
		c.Well, c.Text = true, path+".gz"
		return c
	}
	switch {
	case err != nil:
		c.Text = fmt.Sprintf("missing at %s: %s", path, without)
	case !bytes.Equal(have, text):
		c.Text = fmt.Sprintf("%s is of another version", path)
	default:
		c.Well, c.Text = true, path
	}
	return c
}

// onPath looks whether git would run this program, or another one of the same name.
func (p *program) onPath(self string) resume.Check {
	c := resume.Check{Name: "program"}
	for _, dir := range filepath.SplitList(p.getenv("PATH")) {
		path := filepath.Join(dir, "git-resume")
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real == self {
			c.Well, c.Text = true, path
			return c
		}
		c.Text, c.Help = fmt.Sprintf("'git resume' runs %s, not this one, %s", path, self), "put its folder first in PATH"
		return c
	}
	c.Text, c.Help = fmt.Sprintf("%s is not on PATH: 'git resume' does not find it", self), "put its folder into PATH"
	return c
}
