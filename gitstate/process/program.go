package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/proc"
)

// Program runs git for one worktree of one repository. It is safe for use by several goroutines.
type Program struct {
	locate.Place
	// Guard manages the mark files, which list the files that we are about to write.
	Guard *guard.Dir
	env   locate.Environ
	// extra holds variables that are set for every call and override the user's environment.
	extra []string
	// apart is true if keys typed at our terminal, such as Ctrl-C, must not reach git's processes.
	apart    bool
	patience Patience

	mu sync.Mutex
	// residents are the git processes that keep running, at most one of each kind.
	residents [residentKinds]*Talk
}

// New returns a Program that runs git at a place. It starts no process yet.
func New(p locate.Place, env []string) *Program {
	return setPlace(&Program{env: locate.Environ(env)}, p)
}

// Elsewhere returns a Program for another worktree of the same repository, without the variables
// that With added.
func (r *Program) Elsewhere(p locate.Place) *Program {
	return setPlace(&Program{env: r.env, apart: r.apart, patience: r.patience}, p)
}

// With returns a Program that also sets the given environment variables for every call. The new Program is not shielded, even if this one
// is: Ctrl-C at our terminal ends its processes (see Shield).
func (r *Program) With(vars ...string) *Program {
	return setPlace(&Program{env: r.env, patience: r.patience, extra: vars}, r.Place)
}

func setPlace(r *Program, p locate.Place) *Program {
	r.Place = p
	r.Guard = guard.New(p.CommonDir, p.GitDir, func() bool { return AtWork(p, r.Guard) })
	return r
}

// Var returns a variable of the environment; ok is false if the variable is not set or is empty.
func (r *Program) Var(name string) (string, bool) { return r.env.Get(name) }

// HasExtra reports whether the method With has set environment variables for every call. Such variables can make git store objects in
// another folder.
func (r *Program) HasExtra() bool { return len(r.extra) > 0 }

// Shield protects git's processes from Ctrl-C, so that they write complete records. The caller must handle the signal itself. After
// Shield, some git processes keep running between calls, because the caller is going to write often.
func (r *Program) Shield() {
	r.endResidents() // ends the processes that run already, because they are not protected from Ctrl-C
	r.mu.Lock()
	defer r.mu.Unlock()
	r.apart = true
}

// Shielded reports whether git's processes are protected from Ctrl-C (see Shield).
func (r *Program) Shielded() bool { return r.apart }

// Close ends the git processes that keep running between calls. It also removes the mark file of this process, which lists the files
// that a killed process would leave behind.
func (r *Program) Close() {
	r.endResidents()
	r.Guard.Close()
}

// Mode says what a call may do. It decides with which settings and environment git runs.
type Mode int

const (
	// Read makes git take no optional lock, so that it does not refresh the index.
	Read Mode = iota
	// Write makes git wait until new objects and refs are safely on the disk (fsync) before the call returns. git before 2.36 waits only
	// for objects.
	Write
	// User keeps the user's own language, hooks and signing. As with Write, git waits until new objects and refs are safely on the disk,
	// but only git 2.36 or later does so.
	User
)

// Call is one run of the git program.
type Call struct {
	Args  []string
	Mode  Mode
	Stdin io.Reader
	// Stdout and Stderr receive git's output if they are set.
	Stdout io.Writer
	Stderr io.Writer
	// Dir is the folder in which git runs. If it is empty, git runs in the folder that Program.Dir returns.
	Dir string
	// Env is added to the environment.
	Env []string
	// Locks lists the lock files that git may leave behind if it is killed in this call.
	Locks []string
	// Started, if set, is called as soon as git is running.
	Started func(pid int)
}

// Error reports that git failed. Text is git's own message, or the name of the signal that ended
// git. It may be empty.
type Error struct {
	Args []string
	Code int
	Text string
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("git %s: exit code %d", e.Command(), e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.Command(), e.Text)
}

// Command returns git's command, without the "-c" settings before it.
func (e *Error) Command() string { return e.withoutSettings()[0] }

// withoutSettings returns the arguments of git without the "-c" settings at their beginning.
func (e *Error) withoutSettings() []string {
	args := e.Args
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args
}

// SaysNo reports whether git failed with exit code 1, with which some of its commands answer "no".
func SaysNo(err error) bool {
	var git *Error
	return errors.As(err, &git) && git.Code == 1
}

// durable makes new objects and refs reach the disk before a command reports success. git before 2.36 knows only the
// second setting, which covers objects.
var durable = []string{"-c", "core.fsync=committed,reference", "-c", "core.fsyncObjectFiles=true"}

// noMaintenance keeps a command from starting maintenance. A killed maintenance would leave a lock that our mark file does not list.
var noMaintenance = []string{"-c", "maintenance.auto=false"}

