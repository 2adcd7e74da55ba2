package exchange

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
)

// knowing sends without asking the remote first. It relies on what this clone remembers of the remote, and updates that after a push.
type knowing struct{ in *Exchanger }

// send pushes without asking the remote first. It assumes that the refs of the remote are still as this clone last saw them. If they are
// not, the remote moves none of them. The result is true only if the push moved the refs. If it is false and there is no error, the caller
// must ask the remote.
func (k knowing) send(ctx context.Context, j *journal.Journal, x *Exchange, q SendRequest) (bool, error) {
	var err error
	share := j.Run.Share
	if x.Look, err = k.recall(ctx, q); err != nil || x.Look == nil || k.in.Restore {
		return false, err
	}
	if held := lease.Held(x.Look.Leases); held == nil || !held.Ours || !share.Bound() || share.Remote != x.Look.Sum || !share.Consented {
		return false, nil
	}
	if err := k.in.unite(ctx, x); err != nil || x.Parked != nil || x.Apart {
		return false, err
	}
	moves, _ := k.in.moves(ctx, x)
	if len(moves) == 0 || moves[0].Ref != there(journalKind, q.Run) {
		return false, nil // let the caller ask the remote: a push without the journal would not notice that somebody else has the lease
	}
	// All refs must move together or not at all. If only the branch moved, it would get in the way of somebody else who has the lease.
	answer, err := k.in.At(q.Remote).Swap(ctx, moves...)
	if err != nil || answer.Outcome != remote.Moved {
		x.tried = true
		return false, err
	}
	return true, k.moved(ctx, x, moves)
}

// recall returns what the remote had of a run when this clone last looked there or sent something. It makes no request. The result is nil
// if that is not known, or cannot be read any more.
func (k knowing) recall(ctx context.Context, q SendRequest) (*Look, error) {
	at, err := k.tracked(ctx, q.Run, q.Remote)
	if err != nil || at.journal == "" {
		return nil, err
	}
	l := &Look{Run: q.Run, Remote: q.Remote, Head: at.head, Wip: at.wip}
	if l.Contents, l.Journal, err = checker(k).read(ctx, l, at.journal); err != nil {
		return nil, ctx.Err()
	}
	l.Leases = lease.All(l.Lines())
	l.Sum, err = q.sum()
	return l, err
}

// sumOf starts to compute the checksum of a remote's URL, and returns a function that waits for the result.
func (k knowing) sumOf(ctx context.Context, name string) func() (string, error) {
	sum := sync.OnceValues(func() (string, error) { return k.in.At(name).Sum(ctx) })
	go func() { _, _ = sum() }()
	return sum
}

// tracked reads the tracking refs of a run.
func (k knowing) tracked(ctx context.Context, id checkpoint.RunID, name string) (tracked, error) {
	at, err := k.in.Repo.Refs.All(ctx, TrackingRef(name, journalKind, id), TrackingRef(name, headsKind, id), TrackingRef(name, wipKind, id))
	if err != nil {
		return tracked{}, err
	}
	return tracked{at[0], at[1], at[2]}, nil
}

// landed sets BranchSent and WipSent from x.Look, after x.Look has shown that the push arrived.
func (x *Exchange) landed() {
	x.BranchSent = x.Tip != "" && x.Look.Head == x.Tip
	x.WipSent = x.wip.Send != "" && x.Look.Wip == x.wip.Send
}

// arrived reports whether the remote, as x.Look shows it after the push, has the branch and the uncommitted work that were sent.
func arrived(x *Exchange, moves []remote.Move) bool {
	return !slices.ContainsFunc(moves, func(m remote.Move) bool {
		switch m.Ref {
		case there(headsKind, x.Look.Run):
			return m.New != x.Look.Head
		case there(wipKind, x.Look.Run):
			return m.New != x.Look.Wip
		}
		return false // do not compare the journal's ref, because the journal may have got more lines after the push
	})
}

// moved remembers what the remote has after these moves.
func (k knowing) moved(ctx context.Context, x *Exchange, moves []remote.Move) error {
	lines, err := journal.Union{Store: k.in.Store}.Lines(ctx, x.Journal)
	if err != nil {
		return err
	}
	return k.in.sent(ctx, x, moves, &notes.Contents{Lines: lines})
}

// sent remembers that the remote has what was sent. The argument "whole" is the content of the journal that was sent.
func (e *Exchanger) sent(ctx context.Context, x *Exchange, moves []remote.Move, whole *notes.Contents) error {
	was := *x.Look
	for _, m := range moves {
		switch m.Ref {
		case there(headsKind, was.Run):
			x.Look.Head, x.BranchSent = m.New, true
		case there(wipKind, was.Run):
			x.Look.Wip, x.WipSent = m.New, m.New != ""
		default:
			x.Look.Journal, x.Look.Contents, x.Look.Leases = m.New, whole, lease.All(whole.Lines)
		}
	}
	err := e.track(ctx, x.Look, tracked{was.Journal, was.Head, was.Wip})
	var stale *refs.StaleError
	if errors.As(err, &stale) {
		return nil // meanwhile another process of this clone has recorded what the remote has, and its record is as new as ours
	}
	return err
}
