package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
)

// writer builds the git objects of one append.
type writer struct {
	s    *Store
	j    *Journal
	h    object.Hasher
	key  *checkpoint.Key
	p    *object.Pending
	docs checkpoint.Docs
	// asked is true if a person asked for the recorded events.
	asked bool
	// fresh holds the lines of this append.
	fresh []checkpoint.Line

	tip, tree object.ID
	tail      tail
	run       checkpoint.Run
	whole     *notes.Contents
}

func (w *writer) build(ctx context.Context, events []checkpoint.Event, docs [][]byte) error {
	for _, d := range docs {
		w.docs[w.h.ID("blob", d)] = d
	}
	for i, e := range events {
		l, err := w.line(w.stamp(e, w.j.Run.Seq+1+int64(i)))
		if err != nil {
			return err
		}
		w.fresh = append(w.fresh, l)
	}
	quick, err := w.append(ctx)
	if err != nil {
		return err
	}
	if !quick {
		if err := w.rebuild(ctx); err != nil {
			return err
		}
	}
	w.tip = w.p.Add("commit", w.journalCommit())
	return nil
}

// line encodes and signs one event. It refuses a line that cannot be decoded again, because readers would ignore that line.
func (w *writer) line(e checkpoint.Event) (checkpoint.Line, error) {
	text, err := e.Encode()
	if err != nil {
		return checkpoint.Line{}, fmt.Errorf("record %s: %w", e.Event, err)
	}
	text = w.key.SignLine(w.j.Run.ID, text)
	plain := string(text[:len(text)-1])
	back, err := checkpoint.Decode([]byte(plain))
	if err != nil {
		return checkpoint.Line{}, fmt.Errorf("record %s: %w", e.Event, err)
	}
	return checkpoint.Line{Text: plain, Event: back, Ours: true}, nil
}

// append adds the lines without reading the existing lines. It returns false if it would need the existing lines to determine the new tree.
func (w *writer) append(ctx context.Context) (bool, error) {
	if !w.j.tail.Canonical || w.j.Foreign || w.j.Run.Unreadable > 0 || len(w.fresh) == 0 {
		return false, nil
	}
	w.run, w.tail = w.j.Run, w.j.tail
	if !w.run.Extend(w.fresh, w.docs) {
		return false, nil
	}
	t, err := notes.Open(ctx, w.s.Repo.Objects, w.j.Tree)
	if err != nil {
		return false, err
	}
	for id, d := range w.docs {
		if free, err := w.put(ctx, t, id, id, d); !free || err != nil {
			return false, err
		}
	}
	texts := map[object.ID][]byte{}
	for _, l := range w.fresh {
		if ok, err := w.add(ctx, t, l, texts); !ok || err != nil {
			return false, err
		}
	}
	w.tree = t.Write(w.p)
	return true, nil
}

// put attaches a note to the object with the given key. It returns false if the object already has a different note.
func (w *writer) put(ctx context.Context, t *notes.Tree, key, blob object.ID, text []byte) (bool, error) {
	have, err := t.Get(ctx, key)
	if err != nil || have != "" {
		return have == blob, err
	}
	w.p.Add("blob", text)
	return true, t.Set(ctx, key, blob)
}

// add appends one line to the last note of the line's commit. It returns false if the existing notes do not allow that; then the notes
// must be rebuilt.
func (w *writer) add(ctx context.Context, t *notes.Tree, l checkpoint.Line, texts map[object.ID][]byte) (bool, error) {
	first := l.Event.Head
	if first == "" {
		first = w.tail.Base
	}
	if first == "" {
		return false, nil
	}
	key := first
	if w.tail.Head == first && w.tail.Key != "" {
		key = w.tail.Key
	}
	key, text, ok, err := w.lastPiece(ctx, t, key, texts)
	if err != nil || !ok || len(text) > 0 && !w.hangsOn(text, first) {
		return false, err
	}
	if len(text) > 0 && len(text)+len(l.Text)+1 > notes.Limit {
		key, text = w.h.ID("blob", text), nil
		if have, err := t.Get(ctx, key); err != nil || have != "" {
			return false, err
		}
	}
	text = append(append(append([]byte(nil), text...), l.Text...), '\n')
	blob := w.p.Add("blob", text)
	texts[blob] = text
	w.tail.Head, w.tail.Key = first, key
	return true, t.Set(ctx, key, blob)
}

