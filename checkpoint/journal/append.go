package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/flock"
)

// FencedError says that somebody else has claimed the run in the meantime, so the old owner must stop.
type FencedError struct {
	Epoch int
	By    *checkpoint.Actor
}

func (e *FencedError) Error() string {
	return fmt.Sprintf("the run was taken over (claim %d)", e.Epoch)
}

// Claim is an owner's right to append: the epoch and nonce of its own run.claimed event.
type Claim struct {
	Epoch int
	Nonce string
}

// Batch is what one append adds.
type Batch struct {
	// Decide gets the state as it is under the lock and returns the events to record; none means that there is nothing to record.
	Decide func(*checkpoint.Run) ([]checkpoint.Event, error)
	// Docs are stored next to the lines.
	Docs [][]byte
	// Claim, if set, must be the newest claim of the run.
	Claim *Claim
	// Asked says that a person asked for events that are often recorded unasked (a finish, a reset), so that they can be undone.
	Asked bool
	// Takeover says that the events take over a run that came from elsewhere; nothing else may be recorded about such a run.
	Takeover bool
}

// maxTries limits how often one append tries again when it meets writers that do not know our lock.
const maxTries = 40

// Append adds events to a run's journal. When it returns without an error, the events are durable.
func (s *Store) Append(ctx context.Context, id checkpoint.RunID, b Batch) (*Journal, error) {
	j, err := s.appendLocked(ctx, id, b)
	if err == nil {
		tidy(ctx, s.Repo, j)
	}
	return j, err
}

func (s *Store) appendLocked(ctx context.Context, id checkpoint.RunID, b Batch) (*Journal, error) {
	lock, err := s.lock(id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }()
	for try := 1; ; try++ {
		j, err := s.Load(ctx, id)
		if err != nil {
			return nil, err
		}
		done, err := s.appendOnce(ctx, j, b)
		if err == nil {
			return done, nil
		}
		if try == maxTries || !isRace(err) || !wait(ctx, try) {
			return nil, err
		}
	}
}

// lock keeps others from appending to a run. It can wait, because each append takes only some hundredths of a second.
func (s *Store) lock(id checkpoint.RunID) (*flock.Lock, error) {
	patience := 30 * time.Second
	if s.Patience > 0 {
		patience = s.Patience
	}
	lock, err := flock.WaitFor(s.Folder().AppendLock(id), patience)
	if err != nil {
		return nil, fmt.Errorf("lock the journal: %w", err)
	}
	return lock, nil
}

// isRace reports whether reading the journal again and retrying may help.
func isRace(err error) bool {
	var stale *refs.StaleError
	var busy *refs.BusyError
	return errors.As(err, &stale) || errors.As(err, &busy) || vanished(err)
}

// vanished reports whether a "gc --prune=now" deleted new objects before a ref named them. They must be written again.
func vanished(err error) bool {
	var git *process.Error
	return errors.As(err, &git) && strings.Contains(git.Text, "nonexistent object")
}

