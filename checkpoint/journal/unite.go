package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Union brings the journals of a store together with those of other clones.
type Union struct{ Store *Store }

// Read reads a journal that came from another clone. It fails if any note of the journal cannot be read.
func (u Union) Read(ctx context.Context, id checkpoint.RunID, tree object.ID) (*notes.Contents, error) {
	out := notes.New()
	if err := out.ReadTree(ctx, u.Store.Repo, tree, u.Store.Keys().Reader(id)); err != nil {
		return nil, err
	}
	if n := out.LostNotes(); n > 0 {
		return nil, fmt.Errorf("the record of run '%s' is incomplete, because some of its notes (%d) cannot be read", id, n)
	}
	return out, nil
}

// Lines returns the lines of a journal that was loaded, in order. Unlike Store.Lines, it leaves out lines that were recorded after the
// journal was loaded.
func (u Union) Lines(ctx context.Context, j *Journal) ([]checkpoint.Line, error) {
	if err := u.readWhole(ctx, j); err != nil {
		return nil, fmt.Errorf("read the record of run '%s': %w", j.Run.ID, err)
	}
	return checkpoint.Sorted(j.whole.Lines), nil
}

// readWhole reads the contents of a journal that was loaded. Usually the store keeps them, so that the next Load of the same journal has
// them too.
func (u Union) readWhole(ctx context.Context, j *Journal) error {
	if j.whole != nil {
		return nil
	}
	if err := u.Store.readWhole(ctx, j); err != nil || j.Foreign || j.Strange != nil {
		return err
	}
	for _, known := range []*Journal{u.Store.last, u.Store.seen} {
		if known != nil && known.Run.ID == j.Run.ID && known.same(j) {
			known.whole = j.whole
		}
	}
	return nil
}

// Unite adds the lines and documents of another journal to that of a run. If this clone does not have the run yet, it is stored as a run
// from elsewhere. Unite also returns the lines that are new here.
func (u Union) Unite(ctx context.Context, id checkpoint.RunID, other *notes.Contents) (*Journal, []checkpoint.Line, error) {
	lock, err := u.Store.lock(id)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = lock.Release() }()
	for try := 1; ; try++ {
		j, came, err := u.uniteOnce(ctx, id, other)
		if err == nil || try == maxTries || !isRace(err) || !wait(ctx, try) {
			return j, came, err
		}
	}
}

func (u Union) uniteOnce(ctx context.Context, id checkpoint.RunID, other *notes.Contents) (*Journal, []checkpoint.Line, error) {
	j, err := u.Store.Load(ctx, id)
	var none *checkpoint.NoRunError
	if errors.As(err, &none) {
		j, err = u.bring(ctx, &Journal{Run: checkpoint.Run{ID: id}}, notes.New(), other)
		return j, other.Lines, err
	}
	if err != nil {
		return nil, nil, err
	}
	if err := u.readWhole(ctx, j); err != nil {
		return nil, nil, err
	}
	came, all := notes.Minus(other.Lines, j.whole.Lines), notes.New()
	all.Unite(j.whole)
	switch {
	case !all.Unite(other):
	case !j.Run.Ours():
		j, err = u.bring(ctx, j, j.whole, other)
	default:
		j.whole, j.Foreign = all, true
		if _, err = u.Store.commit(ctx, j, nil, Batch{}); err == nil {
			j, err = u.Store.Load(ctx, id)
		}
	}
	return j, came, err
}

// bring stores the lines of "have" and of "other" together as the journal of a run that is not ours.
func (u Union) bring(ctx context.Context, j *Journal, have, other *notes.Contents) (*Journal, error) {
	if j.Tip == "" {
		if err := u.Store.Room(ctx); err != nil {
			return nil, err
		}
	}
	h, err := u.Store.Repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	all := notes.New()
	all.Unite(have)
	all.Unite(other)
	w := writer{s: u.Store, j: &Journal{Run: j.Run}, h: h, p: object.NewPending(h), docs: checkpoint.Docs{}}
	w.lay(all)
	tip := w.p.Add("commit", w.journalCommit())
	if err := u.Store.Repo.Objects.Write(ctx, w.p); err != nil {
		return nil, err
	}
	old, err := u.Store.Repo.Refs.Ref(ctx, checkpoint.JournalRef(j.Run.ID))
	if err != nil {
		return nil, err
	}
	if old != "" && old != j.Tip {
		return nil, &refs.StaleError{Ref: checkpoint.JournalRef(j.Run.ID), Wanted: j.Tip, Found: old}
	}
	if err := u.Store.Repo.Refs.Update(ctx, refs.Update{Ref: checkpoint.JournalRef(j.Run.ID), New: tip, Old: old, Log: true}); err != nil {
		return nil, err
	}
	return u.Store.Load(ctx, j.Run.ID)
}

// Draft is a journal with new lines that are signed and stored as git objects, but are not part of the run yet.
type Draft struct {
	Tree  object.ID
	Lines []checkpoint.Line
	// Whole is what the notes tree with the id Tree contains.
	Whole *notes.Contents
}

// Draft adds events to the present lines of a run without recording them. Unite makes them part of the run after the remote has accepted
// them.
func (u Union) Draft(ctx context.Context, id checkpoint.RunID, events ...checkpoint.Event) (*Draft, error) {
	j, err := u.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := u.readWhole(ctx, j); err != nil {
		return nil, err
	}
	h, err := u.Store.Repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	k, err := u.Store.Keys().WritingKey()
	if err != nil {
		return nil, err
	}
	w := writer{s: u.Store, j: j, h: h, key: k, p: object.NewPending(h), docs: checkpoint.Docs{}}
	for i, e := range events {
		l, err := w.line(w.stamp(e, j.Run.Seq+1+int64(i)))
		if err != nil {
			return nil, err
		}
		w.fresh = append(w.fresh, l)
	}
	if err := w.rebuild(ctx); err != nil {
		return nil, err
	}
	return &Draft{Tree: w.tree, Lines: w.fresh, Whole: w.whole}, u.Store.Repo.Objects.Write(ctx, w.p)
}
