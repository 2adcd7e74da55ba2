package owner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// HeldError says that a living process is already working on the run.
type HeldError struct {
	Run checkpoint.RunID
	By  *checkpoint.Actor
	// Reports is true if the process holds no lock and only sends reports. Another process may then take over the run.
	Reports bool
	// Task is true if the owner is gone but processes of its task are still running.
	Task bool
	// PIDs lists the processes of the task that are still running, if the system shows them.
	PIDs []int
	// NoLocks is set if the file system has no working locks. Then it is not known whether there is such a process.
	NoLocks *flock.NoLocksError
}

func (e *HeldError) Error() string {
	if e.NoLocks != nil {
		return fmt.Sprintf("it is not known whether run '%s' is in use: %v", e.Run, e.NoLocks)
	}
	if e.Task && len(e.PIDs) > 0 {
		return fmt.Sprintf("the task of run '%s' is still running although git-resume died: %s", e.Run, pidList(e.PIDs))
	}
	if e.By == nil || e.By.PID == 0 {
		return fmt.Sprintf("run '%s' is in use by another process", e.Run)
	}
	return fmt.Sprintf("run '%s' is in use by process %d", e.Run, e.By.PID)
}

// Owner is a process that executes a run and holds its owner lock. If another process claims the run, every later append of
// this owner is refused.
type Owner struct {
	Claim journal.Claim

	store *journal.Store
	run   checkpoint.RunID
	lock  *flock.Lock
}

func ownerLock(s *journal.Store, id checkpoint.RunID) string {
	return s.Folder().Path(string(id) + ".lock")
}

// taskLock returns the path of a task's lock. The place is 0 for a task in the run's own worktree.
func taskLock(s *journal.Store, id checkpoint.RunID, place int) string {
	if place > 0 {
		return s.Folder().Path(id.Place(place) + ".task.lock")
	}
	return s.Folder().Path(string(id) + ".task.lock")
}

// Take makes this process the owner of a run, or returns *HeldError. It records a claim with a higher epoch, so that a
// suspended earlier owner can no longer append.
func Take(ctx context.Context, s *journal.Store, id checkpoint.RunID, who *checkpoint.Actor) (*Owner, error) {
	h, err := Hold(s, id, who)
	if err != nil {
		return nil, err
	}
	return h.Take(ctx, who)
}

// HeldRun is a run whose owner lock this process holds, so that no other process can become its owner. The lock is held while the run is
// created, discarded, or changed as a whole.
type HeldRun struct {
	store *journal.Store
	run   checkpoint.RunID
	lock  *flock.Lock
	// before is the previous text of the lock file. Release restores it.
	before []byte
}

// Hold prevents all other processes from owning a run, or returns *HeldError. The run does not have to exist yet.
func Hold(s *journal.Store, id checkpoint.RunID, who *checkpoint.Actor) (*HeldRun, error) {
	lock, err := flock.Try(ownerLock(s, id))
	if errors.Is(err, flock.ErrHeld) {
		return nil, &HeldError{Run: id, By: readActor(ownerLock(s, id))}
	}
	if err != nil {
		return nil, fmt.Errorf("lock the run: %w", err)
	}
	h := &HeldRun{store: s, run: id, lock: lock, before: flock.Read(ownerLock(s, id))}
	mine := *who
	mine.Nonce = s.Nonce
	text, err := json.Marshal(mine)
	if err == nil {
		err = lock.Write(append(text, '\n'))
	}
	if err != nil {
		h.Release()
		return nil, fmt.Errorf("lock the run: %w", err)
	}
	return h, nil
}

// Release releases the run. It does nothing if h is nil or already released.
func (h *HeldRun) Release() {
	if h != nil && h.lock != nil {
		_ = h.lock.Write(h.before)
		_ = h.lock.Release()
		h.lock = nil
	}
}

// Abandon releases a run that was never created, and removes its lock file.
func (h *HeldRun) Abandon() {
	_ = files.RemoveQuiet(ownerLock(h.store, h.run)) // the run never existed, so nobody else uses its lock
	h.Release()
}

// Take makes this process the owner and keeps the lock. If an error occurs, Take releases the lock.
func (h *HeldRun) Take(ctx context.Context, who *checkpoint.Actor) (*Owner, error) {
	o := &Owner{store: h.store, run: h.run, lock: h.lock}
	if taskLives(h.store, h.run) {
		h.Release()
		return nil, taskHeld(o.store, o.run)
	}
	h.lock = nil
	if err := o.claim(ctx, who); err != nil {
		o.Release()
		return nil, err
	}
	return o, nil
}

func (o *Owner) claim(ctx context.Context, who *checkpoint.Actor) error {
	mine := *who
	mine.Nonce = o.store.Nonce
	_, err := o.store.Append(ctx, o.run, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if !o.lock.Intact() { // somebody deleted the lock file, so another process may have become the owner
			return nil, &journal.FencedError{Epoch: r.Epoch, By: r.Owner}
		}
		o.Claim = journal.Claim{Epoch: r.Epoch + 1, Nonce: o.store.Nonce}
		return []checkpoint.Event{{Event: checkpoint.RunClaimed, Epoch: o.Claim.Epoch, Actor: &mine}}, nil
	}})
	return err
}