// lastPiece returns the key to which the last note of an object is attached, and the text of that note. The text is empty if the object
// has no note. The third result is false if no line can be appended, for example because the note is a document.
func (w *writer) lastPiece(ctx context.Context, t *notes.Tree, key object.ID, texts map[object.ID][]byte) (object.ID, []byte, bool, error) {
	for range notes.Most {
		blob, err := t.Get(ctx, key)
		if err != nil || blob == "" {
			return key, nil, true, err
		}
		if blob == key {
			return "", nil, false, nil // a document, such as a plan: it is attached to its own blob and contains no lines
		}
		next, err := t.Get(ctx, blob)
		if err != nil {
			return "", nil, false, err
		}
		if next != "" {
			key = blob
			continue
		}
		text, ok := texts[blob]
		if !ok {
			text, err = w.s.Repo.Objects.BlobUpTo(ctx, blob, notes.Limit+checkpoint.MaxLine)
		}
		return key, text, err == nil, ctx.Err()
	}
	return "", nil, false, nil
}

// hangsOn reports whether the last line of a note belongs to the given object. Before a line of the object is added to the note that
// lastPiece found, hangsOn must confirm that this is really a note of the object.
//
// If the note of an object is full, its next note is attached to the blob of the full note, and lastPiece goes from blob to blob to find
// the last note. But a line is normally attached to the commit that it names. So if a forged line names the blob of a full note as its
// commit, the note with the forged line is attached to this blob too, and lastPiece finds it.
func (w *writer) hangsOn(text []byte, object object.ID) bool {
	lines := notes.SplitLines(text)
	if len(lines) == 0 {
		return false
	}
	l := checkpoint.ParseLine(lines[len(lines)-1])
	return !l.Bad && (l.Event.Head == object || l.Event.Head == "" && object == w.tail.Base)
}

// rebuild makes the notes of the whole journal again. This is necessary, for example, after other people's lines were added, or if an
// older version wrote the journal.
func (w *writer) rebuild(ctx context.Context) error {
	all := notes.New()
	if w.j.Tip != "" {
		if err := w.s.readWhole(ctx, w.j); err != nil {
			return err
		}
		all.Unite(w.j.whole)
	}
	w.p = object.NewPending(w.h) // the quick append failed, so discard its objects
	all.Unite(&notes.Contents{Lines: w.fresh, Docs: w.docs})
	w.lay(all)
	return nil
}

// lay makes the notes of a whole journal.
func (w *writer) lay(all *notes.Contents) {
	w.whole = all
	s := notes.LayOut(w.h, *all)
	for id, d := range w.docs {
		if !all.Blobs[id] {
			w.p.Add("blob", d)
		}
	}
	for id, text := range s.Texts {
		if !all.Blobs[id] {
			w.p.Add("blob", text)
		}
		all.Blobs[id] = true
	}
	w.tree = s.Entries(w.p)
	w.run = checkpoint.Fold(w.j.Run.ID, all.Lines, all.Docs)
	w.run.Unreadable += all.LostNotes()
	w.tail = tail{Canonical: true, Base: notes.BaseOf(checkpoint.Sorted(all.Lines))}
}

// journalCommit returns the commit object for one state of the journal. It does not depend on the user or the clock, so that clones with
// the same lines get the same commit. For a closed run, the parent is the last commit that others published, so that the published ref can
// be fast-forwarded.
func (w *writer) journalCommit() []byte {
	who := fmt.Sprintf("git-resume <git-resume@localhost> %d +0000", stampOf(w.run.TopAt))
	text := "tree " + string(w.tree) + "\n"
	if w.run.Closed() && w.j.theirs != "" {
		text += "parent " + string(w.j.theirs) + "\n"
	}
	return []byte(text + "author " + who + "\ncommitter " + who + "\n\ngit-resume journal\n")
}

// stampOf limits the time of a line to the range that every version of git can show.
func stampOf(at time.Time) int64 {
	const last = 1<<32 - 1
	return min(max(at.Unix(), 0), last)
}

// stamp gives an event its number, id and time, and if needed an attempt and a lease.
func (w *writer) stamp(e checkpoint.Event, seq int64) checkpoint.Event {
	w.s.count++
	e.Seq, e.ID, e.V = checkpoint.SeqText(seq), fmt.Sprintf("%s.%d", w.s.Nonce, w.s.count), checkpoint.Version
	e.At = w.s.Now().UTC().Truncate(time.Microsecond)
	if e.Attempt == "" && (e.Event == checkpoint.TaskStarted || e.Event == checkpoint.SetupStarted) {
		e.Attempt = e.ID
	}
	if w.j.Run.Share != nil && (e.Event.IsWork() || e.Event == checkpoint.RunFinished && !w.asked) {
		e.SetLease(w.j.Run.Share.Mine)
	}
	return e
}
