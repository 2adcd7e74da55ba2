package exchange

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
)

// Unshare removes a run's refs at the remote, and ends the binding. The run's own record here stays. Unshare refuses while somebody else
// has the lease.
func (e *Exchanger) Unshare(ctx context.Context, id checkpoint.RunID, name string) error {
	look, err := e.Look(ctx, id, name)
	if err != nil {
		return err
	}
	if held := lease.Held(look.Leases); held != nil && !held.Ours {
		return &LeasedError{Run: id, Remote: name, By: Holder(held), Lease: held.Number}
	}
	var moves []remote.Move
	for kind, at := range map[string]object.ID{journalKind: look.Journal, headsKind: look.Head, wipKind: look.Wip} {
		if at != "" {
			moves = append(moves, remote.Move{Ref: there(kind, id), Old: at})
		}
	}
	if len(moves) > 0 {
		answer, err := e.swap(ctx, name, moves)
		if err != nil {
			return err
		}
		if answer.Outcome != remote.Moved {
			return &UnreachableError{Remote: name, Refused: answer.Outcome == remote.Refused, Removes: true, Text: answer.Text}
		}
	}
	if _, err := e.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunUnshared, Remote: r.Share.Remote}}, nil
	}}); err != nil {
		return err
	}
	for _, kind := range []string{journalKind, headsKind, wipKind} {
		if at, err := e.Repo.Refs.Ref(ctx, TrackingRef(name, kind, id)); err == nil && at != "" {
			if err := e.Repo.Refs.Update(ctx, refs.Update{Ref: TrackingRef(name, kind, id), Old: at, NoLog: true}); err != nil {
				return err
			}
		}
	}
	e.forget(id)
	return nil
}