// Append records events as the owner. It returns *FencedError if another process has claimed the run after this owner.
func (o *Owner) Append(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error) {
	return o.store.Append(ctx, o.run, journal.Batch{Decide: decide, Claim: &o.Claim})
}

// AppendAsked records events that a person asked for. Otherwise it works like Append.
func (o *Owner) AppendAsked(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error) {
	return o.store.Append(ctx, o.run, journal.Batch{Decide: decide, Claim: &o.Claim, Asked: true})
}

// Check returns *FencedError if another process has claimed the run since this owner did.
func (o *Owner) Check(ctx context.Context) error {
	j, err := o.store.Load(ctx, o.run)
	if err == nil && (j.Run.Epoch != o.Claim.Epoch || j.Run.Nonce != o.Claim.Nonce) {
		return &journal.FencedError{Epoch: j.Run.Epoch, By: j.Run.Owner}
	}
	return err
}

// Release writes the newest state to the cache and releases the owner lock.
func (o *Owner) Release() {
	o.store.Flush()
	_ = o.lock.Release()
}

// readActor returns the process that a lock file names. The result is an empty Actor if the file is empty or damaged.
func readActor(path string) *checkpoint.Actor { return parseActor(flock.Read(path)) }

func parseActor(text []byte) *checkpoint.Actor {
	var a checkpoint.Actor
	if json.Unmarshal(text, &a) != nil {
		return &checkpoint.Actor{}
	}
	return &a
}

// FindLife finds out which processes of a run are alive. The last argument is the time of the last commit or file change that the caller
// knows.
func FindLife(s *journal.Store, r *checkpoint.Run, t proc.Table, active time.Time) checkpoint.Life {
	clone := clone.ID(s.Repo)
	l := checkpoint.Life{OwnerLock: flock.Held(ownerLock(s, r.ID)), Active: active}
	l.TaskLock = s.Executing != r.ID && len(livingTasks(s, recordedLocks(s, r))) > 0
	if r.Ours() { // only a run of ours is checked, because other people's lines may contain any process id
		l.Driver, l.Owner = r.Driver.Fate(t, clone), r.Owner.Fate(t, clone)
	}
	if l.Owner == proc.Alive && r.Owner.PID == os.Getpid() && !l.OwnerLock {
		l.Owner = proc.Dead // this process made the claim but has released the lock, so it no longer works on the run
	}
	if l.TaskLock && !l.OwnerLock {
		l.TaskPIDs = taskHeld(s, r.ID).PIDs
	}
	return l
}

// LockLease makes sure that only one process of this clone takes the lease of a shared run and works under it. It returns *HeldError if
// another process works on the run.
func LockLease(s *journal.Store, id checkpoint.RunID, who *checkpoint.Actor) (release func(), err error) {
	path := s.Folder().Path(string(id) + ".lease.lock")
	lock, err := flock.Try(path)
	if errors.Is(err, flock.ErrHeld) {
		return nil, &HeldError{Run: id, By: readActor(path)}
	}
	if err != nil {
		return nil, fmt.Errorf("lock the lease: %w", err)
	}
	release = func() { _ = lock.Release() }
	if held := Busy(s, id); held != nil {
		release()
		return nil, held
	}
	if text, err := json.Marshal(who); err == nil {
		_ = lock.Write(append(text, '\n')) // ignore an error: the text only tells others who has the lock
	}
	return release, nil
}

// Busy returns the process that is working on the run as a *HeldError, or nil.
func Busy(s *journal.Store, id checkpoint.RunID) *HeldError {
	switch {
	case flock.Held(ownerLock(s, id)):
		held := &HeldError{Run: id, By: readActor(ownerLock(s, id))}
		errors.As(flock.Check(ownerLock(s, id)), &held.NoLocks)
		return held
	case taskLives(s, id):
		return taskHeld(s, id)
	}
	return nil
}

// Holder returns the actor that holds a lock of the run, according to the lock file, or nil.
func Holder(s *journal.Store, id checkpoint.RunID) *checkpoint.Actor {
	if flock.Held(ownerLock(s, id)) {
		return readActor(ownerLock(s, id))
	}
	if taskLives(s, id) {
		return taskHeld(s, id).By
	}
	return nil
}

// TaskHolder returns the actor in the lock file of a task that still has running processes. Without such a task, it returns the actor of
// the last task in the run's own worktree. If that is unknown, the Actor is empty.
func TaskHolder(s *journal.Store, id checkpoint.RunID) *checkpoint.Actor {
	if living := livingTasks(s, taskLocks(s, id)); len(living) > 0 {
		return readActor(living[0])
	}
	return readActor(taskLock(s, id, 0))
}
