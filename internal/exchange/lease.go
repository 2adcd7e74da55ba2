package exchange

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/remote"
)

// TakeLease gets the right to work on a shared run: it sends a journal line that takes the lease. After the remote has accepted this line,
// TakeLease adds it to the journal here, together with everything else that the remote has. It returns a *LeasedError if somebody else has
// the lease and this worker may not take it away. It calls prepare before each try, as soon as it knows that the lease can be taken.
func (e *Exchanger) TakeLease(ctx context.Context, id checkpoint.RunID, name string, w lease.Worker, by *checkpoint.Actor, prepare func(*Exchange) error) (*Exchange, error) {
	for try := 1; ; try++ {
		x, err := e.Pull(ctx, id, name)
		if err != nil {
			return nil, err
		}
		cause, ok := lease.May(x.Look.Leases, w)
		if !ok {
			held := lease.Held(x.Look.Leases)
			return x, &LeasedError{Run: id, Remote: name, By: Holder(held), Lease: held.Number, Since: held.At}
		}
		if err := prepare(x); err != nil {
			return x, err
		}
		if err := e.compareBranches(ctx, x); err != nil {
			return x, err
		}
		got, text, err := e.takeOnce(ctx, x, w, cause, by)
		if got || err != nil {
			return x, err
		}
		if try == maxSends || !e.wait(ctx, try) {
			return nil, &UnreachableError{Remote: name, Text: text}
		}
	}
}

// takeOnce makes one line that takes the lease, and sends it until it is clear whether the line arrived. The result "got" is true if this
// clone has the lease. Otherwise the result "text" is the remote's answer.
func (e *Exchanger) takeOnce(ctx context.Context, x *Exchange, w lease.Worker, cause lease.Cause, by *checkpoint.Actor) (got bool, text string, err error) {
	id, was := x.Look.Run, x.Look
	known := was.Lines()
	var branch []remote.Move
	if newest := lease.Newest(was.Leases); x.Journal.Run.Ours() && (newest == nil || newest.Ours) {
		// No other clone had the newest lease, so all that this clone recorded counts, even if it was not sent yet. Send it now, with the
		// run's commits.
		j, err := e.Store.Load(ctx, id)
		if err != nil {
			return false, "", err
		}
		if known, err = (journal.Union{Store: e.Store}).Lines(ctx, j); err != nil {
			return false, "", err
		}
		if branch, err = recorded(ctx, e.Repo, x, branchMove(x)); err != nil {
			return false, "", err
		}
	}
	draft, err := journal.Union{Store: e.Store}.Draft(ctx, id, lease.Taking(known, w, cause, by))
	if err != nil {
		return false, "", err
	}
	line := draft.Lines[0].Event.ID
	for try := 1; ; try++ {
		moves := append([]remote.Move{{Ref: there(journalKind, id), Old: was.Journal, New: draft.Tree}}, branch...)
		answer, err := e.swap(ctx, was.Remote, moves)
		if err != nil {
			return false, "", err
		}
		switch answer.Outcome {
		case remote.Refused:
			return false, "", &UnreachableError{Remote: was.Remote, Refused: true, Text: answer.Text}
		case remote.Moved: // the remote has exactly what was sent, so there is no need to look
			if err := e.sent(ctx, x, moves, draft.Whole); err != nil {
				return false, "", err
			}
			return true, "", e.unite(ctx, x)
		}
		look, err := e.lookAgain(ctx, id, was.Remote)
		if err != nil {
			return false, "", err
		}
		switch lease.After(look.Lines(), look.Journal != was.Journal, lease.Sent{Last: line, Lease: line}) {
		case lease.Landed:
			x.Look = look
			return true, "", e.unite(ctx, x)
		case lease.Again:
			if try == maxSends || !e.wait(ctx, try) {
				return false, answer.Text, &UnreachableError{Remote: was.Remote, Text: answer.Text}
			}
		default:
			return false, answer.Text, nil
		}
	}
}

// recorded limits what a push brings to the run's branch at the remote: only commits up to the last one that the journal names. Later
// commits may come from a process that was killed before it recorded them, so other clones could not know what they are. If the commit that
// the journal names is not between the old and the new end of the branch, the push stays as it is.
func recorded(ctx context.Context, repo *gitstate.Repo, x *Exchange, moves []remote.Move) ([]remote.Move, error) {
	head := x.Journal.Run.Head
	if len(moves) == 0 || head == "" || head == moves[0].New {
		return moves, nil
	}
	if head == moves[0].Old {
		return nil, nil
	}
	for _, pair := range [][2]object.ID{{moves[0].Old, head}, {head, moves[0].New}} {
		if pair[0] == "" {
			continue
		}
		if ok, err := past.IsAncestor(ctx, repo, pair[0], pair[1]); err != nil || !ok {
			return moves, err
		}
	}
	moves[0].New = head
	return moves, nil
}

// GiveBack gives the lease of this clone back, if it has one, and sends what is new in the run.
func (e *Exchanger) GiveBack(ctx context.Context, id checkpoint.RunID, name, cause string, wip Wip) (*Exchange, error) {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	sum := knowing{e}.sumOf(ctx, name) // compute the checksum while the journal is written, because both wait for a git process
	if s := j.Run.Share; s.Bound() && s.Lease > 0 && !s.Released {
		if _, ended := s.Ended[s.Lease]; !ended {
			if _, err := e.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
				return []checkpoint.Event{{Event: checkpoint.RunReleased, Lease: r.Share.Lease, Cause: cause}}, nil
			}}); err != nil {
				return nil, err
			}
		}
	}
	return e.Send(ctx, SendRequest{Run: id, Remote: name, Share: true, Known: true, Wip: wip, sum: sum})
}
