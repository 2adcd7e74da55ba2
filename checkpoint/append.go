package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/flock"
)

// FencedError says that somebody else has claimed the run since: the old owner must stop.
type FencedError struct {
	Epoch int
	By    *Actor
}

func (e *FencedError) Error() string {
	return fmt.Sprintf("the run was taken over (claim %d)", e.Epoch)
}

// Claim is an owner's right to append: the epoch and nonce of its own run.claimed.
type Claim struct {
	Epoch int
	Nonce string
}

// Batch is what one append adds.
type Batch struct {
	// Decide sees the state as it is under the lock and gives the events; none means nothing to record.
	Decide func(*Run) ([]Event, error)
	// Docs are stored beside the lines.
	Docs [][]byte
	// Claim, where set, must be the newest claim of the run.
	Claim *Claim
}

// maxTries bounds the retries of one append against writers who do not know our lock.
const maxTries = 40

// Append adds events to a run's journal. When it returns without an error they are durable.
func (s *Store) Append(ctx context.Context, id RunID, b Batch) (*Journal, error) {
	j, err := s.appendLocked(ctx, id, b)
	if err == nil {
		s.tidy(ctx, j)
	}
	return j, err
}

func (s *Store) appendLocked(ctx context.Context, id RunID, b Batch) (*Journal, error) {
	lock, err := flock.WaitFor(s.appendLock(id), s.patience())
	if err != nil {
		return nil, fmt.Errorf("lock the journal: %w", err)
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

// patience is how long an append waits for others, each of which takes some hundredths of a second.
func (s *Store) patience() time.Duration {
	if s.Patience > 0 {
		return s.Patience
	}
	return 30 * time.Second
}

func (s *Store) appendLock(id RunID) string { return s.path(string(id) + ".append") }

// isRace reports faults that a fresh look may cure.
func isRace(err error) bool {
	var stale *gitstate.StaleRefError
	var busy *gitstate.BusyRefError
	return errors.As(err, &stale) || errors.As(err, &busy)
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
	if b.Claim != nil && (j.Run.Epoch != b.Claim.Epoch || j.Run.Nonce != b.Claim.Nonce) {
		return nil, &FencedError{Epoch: j.Run.Epoch, By: j.Run.Owner}
	}
	events, err := b.Decide(&j.Run)
	if err != nil || len(events) == 0 {
		s.settle(ctx, j)
		return j, err
	}
	return s.commit(ctx, j, events, b.Docs)
}

// Settle finishes what a killed append left undone. The record itself is complete: a failure loses nothing.
func (s *Store) Settle(ctx context.Context, id RunID) {
	if j, err := s.Load(ctx, id); err == nil {
		s.settle(ctx, j)
	}
}

// settle publishes a journal whose writer died before it could. There may never be another append that would.
func (s *Store) settle(ctx context.Context, j *Journal) {
	s.Repo.ClearDead()
	if j.Foreign || j.Strange != nil || j.Published == j.Tip {
		return
	}
	u := gitstate.Update{Ref: NotesRef(j.Run.ID), New: j.Tip, Old: j.Published}
	if j.PublishError = s.Repo.UpdateRef(ctx, u); j.PublishError == nil {
		j.Published = j.Tip
		s.remember(j)
	}
}

// commit writes lines, moves the journal, and publishes it.
func (s *Store) commit(ctx context.Context, j *Journal, events []Event, docs [][]byte) (*Journal, error) {
	h, err := s.Repo.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	p := gitstate.NewPending(h)
	w := writer{s: s, j: j, p: p, docs: Docs{}}
	if err := w.build(ctx, events, docs); err != nil {
		return nil, err
	}
	if err := s.Repo.WriteObjects(ctx, p); err != nil {
		return nil, err
	}
	id := j.Run.ID
	old, err := s.Repo.Ref(ctx, JournalRef(id))
	if err != nil {
		return nil, err
	}
	if old != "" && old != j.Tip {
		return nil, &gitstate.StaleRefError{Ref: JournalRef(id), Wanted: j.Tip, Found: old}
	}
	next := &Journal{Run: w.run, Tip: w.tip, Published: j.Published, Tree: w.tree, tail: w.tail, added: len(events), lines: w.lines}
	updates := []gitstate.Update{{Ref: JournalRef(id), New: w.tip, Old: old}}
	if j.Strange == nil {
		updates = append(updates, gitstate.Update{Ref: NotesRef(id), New: w.tip, Old: j.Published})
	}
	errs := s.Repo.UpdateRefs(ctx, updates...)
	if errs[0] != nil {
		return nil, errs[0]
	}
	// A notes ref that could not be set loses nothing: the next append tries again.
	next.PublishError = errs[len(errs)-1]
	if j.Strange != nil {
		next.PublishError = &TakenError{Ref: NotesRef(id), Why: "it holds something that is no journal"}
	}
	if next.PublishError == nil {
		next.Published = next.Tip
	}
	if err := s.refold(ctx, next, events); err != nil {
		return nil, err
	}
	s.remember(next)
	return next, nil
}

// refold reads the whole journal again where an event changes what earlier ones mean.
func (s *Store) refold(ctx context.Context, j *Journal, events []Event) error {
	for _, e := range events {
		if e.Event == Undone {
			return s.fold(ctx, j.Run.ID, j)
		}
	}
	return nil
}

// remember brings the files beside the refs up to date. They are hints: a failure here is no failure of the append.
func (s *Store) remember(j *Journal) {
	if err := s.file(j); err != nil || j.Run.Closed() {
		return
	}
	if j.PublishError != nil {
		return // whose the published ref is must be looked at each time
	}
	var before gitstate.OID
	if s.last != nil && s.last.Run.ID == j.Run.ID {
		before = s.last.Tip
	}
	s.last = j.copy()
	// One who appends many times a second, as an owner does, need not write each state down for others.
	if now := s.Now(); s.holding != j.Run.ID || now.Sub(s.written) > cacheEvery || now.Before(s.written) {
		s.written, s.unwritten = now, false
		_ = s.writeCache(j)
		return
	}
	s.unwritten = true
	_ = s.extendCache(before, j)
}

// cacheEvery is how often whoever executes a run writes its whole state down while it changes.
const cacheEvery = 200 * time.Millisecond

// Flush writes the newest state down for those who read it, if that was put off.
func (s *Store) Flush() {
	if s.unwritten && s.last != nil {
		s.unwritten = false
		_ = s.writeCache(s.last) // a hint: whoever misses it reads the journal
	}
}

// copy is a journal that can be changed without changing this one.
func (j *Journal) copy() *Journal {
	c := *j
	c.Run.Tasks, c.Run.index, c.lines = slices.Clone(j.Run.Tasks), nil, nil
	return &c
}

// writer builds the objects of one append.
type writer struct {
	s    *Store
	j    *Journal
	p    *gitstate.Pending
	docs Docs

	tip, tree gitstate.OID
	tail      tail
	run       Run
	lines     []string
}

func (w *writer) build(ctx context.Context, events []Event, docs [][]byte) error {
	t, err := openNotes(ctx, w.s.Repo, w.j.Tree)
	if err != nil {
		return err
	}
	w.run, w.tail = w.j.Run, w.j.tail
	parents := []gitstate.OID{}
	if w.j.Tip != "" {
		parents = append(parents, w.j.Tip)
	}
	if w.j.Foreign {
		if err := w.unite(ctx, t); err != nil {
			return err
		}
		parents = append(parents, w.j.Published)
	}
	for _, d := range docs {
		id := w.p.Add("blob", d)
		w.docs[id] = d
		if err := t.set(ctx, id, id); err != nil {
			return err
		}
	}
	for _, e := range events {
		if err := w.add(ctx, t, e); err != nil {
			return err
		}
	}
	w.tree = t.write(w.p)
	w.tip = w.p.Add("commit", w.s.journalCommit(w.tree, parents, events))
	return nil
}

// add numbers one event, puts its line where it belongs and folds it.
func (w *writer) add(ctx context.Context, t *notesTree, e Event) error {
	e = w.s.stamp(e, &w.run)
	line, err := e.Encode()
	if err != nil {
		return fmt.Errorf("record %s: %w", e.Event, err)
	}
	key, text, err := w.place(ctx, t, e)
	if err != nil {
		return err
	}
	text = append(withNewline(text), line...)
	blob := w.p.Add("blob", text)
	w.tail = tail{Head: w.anchor(e), Key: key}
	if err := t.set(ctx, key, blob); err != nil {
		return err
	}
	w.fresh(blob, text)
	plain := string(line[:len(line)-1])
	w.lines = append(w.lines, plain)
	w.run.apply(ParseLine(plain), w.docs)
	return nil
}

// fresh lets a second event of the same append find the note that the first one made.
func (w *writer) fresh(blob gitstate.OID, data []byte) {
	w.docs[blob] = data
}

// anchor is the object on which an event's line hangs: the commit at which it happened, else the base,
// else, where a damaged journal tells of neither, the journal's own last commit or tree.
func (w *writer) anchor(e Event) gitstate.OID {
	if e.Base == nil {
		e.Base = &w.run.Base
	}
	return cmp.Or(e.Head, w.run.Head, e.Base.Commit, w.run.Base.Commit, w.j.Tip, w.j.Published, w.j.Tree)
}

// place finds the note that takes the next line: the commit's own, or the last of the chain behind a full one.
func (w *writer) place(ctx context.Context, t *notesTree, e Event) (gitstate.OID, []byte, error) {
	key := w.anchor(e)
	if w.tail.Head == key && w.tail.Key != "" {
		key = w.tail.Key
	}
	return w.openNote(ctx, t, key)
}

// openNote walks the chain from a note to the one that takes more, and gives its key and text.
func (w *writer) openNote(ctx context.Context, t *notesTree, key gitstate.OID) (gitstate.OID, []byte, error) {
	for range maxNotes {
		blob, err := t.get(ctx, key)
		if err != nil || blob == "" {
			return key, nil, err
		}
		data, ok := w.docs[blob]
		if !ok {
			data, err = w.s.Repo.BlobUpTo(ctx, blob, noteLimit)
		}
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		if err == nil && len(data) < noteLimit {
			return key, append([]byte(nil), data...), nil
		}
		key = blob // full, or not to be read: either way nothing may be put in its place
	}
	return "", nil, errors.New("the chain of notes has no end")
}

// unite takes the lines and documents of the published tree that the journal lacks.
// Lines are never encoded again, only carried over.
func (w *writer) unite(ctx context.Context, t *notesTree) error {
	c, err := w.s.Repo.Commit(ctx, string(w.j.Published))
	if err != nil {
		return err
	}
	mine := contents{docs: Docs{}, lost: map[gitstate.OID]bool{}}
	if err := w.s.readTree(ctx, w.j.Tree, &mine); err != nil {
		return err
	}
	have := map[string]bool{}
	for _, l := range mine.lines {
		have[l.Text] = true
	}
	notes, err := listNotes(ctx, w.s.Repo, c.Tree)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if err := w.uniteNote(ctx, t, n, have); err != nil {
			return err
		}
	}
	w.tail = tail{}
	return nil
}

// uniteNote carries over one note. What cannot be read here or there is kept as it is:
// a note of theirs goes where we have none, and their lines never replace a note of ours.
func (w *writer) uniteNote(ctx context.Context, t *notesTree, n note, have map[string]bool) error {
	ours, err := t.get(ctx, n.key)
	if err != nil || ours == n.blob {
		return err
	}
	theirs, err := w.s.Repo.BlobUpTo(ctx, n.blob, maxUnite)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if n.isDoc() || err != nil {
		if ours != "" {
			return nil
		}
		return t.set(ctx, n.key, n.blob)
	}
	key, text, err := w.openNote(ctx, t, n.key)
	if err != nil {
		return err
	}
	grown := false
	for _, line := range splitLines(theirs) {
		if !have[line] {
			have[line], grown = true, true
			text = append(append(withNewline(text), line...), '\n')
		}
	}
	if !grown {
		return nil
	}
	blob := w.p.Add("blob", text)
	w.fresh(blob, text)
	return t.set(ctx, key, blob)
}

func withNewline(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return append(text, '\n')
	}
	return text
}

