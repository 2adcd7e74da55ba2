package sharing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/site"
)

// LendRequest says to which branch of a remote a run is lent, or from which it is taken back.
type LendRequest struct {
	Run, Branch string
	// Remote is the remote that the user named, or empty.
	Remote string
	// DryRun means that nothing is sent, and that only the preview is made. Back is true if commits of the branch are taken into the run.
	DryRun, Back bool
}

// Loan is the result of sending a run's branch to a branch at a remote.
type Loan struct {
	Run            checkpoint.Run
	Remote, Branch string
	// Tip is the last commit of the run's branch. The field Was is the commit that the branch at the remote had before. It is empty if that
	// branch did not exist.
	Tip, Was object.ID
	// Commits is how many commits the run has. At most 10,000 are counted.
	Commits int
	// Shift is set if the run is shared: then this clone takes the lease, the right to work on the run, and keeps it while somebody else works
	// on the lent commits.
	Shift *Shift
}

// LendFirstError says that a person must confirm the remote, because the user named none and the run is neither shared nor lent.
type LendFirstError struct{ Loan *Loan }

func (e *LendFirstError) Error() string {
	return fmt.Sprintf("run '%s' is neither lent nor shared, so the remote must be named with --to", e.Loan.Run.ID)
}

// BranchNameError says that the commits of a run cannot be sent to a remote branch of this name.
type BranchNameError struct {
	Branch string
	// Base is true if the branch has the name of the run's base: the run's commits would be published there before anybody has reviewed
	// them. Run is then the run, and Back is true if commits of that branch were to be taken into the run.
	Base, Back bool
	Run        checkpoint.RunID
}

func (e *BranchNameError) Error() string {
	if e.Back {
		return fmt.Sprintf("the commits of '%s' are not results of run '%s', because that branch is its base", e.Branch, e.Run)
	}
	if e.Base {
		return fmt.Sprintf("the run cannot be sent to '%s', because that is its base", e.Branch)
	}
	return fmt.Sprintf("'%s' is not the name of a branch", e.Branch)
}

// Lending lends runs to branches at remotes, and takes them back.
type Lending struct{ In *Sharer }

