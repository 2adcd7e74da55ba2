package advice

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/series"
)

// diskRows has the rows for errors of the file system and of the installation of git, and for a repository that git refuses to use.
func diskRows() []row {
	return []row{
		rowIf(exit.Fatal, func(e *gitstate.RefusedError) bool { return e.Way != "" }, func(e *gitstate.RefusedError) []string {
			return []string{fmt.Sprintf("if you trust everybody who can write to this repository, let git use it with '%s'", quote.Clean(e.Way))}
		}),
		rowFor[*gitstate.RefusedError](exit.Fatal, nil),
		rowFor(exit.Fatal, fixedLines[*process.TooOldError]("use 'git version' to see which git is used, and put a newer one first on PATH")),
		{"any error because a program was not found in PATH", exit.Fatal, func(err error) ([]string, bool) {
			return []string{"install git, or put its folder on PATH"}, proc.IsMissing(err)
		}},
		rowForValue(syscall.ENOSPC, exit.Fatal, diskFull),
		{"any error with git's message that the disk is full", 0, func(err error) ([]string, bool) {
			return []string{diskFull}, strings.Contains(err.Error(), "No space left on device")
		}},
		{"any error that says that a file may not be read or written", exit.Fatal, func(err error) ([]string, bool) {
			if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
				return nil, false
			}
			return permissionAdvice(err), true
		}},
		rowForValue(os.ErrInvalid, exit.Fatal),
	}
}

const diskFull = "free some space, then repeat the command; 'git count-objects -vH' shows how much the repository uses"

func permissionAdvice(err error) []string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return []string{"see who may use the file and its folder with " + phrase.Single("ls -ld %s %s", path.Path, filepath.Dir(path.Path))}
	case errors.As(err, &link):
		return []string{"see who may use the folder with " + phrase.Single("ls -ld %s", filepath.Dir(link.New))}
	}
	return []string{"you need write permission for the file that the message names"}
}

// gitRows has the rows for errors about the repository, or from git itself.
func gitRows() []row {
	return []row{
		rowFor(exit.Fatal, func(e *process.LimitError) []string {
			return []string{"the stopped command only reads data; find out why it takes so long with " + phrase.Single("git %s", (&process.Error{Args: e.Args}).Command()) + ", then repeat your command"}
		}),
		rowFor(0, func(e *commit.HookError) []string {
			return append(hookLines(e.Output), "fix what the hook reports and repeat the command, or skip the hooks with '--no-verify'")
		}),
		rowFor(exit.Fatal, func(e *clone.KeyError) []string {
			return []string{
				"if nobody else has read the key, make it private with " + phrase.Single("chmod 600 %s", e.Path),
				"otherwise delete the key: git-resume creates a new one, and you must take over each run whose records were signed with the old key",
			}
		}),
		rowFor(0, func(e *journal.TakenError) []string {
			return []string{"look at it with " + phrase.Single("git show-ref %s", e.Ref) + ", and rename or delete it if it is not needed"}
		}),
		rowFor(0, fixedLines[*refs.BusyError]("another git process may be running; if none is, remove the lock file that the message names")),
		rowForValue(site.ErrUnbornBare, 0, "make a first commit with 'git --work-tree=. commit --allow-empty -m start'"),
		rowForValue(site.ErrUnborn, 0, "make a first commit with 'git commit --allow-empty -m start'"),
		rowForValue(locate.ErrNoDirectory, exit.Fatal, "go to a directory that exists, for example with 'cd'"),
		rowForValue(locate.ErrMoved, exit.Fatal, "if the main worktree or the bare repository was moved, use 'git worktree repair' there"),
		rowForValue(locate.ErrNotRepository, exit.Fatal, "go into a repository, or make one with 'git init'"),
		rowForValue(past.ErrShallow, 0, "get the rest of the history with 'git fetch --unshallow', or give a commit to compare with: '--base COMMIT'"),
		rowForValue(past.ErrUnrelated, exit.Fatal, "give a commit to compare with: '--base COMMIT'"),
		rowIf(exit.Fatal, func(e *compare.NoCommitError) bool { return e.Several }, fixedLines[*compare.NoCommitError]("use more characters of the commit id")),
		rowFor(exit.Fatal, fixedLines[*compare.NoCommitError]("see the branches with 'git branch --all'")),
		rowForValue(site.ErrNoWorkTree, exit.Fatal, "go into a worktree; 'git worktree list' shows them"),
		rowIf(exit.Fatal, func(e *refs.BadError) bool { return e.Ref == "HEAD" },
			fixedLines[*refs.BadError]("the file HEAD of the git directory must hold 'ref: refs/heads/BRANCH' or the id of a commit")),
		rowFor(exit.Fatal, fixedLines[*series.DamagedCommitError]("use 'git fsck' to see what else is damaged")),
		rowFor(0, fixedLines[*start.NoBaseError]("see the branches with 'git branch --all'")),
		rowFor(exit.Fatal, fixedLines[*refs.BadError]("use 'git fsck' to see what else is damaged")),
		rowIf(exit.Fatal, func(e *process.Error) bool { return strings.Contains(e.Text, "did not match any files") },
			fixedLines[*process.Error]("paths are relative to the current directory; use 'git status' to see what changed")),
		rowIf(exit.Fatal, func(e *process.Error) bool { return strings.Contains(e.Text, "index.lock") },
			fixedLines[*process.Error]("another git process may be running in this worktree; if none is, remove the lock file that the message names")),
		rowFor[*process.Error](exit.Fatal, nil),
	}
}
