package gitstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/proc"
)

// RefusedError reports that git refuses to work in a repository, because it belongs to another user or because git does not know its format.
type RefusedError struct {
	// Text is git's reason, or a sentence with git's exit code if git gave no reason. Way is the command that git
	// suggests for accepting the repository, or empty.
	Text, Way string
}

func (e *RefusedError) Error() string { return e.Text }

// Accept returns a *RefusedError if git refuses to work in a repository. Settings in another user's repository can make
// git run commands, so we must not use the repository before git has accepted it. If the repository belongs to this
// user, Accept usually starts no process.
func Accept(ctx context.Context, p locate.Place, dir string, env []string) error {
	vars := locate.Environ(env)
	if isOwn(p, vars) {
		return nil
	}
	cmd := proc.Command{Name: "git", Args: []string{"rev-parse", "--git-dir"}, Dir: dir, Env: vars.With("LC_ALL=C", "LANGUAGE=")}
	_, err := cmd.Run(ctx)
	var exit *proc.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	refused := &RefusedError{Text: fmt.Sprintf("git refuses this repository: exit code %d", exit.Code)}
	for line := range strings.Lines(exit.Stderr) {
		line = strings.TrimSpace(line)
		if reason, ok := strings.CutPrefix(line, "fatal: "); ok {
			refused.Text = reason
		} else if strings.HasSuffix(refused.Text, "found:") && line != "" { // the name of an unknown extension
			refused.Text += " " + line
		}
		if strings.HasPrefix(line, "git config ") {
			refused.Way = line
		}
	}
	return refused
}

// isOwn reports whether a repository can be used without asking git whether it trusts the owner and knows the format.
func isOwn(p locate.Place, vars locate.Environ) bool {
	if p.Extended {
		return false
	}
	if p.Found == "" || dotgit.ThisUser() < 0 {
		return true
	}
	for _, path := range []string{p.Found, filepath.Join(p.Found, ".git"), p.GitDir} {
		info, err := os.Lstat(path)
		if os.IsNotExist(err) {
			continue // a bare repository has no ".git"
		}
		owner, ok := 0, false
		if err == nil {
			owner, ok = dotgit.OwnerOf(info)
		}
		if !ok || owner != dotgit.ThisUser() && !isBehindSudo(vars, owner) {
			return false
		}
	}
	// git may be configured not to use bare repositories that it finds itself (safe.bareRepository). If the settings mention this, the
	// result is false, so that Accept asks git.
	return p.WorkTree != "" || !Open(p, vars).Settings.Mentions("barerepository")
}

// isBehindSudo reports whether we are root and the owner is the user who called sudo.
func isBehindSudo(vars locate.Environ, owner int) bool {
	caller, ok := vars.Get("SUDO_UID")
	id, err := strconv.Atoi(caller)
	return dotgit.ThisUser() == 0 && ok && err == nil && id == owner
}
