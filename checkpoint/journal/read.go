package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Load reads a run's journal and computes the state of the run. The result includes lines that are only in another ref of the run. Load
// writes nothing to the repository.
func (s *Store) Load(ctx context.Context, id checkpoint.RunID) (*Journal, error) {
	j, err := s.tips(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, known := range []*Journal{s.last, s.seen} {
		if known != nil && known.Run.ID == id && known.same(j) {
			return known.copy(), nil
		}
	}
	if err := s.state(ctx, id, j); err != nil {
		return nil, err
	}
	j.Run.Lack = lack(&j.Run, j.file, func() ([]checkpoint.Line, error) {
		err := s.readWhole(ctx, j)
		if err != nil {
			return nil, err
		}
		return j.whole.Lines, nil
	})
	if j.Run.Lack == checkpoint.LackRoot && s.Keys().KeyFault() != nil {
		j.Run.Lack = checkpoint.LackKey
	}
	if j.Strange == nil && !j.Foreign {
		s.seen = j.copy() // keep the journal, because the same command may load this run again
	}
	return j, nil
}

// state computes the state of a journal. It uses the cache if possible, and otherwise reads every line.
func (s *Store) state(ctx context.Context, id checkpoint.RunID, j *Journal) error {
	if j.file.Journal != "" && j.file.Journal != j.Tip {
		return s.fold(ctx, id, j)
	}
	c := s.cache().readCache(id, j.Tip)
	if c != nil && c.Tip == j.Tip && c.Published == j.Published {
		j.Run, j.Tree, j.tail = c.Run, c.Tree, c.Tail
		return nil
	}
	if c != nil && s.cache().catchUp(ctx, c, j) {
		return nil
	}
	return s.fold(ctx, id, j)
}

// fold reads a whole journal and computes its state.
func (s *Store) fold(ctx context.Context, id checkpoint.RunID, j *Journal) error {
	j.Run.ID = id
	if err := s.readWhole(ctx, j); err != nil {
		return fmt.Errorf("read the record of run '%s': %w", id, err)
	}
	j.Run = checkpoint.Fold(id, j.whole.Lines, j.whole.Docs)
	j.Run.Unreadable += j.whole.LostNotes()
	return nil
}

// Lines returns the lines of a run's journal, in order.
func (s *Store) Lines(ctx context.Context, id checkpoint.RunID) ([]checkpoint.Line, error) {
	j, err := s.tips(ctx, id)
	if err == nil {
		j.Run.ID = id
		err = s.readWhole(ctx, j)
	}
	var none *checkpoint.NoRunError
	switch {
	case errors.As(err, &none):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read the record of run '%s': %w", id, err)
	}
	return checkpoint.Sorted(j.whole.Lines), nil
}

// tips finds the newest commits of a run's journal. If the private ref has vanished, it uses the commit that the file of an open run names
// (the file .git/resume/open/ID). If that is not possible either, it uses the commit of the published ref.
func (s *Store) tips(ctx context.Context, id checkpoint.RunID) (*Journal, error) {
	tip, err := s.Repo.Refs.Ref(ctx, checkpoint.JournalRef(id))
	if err != nil {
		return nil, err
	}
	pub, err := s.Repo.Refs.Ref(ctx, checkpoint.NotesRef(id))
	if err != nil {
		return nil, err
	}
	file := s.Folder().OwnFile(id)
	if tip == "" && file.Open && file.Journal != "" {
		if _, err := notes.TreeOf(ctx, s.Repo, file.Journal); err == nil {
			tip = file.Journal
		}
	}
	if tip == "" {
		tip = pub
	}
	if tip == "" {
		return nil, &checkpoint.NoRunError{ID: id}
	}
	return &Journal{Tip: tip, Published: pub, file: file, theirs: file.Notes}, nil
}

// readWhole collects the contents of all refs of a journal. It also reads the last journal commit that this clone wrote, in
// case somebody moved a ref back.
func (s *Store) readWhole(ctx context.Context, j *Journal) error {
	if j.whole != nil {
		return nil
	}
	all := notes.New()
	var err error
	if j.Tree, err = notes.TreeOf(ctx, s.Repo, j.Tip); err != nil {
		return err
	}
	if err := all.ReadTree(ctx, s.Repo, j.Tree, s.Keys().Reader(j.Run.ID)); err != nil {
		return err
	}
	if j.Published != "" && j.Published != j.Tip && !s.History().Contains(ctx, j.Tip, j.Published) {
		// If the published ref is not a journal, ignore it. Do not overwrite it, because it may be somebody's only copy of something.
		more := false
		if _, err = s.Repo.Objects.Commit(ctx, string(j.Published)); err == nil {
			more, err = s.readMore(ctx, j.Run.ID, j.Published, all)
		}
		if j.Strange = err; more {
			j.Foreign, j.theirs = true, j.Published
		}
	}
	if f := &j.file; f.Journal != "" && f.Journal != j.Tip && f.Journal != j.Published {
		more, err := s.readMore(ctx, j.Run.ID, f.Journal, all)
		f.Lost = err != nil
		j.Foreign = j.Foreign || more
	}
	j.whole = all
	return ctx.Err()
}

// readMore adds the contents of another commit of the journal to the argument "all". It returns true if that commit had anything new.
func (s *Store) readMore(ctx context.Context, id checkpoint.RunID, tip object.ID, all *notes.Contents) (more bool, err error) {
	tree, err := notes.TreeOf(ctx, s.Repo, tip)
	if err != nil {
		return false, err
	}
	other := notes.New()
	if err := other.ReadTree(ctx, s.Repo, tree, s.Keys().Reader(id)); err != nil {
		return false, err
	}
	return all.Unite(other), nil
}
