package conflicts

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/git-resume/git-resume/conflicts/builtin"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// Engine names the engine that decides. If it is empty, git decides if possible, and otherwise the builtin engine.
type Engine string

// These are the engines that can decide whether two sides conflict.
const (
	Git     Engine = "git"
	Builtin Engine = "builtin"
)

// Query asks whether two sides can be merged without conflicts.
type Query struct {
	Ours, Theirs object.ID
	// OursName and TheirsName are the user's names for the sides. git appends these names to files that it moves aside.
	OursName, TheirsName string
	// Base, if it is set, is used instead of the common ancestor that git would find.
	Base object.ID
	// Uncommitted is a tree or a commit that represents our side with its uncommitted work.
	Uncommitted object.ID
	Engine      Engine
	// Detail says how much to find out about each conflict.
	Detail Detail
	// Inputs contains patterns for files that the next tasks depend on.
	Inputs []string
	// Expect contains patterns for files. A conflict in such a file is only a warning.
	Expect []string
	// Task, if it is set, returns the task that made a commit.
	Task func(object.ID) string
}

// Detail says how much a report contains about each conflict.
type Detail int

// These are the levels of detail. The zero value includes everything.
const (
	// With the level Whose, a report contains paths, lines, and the commits that made the lines.
	Whose Detail = iota
	// With the level Where, a report contains paths and lines.
	Where
	// With the level Paths, a report contains only paths.
	Paths
)

// asked is a query together with the data that both engines need.
type asked struct {
	Query
	repo *past.Scratch
	// ours is a commit that represents our side with its uncommitted work. theirs is a commit of the other side.
	ours, theirs object.ID
	// byOurs and byTheirs are the changes of each side since the base. Renames are not followed.
	byOurs, byTheirs []past.Delta
	bases            []object.ID
	// lookUpDone waits until the search for bases and byTheirs has ended. It is nil until startLookUp starts that search.
	lookUpDone func() error
}

// Check finds out whether two sides can be merged and, if not, where they conflict.
// If the sides have no common ancestor, the error wraps past.ErrUnrelated.
// Check writes nothing into the repository and fetches nothing.
func Check(ctx context.Context, r *gitstate.Repo, q Query) (Report, error) {
	a := &asked{Query: q}
	if q.Base == "" && !past.Partial(r) {
		// The search needs no temporary object store, so it can run while NewScratch makes one.
		a.startLookUp(ctx, direct{r})
		defer a.lookUpDone()
	}
	s, err := past.NewScratch(r)
	if err != nil {
		return Report{}, err
	}
	defer s.Close()
	a.repo = s
	if err := a.prepare(ctx); err != nil {
		return Report{}, err
	}
	engine, v, err := a.verdict(ctx)
	if err != nil {
		return Report{}, err
	}
	return a.report(ctx, engine, v)
}

// prepare makes a commit for a side if no given commit represents that side.
func (a *asked) prepare(ctx context.Context) error {
	a.ours, a.theirs = a.Ours, a.Theirs
	if a.Base == "" && a.Uncommitted == "" {
		return nil
	}
	tree := func(id object.ID) (object.ID, error) {
		o, err := a.repo.Object(ctx, string(id)+"^{tree}")
		return o.ID, err
	}
	side := a.Uncommitted
	if side == "" {
		side = a.Ours
	}
	ours, err := tree(side)
	if err != nil {
		return err
	}
	if a.Base == "" {
		a.ours, err = a.repo.MakeCommit(ctx, ours, a.Ours)
		return err
	}
	base, err := tree(a.Base)
	if err != nil {
		return err
	}
	theirs, err := tree(a.Theirs)
	if err != nil {
		return err
	}
	// Before 2.40, git does not accept a base for a merge. So make two commits whose common parent is the base.
	root, err := a.repo.MakeCommit(ctx, base)
	if err != nil {
		return err
	}
	if a.ours, err = a.repo.MakeCommit(ctx, ours, root); err != nil {
		return err
	}
	// Even if both sides have the same tree, they must become two different commits.
	if a.theirs, err = a.repo.MakeCommit(ctx, theirs, root); err == nil && a.theirs == a.ours {
		a.theirs, err = a.repo.MakeCommit(ctx, theirs, root, root)
	}
	return err
}

