package gitstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// Has reports whether the user has a hook of this name, as a file or as settings. It returns true even for a file that is not executable.
// Git supports hooks in settings since version 2.54.
func (r *Hooks) Has(ctx context.Context, name string) (bool, error) {
	c, err := r.settings.Config(ctx)
	if err != nil {
		return false, err
	}
	if inSettings(c, name) {
		return true, nil
	}
	dir, err := r.Dir(ctx)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.IsDir(), nil
}

// inSettings reports whether the settings have a hook for this event that has a command and is not switched off.
func inSettings(c *settings.Config, name string) bool {
	for key, events := range c.Section("hook.") {
		hook, ok := strings.CutSuffix(key, ".event")
		if !ok {
			continue
		}
		for i := slices.Index(events, ""); i >= 0; i = slices.Index(events, "") {
			events = events[i+1:] // an empty value cancels all events before it
		}
		command, _ := c.Get(hook + ".command")
		if slices.Contains(events, name) && command != "" && c.Bool(hook+".enabled", true) {
			return true
		}
	}
	return false
}

// Dir returns the folder in which git looks for hooks. If core.hooksPath is set, git is asked for
// the folder.
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

// Run runs one of the user's hooks as git would, and writes its output to out. If the hook fails, Run returns a *process.Error with its
// exit code. If there is no such hook, Run does nothing.
func (r *Hooks) Run(ctx context.Context, out io.Writer, env []string, name string, args ...string) error {
	var said bytes.Buffer // one buffer for both streams, because two writers would write into each other's lines
	_, err := r.git.Git(ctx, process.Call{
		Args: append([]string{"hook", "run", "--ignore-missing", name, "--"}, args...),
		Mode: process.User, Env: env, Stdout: &said, Stderr: &said,
	})
	var git *process.Error
	if errors.As(err, &git) && strings.Contains(said.String(), "'hook' is not a git command") {
		return r.runFile(ctx, out, env, name, args) // git before 2.36 has no "hook" command
	}
	_, failed := said.WriteTo(out)
	return errors.Join(err, failed)
}

func (r *Hooks) runFile(ctx context.Context, out io.Writer, env []string, name string, args []string) error {
	dir, err := r.Dir(ctx)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	cmd := r.git.Command(process.Call{Mode: process.User, Env: env, Stdout: out, Stderr: out})
	cmd.Name, cmd.Args = path, args
	_, err = cmd.Run(ctx)
	var exit *proc.ExitError
	switch {
	case errors.As(err, &exit):
		return &process.Error{Args: []string{"hook", name}, Code: exit.Code}
	case errors.Is(err, fs.ErrPermission):
		return nil // like git, skip a hook file that is not executable
	}
	return err
}
