package exchange

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Parked is work of this clone that does not count, because somebody else got the lease before the work reached the remote.
type Parked struct {
	// Lease is the lease under which the work was done. By names who got the next lease: a scheduler's job or, without a scheduler, a host.
	Lease int
	By    string
	// Lines are the journal lines of the parked work. Ref keeps the commits of that work. It is empty if there are none.
	Lines []checkpoint.Line
	Ref   refs.Name
}

// Tasks lists the finished tasks whose results do not count.
func (p *Parked) Tasks() []checkpoint.TaskID {
	var out []checkpoint.TaskID
	for _, l := range p.Lines {
		if l.Event.Event == checkpoint.TaskDone {
			out = append(out, l.Event.Task)
		}
	}
	return out
}

// LeasedError says that somebody else has the lease of a shared run.
type LeasedError struct {
	Run    checkpoint.RunID
	Remote string
	By     string
	Lease  int
	// Since is when the lease was taken; zero if that is not known. Machine is true if the refused command is "git resume work".
	Since   time.Time
	Machine bool
}

func (e *LeasedError) Error() string {
	if e.By == "" {
		return fmt.Sprintf("somebody else has the lease of run '%s' (lease %d)", e.Run, e.Lease)
	}
	return fmt.Sprintf("'%s' has the lease of run '%s' (lease %d)", e.By, e.Run, e.Lease)
}

// ParkedRef returns the ref that keeps the commits that were made under a lost lease.
func ParkedRef(id checkpoint.RunID, lease int) refs.Name {
	return refs.Name(fmt.Sprintf("refs/resume/parked/%s/%d", id, lease))
}

// park finds work that this clone did too late: before the work reached the remote, somebody else had taken the lease. It first keeps the
// commits of this work under a ref, because the branch may later be moved to the commits of the remote. Then it records the work as parked.
// If no work came too late, park returns nil.
func (e *Exchanger) park(ctx context.Context, look *Look, j *journal.Journal) (*Parked, error) {
	r := &j.Run
	if !r.Ours() || !r.Share.Bound() || r.Share.Remote != look.Sum {
		return nil, nil
	}
	mine := r.Share.Lease
	if _, ended := r.Share.Ended[mine]; ended || mine >= len(look.Leases) || look.Leases[mine].Ours {
		return nil, nil
	}
	next := look.Leases[mine]
	lines, err := e.Store.Lines(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out := &Parked{Lease: mine, By: Holder(&next), Lines: LateUnder(lines, mine, next.Last)}
	if len(out.Lines) == 0 {
		return nil, nil
	}
	tip, err := e.Store.History().BranchTip(ctx, r)
	if err != nil {
		return nil, err
	}
	if out.Ref, err = e.KeepParked(ctx, r.ID, mine, tip); err != nil {
		return nil, err
	}
	_, err = e.Store.Append(ctx, r.ID, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunParked, Lease: mine, Last: next.Last, Commit: tip}}, nil
	}})
	return out, err
}

// LateUnder returns those of our lines that record work under a lease but do not count, because they came after the lease had ended. The
// argument "last" is the number of the last line that counts, so the returned lines have higher numbers.
func LateUnder(lines []checkpoint.Line, lease int, last int64) []checkpoint.Line {
	var out []checkpoint.Line
	for _, l := range lines {
		if seq, err := strconv.ParseInt(l.Event.Seq, 10, 64); !l.Bad && l.Ours && err == nil && l.Event.IsWork() && l.Event.Lease == lease && seq > last {
			out = append(out, l)
		}
	}
	return out
}

// ParkedUnder returns the work that was done under a lease and then parked, or nil. Another process of this clone may have parked it.
func (e *Exchanger) ParkedUnder(ctx context.Context, x *Exchange, lease int) (*Parked, error) {
	if x.Parked != nil && x.Parked.Lease == lease {
		return x.Parked, nil
	}
	last, ended := x.Journal.Run.Share.Ended[lease]
	if !ended {
		return nil, nil
	}
	lines, err := e.Store.Lines(ctx, x.Look.Run)
	if err != nil {
		return nil, err
	}
	out := &Parked{Lease: lease, Lines: LateUnder(lines, lease, last), Ref: ParkedRef(x.Look.Run, lease)}
	if lease < len(x.Look.Leases) {
		out.By = Holder(&x.Look.Leases[lease])
	}
	if at, err := e.Repo.Refs.Ref(ctx, out.Ref); err != nil || at == "" {
		out.Ref = ""
	}
	return out, nil
}

// KeepParked keeps commits that were made under a lost lease, and returns the ref that keeps them. The result is empty if tip is empty.
func (e *Exchanger) KeepParked(ctx context.Context, id checkpoint.RunID, lease int, tip object.ID) (refs.Name, error) {
	if tip == "" {
		return "", nil
	}
	ref := ParkedRef(id, lease)
	old, err := e.Repo.Refs.Ref(ctx, ref)
	if err != nil || old == tip {
		return ref, err
	}
	return ref, e.Repo.Refs.Update(ctx, refs.Update{Ref: ref, New: tip, Old: old, Log: true})
}
