package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	if flock.Held(s.taskLock(id)) {
		_ = lock.Release()
		return nil, &HeldError{Run: id, By: readActor(s.taskLock(id)), Task: true}
	}
	o := &Owner{store: s, run: id, lock: lock}
	if err := o.claim(ctx, who); err != nil {
		o.Release()
		return nil, err
	}
	return o, nil
}

func (o *Owner) claim(ctx context.Context, who *Actor) error {
	mine := *who
	mine.Nonce = o.store.Nonce
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	if err := o.lock.Write(append(text, '\n')); err != nil {
		return err
	}
	_, err = o.store.Append(ctx, o.run, Batch{Decide: func(r *Run) ([]Event, error) {
		o.Claim = Claim{Epoch: r.Epoch + 1, Nonce: o.store.Nonce}
		return []Event{{Event: RunClaimed, Epoch: o.Claim.Epoch, Actor: &mine}}, nil
	}})
	return err
}

// Append records events as the owner; *FencedError means that the run is no longer ours.
func (o *Owner) Append(ctx context.Context, decide func(*Run) ([]Event, error)) (*Journal, error) {
	return o.store.Append(ctx, o.run, Batch{Decide: decide, Claim: &o.Claim})
}

// Release lets go of the run.
func (o *Owner) Release() { _ = o.lock.Release() }

// TaskLock is held by the processes of one task, which inherit its file.
// The parent lets go of its own hold as soon as they run: then it is held exactly as long as one of them lives.
type TaskLock struct {
	lock *flock.Lock
	path string
}

// LockTask takes the task lock of a run, or answers *HeldError if processes of an earlier task live on.
func (s *Store) LockTask(id RunID) (*TaskLock, error) {
	path := s.taskLock(id)
	lock, err := flock.Try(path)
	if errors.Is(err, flock.ErrHeld) {
		return nil, &HeldError{Run: id, By: readActor(path), Task: true}
	}
	if err != nil {
		return nil, fmt.Errorf("take the task lock: %w", err)
	}
	return &TaskLock{lock, path}, nil
}

// File is what the processes inherit.
func (l *TaskLock) File() *os.File { return l.lock.File() }

// Path is where the lock file lies.
func (l *TaskLock) Path() string { return l.path }

// Name writes down whose lock it is.
func (l *TaskLock) Name(a *Actor) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return l.lock.Write(append(text, '\n'))
}

// LetGo ends the parent's own hold.
func (l *TaskLock) LetGo() { _ = l.lock.Release() }

// Left reports whether a process that inherited the lock still lives.
func (l *TaskLock) Left() bool { return flock.Held(l.path) }

// SetAside keeps the lock of processes that a finished task left running under another name,
// so that they do not make the run look busy for ever.
func (l *TaskLock) SetAside(attempt string) error {
	return os.Rename(l.path, l.path+".left-"+attempt)
}

// readActor is who a lock file names. One that names nobody is held all the same, by somebody unknown.
func readActor(path string) *Actor {
	var a Actor
	if json.Unmarshal(flock.Read(path), &a) != nil {
		return &Actor{}
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

// Hold keeps everybody from owning a run while something is done to it as a whole.
func (s *Store) Hold(id RunID) (release func(), err error) {
	lock, err := flock.Try(s.ownerLock(id))
	if errors.Is(err, flock.ErrHeld) {
		return nil, &HeldError{Run: id, By: readActor(s.ownerLock(id))}
	}
	if err != nil {
		return nil, fmt.Errorf("hold the run: %w", err)
	}
	return func() { _ = lock.Release() }, nil
}

// TaskHolder is who holds the task lock according to its file, or nil.
func (s *Store) TaskHolder(id RunID) *Actor { return readActor(s.taskLock(id)) }