// stamp gives an event its place in the journal.
func (s *Store) stamp(e Event, r *Run) Event {
	s.count++
	e.Seq, e.ID, e.V = seqText(r.Seq+1), fmt.Sprintf("%s.%d", s.Nonce, s.count), Version
	e.At = s.Now().UTC().Truncate(time.Microsecond)
	if e.Attempt == "" && (e.Event == TaskStarted || e.Event == SetupStarted) {
		e.Attempt = e.ID
	}
	return e
}

// NextID is the id that the next event will have: a name that nobody else has.
func (s *Store) NextID() string { return fmt.Sprintf("%s.%d", s.Nonce, s.count+1) }

// journalCommit is the commit of one append. Its author is the program:
// the record must not depend on whether the user has set a name.
func (s *Store) journalCommit(tree gitstate.OID, parents []gitstate.OID, events []Event) []byte {
	who := fmt.Sprintf("git-resume <git-resume@localhost> %d +0000", s.Now().Unix())
	text := "tree " + string(tree) + "\n"
	for _, p := range parents {
		text += "parent " + string(p) + "\n"
	}
	text += "author " + who + "\ncommitter " + who + "\n\n"
	for _, e := range events {
		text += string(e.Event)
		if e.Task != "" {
			text += " " + string(e.Task)
		}
		text += "\n"
	}
	return []byte(text)
}
