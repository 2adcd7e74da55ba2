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

// RefusedError says that git refuses to work in a repository, most often because it belongs to another user.
type RefusedError struct {
	// Text is git's reason, and Way is the command by which the user can make git accept the repository.
	Text, Way string
}

func (e *RefusedError) Error() string { return e.Text }

// Accept asks git whether it works in the repository that was found from a folder, because the settings
// in another user's repository can make git run commands. Until git has agreed, nothing is read from it or written into it.
// If the whole repository belongs to this user, Accept starts no process.
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
		}
		if strings.HasPrefix(line, "git config ") {
			refused.Way = line
		}
	}
	return refused
}

// isOwn checks the owner of what git checks: the work tree in which it found the repository, its ".git", and the git dir.
// A repository that the user named by GIT_DIR counts as his own choice.
func isOwn(p locate.Place, vars locate.Environ) bool {
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
	// git may be set not to discover bare repositories, because one could lie in a folder of any clone.
	return p.WorkTree != "" || !Open(p, vars).Settings.Mentions("barerepository")
}

// isBehindSudo reports whether we are root and the owner is the user who called sudo.
func isBehindSudo(vars locate.Environ, owner int) bool {
	caller, ok := vars.Get("SUDO_UID")
	id, err := strconv.Atoi(caller)
	return dotgit.ThisUser() == 0 && ok && err == nil && id == owner
}