// Lend sends the branch of a run of ours to a branch at a remote. Somebody who may push only to that branch can then work on the run. Lend
// returns *LendFirstError if a person must confirm the remote first. For a shared run it gets the lease first and keeps it, because the
// borrower works in the place of this clone.
func (x Lending) Lend(ctx context.Context, q LendRequest) (*Loan, error) {
	r, name, err := x.find(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &Loan{Run: *r, Remote: name, Branch: q.Branch}
	if held := owner.Busy(x.In.Store, r.ID); held != nil {
		return nil, held
	}
	known := r.Share.Bound() || r.Lent != nil
	if q.DryRun || q.Remote == "" && !known {
		if err := x.measure(ctx, out); err != nil || q.DryRun {
			return out, err
		}
		return out, &LendFirstError{out}
	}
	if out.Shift, err = x.lease(ctx, r); err != nil {
		return nil, err
	}
	if out.Shift != nil {
		defer out.Shift.Release()
	}
	if err = x.measure(ctx, out); err == nil {
		out.Was, err = x.branch(r, name, q.Branch).Send(ctx, out.Tip)
	}
	if err != nil {
		if out.Shift != nil && r.Lent == nil {
			err = errors.Join(err, x.giveBack(ctx, out.Shift))
		}
		return nil, err
	}
	return out, x.record(ctx, out.Run.ID, checkpoint.RunLent, name, q.Branch, out.Tip)
}

// The method "branch" returns the value with which commits of the run are sent to a branch at a remote, or fetched from there.
func (x Lending) branch(r *checkpoint.Run, name, branch string) *exchange.Lending {
	return &exchange.Lending{Run: r.ID, Remote: name, Branch: branch, In: x.In.Exchange}
}

// find returns the run, which must be ours and open, and the remote. If the run is shared, this must be the remote at which it is shared.
func (x Lending) find(ctx context.Context, q LendRequest) (*checkpoint.Run, string, error) {
	id, err := x.In.Find.Resolve(ctx, q.Run)
	if err != nil {
		return nil, "", err
	}
	j, err := x.In.Find.Journal(ctx, id)
	if err != nil {
		return nil, "", err
	}
	r := &j.Run
	if err := site.MustOwn(r); err != nil {
		return nil, "", err
	}
	switch {
	case !refs.IsName(refs.Branch(q.Branch)) || q.Branch[0] == '-' || q.Branch == "HEAD":
		return nil, "", &BranchNameError{Branch: q.Branch}
	case q.Branch == r.Base.Name:
		return nil, "", &BranchNameError{Branch: q.Branch, Base: true, Back: q.Back, Run: r.ID}
	case r.Closed():
		return nil, "", &candidate.ClosedError{ID: r.ID, State: checkpoint.StateOf(r, checkpoint.Life{}, x.In.Now(), candidate.IdleAfter)}
	}
	name, err := x.remote(ctx, r, q.Remote)
	return r, name, err
}

// remote returns the remote that the user named, otherwise the one at which the run is shared or lent, otherwise the usual one.
func (x Lending) remote(ctx context.Context, r *checkpoint.Run, given string) (string, error) {
	if given == "" && !r.Share.Bound() && r.Lent != nil {
		names, err := remote.Names(ctx, x.In.Repo.Program)
		if err != nil {
			return "", err
		}
		slices.Sort(names)
		for _, n := range names {
			if sum, err := x.In.Exchange.At(n).Sum(ctx); err == nil && sum == r.Lent.Remote {
				return n, nil
			}
		}
	}
	name, err := x.In.remoteFor(ctx, r, given)
	if err != nil || given == "" || !r.Share.Bound() {
		return name, err
	}
	if bound, err := x.In.Exchange.Bound(ctx, r); err != nil || bound != name {
		return "", errors.Join(err, &exchange.BoundError{Run: r.ID, Remote: name, Known: bound})
	}
	return name, nil
}

// measure finds the end of the run's branch, and counts the commits of the run.
func (x Lending) measure(ctx context.Context, out *Loan) (err error) {
	r := &out.Run
	if out.Tip, err = x.In.Store.History().BranchTip(ctx, r); err != nil {
		return err
	}
	if out.Tip == "" {
		return &NoBranchError{Run: r.ID, Branch: refs.Short(r.Branch)}
	}
	const most = 10_000
	commits, err := x.In.Store.History().Between(ctx, r.Base.Commit, out.Tip, most)
	out.Commits = len(commits)
	return err
}

// NoBranchError says that the branch of a run does not exist.
type NoBranchError struct {
	Run    checkpoint.RunID
	Branch string
}

func (e *NoBranchError) Error() string {
	return fmt.Sprintf("the branch '%s' of run '%s' does not exist", e.Branch, e.Run)
}

// record writes into the journal that a run was lent to a branch of a remote, or taken back from there. It writes nothing if the journal
// says so already.
func (x Lending) record(ctx context.Context, id checkpoint.RunID, what checkpoint.Kind, name, branch string, tip object.ID) error {
	sum, err := x.In.Exchange.At(name).Sum(ctx)
	if err != nil {
		return err
	}
	_, err = x.In.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		lent := r.Lent
		if what == checkpoint.RunLent && lent != nil && lent.Remote == sum && lent.Branch == branch && lent.Commit == tip ||
			what == checkpoint.RunReturned && lent == nil {
			return nil, nil
		}
		return []checkpoint.Event{{Event: what, Remote: sum, Name: branch, Commit: tip}}, nil
	}})
	return err
}

// Returned is what came back from a branch at a remote.
type Returned struct {
	Run            checkpoint.Run
	Remote, Branch string
	// Commits lists the commits that were added to the run's branch, newest first. Results lists those whose trailers name the run. A
	// commit that names several tasks is listed once for each task.
	Commits []object.Commit
	Results []checkpoint.Evidence
	// Shift is the lease that TakeBack got for a shared run before it added commits to the run's branch. It is nil if the run is not
	// shared, or if the branch at the remote had no new commits.
	Shift *Shift
}

// maxReturned limits how many commits a run takes from a branch at once. A branch with more new commits is probably not a branch of this
// run.
const maxReturned = 2000

// TakeBack adds the commits of a branch at a remote to the run's branch, if they follow the last commit of the run's branch. Otherwise it
// returns *exchange.BranchApartError and moves no branch. It executes and approves nothing.
func (x Lending) TakeBack(ctx context.Context, q LendRequest) (*Returned, error) {
	r, name, err := x.find(ctx, q)
	if err != nil {
		return nil, err
	}
	branch := x.branch(r, name, q.Branch)
	tip, done, err := branch.Fetch(ctx)
	defer done()
	if err == nil && tip == "" {
		err = &exchange.BranchError{Remote: name, Branch: q.Branch}
	}
	if err != nil {
		return nil, err
	}
	out := &Returned{Run: *r, Remote: name, Branch: q.Branch}
	if err := x.add(ctx, out, branch, tip); err != nil {
		return out, err
	}
	return out, x.record(ctx, r.ID, checkpoint.RunReturned, name, q.Branch, tip)
}

