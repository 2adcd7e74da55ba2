package exchange

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/site"
)

// Exchange says what came from a remote, and what was sent there.
type Exchange struct {
	Look    *Look
	Journal *journal.Journal
	// Known is true if this clone already had the run.
	Known bool
	// Came has the lines of the remote that this clone did not have. Sent is the number of lines that the remote did not have.
	Came []checkpoint.Line
	Sent int
	// Tip is the last commit of the run's branch here. BranchSent is true if the remote got it.
	Tip        object.ID
	BranchSent bool
	// Ahead counts the commits of the branch that only the remote has, up to 1000. Apart is true if the branch also has commits that only
	// this clone has.
	Ahead int
	Apart bool
	// Parked is set if work of this clone does not count, because somebody else had the lease.
	Parked *Parked
	// Released is true if the lease of this clone was given back. WipSent is true if uncommitted work was sent.
	Released, WipSent bool
	// answer is the remote's answer to the last push.
	answer string
	// wip says which uncommitted work is sent to the remote, and which is removed from there.
	wip Wip
	// tried is true if a push was made without asking the remote first, and the remote did not confirm that its refs moved.
	tried bool
}

// Pull brings what a remote has of a run into the journal here. It runs nothing, moves no branch and checks nothing out. If the remote has
// no record of the run, it returns an *AbsentError.
func (e *Exchanger) Pull(ctx context.Context, id checkpoint.RunID, name string) (*Exchange, error) {
	look, err := e.Look(ctx, id, name)
	if err != nil {
		return nil, err
	}
	if !look.There() {
		return nil, &AbsentError{id, name}
	}
	x := &Exchange{Look: look}
	return x, e.unite(ctx, x)
}