// Git runs git and returns its standard output.
func (r *Program) Git(ctx context.Context, c Call) ([]byte, error) {
	run := r.Command(c).Run
	if c.Mode == Write || len(c.Locks) > 0 {
		run = func(ctx context.Context) (proc.Output, error) { return r.runMarked(ctx, c) }
	}
	out, err := run(ctx)
	for n := 0; n < lostFolders && c.Stdout == nil && lostFolder(err) && rewind(c.Stdin); n++ {
		out, err = run(ctx)
	}
	if err == nil {
		return out.Stdout, nil
	}
	var exit *proc.ExitError
	if errors.As(err, &exit) {
		if old := r.tooOld(ctx, exit); old != nil {
			return nil, old
		}
		return out.Stdout, &Error{Args: c.Args, Code: exit.Code, Text: cleanStderr(exit.Stderr, exit.Signal)}
	}
	return nil, asLimit(err, c.Args)
}

// lostFolders limits how often a git command is started again because "git gc" deleted a folder that the command needs.
const lostFolders = 5

// lostFolder reports whether git could not write an object because a simultaneous "git gc" deleted the folder for it, which was still
// empty. git makes such a folder only once and then gives up, so another try helps.
func lostFolder(err error) bool {
	var exit *proc.ExitError
	return errors.As(err, &exit) && strings.Contains(exit.Stderr, "unable to create temporary file: No such file or directory")
}

// rewind sets the input of a command back to its start. It returns false if that is not possible.
func rewind(in io.Reader) bool {
	if in == nil {
		return true
	}
	s, ok := in.(io.Seeker)
	if !ok {
		return false
	}
	_, err := s.Seek(0, io.SeekStart)
	return err == nil
}

// runMarked runs a command that writes. While the command runs, the mark file of this process lists the command's locks.
func (r *Program) runMarked(ctx context.Context, c Call) (proc.Output, error) {
	g, err := r.Guard.Writing()
	if err != nil {
		return proc.Output{}, err
	}
	done, err := g.Note(c.Locks)
	if err != nil {
		return proc.Output{}, err
	}
	cmd := r.Command(c)
	cmd.Files = append(cmd.Files, g.File())
	out, err := cmd.Run(ctx)
	// Look for the lock files too, because git's message about them may have gone to the user instead of to us.
	if guard.LeftLocks(err) || guard.SaysLeft(string(out.Stderr)) || slices.ContainsFunc(c.Locks, IsThere) {
		r.Drop(g)
		return out, err
	}
	done()
	return out, err
}

// Drop unlocks a mark file, so that the next process that writes clears the lock files that are listed there. It is called if a child
// process may have left some of them behind. The git processes that we keep running to move refs hold the mark file locked too, so Drop
// ends them.
func (r *Program) Drop(g *guard.Mark) {
	r.mu.Lock()
	r.Guard.Drop(g)
	movers := []*Talk{r.residents[Mover], r.residents[Logger], r.residents[Teller]}
	r.residents[Mover], r.residents[Logger], r.residents[Teller] = nil, nil, nil
	r.mu.Unlock()
	for _, t := range movers {
		t.close() // ends the process, because it keeps the mark file locked
	}
}

// Line runs a reading command and returns its output without newlines at the end.
func (r *Program) Line(ctx context.Context, args ...string) (string, error) {
	out, err := r.Git(ctx, Call{Args: args})
	return strings.TrimRight(string(out), "\n"), err
}

// Command returns the process for a call, with its arguments, environment and folder.
func (r *Program) Command(c Call) proc.Command {
	args := []string{}
	switch c.Mode {
	case Write:
		args = append(append(args, durable...), noMaintenance...)
	case User:
		args = append(args, durable[:2]...) // leave out core.fsyncObjectFiles, because git would show the user a warning about it
	}
	dir := c.Dir
	if dir == "" {
		dir = r.Dir()
	}
	return proc.Command{
		Name: "git", Args: append(args, c.Args...), Dir: dir,
		Env: r.environment(c), Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, Apart: r.apart,
		Patience: r.patienceWith(c), Started: c.Started,
	}
}

func (r *Program) environment(c Call) []string {
	env := r.env.Without(locate.LocalVars()...)
	if r.Explicit {
		env = env.With("GIT_DIR=" + r.GitDir)
		if r.WorkTree != "" {
			env = env.With("GIT_WORK_TREE=" + r.WorkTree)
		}
	}
	if c.Mode != User {
		env = env.With("LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0", "GIT_ADVICE=0")
	}
	if c.Mode == Read {
		env = env.With("GIT_OPTIONAL_LOCKS=0")
	}
	return env.With(r.extra...).With(c.Env...)
}

// Dir returns the folder in which git runs for this worktree.
func (r *Program) Dir() string {
	// The worktree may have been removed in the meantime. git must still be able to start, because we record what was done there.
	for _, dir := range []string{r.WorkTree, r.GitDir} {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			return dir
		}
	}
	return r.CommonDir
}

// cleanStderr returns git's error output without empty lines, without "fatal: ", and without the warning about
// core.fsyncObjectFiles, which our own setting causes. If nothing is left, it returns the name of the signal that ended
// git, or "".
func cleanStderr(text, signal string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && !strings.Contains(line, "core.fsyncObjectFiles") {
			lines = append(lines, strings.TrimPrefix(line, "fatal: "))
		}
	}
	if len(lines) == 0 {
		return signal
	}
	return strings.Join(lines, "\n")
}

// IsThere reports whether a file or folder exists at a path.
func IsThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
