package exchange

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
)

// checker decides whether to believe what a remote shows.
type checker struct{ in *Exchanger }

// read reads a journal that was fetched. It returns a *DoubtError if the journal cannot be read.
func (c checker) read(ctx context.Context, l *Look, at object.ID) (*notes.Contents, object.ID, error) {
	tree, err := notes.TreeOf(ctx, c.in.Repo, at)
	if err != nil {
		return nil, "", &DoubtError{Run: l.Run, Remote: l.Remote, Doubt: Unreadable, Text: "it is not the record of a run"}
	}
	all, err := journal.Union{Store: c.in.Store}.Read(ctx, l.Run, tree)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		return nil, "", &DoubtError{Run: l.Run, Remote: l.Remote, Doubt: Unreadable, Text: err.Error()}
	}
	return all, at, nil
}

// check compares the remote's journal with the journal that the remote had before, and with the journal of this clone. It returns a
// *DoubtError if they do not fit together, or if two leases of the remote contradict each other.
func (c checker) check(ctx context.Context, l *Look, before object.ID) error {
	doubt := func(d Doubt, missing int) error {
		return &DoubtError{Run: l.Run, Remote: l.Remote, Doubt: d, Missing: missing}
	}
	for _, x := range l.Leases {
		if x.Twice {
			return doubt(Leases, 0)
		}
	}
	if before != "" && before != l.Journal {
		tree, err := notes.TreeOf(ctx, c.in.Repo, before)
		if err != nil {
			return err
		}
		old, err := journal.Union{Store: c.in.Store}.Read(ctx, l.Run, tree)
		if err != nil {
			return err
		}
		if n := missing(old.Lines, l.Lines()); n > 0 && !c.in.Restore {
			return doubt(RolledBack, n)
		}
		// A line is late, and does not count, if it reached the remote only after the next lease was taken. A line that was not late when
		// this clone last looked cannot become late. If one is late now, the leases at the remote cannot be right.
		counted := notes.Minus(old.Lines, lease.Late(old.Lines))
		if missing(counted, lease.Late(l.Lines())) < len(counted) {
			return doubt(Leases, 0)
		}
	}
	return c.checkRoot(ctx, l, doubt)
}

// checkRoot makes sure that the remote's journal and the journal here belong to the same run, and do not only have the same name.
func (c checker) checkRoot(ctx context.Context, l *Look, doubt func(Doubt, int) error) error {
	if !l.There() {
		return nil
	}
	j, err := c.in.Store.Load(ctx, l.Run)
	var none *checkpoint.NoRunError
	switch {
	case errors.As(err, &none):
		return nil
	case err != nil:
		return err
	}
	for _, x := range l.Lines() {
		if !x.Bad && x.Event.ID == j.Run.Root {
			return nil
		}
	}
	for _, x := range l.Lines() {
		if !x.Bad && x.Event.Event.Begins() && c.knows(ctx, l.Run, x) {
			return nil // it is the same run: the journal here also has this line, which starts the run or takes it over
		}
	}
	return doubt(OtherRun, 0)
}

// knows reports whether a line is in the journal of this clone.
func (c checker) knows(ctx context.Context, id checkpoint.RunID, x checkpoint.Line) bool {
	lines, err := c.in.Store.Lines(ctx, id)
	return err == nil && missing([]checkpoint.Line{x}, lines) == 0
}
