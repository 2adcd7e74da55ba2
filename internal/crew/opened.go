package crew

import (
	"os"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
)

// opened has the linked worktrees that stay open between two tasks, so that the next task can use their running git processes. The key is
// the worktree's number.
type opened map[int]openedPlace

// openedPlace is an open linked worktree, and the state of its settings files when it was opened.
type openedPlace struct {
	repo     *gitstate.Repo
	settings [2]stamp
}

// stamp is the size and the modification time of a file. They show whether the file has changed.
type stamp struct {
	size int64
	at   time.Time
}

// take returns the linked worktree number n, which the next task uses. An open worktree knows only the old settings, so take opens it
// again if its settings files have changed.
func (o opened) take(n int, at locate.Place, of *gitstate.Repo) *gitstate.Repo {
	if p, ok := o[n]; ok {
		delete(o, n)
		if p.repo.Place == at && p.settings == settingsOf(at) {
			return p.repo
		}
		p.repo.Close()
	}
	return of.At(at)
}

// keep stores an open linked worktree for the next call of take. The method close closes all worktrees that are still stored.
func (o opened) keep(n int, repo *gitstate.Repo) {
	if _, ok := o[n]; !ok {
		o[n] = openedPlace{repo, settingsOf(repo.Place)}
	}
}

func (o opened) close() {
	for n, p := range o {
		p.repo.Close()
		delete(o, n)
	}
}

// settingsOf returns the sizes and times of two settings files: that of the repository and that of the worktree. It ignores the user's
// own settings files, which change far less often.
func settingsOf(at locate.Place) [2]stamp {
	var out [2]stamp
	for i, path := range []string{filepath.Join(at.CommonDir, "config"), filepath.Join(at.GitDir, "config.worktree")} {
		if info, err := os.Stat(path); err == nil {
			out[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return out
}
