package conflicts

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/conflicts/builtin"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// Engine names the engine that decides. An empty name means git, and the builtin engine if git cannot merge.
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
	// Tree is the worktree with our uncommitted work, and Files lists its files that are not as in HEAD. They are compared as git would
	// store them, for example with the line ends of the repository.
	Tree  *gitstate.Repo
	Files []string
	// Uncommitted is a tree or a commit that represents our side with its uncommitted work. It is used if there is no Tree, or if git cannot
	// read the files.
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

// These are the values of Detail. The zero value is Whose, so by default a report contains everything.
const (
	// With the level Whose, a report contains paths, lines, and the commits that made the lines.
	Whose Detail = iota
	// With the level Where, a report contains paths and lines.
	Where
	// With the level Paths, a report contains paths, but neither lines nor commits.
	Paths
)

// asked is a query together with the data that both engines need.
type asked struct {
	Query
	repo  *past.Scratch
	bases []object.ID
	// trees are the trees of the first base, of our side with its uncommitted work, and of the other side.
	trees [3]object.ID
	// The fields "ours" and "theirs" are the commits that are merged: "ours" includes the uncommitted work of our side.
	ours, theirs object.ID
	// byOurs and byTheirs are the changes of each side since the base. Renames are not followed.
	byOurs, byTheirs []past.Delta
	// early is a merge by git that was started before the common ancestor was known. It is nil if there is none.
	early *earlyMerge
	// left lists uncommitted files that were not read, and "unread" says why.
	left   []string
	unread string
	// changes is closed when the search for byTheirs has ended. If the search failed, changesErr says why. Otherwise "apart" says whether
	// the changes of the other side certainly cause no conflict.
	changes    chan struct{}
	changesErr error
	apart      bool
}

// Check finds out whether two sides can be merged and, if not, where they conflict.
// If the sides have no common ancestor, the error wraps past.ErrUnrelated.
// Check writes nothing into the repository and fetches nothing.
func Check(ctx context.Context, r *gitstate.Repo, q Query) (Report, error) {
	s, err := past.NewScratch(r)
	if err != nil {
		return Report{}, err
	}
	defer s.Close()
	a := &asked{Query: q, repo: s}
	if q.Engine != Builtin {
		s.StartMerge(ctx)
	}
	defer func() { a.early.end() }()
	if err := a.prepare(ctx); err != nil {
		return Report{}, err
	}
	a.startChanges(ctx)
	defer func() { <-a.changes }()
	engine, v, err := a.verdict(ctx)
	if err != nil {
		return Report{}, err
	}
	return a.report(ctx, engine, v)
}

// prepare finds the common ancestors and the trees to merge. Usually it makes a new commit for each side, with the only common ancestor as
// its parent. Then git need not search the history, and git before 2.40 accepts a base of our choice. If mergeEarly has started a merge and
// its result can be used, no commits are needed.
func (a *asked) prepare(ctx context.Context) (err error) {
	a.ours, a.theirs = a.Ours, a.Theirs
	if a.Tree != nil && len(a.Files) > 0 {
		tree, left, err := a.repo.Stored(ctx, a.Tree, a.Files)
		switch {
		case err == nil:
			a.Uncommitted, a.left, a.unread = tree, left, "it is too large, or no ordinary file"
		case a.Uncommitted == "":
			a.left, a.unread = a.Files, err.Error()
		}
	}
	if a.bases = []object.ID{a.Base}; a.Base == "" {
		if a.bases, err = a.repo.MergeBases(ctx, a.Ours, a.Theirs, func(far bool) { a.mergeEarly(ctx, far) }); err != nil {
			return fmt.Errorf("compare %s and %s: %w", a.Ours, a.Theirs, err)
		}
	}
	trees, err := a.repo.Trees(ctx, a.bases[0], cmp.Or(a.Uncommitted, a.Ours), a.Theirs)
	if err != nil {
		return err
	}
	a.trees = [3]object.ID(trees)
	if a.early.counts() {
		return nil
	}
	a.early = nil
	if len(a.bases) > 1 { // git must find several common ancestors itself, so both sides keep their real parents
		if a.Uncommitted != "" {
			a.ours, err = a.repo.MakeCommit(ctx, a.trees[clash.InOurs], a.Ours)
		}
		return err
	}
	if a.ours, err = a.repo.MakeCommit(ctx, a.trees[clash.InOurs], a.bases[0]); err != nil {
		return err
	}
	// If both sides have the same tree, they must still become two different commits. Otherwise git would merge a commit with itself.
	if a.theirs, err = a.repo.MakeCommit(ctx, a.trees[clash.InTheirs], a.bases[0]); err == nil && a.theirs == a.ours {
		a.theirs, err = a.repo.MakeCommit(ctx, a.trees[clash.InTheirs], a.bases[0], a.bases[0])
	}
	return err
}

