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

// FencedError says that another owner has claimed the run in the meantime, so the old owner must stop.
type FencedError struct {
	Epoch int
	By    *checkpoint.Actor
}

func (e *FencedError) Error() string {
	return "another worker took over the run"
}

// Claim gives an owner the right to append. It holds the epoch and the nonce of the owner's run.claimed event.
type Claim struct {
	Epoch int
	Nonce string
}

// Batch describes one append.
type Batch struct {
	// Decide gets the current state, while the journal is locked, and returns the events to record. An empty result is allowed.
	Decide func(*checkpoint.Run) ([]checkpoint.Event, error)
	// Docs are documents, such as plans, to store next to the lines.
	Docs [][]byte
	// Claim, if it is set, must be the newest claim of the run. Otherwise the append fails with a FencedError.
	Claim *Claim
	// Asked is true if a person asked to finish the run, or to add or reset a task. The user can undo such a change. The same events are
	// often recorded automatically, and those cannot be undone.
	Asked bool
	// Takeover is true if the events take over a run from another clone. Nothing else can be appended to a run that is not ours.
	Takeover bool
}

// maxTries limits the retries of an append. A retry is needed if a program that ignores our lock changes the refs.
const maxTries = 40

// Append adds events to a run's journal. If it returns no error, the events are on the disk.
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
	waiting{s}.append(ctx, id)
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

type waiting struct{ in *Store }

// append records the events that Store.Pending returns. If recording fails, they are kept for the next append. If the run is closed or not
// ours, they are dropped.
func (w waiting) append(ctx context.Context, id checkpoint.RunID) {
	if w.in.Pending == nil {
		return
	}
	j, err := w.in.Load(ctx, id)
	if err != nil {
		return
	}
	events, forget := w.in.Pending(&j.Run)
	if len(events) > 0 && j.Run.Ours() && !j.Run.Closed() {
		if _, err := w.in.commit(ctx, j, events, Batch{}); err != nil {
			return
		}
	}
	if forget != nil {
		forget()
	}
}

// lock prevents other processes from appending to the run. It waits for at most s.Patience, or for 30 seconds if that is not set.
func (s *Store) lock(id checkpoint.RunID) (*flock.Lock, error) {
	patience := 30 * time.Second
	if s.Patience > 0 {
		patience = s.Patience
	}
	lock, err := flock.WaitFor(s.Folder().AppendLock(id), patience)
	if err != nil {
		return nil, fmt.Errorf("lock the record of the run: %w", err)
	}
	return lock, nil
}

// isRace reports whether an append failed because another process changed the refs or objects meanwhile, so that a retry may help.
func isRace(err error) bool {
	var stale *refs.StaleError
	var busy *refs.BusyError
	return errors.As(err, &stale) || errors.As(err, &busy) || vanished(err)
}

// vanished reports whether "git gc --prune=now" deleted the new objects before any ref pointed to them. Then they must be
// written again.
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

// MergeForeign writes a journal of ours again, together with lines that others have added to its published ref. It adds no new lines.
func (s *Store) MergeForeign(ctx context.Context, id checkpoint.RunID) error {
	lock, err := s.lock(id)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	j, err := s.Load(ctx, id)
	if err != nil || !j.Run.Ours() {
		return err
	}
	if !j.Foreign {
		s.publishPending(ctx, j)
		return j.PublishError
	}
	next, err := s.commit(ctx, j, nil, Batch{})
	if err != nil {
		return err
	}
	return next.PublishError
}

// Settle publishes the journal of a run, which means that it moves the run's notes ref to the newest commit of the journal. This is needed
// if an append was killed before it published the journal. An error does no harm, because the journal itself is complete.
func (s *Store) Settle(ctx context.Context, id checkpoint.RunID) {
	if j, err := s.Load(ctx, id); err == nil {
		s.publishPending(ctx, j)
	}
}

