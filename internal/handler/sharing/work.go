package sharing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
)

// WorkRequest says which run a machine is to work on.
type WorkRequest struct {
	Run, Remote string
	// Plan is a plan file that the user named. By naming it, the user approves its commands.
	Plan string
	// Seat is the name that a scheduler gives to the job slot of this worker. Several workers can have the same slot one after another.
	// Incarnation distinguishes them; usually it is a number that grows.
	Seat, Incarnation string
	// Takeover takes the lease from another machine. Only a person can know that the other machine has stopped working on the run.
	Takeover bool
}

// Shift describes the work of this process on a run, from the moment at which it got the lease.
type Shift struct {
	Run    checkpoint.RunID
	Remote string
	// Lease is the number of the lease.
	Lease int
	// Over is true if there is nothing to do, because the run is closed, for example finished or discarded.
	Over bool
	// Strange is true if the run is not ours, or if other clones wrote something about it that nobody here has accepted. Then somebody must
	// take over the run.
	Strange bool
	// Aside is work of this clone that was set aside, because somebody else had the lease in the meantime.
	Aside Aside
	// Brought is uncommitted work that the remote has, or nil.
	Brought *Brought
	// Parked is work that was recorded here and does not count, because somebody else had the lease.
	Parked *exchange.Parked
	// SendEvery is the shortest time between two sends of results. If the machine disappears, the results that were not sent yet are lost
	// and must be made again.
	SendEvery time.Duration
	// Release gives up this process's lock on the run, so that other processes of this clone can work on it.
	Release func()
}

// usualSendEvery is used if the user has not set resume.pushEvery.
const usualSendEvery = 10 * time.Second

// ConsentError says that a run has commands that nobody approved in this clone.
type ConsentError struct {
	Run checkpoint.RunID
	// Missing are commands of the run that the plan file does not have. It is empty if no plan file was named.
	Missing []string
}

func (e *ConsentError) Error() string {
	if len(e.Missing) > 0 {
		return fmt.Sprintf("run '%s' has commands that are not in the plan file, so they are not approved", e.Run)
	}
	return fmt.Sprintf("nobody has approved the commands of run '%s' in this clone", e.Run)
}

// Begin gets everything that the remote has of a run, takes the lease, and stores that the run's commands are approved. If the run is
// finished or discarded, it takes no lease.
func (e *Sharer) Begin(ctx context.Context, q WorkRequest) (*Shift, error) {
	s, err := e.find(ctx, q)
	if err != nil {
		return nil, err
	}
	x, err := e.Exchange.Pull(ctx, s.Run, s.Remote)
	if err != nil {
		return nil, err
	}
	if s.Over, err = e.over(ctx, &x.Journal.Run); s.Over || err != nil {
		return s, err
	}
	commands, err := e.consent(ctx, &x.Journal.Run, q.Plan)
	if err != nil {
		return nil, err
	}
	if x, err = e.take(ctx, s, q); err != nil {
		var leased *exchange.LeasedError
		if errors.As(err, &leased) {
			leased.Machine = true
		}
		return nil, err
	}
	// By naming the remote, the user agrees to execute the commits that it has, as with "git pull && make".
	return s, e.Tasks.WriteApproval(s.Run, commands, x.Look.Head)
}

// Continue is called when a person continues a run here. It gets the lease and everything that the remote has of the run. It does not
// approve commands.
func (e *Sharer) Continue(ctx context.Context, r *checkpoint.Run, q WorkRequest) (*Shift, error) {
	name, err := e.remoteFor(ctx, r, "")
	if err != nil {
		return nil, err
	}
	s := &Shift{Run: r.ID, Remote: name}
	if s.SendEvery, err = e.sendEvery(ctx); err != nil {
		return nil, err
	}
	_, err = e.take(ctx, s, q)
	var absent *exchange.AbsentError
	if errors.As(err, &absent) && r.Ours() && r.Share.Consented { // the remote lacks the run, because its first push never arrived
		if _, err = e.Exchange.Send(ctx, exchange.SendRequest{Run: r.ID, Remote: name}); err == nil {
			_, err = e.take(ctx, s, q)
		}
	}
	return s, err
}

// take gets the lease, which is the right to work on the run. It sets aside what this clone did while somebody else had the lease, and
// brings the commits of the remote into the branch.
func (e *Sharer) take(ctx context.Context, s *Shift, q WorkRequest) (*exchange.Exchange, error) {
	actor, err := e.actor()
	if err != nil {
		return nil, err
	}
	if s.Release, err = owner.LockLease(e.Store, s.Run, actor); err != nil {
		return nil, err
	}
	w := lease.Worker{Seat: q.Seat, Incarnation: q.Incarnation, Alone: true, Person: q.Takeover}
	x, err := e.Exchange.TakeLease(ctx, s.Run, s.Remote, w, actor, func(x *exchange.Exchange) error { return e.makeRoom(ctx, x, &s.Aside) })
	if err == nil {
		r := &x.Journal.Run
		s.Lease, s.Strange, s.Parked = lease.Newest(x.Look.Leases).Number, !r.Ours() || len(r.Unheard()) > 0, x.Parked
		err = e.forward(ctx, x)
	}
	if err != nil {
		s.Release()
		return nil, err
	}
	s.Brought = packing{e}.bring(ctx, x)
	return x, nil
}

