package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Deadline is how long one exchange with a server may take. Without a limit, git could wait for hours after the network fails.
const Deadline = 2 * time.Minute

// slow ends a transfer over HTTP that is slower than one byte per second for a minute.
var slow = []string{"GIT_HTTP_LOW_SPEED_LIMIT=1", "GIT_HTTP_LOW_SPEED_TIME=60"}

// silent keeps git and its helpers from asking for a password.
var silent = []string{"GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never"}

// Remote is a remote that the user has configured.
type Remote struct {
	Name string
	// Terminal is true if git may ask the user for a password at the terminal.
	Terminal bool
	// locks lists the lock files that git may leave behind if it is killed.
	locks []string
	// Deadline, if it is set, replaces the constant Deadline.
	Deadline time.Duration

	git *process.Program
}

// Of returns the remote with this name, in the repository in which git runs.
func Of(git *process.Program, name string) Remote { return Remote{Name: name, git: git} }

// LateError says that the server did not answer within the deadline.
type LateError struct{ Deadline time.Duration }

func (e *LateError) Error() string { return fmt.Sprintf("no answer within %s", e.Deadline) }

// Names lists the remotes that the user has configured.
func Names(ctx context.Context, git *process.Program) ([]string, error) {
	list, err := git.Line(ctx, "remote")
	if err != nil || list == "" {
		return nil, err
	}
	return strings.Split(list, "\n"), nil
}

// Usual returns the remote that is meant if the user names none: "origin", or the only one. It returns "" if there is no such remote.
func Usual(names []string) string {
	switch {
	case slices.Contains(names, "origin"):
		return "origin"
	case len(names) == 1:
		return names[0]
	}
	return ""
}

// List returns the refs that the server shows, without the objects that tags point to.
func (r Remote) List(ctx context.Context) (map[refs.Name]object.ID, error) {
	out, err := r.run(ctx, "ls-remote", "--refs", "--", r.Name)
	if err != nil {
		return nil, err
	}
	all := map[refs.Name]object.ID{}
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || !object.IsID(id) {
			return nil, fmt.Errorf("parse the output of git ls-remote: %q", line)
		}
		all[refs.Name(name)] = object.ID(id)
	}
	return all, nil
}

// run runs a git command that talks to the server, within the deadline.
func (r Remote) run(ctx context.Context, args ...string) ([]byte, error) {
	limit := r.Deadline
	if limit == 0 {
		limit = Deadline
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &LateError{limit})
	defer cancel()
	call := process.Call{Args: args, Env: slow, Locks: r.locks}
	if r.Terminal {
		call.Env = append(call.Env, "GIT_TERMINAL_PROMPT=1")
	} else {
		call.Args, call.Env = append([]string{"-c", "core.askPass="}, args...), append(call.Env, silent...)
	}
	return r.git.Git(ctx, call)
}
