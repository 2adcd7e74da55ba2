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

// Repo asks git about one worktree of one repository.
// It is safe for use by several goroutines. Close ends its helper process.
type Repo struct {
	*process.Program

	Settings *settings.Settings
	Refs     *refs.Refs
	Objects  *store.Objects
	Hooks    *Hooks
	warm     sync.WaitGroup
}

// Open prepares to ask about the repository at a place; it starts nothing.
func Open(p locate.Place, env []string) *Repo { return with(process.New(p, env)) }

// At is the same repository seen from another of its worktrees.
func (r *Repo) At(p locate.Place) *Repo { return with(r.Elsewhere(p)) }

// Again is the same repository with nothing remembered of it.
func (r *Repo) Again() *Repo { return r.At(r.Place) }

// Through is the same repository with variables that are set for every call of git.
func (r *Repo) Through(vars ...string) *Repo { return with(r.With(vars...)) }

func with(p *process.Program) *Repo {
	r := &Repo{Program: p, Settings: settings.New(p)}
	r.Refs = refs.New(p, r.Settings)
	r.Objects = store.New(p, r.Settings, r.Refs)
	r.Hooks = &Hooks{git: p, settings: r.Settings}
	return r
}

// Warm begins to read the settings and starts the helper process, while the caller does something else:
// whoever is going to write needs both, and each costs a process.
func (r *Repo) Warm(ctx context.Context) {
	r.warm.Go(func() {
		_, _ = r.Settings.Config(ctx) // whoever needs them asks again, and gets the error
		r.Objects.Warm(ctx)
	})
}

// Close ends the helper process, if one was started.
func (r *Repo) Close() {
	r.warm.Wait()
	r.Program.Close()
}