// unite adds the lines of the remote to the journal here. If these lines show that work of this clone was done without the lease, unite
// parks that work. At the end it compares the branches.
func (e *Exchanger) unite(ctx context.Context, x *Exchange) error {
	id := x.Look.Run
	j, err := e.Store.Load(ctx, id)
	var none *checkpoint.NoRunError
	if err != nil && !errors.As(err, &none) {
		return err
	}
	x.Journal, x.Known = j, err == nil
	if x.Look.There() {
		var came []checkpoint.Line
		x.Journal, came, err = journal.Union{Store: e.Store}.Unite(ctx, id, x.Look.Contents)
		x.Came = append(x.Came, came...)
	}
	if err != nil {
		return err
	}
	if parked, err := e.park(ctx, x.Look, x.Journal); err != nil || parked != nil {
		x.Parked = parked
		if err == nil {
			x.Journal, err = e.Store.Load(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return e.compareBranches(ctx, x)
}

// compareBranches compares the run's branch here with its branch at the remote. It sets Tip, Ahead and Apart.
func (e *Exchanger) compareBranches(ctx context.Context, x *Exchange) (err error) {
	x.Ahead, x.Apart = 0, false
	if x.Tip, err = e.Store.History().BranchTip(ctx, &x.Journal.Run); err != nil || x.Look.Head == "" || x.Tip == x.Look.Head {
		return err
	}
	if x.Tip == "" {
		return nil
	}
	behind, err := past.IsAncestor(ctx, e.Repo, x.Look.Head, x.Tip)
	if err != nil || behind {
		return err
	}
	ahead, err := past.IsAncestor(ctx, e.Repo, x.Tip, x.Look.Head)
	if err != nil {
		return err
	}
	const most = 1000
	commits, err := e.Store.History().Between(ctx, x.Tip, x.Look.Head, most)
	x.Ahead, x.Apart = len(commits), !ahead
	return err
}

// SendRequest says how a run is sent.
type SendRequest struct {
	Run    checkpoint.RunID
	Remote string
	// Share binds the run to the remote first, if it is not bound yet. Rebind binds it even if it is bound to another remote.
	Share, Rebind bool
	// Release gives the lease of this clone back, if no process works on the run.
	Release bool
	// Known lets Send try its first push without asking the remote before. Send does so only if this clone knows that it has the lease.
	Known bool
	Wip   Wip
	// sum returns the checksum of the remote's URL. It is needed only if Known is true.
	sum func() (string, error)
}

// maxSends limits how often an exchange is tried. It is repeated if somebody else was faster, or if no answer came.
const maxSends = 6

// Send sends what is new in a run of this clone to the remote to which the run is bound. Before that, it fetches what is new at the remote
// and adds it to the journal here. If q.Known is true, it first tries a push without fetching. If the remote has changed, that push does
// nothing, and Send continues in the usual way.
func (e *Exchanger) Send(ctx context.Context, q SendRequest) (*Exchange, error) {
	j, err := e.Store.Load(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	if err := site.MustOwn(&j.Run); err != nil {
		return nil, err
	}
	x := &Exchange{wip: q.Wip}
	if q.Known {
		if sent, err := (knowing{e}).send(ctx, j, x, q); sent || err != nil {
			return x, forRun(err, q.Run)
		}
		x = &Exchange{wip: q.Wip, tried: x.tried}
	}
	if x.Look, err = e.Look(ctx, q.Run, q.Remote); err != nil {
		return nil, forRun(err, q.Run)
	}
	if err := e.bind(ctx, j, x.Look, q); err != nil {
		return nil, err
	}
	if q.Release {
		if x.Released, err = e.release(ctx, x.Look, q.Run); err != nil {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		if err := e.unite(ctx, x); err != nil {
			return nil, err
		}
		if newest := lease.Newest(x.Look.Leases); x.Apart && newest != nil && newest.Ours {
			return x, x.ApartError() // stop here, because otherwise the journal would name commits that the remote does not get
		}
		done, err := e.sendOnce(ctx, x)
		if err != nil && !x.Look.There() && !e.Restore {
			err = unbind(ctx, e, q.Run, err)
		}
		if done || err != nil {
			return x, forRun(err, q.Run)
		}
		if try == maxSends || !e.wait(ctx, try) {
			return nil, errors.Join(ctx.Err(), &UnreachableError{Remote: q.Remote, Run: q.Run, Text: x.answer})
		}
	}
}

// forRun sets the run in an *UnreachableError. It does not change any other error.
func forRun(err error, id checkpoint.RunID) error {
	var gone *UnreachableError
	if errors.As(err, &gone) {
		gone.Run = id
	}
	return err
}

// bind makes sure that the run is bound to the remote that was looked at, and to no other.
func (e *Exchanger) bind(ctx context.Context, j *journal.Journal, look *Look, q SendRequest) error {
	share := j.Run.Share
	switch {
	case share.Bound() && share.Remote == look.Sum && share.Consented:
		return nil
	case share.Bound() && share.Remote != look.Sum && !q.Rebind:
		known, err := e.Bound(ctx, &j.Run)
		if err != nil {
			return err
		}
		return &BoundError{q.Run, q.Remote, known}
	case !share.Bound() && !q.Share:
		return &NotSharedError{q.Run}
	}
	tip, err := e.Store.History().BranchTip(ctx, &j.Run)
	if err != nil {
		return err
	}
	_, err = e.Store.Append(ctx, q.Run, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{
			{Event: checkpoint.RunShared, Remote: look.Sum},
			{Event: checkpoint.RunAccepted, Remote: look.Sum, Plan: r.Plan, Commit: tip},
		}, nil
	}})
	return err
}

// unbind ends the binding of a run if the remote refuses to store the run. The caller makes sure that the remote has no record of the run.
// A run that stays bound to a remote without its record could not be continued by anybody.
func unbind(ctx context.Context, e *Exchanger, id checkpoint.RunID, cause error) error {
	var gone *UnreachableError
	if !errors.As(cause, &gone) || !gone.Refused {
		return cause
	}
	_, err := e.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunUnshared, Remote: r.Share.Remote}}, nil
	}})
	return errors.Join(cause, err)
}

// Bound returns the configured remote to which a run is bound, or "" if there is none with that URL.
func (e *Exchanger) Bound(ctx context.Context, r *checkpoint.Run) (string, error) {
	names, err := remote.Names(ctx, e.Repo.Program)
	if err != nil || !r.Share.Bound() {
		return "", err
	}
	slices.Sort(names)
	for _, n := range names {
		if sum, err := e.At(n).Sum(ctx); err == nil && sum == r.Share.Remote {
			return n, nil
		}
	}
	return "", nil
}

// release records that this clone gives its lease back, if it has one and no process works on the run. It returns true if it recorded
// that.
func (e *Exchanger) release(ctx context.Context, look *Look, id checkpoint.RunID) (bool, error) {
	held := lease.Held(look.Leases)
	if held == nil || !held.Ours || owner.Busy(e.Store, id) != nil {
		return false, nil
	}
	_, err := e.Store.Append(ctx, id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunReleased, Lease: held.Number, Cause: "person"}}, nil
	}})
	return err == nil, err
}

