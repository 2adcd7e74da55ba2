package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/proc"
)

// Hooks finds and runs the user's own hooks, which are files or settings.
type Hooks struct {
	git      *process.Program
	settings *settings.Settings
}

// Has reports whether the user may have a hook of this name: there is a file of this name, or the settings define any hook.
func (r *Hooks) Has(ctx context.Context, name string) (bool, error) {
	c, err := r.settings.Config(ctx)
	if err != nil {
		return false, err
	}
	if c.HasSection("hook.") {
		return true, nil
	}
	dir, err := r.Dir(ctx)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.IsDir(), nil
}

// Dir returns the folder in which git looks for hooks. git itself resolves core.hooksPath.
func (r *Hooks) Dir(ctx context.Context) (string, error) {
	c, err := r.settings.Config(ctx)
	if err != nil {
		return "", err
	}
	if _, set := c.Get("core.hookspath"); !set {
		return r.git.CommonPath("hooks"), nil
	}
	dir, err := r.git.Line(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", fmt.Errorf("find the hooks: %w", err)
	}
	return locate.AbsFrom(r.git.Dir(), dir), nil
}

// Run runs one of the user's hooks as git would, and writes its output to out. A failing hook gives an *Error with its exit code.
func (r *Hooks) Run(ctx context.Context, out io.Writer, env []string, name string, args ...string) error {
	var said strings.Builder
	both := io.MultiWriter(out, &said) // use one writer for both streams, because two would write into each other's lines
	_, err := r.git.Git(ctx, process.Call{
		Args: append([]string{"hook", "run", "--ignore-missing", name, "--"}, args...),
		Mode: process.User, Env: env, Stdout: both, Stderr: both,
	})
	var git *process.Error
	if errors.As(err, &git) && strings.Contains(said.String(), "'hook' is not a git command") {
		return r.runFile(ctx, out, env, name, args) // git before 2.36 has no "hook" command
	}
	return err
}

func (r *Hooks) runFile(ctx context.Context, out io.Writer, env []string, name string, args []string) error {
	dir, err := r.Dir(ctx)
	if err != nil {
		return err
	}
	cmd := r.git.Command(process.Call{Mode: process.User, Env: env, Stdout: out, Stderr: out})
	cmd.Name, cmd.Args = filepath.Join(dir, name), args
	_, err = cmd.Run(ctx)
	var exit *proc.ExitError
	if errors.As(err, &exit) {
		return &process.Error{Args: []string{"hook", name}, Code: exit.Code}
	}
	return err
}