// add moves the run's branch forward to a commit that was fetched. It does nothing if the branch already contains that commit.
func (x Lending) add(ctx context.Context, out *Returned, branch *exchange.Lending, tip object.ID) error {
	if _, err := x.compare(ctx, out, branch, tip); err != nil || len(out.Commits) == 0 {
		return err
	}
	var err error
	if out.Shift, err = x.lease(ctx, &out.Run); err != nil {
		return err
	}
	if out.Shift != nil {
		defer out.Shift.Release()
	}
	err = x.forward(ctx, out, branch, tip)
	if err != nil && out.Shift != nil && out.Run.Lent == nil {
		err = errors.Join(err, x.giveBack(ctx, out.Shift))
	}
	return err
}

// lease gets the lease of a shared run. It returns nil if the run is not shared. It also returns nil if the remote refused to store the
// run's record, and the run is therefore no longer shared.
func (x Lending) lease(ctx context.Context, r *checkpoint.Run) (*Shift, error) {
	if !r.Share.Bound() {
		return nil, nil
	}
	s, err := x.In.Continue(ctx, r, WorkRequest{})
	var gone *exchange.UnreachableError
	if errors.As(err, &gone) && gone.Refused {
		if j, failed := x.In.Store.Load(ctx, r.ID); failed == nil && !j.Run.Share.Bound() {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// giveBack gives the lease back after an error.
func (x Lending) giveBack(ctx context.Context, s *Shift) error {
	_, err := x.In.Exchange.GiveBack(context.WithoutCancel(ctx), s.Run, s.Remote, "person", exchange.Wip{})
	return err
}

// forward moves the run's branch forward to the commit "tip" of the branch at the remote, while no other process works on the run. First it
// lists the missing commits again, because git-resume may have added commits of the remote to the run's branch when it got the lease.
func (x Lending) forward(ctx context.Context, out *Returned, branch *exchange.Lending, tip object.ID) error {
	actor, err := x.In.actor()
	if err != nil {
		return err
	}
	if held := owner.Busy(x.In.Store, out.Run.ID); held != nil {
		return held
	}
	held, err := owner.Hold(x.In.Store, out.Run.ID, actor)
	if err != nil {
		return err
	}
	defer held.Release()
	from, err := x.compare(ctx, out, branch, tip)
	if err != nil || len(out.Commits) == 0 {
		return err
	}
	return x.In.Staging.Forward(ctx, &out.Run, from, tip)
}

// compare collects the commits that the branch at the remote, up to its commit "tip", has after the last commit of the run's branch. It
// returns the last commit of the run's branch. If the two branches have diverged, it returns *exchange.BranchApartError.
func (x Lending) compare(ctx context.Context, out *Returned, branch *exchange.Lending, tip object.ID) (object.ID, error) {
	r := &out.Run
	out.Commits, out.Results = nil, nil
	from, err := x.In.Store.History().BranchTip(ctx, r)
	if err != nil {
		return "", err
	}
	if from == "" {
		return "", &NoBranchError{Run: r.ID, Branch: refs.Short(r.Branch)}
	}
	if have, err := past.IsAncestor(ctx, x.In.Repo, tip, from); err != nil || have {
		return from, errors.Join(err, branch.Keep(ctx, ""))
	}
	if follows, err := past.IsAncestor(ctx, x.In.Repo, from, tip); err != nil {
		return from, err
	} else if !follows {
		apart := &exchange.BranchApartError{Run: r.ID, Remote: out.Remote, Branch: out.Branch, Here: from, There: tip}
		return from, cmp.Or(branch.Keep(ctx, tip), error(apart))
	}
	commits, err := x.In.Store.History().Between(ctx, from, tip, maxReturned)
	if err != nil {
		return from, err
	}
	if len(commits) == maxReturned {
		return from, &exchange.BranchError{Remote: out.Remote, Branch: out.Branch, Text: fmt.Sprintf("it has %d or more commits that run '%s' does not have", maxReturned, r.ID)}
	}
	out.Commits = commits
	for _, c := range slices.Backward(commits) {
		out.Results = append(out.Results, checkpoint.EvidenceOf(c, r.ID)...)
	}
	return from, branch.Keep(ctx, "")
}