// mergeEarly starts git's merge before the common ancestor is known, if this merge was not started yet. It does nothing for the builtin
// engine. It also does nothing if there is uncommitted work, because that work must become a commit first.
//
// The merge itself searches for the ancestor. If "far" is true, the search may take long, and a second git process is about to search for
// the ancestor too. So mergeEarly then lets the early merge run only for a short time. If it has not ended by then, git merges again when
// the ancestor is known.
func (a *asked) mergeEarly(ctx context.Context, far bool) {
	if a.Engine == Builtin || a.Uncommitted != "" {
		return
	}
	if a.early == nil {
		a.early = startEarly(ctx, a.repo, a.arg(ctx, clash.InOurs), a.arg(ctx, clash.InTheirs))
	}
	if far {
		a.early.limit()
	}
}

// startChanges starts to find the changes of the other side since the base, while git merges.
func (a *asked) startChanges(ctx context.Context) {
	a.changes = make(chan struct{})
	go func() {
		defer close(a.changes)
		a.byTheirs, a.apart, a.changesErr = a.repo.ChangedBeside(ctx, a.trees[clash.InBase], a.trees[clash.InOurs], a.trees[clash.InTheirs])
	}()
}

// lookCloser finds the changes of our side. This is not needed if git says that the merge is clean.
func (a *asked) lookCloser(ctx context.Context) error {
	var err error
	a.byOurs, err = a.repo.ChangedTrees(ctx, a.trees[clash.InBase], a.trees[clash.InOurs])
	return err
}

// merge returns the query for the builtin engine.
func (a *asked) merge() clash.Merge {
	return clash.Merge{
		Repo: a.repo, Tips: [3]object.ID{a.bases[0], a.ours, a.theirs}, Several: len(a.bases) > 1,
		Changed: [3][]past.Delta{nil, a.byOurs, a.byTheirs}, Labels: [3]string{"", a.label(clash.InOurs), a.label(clash.InTheirs)},
	}
}

// verdict asks the engine that the query names, or git if it names none. If git cannot merge, verdict asks the builtin engine. But if the
// query demands git and git is too old, it returns git's error. It does not wait for git if the changes of the other side certainly cause
// no conflict.
func (a *asked) verdict(ctx context.Context) (Engine, clash.Verdict, error) {
	if a.Engine == Builtin {
		<-a.changes
		if err := errors.Join(a.changesErr, a.lookCloser(ctx)); err != nil {
			return Builtin, clash.Verdict{}, err
		}
		v, err := builtin.Ask(ctx, a.merge())
		return Builtin, v, err
	}
	v, err := a.askGitUnlessApart(ctx)
	if err == nil && v.Clean {
		a.repo.Release() // the merge is clean, so the temporary store is not needed any more, even if the search for changes still runs
	}
	<-a.changes
	switch {
	case a.changesErr != nil:
		return Git, clash.Verdict{}, a.changesErr
	case err == nil:
		return Git, v, a.nameSides(ctx, &v)
	case ctx.Err() != nil || a.Engine == Git && errors.Is(err, past.ErrNoMergeTree):
		return Git, clash.Verdict{}, err
	}
	// git could not merge, for example because it is too old or objects are missing. The builtin engine needs fewer objects.
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

// askGitUnlessApart lets git merge, and stops it if the changes of the other side turn out to cause no conflict.
func (a *asked) askGitUnlessApart(ctx context.Context) (clash.Verdict, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var v clash.Verdict
	var err error
	merged := make(chan struct{})
	go func() {
		defer close(merged)
		v, err = a.askGit(ctx)
	}()
	select {
	case <-merged:
		return v, err
	case <-a.changes:
	}
	if a.apart && a.changesErr == nil && len(a.bases) == 1 {
		stop()
		a.early.end()
		<-merged
		return clash.Verdict{Clean: true}, nil
	}
	<-merged
	return v, err
}