func wait(ctx context.Context, try int) bool {
	t := time.NewTimer(time.Duration(min(try, 10)) * 5 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *Store) appendOnce(ctx context.Context, j *Journal, b Batch) (*Journal, error) {
	if !j.Run.Ours() && !b.Takeover {
		return nil, &checkpoint.ElsewhereError{Run: j.Run.ID, Lack: j.Run.Lack}
	}
	if b.Claim != nil && (j.Run.Epoch != b.Claim.Epoch || j.Run.Nonce != b.Claim.Nonce) {
		return nil, &FencedError{Epoch: j.Run.Epoch, By: j.Run.Owner}
	}
	events, err := b.Decide(&j.Run)
	if err != nil || len(events) == 0 {
		s.publishPending(ctx, j)
		return j, err
	}
	return s.commit(ctx, j, events, b)
}

// Flatten writes a journal again in the form that this version uses, with the lines of all its refs and no new ones.
// It leaves a run that is not ours unchanged.
func (s *Store) Flatten(ctx context.Context, id checkpoint.RunID) error {
	lock, err := s.lock(id)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	j, err := s.Load(ctx, id)
	if err != nil || !j.Run.Ours() {
		return err
	}
	if !j.Foreign && j.Strange == nil {
		if c, err := s.Repo.Objects.Commit(ctx, string(j.Tip)); err == nil && len(c.Parents) == 0 && j.tail.Canonical {
			s.publishPending(ctx, j)
			return j.PublishError
		}
	}
	next, err := s.commit(ctx, j, nil, Batch{})
	if err != nil {
		return err
	}
	return next.PublishError
}

// Settle completes what a killed append left undone. The record itself is complete, so nothing is lost if Settle fails.
func (s *Store) Settle(ctx context.Context, id checkpoint.RunID) {
	if j, err := s.Load(ctx, id); err == nil {
		s.publishPending(ctx, j)
	}
}

// publishPending publishes a journal whose writer died before publishing it, because there may never be another append that would.
func (s *Store) publishPending(ctx context.Context, j *Journal) {
	s.Repo.Guard.ClearDead()
	if j.Foreign || j.Strange != nil || j.Published == j.Tip || !j.Run.Ours() {
		return
	}
	u := refs.Update{Ref: checkpoint.NotesRef(j.Run.ID), New: j.Tip, Old: j.Published, Log: true}
	if j.PublishError = s.Repo.Refs.Update(ctx, u); j.PublishError == nil {
		j.Published = j.Tip
		s.remember(j)
	}
}

// commit writes the lines, moves the journal ref, and publishes the journal.
func (s *Store) commit(ctx context.Context, j *Journal, events []checkpoint.Event, b Batch) (*Journal, error) {
	h, err := s.Repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	k, err := s.Keys().WritingKey()
	if err != nil {
		return nil, err
	}
	w := writer{s: s, j: j, h: h, key: k, p: object.NewPending(h), docs: checkpoint.Docs{}}
	if err := w.build(ctx, events, b.Docs); err != nil {
		return nil, err
	}
	if err := s.Repo.Objects.Write(ctx, w.p); err != nil {
		return nil, err
	}
	if err := s.prepare(j, w.fresh, b); err != nil {
		return nil, err
	}
	next, err := s.move(ctx, j, &w)
	if err != nil {
		return nil, err
	}
	return next, outlive(ctx, s.Repo, w.p)
}

// prepare writes what must be on disk before the journal ref moves: that the run is open, and which changes a person made.
func (s *Store) prepare(j *Journal, lines []checkpoint.Line, b Batch) error {
	if !j.file.Open && j.Run.Events > 0 && j.Run.Closed() || b.Takeover {
		if err := s.Folder().Announce(j.Run.ID); err != nil {
			return err
		}
	}
	return s.Folder().NoteActs(j.Run.ID, slices.DeleteFunc(slices.Clone(lines), func(l checkpoint.Line) bool { return !l.Event.ByPerson(b.Asked) }))
}

// move makes the written lines valid: it updates the journal ref by compare-and-swap, then the published notes, then the files.
func (s *Store) move(ctx context.Context, j *Journal, w *writer) (*Journal, error) {
	id := j.Run.ID
	old, err := s.Repo.Refs.Ref(ctx, checkpoint.JournalRef(id))
	if err != nil {
		return nil, err
	}
	if old != "" && old != j.Tip {
		return nil, &refs.StaleError{Ref: checkpoint.JournalRef(id), Wanted: j.Tip, Found: old}
	}
	next := &Journal{Run: w.run, Tip: w.tip, Published: j.Published, Tree: w.tree, tail: w.tail, whole: w.whole, theirs: j.theirs, added: len(w.fresh)}
	for _, l := range w.fresh {
		next.lines = append(next.lines, l.Text)
	}
	updates := []refs.Update{{Ref: checkpoint.JournalRef(id), New: w.tip, Old: old, Log: true}}
	if j.Strange == nil {
		updates = append(updates, refs.Update{Ref: checkpoint.NotesRef(id), New: w.tip, Old: j.Published, Log: true})
	}
	errs := s.Repo.Refs.UpdateAll(ctx, updates...)
	if errs[0] != nil {
		return nil, errs[0]
	}
	// If the notes ref could not be set, nothing is lost: the next append tries again.
	next.PublishError = errs[len(errs)-1]
	if j.Strange != nil {
		next.PublishError = &TakenError{Ref: checkpoint.NotesRef(id), Why: "it holds something that is not a journal"}
	}
	if next.PublishError == nil {
		next.Published = next.Tip
	}
	s.remember(next)
	return next, nil
}

// remember updates the files next to the refs. They are only hints, so an error here does not fail the append.
func (s *Store) remember(j *Journal) {
	if err := s.file(j); err != nil || j.Run.Closed() {
		return
	}
	j.file = files.OwnFile{RunFile: s.fileOf(j), Open: true}
	if j.PublishError != nil {
		return // the next reader must look again at who owns the published ref
	}
	var before object.ID
	if s.last != nil && s.last.Run.ID == j.Run.ID {
		before = s.last.Tip
	}
	s.last = j.copy()
	// A process that appends many times a second, as an owner does, need not write every state to the cache for others.
	if now := s.Now(); s.Executing != j.Run.ID || now.Sub(s.written) > cacheEvery || now.Before(s.written) {
		s.written, s.unwritten = now, false
		_ = s.cache().writeCache(j)
		return
	}
	s.unwritten = true
	_ = s.cache().extendCache(before, j)
}

// cacheEvery is how often the process that executes a run writes the whole state to the cache while the state changes.
const cacheEvery = 200 * time.Millisecond

// Flush writes the newest state to the cache for readers, if remember postponed that.
func (s *Store) Flush() {
	if s.unwritten && s.last != nil {
		s.unwritten = false
		_ = s.cache().writeCache(s.last) // only a hint: readers without it read the journal
	}
}

// NextID returns the id that the next event will have; nobody else uses the same id.
func (s *Store) NextID() string { return fmt.Sprintf("%s.%d", s.Nonce, s.count+1) }