// repository is the part of a repository that lookUp needs. It is implemented with and without a temporary object store.
type repository interface {
	MergeBases(ctx context.Context, a, b object.ID) ([]object.ID, error)
	Changed(ctx context.Context, from, to object.ID) ([]past.Delta, error)
}

// direct is a repository without a temporary object store.
type direct struct{ repo *gitstate.Repo }

func (r direct) MergeBases(ctx context.Context, a, b object.ID) ([]object.ID, error) {
	return past.MergeBases(ctx, r.repo, a, b)
}

func (r direct) Changed(ctx context.Context, from, to object.ID) ([]past.Delta, error) {
	return past.Changed(ctx, r.repo, from, to)
}

// lookUp finds the base and the changes of the other side since the base.
func (a *asked) lookUp(ctx context.Context, in repository) (err error) {
	theirs := a.Theirs
	if a.Base != "" {
		a.bases, theirs = []object.ID{a.Base}, a.theirs
	} else if a.bases, err = in.MergeBases(ctx, a.Ours, a.Theirs); err != nil {
		return fmt.Errorf("compare %s and %s: %w", a.Ours, a.Theirs, err)
	}
	a.byTheirs, err = in.Changed(ctx, a.bases[0], theirs)
	return err
}

// startLookUp runs lookUp in parallel with other work.
func (a *asked) startLookUp(ctx context.Context, in repository) {
	done := make(chan error, 1)
	go func() { done <- a.lookUp(ctx, in) }()
	a.lookUpDone = sync.OnceValue(func() error { return <-done })
}

// lookCloser finds the changes of our side. This is not needed if git says that the merge is clean.
func (a *asked) lookCloser(ctx context.Context) error {
	var err error
	a.byOurs, err = a.repo.Changed(ctx, a.bases[0], a.ours)
	return err
}

// merge returns the query for the builtin engine.
func (a *asked) merge() clash.Merge {
	return clash.Merge{
		Repo: a.repo, Tips: [3]object.ID{a.bases[0], a.ours, a.theirs}, Several: len(a.bases) > 1,
		Changed: [3][]past.Delta{nil, a.byOurs, a.byTheirs}, Labels: [3]string{"", a.label(clash.InOurs), a.label(clash.InTheirs)},
	}
}

// verdict asks the engine that the query names, or else the best available one.
func (a *asked) verdict(ctx context.Context) (Engine, clash.Verdict, error) {
	if a.lookUpDone == nil {
		a.startLookUp(ctx, a.repo)
	}
	if a.Engine == Builtin {
		if err := a.lookUpDone(); err != nil {
			return Builtin, clash.Verdict{}, err
		}
		if err := a.lookCloser(ctx); err != nil {
			return Builtin, clash.Verdict{}, err
		}
		v, err := builtin.Ask(ctx, a.merge())
		return Builtin, v, err
	}
	// Run the merge and the look-up in parallel. Both read the same history for some time, and neither needs the other's result.
	v, err := a.askGit(ctx)
	if err == nil && v.Clean && a.ours == a.Ours && a.theirs == a.Theirs {
		a.repo.Release() // the look-up may still be running, because it may take longer than the merge
	}
	lookErr := a.lookUpDone()
	switch {
	case lookErr != nil:
		return Git, clash.Verdict{}, lookErr
	case err == nil:
		return Git, v, a.nameSides(ctx, &v)
	case ctx.Err() != nil || a.Engine == Git && errors.Is(err, past.ErrNoMergeTree):
		return Git, clash.Verdict{}, err
	}
	// git could not merge, because it is too old or objects are missing. The builtin engine needs fewer objects.
	old := errors.Is(err, past.ErrNoMergeTree)
	if a.lookCloser(ctx) != nil {
		return Git, clash.Verdict{}, err
	}
	v, fallErr := builtin.Ask(ctx, a.merge())
	if fallErr != nil {
		return Git, clash.Verdict{}, err
	}
	if !old && !v.Clean {
		v.Doubts = append(v.Doubts, clash.Doubt{Text: err.Error()})
	}
	return Builtin, v, nil
}
