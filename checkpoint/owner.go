package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// HeldError says that a living process works on the run.
type HeldError struct {
	Run RunID
	By  *Actor
	// Task: the owner is gone, but processes of its task live on.
	Task bool
}

func (e *HeldError) Error() string {
	if e.By == nil || e.By.PID == 0 {
		return fmt.Sprintf("run '%s' is worked on by another process", e.Run)
	}
	return fmt.Sprintf("run '%s' is worked on by process %d", e.Run, e.By.PID)
}

// Owner is a process that executes a run. It holds the owner lock all its life,
// and every append of it is refused once somebody else has claimed the run.
type Owner struct {
	Claim Claim

	store *Store
	run   RunID
	lock  *flock.Lock
	task  *flock.Lock
}

func (s *Store) ownerLock(id RunID) string { return s.path(string(id) + ".lock") }
func (s *Store) taskLock(id RunID) string  { return s.path(string(id) + ".task.lock") }

// Take makes this process the owner of a run, or answers *HeldError.
// The claim's epoch is one higher than the last: it fences an owner that only slept.
func (s *Store) Take(ctx context.Context, id RunID, who *Actor) (*Owner, error) {
	lock, err := flock.Try(s.ownerLock(id))
	if errors.Is(err, flock.ErrHeld) {
		return nil, &HeldError{Run: id, By: readActor(s.ownerLock(id))}
	}
	if err != nil {
		return nil, fmt.Errorf("take the run: %w", err)
	}
	task, err := flock.Try(s.taskLock(id))
	if err != nil {
		_ = lock.Release()
		if errors.Is(err, flock.ErrHeld) {
			return nil, &HeldError{Run: id, By: readActor(s.taskLock(id)), Task: true}
		}
		return nil, fmt.Errorf("take the run: %w", err)
	}
	o := &Owner{store: s, run: id, lock: lock, task: task}
	if err := o.claim(ctx, who); err != nil {
		o.Release()
		return nil, err
	}
	return o, nil
}

func (o *Owner) claim(ctx context.Context, who *Actor) error {
	mine := *who
	mine.Nonce = o.store.Nonce
	if text, err := json.Marshal(mine); err == nil {
		if err := o.lock.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	_, err := o.store.Append(ctx, o.run, Batch{Decide: func(r *Run) ([]Event, error) {
		o.Claim = Claim{Epoch: r.Epoch + 1, Nonce: o.store.Nonce}
		return []Event{{Event: RunClaimed, Epoch: o.Claim.Epoch, Actor: &mine}}, nil
	}})
	return err
}

// Append records events as the owner; *FencedError means that the run is no longer ours.
func (o *Owner) Append(ctx context.Context, decide func(*Run) ([]Event, error)) (*Journal, error) {
	return o.store.Append(ctx, o.run, Batch{Decide: decide, Claim: &o.Claim})
}

// TaskFile is the lock that a task's processes inherit: while one of them lives, the run is busy.
func (o *Owner) TaskFile() *flock.Lock { return o.task }

// Release lets go of the run.
func (o *Owner) Release() {
	_ = o.task.Release()
	_ = o.lock.Release()
}

func readActor(path string) *Actor {
	var a Actor
	if json.Unmarshal(flock.Read(path), &a) != nil {
		return nil
	}
	return &a
}

// Look tells who lives: the locks, the driver and the last owner.
// active is the newest sign of work that the caller knows of beside the journal.
func (s *Store) Look(r *Run, t proc.Table, active time.Time) Life {
	clone := CloneID(s.Repo)
	return Life{
		OwnerLock: flock.Held(s.ownerLock(r.ID)),
		TaskLock:  flock.Held(s.taskLock(r.ID)),
		Driver:    r.Driver.Fate(t, clone),
		Owner:     r.Owner.Fate(t, clone),
		Active:    active,
	}
}

// Holder is who holds a lock of the run according to the lock file, or nil.
func (s *Store) Holder(id RunID) *Actor {
	if flock.Held(s.ownerLock(id)) {
		return readActor(s.ownerLock(id))
	}
	if flock.Held(s.taskLock(id)) {
		return readActor(s.taskLock(id))
	}
	return nil
}
