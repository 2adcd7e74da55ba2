package commitlog

import (
	"context"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// These limits keep the search through recent commits short. Older commits say little about work that is still open.
const (
	recentWindow = 90 * 24 * time.Hour
	recentMost   = 4000
)

// Recent holds the newest commits of all branches. It reads only as many as somebody asks for.
type Recent struct {
	repo *gitstate.Repo
	now  time.Time
	// tips returns further commits from which the search starts. It is possible that no branch contains them.
	tips func(context.Context) []object.ID

	mu      sync.Mutex
	git     *past.MessageLog
	commits []past.Described
	ended   bool
	history History
	// prepared is the number of commits in the field "history".
	prepared int
}

// NewRecent returns a Recent for a repository. It starts no git process yet.
func NewRecent(repo *gitstate.Repo, now time.Time, tips func(context.Context) []object.ID) *Recent {
	return &Recent{repo: repo, now: now, tips: tips}
}

// History returns the newest commits of the repository. It reads back to the given time, but not further than about three months, and not
// more than recentMost commits. If git fails, there may be fewer or none.
func (r *Recent) History(ctx context.Context, since time.Time) History {
	r.mu.Lock()
	defer r.mu.Unlock()
	if oldest := r.now.Add(-recentWindow); since.Before(oldest) {
		since = oldest
	}
	for !r.reaches(since) && r.read(ctx) {
	}
	if r.prepared != len(r.commits) {
		r.history, r.prepared = NewHistory(r.commits), len(r.commits)
	}
	return r.history
}

// Log returns commits in the history of a branch or a worktree's HEAD, the newest first. The result ok is false if the caller must run a
// separate git command instead.
func (r *Recent) Log(ctx context.Context, tip object.ID, since time.Time, most int) (out []past.Logged, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reached := map[object.ID]bool{tip: true}
	for i := 0; len(out) < most; i++ {
		if i == len(r.commits) && (r.reaches(since) || !r.read(ctx)) {
			return out, r.ended || len(r.commits) < recentMost
		}
		if c := &r.commits[i]; reached[c.ID] {
			out = append(out, c.Logged)
			for _, p := range c.Parents {
				reached[p] = true
			}
		}
	}
	return out, true
}

// read reads one more commit. It returns false if there is none, or if git fails.
func (r *Recent) read(ctx context.Context) bool {
	if r.git == nil && !r.ended {
		git, err := past.OpenMessages(ctx, r.repo, r.tips(ctx)...)
		r.git, r.ended, r.commits, r.prepared = git, err != nil, nil, 0 // this git process starts at the newest commit, so forget the commits of an earlier process
	}
	if r.ended {
		return false
	}
	c, err := r.git.Next()
	if err != nil {
		r.ended = true
		return false
	}
	r.commits = append(r.commits, c)
	return true
}

// reaches reports whether enough commits were read: they go back to the given time, or there are no more, or they are recentMost commits.
func (r *Recent) reaches(since time.Time) bool {
	n := len(r.commits)
	return r.ended || n >= recentMost || n > 0 && r.commits[n-1].When.Before(since.Add(-clockSkew))
}

// Rest ends the git process. A later question starts it again.
func (r *Recent) Rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.git != nil {
		r.git.Close()
		r.git = nil
	}
}
