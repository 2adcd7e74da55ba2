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

// Engine names who gives the verdict. Empty: git where it can, else the builtin engine.
type Engine string

// The engines.
const (
	Git     Engine = "git"
	Builtin Engine = "builtin"
)

// Query is one question: would these two sides merge?
type Query struct {
	Ours, Theirs object.ID
	// OursName and TheirsName are how the user calls the sides;
	// git puts them behind the names of files that it would have to move aside.
	OursName, TheirsName string
	// Base replaces the common ancestor that git would find.
	Base object.ID
	// Uncommitted is a tree, or a commit with a tree, that stands for ours with its uncommitted work.
	Uncommitted object.ID
	Engine      Engine
	// Detail says how much is found out about each conflict.
	Detail Detail
	// Inputs are patterns of files that the tasks to come depend on.
	Inputs []string
	// Expect are patterns of files in which a conflict is only a warning.
	Expect []string
	// Task names the task that made a commit; it may be nil.
	Task func(object.ID) string
}

// Detail is how much a report tells of each conflict.
type Detail int

// The details. The zero value tells everything.
const (
	// Whose: paths, lines, and the commits behind them.
	Whose Detail = iota
	// Where: paths and lines.
	Where
	// Paths only.
	Paths
)

// asked is a query with everything looked up that both engines need.
type asked struct {
	Query
	repo *past.Scratch
	// ours is a commit of the side with its uncommitted work, theirs of the other.
	ours, theirs object.ID
	// changed is what each side changed since the base, renames not followed.
	byOurs, byTheirs []past.Delta
	bases            []object.ID
	// looked waits for the look-up of these; it is set once that has begun.
	looked func() error
}

// Check finds out whether two sides merge and, if not, where.
// ErrUnrelated (of past) is in the chain of the error if they have no common ancestor.
// Nothing is written into the repository and nothing is fetched.
func Check(ctx context.Context, r *gitstate.Repo, q Query) (Report, error) {
	a := &asked{Query: q}
	if q.Base == "" && !past.Partial(r) {
		// The repository itself has the answer: git looks while the store for the merge is made.
		a.look(ctx, direct{r})
		defer a.looked()
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

// prepare makes the commits that stand for the sides, where the given ones do not.
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
	// git before 2.40 cannot be told a base, but it finds the one that two made-up commits have.
	root, err := a.repo.MakeCommit(ctx, base)
	if err != nil {
		return err
	}
	if a.ours, err = a.repo.MakeCommit(ctx, ours, root); err != nil {
		return err
	}
	// The same tree on both sides must not become the same commit.
	if a.theirs, err = a.repo.MakeCommit(ctx, theirs, root); err == nil && a.theirs == a.ours {
		a.theirs, err = a.repo.MakeCommit(ctx, theirs, root, root)
	}
	return err
}

// repository is what a look-up asks: the repository, or a store on top of it.
type repository interface {
	MergeBases(ctx context.Context, a, b object.ID) ([]object.ID, error)
	Changed(ctx context.Context, from, to object.ID) ([]past.Delta, error)
}

// direct is the repository itself, without a store on top.
type direct struct{ repo *gitstate.Repo }

func (r direct) MergeBases(ctx context.Context, a, b object.ID) ([]object.ID, error) {
	return past.MergeBases(ctx, r.repo, a, b)
}

func (r direct) Changed(ctx context.Context, from, to object.ID) ([]past.Delta, error) {
	return past.Changed(ctx, r.repo, from, to)
}

// lookUp finds the base and what the other side changed since.
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

// look begins the look-up, beside what else is to be done.
func (a *asked) look(ctx context.Context, in repository) {
	done := make(chan error, 1)
	go func() { done <- a.lookUp(ctx, in) }()
	a.looked = sync.OnceValue(func() error { return <-done })
}

// lookCloser finds what ours changed; a clean verdict of git does not need it.
func (a *asked) lookCloser(ctx context.Context) error {
	var err error
	a.byOurs, err = a.repo.Changed(ctx, a.bases[0], a.ours)
	return err
}

// merge is what the builtin engine is asked.
func (a *asked) merge() clash.Merge {
	return clash.Merge{
		Repo: a.repo, Tips: [3]object.ID{a.bases[0], a.ours, a.theirs}, Several: len(a.bases) > 1,
		Changed: [3][]past.Delta{nil, a.byOurs, a.byTheirs}, Labels: [3]string{"", a.label(clash.InOurs), a.label(clash.InTheirs)},
	}
}

// verdict asks the engine that the query wants, or the best there is.
func (a *asked) verdict(ctx context.Context) (Engine, clash.Verdict, error) {
	if a.looked == nil {
		a.look(ctx, a.repo)
	}
	if a.Engine == Builtin {
		if err := a.looked(); err != nil {
			return Builtin, clash.Verdict{}, err
		}
		if err := a.lookCloser(ctx); err != nil {
			return Builtin, clash.Verdict{}, err
		}
		v, err := builtin.Ask(ctx, a.merge())
		return Builtin, v, err
	}
	// The merge and the look-up take their time over the same history; neither needs the other.
	v, err := a.askGit(ctx)
	if err == nil && v.Clean && a.ours == a.Ours && a.theirs == a.Theirs {
		a.repo.Release() // beside the look-up, which may take longer than the merge
	}
	lookErr := a.looked()
	switch {
	case lookErr != nil:
		return Git, clash.Verdict{}, lookErr
	case err == nil:
		return Git, v, a.nameSides(ctx, &v)
	case ctx.Err() != nil || a.Engine == Git && errors.Is(err, past.ErrNoMergeTree):
		return Git, clash.Verdict{}, err
	}
	// git could not: it is too old, or objects are missing.
	// The builtin engine reads less, and says what it cannot tell.
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
