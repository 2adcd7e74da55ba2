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
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/site"
)

// gitSays repeats git's own message, line by line.
func gitSays(text string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		out = append(out, "git says: "+strings.TrimSpace(quote.Clean(line)))
	}
	return out
}

func adviceOnGit(err error) []string {
	var hook *commit.HookError
	var taken *journal.TakenError
	var key *clone.KeyError
	var busy *refs.BusyError
	var git *process.Error
	var bad *refs.BadError
	var base *merge.BaselessError
	var commit *compare.NoCommitError
	var late *process.LimitError
	if a := adviceOnDisk(err); a != nil {
		return a
	}
	switch {
	case errors.As(err, &late):
		return []string{"nothing was written by it; find out what holds it up with " + phrase.Single("git %s", (&process.Error{Args: late.Args}).Command()) + ", then repeat the command"}
	case errors.As(err, &hook):
		return append(hookLines(hook.Output), "fix it and repeat the command, or skip the hooks with '--no-verify'")
	case errors.As(err, &key):
		return []string{fmt.Sprintf("if nobody else has read it, make it private with %s", phrase.Single("chmod 600 %s", key.Path)),
			"otherwise remove it: a new one is made, and each run must be taken over"}
	case errors.As(err, &taken):
		return []string{fmt.Sprintf("look at it with %s, and rename or delete it if it is not needed", phrase.Single("git show-ref %s", taken.Ref))}
	case errors.As(err, &busy):
		return []string{"another git process may be running; if none is, remove the lock file that the message names"}
	case errors.Is(err, site.ErrUnborn):
		return []string{"make a first commit with 'git commit --allow-empty -m start'"}
	case errors.Is(err, locate.ErrNotRepository):
		return []string{"go into one, or make one with 'git init'"}
	case errors.Is(err, past.ErrShallow):
		return []string{"get the rest of the history with 'git fetch --unshallow', or name a commit to compare with by '--base COMMIT'"}
	case errors.Is(err, past.ErrUnrelated):
		return []string{"name a commit to compare with by '--base COMMIT'"}
	case errors.As(err, &commit) && commit.Several:
		return []string{"write more of its id"}
	case errors.As(err, &commit):
		return []string{"see the branches with 'git branch --all'"}
	case errors.Is(err, site.ErrNoWorkTree):
		return []string{"go into one; 'git worktree list' shows them"}
	case errors.As(err, &base):
		return []string{"see the branches with 'git branch --all'"}
	case errors.As(err, &bad) && bad.Ref == "HEAD":
		return []string{"it must name a branch, as in 'ref: refs/heads/main'; write that into the file HEAD of the git directory"}
	case errors.As(err, &bad):
		return []string{"see what else is damaged with 'git fsck'"}
	case errors.As(err, &git) && strings.Contains(git.Text, "did not match any files"):
		return []string{"paths are meant from the current directory; see what changed with 'git status'"}
	case errors.As(err, &git) && strings.Contains(git.Text, "index.lock"):
		return []string{"another git process may be running in this worktree; if none is, remove the lock file that the message names"}
	}
	return nil
}

// adviceOnDisk covers errors that the file system reports.
func adviceOnDisk(err error) []string {
	var path *fs.PathError
	var old *process.TooOldError
	var refused *gitstate.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Way != "":
		return []string{fmt.Sprintf("if you trust everybody who can write there, let git work in it with '%s'", quote.Clean(refused.Way))}
	case errors.As(err, &old):
		return []string{"see which git is used with 'git version', and put a newer one first on PATH"}
	case proc.IsMissing(err):
		return []string{"install git, or put its folder on PATH"}
	case errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "No space left on device"):
		return []string{"make room, then repeat the command; 'git count-objects -vH' says what the repository takes"}
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		if errors.As(err, &path) {
			return []string{"see whose it is with " + phrase.Single("ls -ld %s", filepath.Dir(path.Path))}
		}
		var link *os.LinkError
		if errors.As(err, &link) {
			return []string{"see whose it is with " + phrase.Single("ls -ld %s", filepath.Dir(link.New))}
		}
		return []string{"what the message names must be writable for you"}
	}
	return nil
}

func hookLines(output string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(output)) {
		out = append(out, "it said: "+quote.Clean(line))
		if len(out) == 5 {
			break
		}
	}
	return out
}