// publishPending publishes a journal if its writer died before publishing it. It does not wait for the next append, because perhaps none
// follows.
func (s *Store) publishPending(ctx context.Context, j *Journal) {
	s.Repo.Guard.ClearDead()
	if j.Foreign || j.Strange != nil || j.Published == j.Tip || !j.Run.Ours() {
		return
	}
	u := refs.Update{Ref: checkpoint.NotesRef(j.Run.ID), New: j.Tip, Old: j.Published, Log: true}
	if j.PublishError = s.Repo.Refs.Update(ctx, u); j.PublishError == nil {
		j.Published = j.Tip
		s.remember(ctx, j, "")
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
	w := writer{s: s, j: j, h: h, key: k, p: object.NewPending(h), docs: checkpoint.Docs{}, asked: b.Asked}
	if err := w.build(ctx, s.withCaller(events, b.Asked), b.Docs); err != nil {
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
	return next, rewriteAfterGC(ctx, s.Repo, w.p)
}

// withCaller sets the field By in the events of those changes that "git resume undo" can undo. The field says which user or coding agent
// asked for the change.
func (s *Store) withCaller(events []checkpoint.Event, asked bool) []checkpoint.Event {
	out := slices.Clone(events)
	for i := range out {
		if s.Caller != nil && out[i].ByPerson(asked) {
			out[i].By = s.Caller()
		}
	}
	return out
}

// prepare writes two things to the disk before the journal ref moves: that a reopened or taken-over run is open, and which changes a
// person asked for.
func (s *Store) prepare(j *Journal, lines []checkpoint.Line, b Batch) error {
	if !j.file.Open && j.Run.Events > 0 && j.Run.Closed() || b.Takeover {
		if err := s.Folder().Announce(j.Run.ID); err != nil {
			return err
		}
	}
	return s.Folder().NoteActs(j.Run.ID, slices.DeleteFunc(slices.Clone(lines), func(l checkpoint.Line) bool { return !l.Event.ByPerson(b.Asked) }))
}

// move makes the new lines part of the journal. It updates the journal ref by compare-and-swap. It also updates the public notes ref, but
// not if something other than a journal is stored there.
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
	// A failure to update the notes ref loses nothing, because the next append tries again.
	next.PublishError = errs[len(errs)-1]
	if j.Strange != nil {
		next.PublishError = &TakenError{Ref: checkpoint.NotesRef(id), Why: "what is stored there cannot be read as the record of a run"}
	}
	if next.PublishError == nil {
		next.Published = next.Tip
	}
	from := j.Tip
	if j.Foreign {
		from = "" // next also has lines of others, which next.lines lacks, so remember must write the whole state
	}
	s.remember(ctx, next, from)
	return next, nil
}

// remember updates the files about the run in .git/resume. An error does not fail the append, because the files can be recomputed.
//
// If the argument "from" is not empty, it is the journal's commit before the append, and j.lines are all lines that were added to it. Then
// adding these lines to the cache file can be enough. If "from" is empty, remember writes the whole state to the cache.
func (s *Store) remember(ctx context.Context, j *Journal, from object.ID) {
	now, err := s.file(ctx, j)
	if err != nil || j.Run.Closed() {
		return
	}
	j.file = files.OwnFile{RunFile: now, Open: true}
	if j.PublishError != nil {
		return // do not cache this state, because the next reader must check again who made the commit in the notes ref
	}
	s.last = j.copy()
	// The process that executes a run may append many times a second. It rewrites the whole cache file at most once per
	// cacheEvery, and otherwise appends the new lines to the file.
	if now := s.Now(); s.Executing != j.Run.ID || from == "" || now.Sub(s.written) > cacheEvery || now.Before(s.written) {
		s.written, s.unwritten = now, false
		_ = s.cache().writeCache(j)
		return
	}
	s.unwritten = true
	_ = s.cache().extendCache(from, j)
}

// cacheEvery is the shortest time after which the process that executes a run writes the whole state to the cache again.
const cacheEvery = 200 * time.Millisecond

// Flush writes the newest state to the cache file, if the last append has skipped that to save time.
func (s *Store) Flush() {
	if s.unwritten && s.last != nil {
		s.unwritten = false
		_ = s.cache().writeCache(s.last) // ignore an error: without the cache, readers read the journal
	}
}

// NextID returns the id of the next event that this process records. No other process uses the same id.
func (s *Store) NextID() string { return fmt.Sprintf("%s.%d", s.Nonce, s.count+1) }
