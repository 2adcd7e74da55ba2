package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/completions"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/manual"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/urfave/cli/v2"
)

func (p *program) doctorCommand() *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "fix"}}
	return p.command("doctor", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 0, "doctor [--fix]"); err != nil {
			return err
		}
		checks := p.installation()
		e, err := p.engine()
		if err == nil {
			var own []doctor.Check
			own, err = e.Checking.Doctor(p.ctx)
			checks = append(own, checks...)
		} else if errors.Is(err, locate.ErrNotRepository) {
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
func (p *program) treat(checks []doctor.Check, fix bool) (left int) {
	s := p.screen()
	for _, c := range checks {
		switch {
		case c.Well:
			screen.Check(s, "ok", c)
		case c.Fix == nil:
			screen.Check(s, "look", c)
			left++
		case !fix:
			screen.Check(s, "fix", c)
			left++
		default:
			if err := c.Fix(p.ctx); err != nil {
				c.Text += ": " + err.Error()
				screen.Check(s, "fail", c)
				left++
				continue
			}
			screen.Check(s, "done", c)
		}
	}
	return left
}

// installation looks at what lies around the program itself.
func (p *program) installation() []doctor.Check {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	share := filepath.Join(filepath.Dir(filepath.Dir(self)), "share")
	pages := map[string]string{}
	for name, text := range manual.Pages() {
		pages[filepath.Join(share, "man", "man1", name)] = text
	}
	one := func(place string, text []byte) map[string]string {
		return map[string]string{filepath.Join(share, filepath.FromSlash(place)): string(text)}
	}
	return []doctor.Check{
		p.onPath(self),
		p.filesCheck("man page", `"git resume --help" will fail`, pages),
		p.filesCheck("bash", "no completion", one("bash-completion/completions/git-resume", completions.Bash)),
		p.filesCheck("zsh", "no completion", one("zsh/site-functions/_git-resume", completions.Zsh)),
		p.filesCheck("fish", "no completion", one("fish/vendor_completions.d/git-resume.fish", completions.Fish)),
	}
}

// filesCheck looks whether files are in place and those of this version; it speaks of the first that is not.
func (p *program) filesCheck(name, without string, files map[string]string) doctor.Check {
	paths := slices.SortedFunc(maps.Keys(files), func(a, b string) int { // git-resume.1 before those of the commands
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	c := doctor.Check{Name: name, Well: true, Text: paths[0], Fix: func(context.Context) error {
		for _, path := range paths {
			if err := p.putFile(path, files[path]); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, path := range paths {
		have, err := os.ReadFile(path)
		switch _, packed := os.Stat(path + ".gz"); {
		case err != nil && packed == nil: // how distributions ship it
		case err != nil:
			c.Well, c.Text = false, fmt.Sprintf("missing at %s: %s", path, without)
			return c
		case string(have) != files[path]:
			c.Well, c.Text = false, fmt.Sprintf("%s is of another version", path)
			return c
		}
	}
	return c
}

// putFile leaves what is as it should be alone: it may be packed, or not ours to write.
func (p *program) putFile(path, text string) error {
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return nil
	}
	if _, err := os.Stat(path + ".gz"); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	write := dotgit.WriteFile
	if p.repo != nil { // then a kill leaves nothing in folders that are not ours
		write = p.repo.Guard.Replace
	}
	if err := write(path, []byte(text)); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

// onPath looks whether git would run this program, or another one of the same name.
func (p *program) onPath(self string) doctor.Check {
	c := doctor.Check{Name: "program"}
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
