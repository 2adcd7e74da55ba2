package gitstate

import (
	"context"
	"sync"
)

// Repo asks git about one worktree of one repository.
// It is safe for use by several goroutines. Close ends its helper process.
type Repo struct {
	*Program

	Settings *Settings
	Refs     *Refs
	Objects  *Objects
	Hooks    *Hooks
	warm     sync.WaitGroup
}

// Open prepares to ask about the repository at a place; it starts nothing.
func Open(p Place, env []string) *Repo { return with(NewProgram(p, env)) }

// At is the same repository seen from another of its worktrees.
func (r *Repo) At(p Place) *Repo { return with(r.Elsewhere(p)) }

// Again is the same repository with nothing remembered of it.
func (r *Repo) Again() *Repo { return r.At(r.Place) }

// Through is the same repository with variables that are set for every call of git.
func (r *Repo) Through(vars ...string) *Repo { return with(r.With(vars...)) }

func with(p *Program) *Repo {
	r := &Repo{Program: p, Settings: NewSettings(p)}
	r.Refs = NewRefs(p, r.Settings)
	r.Objects = NewObjects(p, r.Settings, r.Refs)
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