// over reports whether the run is closed, so that there is nothing to do. The end of the run counts even if only another clone recorded it.
func (e *Sharer) over(ctx context.Context, r *checkpoint.Run) (bool, error) {
	if r.Closed() {
		return true, nil
	}
	all, err := e.together(ctx, r.ID)
	return err == nil && all.Closed(), err
}

// together returns the run as the journal lines of all clones describe it. A line that names a lease does not count if it was written after
// the end of this lease.
func (e *Sharer) together(ctx context.Context, id checkpoint.RunID) (*checkpoint.Run, error) {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		lines[i].Ours = false
	}
	all := checkpoint.Fold(id, lines, nil)
	return &all, nil
}

// find returns the run and the remote that the user named.
func (e *Sharer) find(ctx context.Context, q WorkRequest) (*Shift, error) {
	name, err := e.named(ctx, q.Remote)
	if err != nil {
		return nil, err
	}
	id, err := e.local(ctx, q.Run, q.Remote)
	if err != nil {
		return nil, err
	}
	if id == "" {
		ids, err := e.there(ctx, name, q.Run)
		if err != nil {
			return nil, err
		}
		if len(ids) != 1 {
			return nil, &WhichError{Remote: name, Run: q.Run, Fit: ids}
		}
		id = ids[0]
	}
	every, err := e.sendEvery(ctx)
	return &Shift{Run: id, Remote: name, SendEvery: every}, err
}

// sendEvery returns the shortest time after which results are sent again.
func (e *Sharer) sendEvery(ctx context.Context) (time.Duration, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	return c.Duration("resume.pushevery", usualSendEvery)
}

// consent returns the commands of a run that may be executed here. If a plan file is named, it must contain all of them. Otherwise the
// user must have approved them in this clone before, and the run must be ours and shared.
func (e *Sharer) consent(ctx context.Context, r *checkpoint.Run, file string) ([]string, error) {
	p, err := e.Tasks.PlanOf(ctx, r)
	if err != nil {
		return nil, err
	}
	commands := tasks.CommandsOf(p)
	if file == "" {
		missing, err := e.Tasks.NeedsApproval(r.ID, p)
		if err == nil && (len(missing) > 0 || !r.Ours() || !r.Share.Bound()) {
			err = &ConsentError{Run: r.ID}
		}
		return commands, err
	}
	given, _, err := start.ReadPlanFile(file)
	if err != nil {
		return nil, err
	}
	allowed := tasks.CommandsOf(given)
	missing := slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return slices.Contains(allowed, c) })
	if len(missing) > 0 {
		return nil, &ConsentError{r.ID, missing}
	}
	return commands, nil
}

func (e *Sharer) actor() (*checkpoint.Actor, error) {
	clone, err := e.Clone()
	if err != nil {
		return nil, err
	}
	self, _ := e.Procs.Get(e.PID)
	return checkpoint.NewActor(e.Procs.Host(), self, clone), nil
}

// usual reports whether the branch of a run has the name that this program would give it. Somebody else's journal could name any branch.
func (e *Sharer) usual(ctx context.Context, r *checkpoint.Run) bool {
	folders := site.UsualFolders
	if c, err := e.Repo.Settings.Config(ctx); err == nil {
		folders = append(slices.Clone(folders), site.BranchFolder(c))
	}
	return slices.ContainsFunc(folders, func(folder string) bool { return r.Branch == refs.Branch(folder+"/"+string(r.ID)) })
}

// forward moves the run's branch in this clone to the commit that the remote has. If the branch does not exist, it creates the branch. If
// both have commits of their own, it returns an error. For a run that is not ours, it only creates a missing branch.
func (e *Sharer) forward(ctx context.Context, x *exchange.Exchange) error {
	r := &x.Journal.Run
	switch {
	case x.Apart:
		return x.ApartError()
	case x.Look.Head == "" || x.Ahead == 0 && x.Tip != "":
		return nil
	case !r.Ours() && (x.Tip != "" || !e.usual(ctx, r)):
		return nil // somebody else's run: TakeOver handles a branch that already exists here or has an unusual name
	}
	return e.Staging.Forward(ctx, r, x.Tip, x.Look.Head)
}
