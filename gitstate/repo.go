package gitstate

import (
	"context"
	"sync"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/gitstate/store"
)

// Repo answers questions about one worktree of one repository, mostly by asking git. It is safe for use by several goroutines. Close ends
// its helper processes.
type Repo struct {
	*process.Program

	Settings *settings.Settings
	Refs     *refs.Refs
	Objects  *store.Objects
	Hooks    *Hooks
	warm     sync.WaitGroup
}

// Open returns a Repo for the repository at a place. It starts no process yet.
func Open(p locate.Place, env []string) *Repo { return newRepo(process.New(p, env)) }

// At returns the same repository as seen from another worktree.
func (r *Repo) At(p locate.Place) *Repo { return newRepo(r.Elsewhere(p)) }

// Again returns the same repository without the cached results of earlier reads.
func (r *Repo) Again() *Repo { return r.At(r.Place) }

// Through returns the same repository with additional environment variables for every call of git.
func (r *Repo) Through(vars ...string) *Repo { return newRepo(r.With(vars...)) }

func newRepo(p *process.Program) *Repo {
	r := &Repo{Program: p, Settings: settings.New(p)}
	r.Refs = refs.New(p, r.Settings)
	r.Objects = store.New(p, r.Settings, r.Refs)
	r.Hooks = &Hooks{git: p, settings: r.Settings}
	return r
}

// Warm reads the settings and starts the git process that reads objects. It does both in the background, for a caller that will soon need
// them.
func (r *Repo) Warm(ctx context.Context) {
	r.warm.Go(func() {
		_, _ = r.Settings.Config(ctx) // a later call that needs the settings gets the error
		r.Objects.Warm(ctx)
	})
}

// Close ends the helper processes, if any were started, and removes our mark file, which lists the lock files of our git processes.
func (r *Repo) Close() {
	r.warm.Wait()
	r.Program.Close()
}