// sendOnce tries once to send what the remote lacks. It returns true if nothing is left to send.
func (e *Exchanger) sendOnce(ctx context.Context, x *Exchange) (done bool, err error) {
	moves, sent := e.moves(ctx, x)
	if len(moves) == 0 {
		if x.tried { // the remote did not confirm the earlier push, but nothing is left to send, so the push has arrived
			x.landed()
		}
		return true, nil
	}
	answer, err := e.swap(ctx, x.Look.Remote, moves)
	if err != nil {
		return false, err
	}
	was := x.Look
	x.answer = answer.Text
	if answer.Outcome == remote.Refused {
		return false, &UnreachableError{Remote: was.Remote, Refused: true, Text: answer.Text}
	}
	if answer.Outcome == remote.Moved {
		return true, knowing{e}.moved(ctx, x, moves)
	}
	if x.Look, err = e.lookAgain(ctx, was.Run, was.Remote); err != nil {
		return false, err
	}
	if answer.Outcome == remote.Unclear && x.Look.Journal == was.Journal && x.Look.Head == was.Head {
		x.Look = was // repeat the push unchanged, because the first one may still arrive
		return false, nil
	}
	switch lease.After(x.Look.Lines(), x.Look.Journal != was.Journal, sent) {
	case lease.Landed:
		x.landed()
		return arrived(x, moves), nil
	default:
		return false, nil // the caller now calls unite, which also notices if somebody else has the lease
	}
}

// moves returns which refs have to move at the remote. The second result holds ids of journal lines, by which a later look at the remote
// can tell whether the push arrived.
func (e *Exchanger) moves(ctx context.Context, x *Exchange) ([]remote.Move, lease.Sent) {
	var out []remote.Move
	sent := lease.Sent{}
	if newest := lease.Newest(x.Look.Leases); newest != nil && newest.Ours {
		sent.Lease = newest.Line
	}
	if x.Journal.Tree != x.Look.Journal {
		lines, err := journal.Union{Store: e.Store}.Lines(ctx, x.Journal)
		fresh := notes.Minus(lines, x.Look.Lines())
		if err != nil || len(fresh) == 0 {
			return nil, sent
		}
		x.Sent = max(x.Sent, len(fresh))
		sent.Last = fresh[len(fresh)-1].Event.ID
		out = append(out, remote.Move{Ref: there(journalKind, x.Look.Run), Old: x.Look.Journal, New: x.Journal.Tree})
	}
	if newest := lease.Newest(x.Look.Leases); newest == nil || newest.Ours {
		branch := append(branchMove(x), wipMove(x)...)
		out = append(out, branch...)
		if len(branch) > 0 && sent.Last == "" && len(x.Look.Lines()) > 0 {
			sent.Last = x.Look.Lines()[0].Event.ID // no line is new, so use any line that the remote already has
		}
	}
	return out, sent
}

// branchMove returns the move that brings new commits of the branch to the remote. It returns nothing if there are none, or if the remote
// has commits that the branch here lacks.
func branchMove(x *Exchange) []remote.Move {
	if x.Tip == "" || x.Tip == x.Look.Head || x.Ahead > 0 || x.Apart {
		return nil
	}
	return []remote.Move{{Ref: there(headsKind, x.Look.Run), Old: x.Look.Head, New: x.Tip}}
}

// swap moves all refs in one step. If the server cannot do that, swap moves them one by one, beginning with the last of the list. A caller
// that sends something puts the journal first in the list. So the journal moves last, because it must not name commits that the server
// lacks.
func (e *Exchanger) swap(ctx context.Context, name string, moves []remote.Move) (remote.Answer, error) {
	answer, err := e.At(name).Swap(ctx, moves...)
	if err != nil || len(moves) < 2 || answer.Outcome != remote.Refused || !strings.Contains(answer.Text, "atomic") {
		return answer, err
	}
	for _, m := range slices.Backward(moves) {
		if answer, err = e.At(name).Swap(ctx, m); err != nil || answer.Outcome != remote.Moved {
			return answer, err
		}
	}
	return answer, nil
}

// wait waits before the next try. It returns false if ctx ends meanwhile.
func (e *Exchanger) wait(ctx context.Context, try int) bool {
	t := time.NewTimer(Pause(try, e.Random()))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Pause returns how long a clone waits after the try with this number. The time is random, so that clones that lost a race do not all try
// again at the same moment. The longest possible time doubles with each try, up to 30 seconds.
func Pause(try int, random [4]byte) time.Duration {
	limit := min(200*time.Millisecond<<try, 30*time.Second)
	return limit * time.Duration(random[0]) / 256
}
