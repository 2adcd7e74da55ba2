package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Create starts a run by writing its journal. It writes the file of the open run before the journal, so that every existing run is
// listed.
func (s *Store) Create(ctx context.Context, id checkpoint.RunID, events []checkpoint.Event, docs [][]byte) (*Journal, error) {
	if !id.Valid() {
		return nil, fmt.Errorf("'%s' is not a valid run id", id)
	}
	if err := s.checkRefsFree(ctx, id); err != nil {
		return nil, err
	}
	lock, err := s.lock(id) // while this lock is held, Sweep does not remove the run
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }()
	if err := s.Folder().Announce(id); err != nil {
		return nil, err
	}
	base := events[0].Base.Commit
	if err := s.Repo.Refs.Update(ctx, refs.Update{Ref: checkpoint.BaseRef(id), New: base}); err != nil {
		return nil, s.abandon(ctx, id, base, err)
	}
	j, err := s.commit(ctx, &Journal{Run: checkpoint.Run{ID: id}}, events, Batch{Docs: docs})
	if err != nil {
		return nil, s.abandon(ctx, id, base, err)
	}
	return j, nil
}

// ErrThere says that the journal of a run exists after all, although it was missing before.
var ErrThere = errors.New("the record of the run, which was missing, is there again")

// Renew starts a new journal for a run that has only commits left. If a journal exists after all, for example because notes
// were fetched, Renew returns ErrThere.
func (s *Store) Renew(ctx context.Context, id checkpoint.RunID, events []checkpoint.Event) (*Journal, error) {
	lock, err := s.lock(id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }()
	var none *checkpoint.NoRunError
	if _, err := s.Load(ctx, id); err == nil {
		return nil, ErrThere
	} else if !errors.As(err, &none) {
		return nil, err
	}
	if err := s.Room(ctx); err != nil {
		return nil, err
	}
	if s.Folder().ReadOpen(id).V == 0 { // keep an existing file of the open run, because it may contain the id of a snapshot
		if err := s.Folder().Announce(id); err != nil {
			return nil, err
		}
	}
	at, err := s.Repo.Refs.Ref(ctx, checkpoint.BaseRef(id))
	if err != nil {
		return nil, err
	}
	if at == "" {
		if err := s.Repo.Refs.Update(ctx, refs.Update{Ref: checkpoint.BaseRef(id), New: events[0].Base.Commit}); err != nil {
			return nil, err
		}
	}
	return s.commit(ctx, &Journal{Run: checkpoint.Run{ID: id}}, events, Batch{})
}

// abandon cleans up after a failed start. If the journal exists nevertheless, the run exists, and abandon removes nothing.
func (s *Store) abandon(ctx context.Context, id checkpoint.RunID, base object.ID, cause error) error {
	if tip, err := s.Repo.Refs.Ref(ctx, checkpoint.JournalRef(id)); err != nil || tip != "" {
		return cause
	}
	if err := s.Repo.Refs.Update(ctx, refs.Update{Ref: checkpoint.BaseRef(id), Old: base}); err != nil {
		if at, err := s.Repo.Refs.Ref(ctx, checkpoint.BaseRef(id)); err != nil || at != "" {
			return cause // keep the file of the open run, so that Sweep can remove the base ref later
		}
	}
	_ = s.Folder().RemoveOpen(id)
	_ = files.RemoveQuiet(s.Folder().AppendLock(id)) // the run never existed, so nobody else uses its lock
	return cause
}

// Room checks that no existing ref prevents us from creating our refs. For example, a ref "a" makes a ref "a/b" impossible.
func (s *Store) Room(ctx context.Context) error {
	return mustBeFree(ctx, s.Repo.Refs, "git-resume needs refs below this name, so the name itself must not be a ref",
		"refs/notes", "refs/notes/resume", "refs/resume", "refs/resume/journal", "refs/resume/base")
}

// mustBeFree returns a *TakenError with the given reason if one of the refs exists.
func mustBeFree(ctx context.Context, in *refs.Refs, why string, names ...refs.Name) error {
	for _, ref := range names {
		at, err := in.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if at != "" {
			return &TakenError{Ref: ref, Why: why}
		}
	}
	return nil
}

// checkRefsFree does the same check as Room, and also checks that the refs of this run do not exist yet.
func (s *Store) checkRefsFree(ctx context.Context, id checkpoint.RunID) error {
	if err := s.Room(ctx); err != nil {
		return err
	}
	return mustBeFree(ctx, s.Repo.Refs, "it exists already", checkpoint.JournalRef(id), checkpoint.NotesRef(id), checkpoint.BaseRef(id))
}

// Forget removes the remaining refs of a discarded run and marks its file as expired. It does not change a run that was reopened or never
// discarded.
func (s *Store) Forget(ctx context.Context, id checkpoint.RunID) error {
	j, err := s.Load(ctx, id)
	if err != nil || !j.Run.Discarded {
		return nil
	}
	for _, ref := range []refs.Name{checkpoint.NotesRef(id), checkpoint.BaseRef(id), checkpoint.JournalRef(id)} {
		at, err := s.Repo.Refs.Ref(ctx, ref)
		if err != nil || at == "" {
			continue
		}
		if err := s.Repo.Refs.Update(ctx, refs.Update{Ref: ref, Old: at}); err != nil {
			return fmt.Errorf("forget %s: %w", id, err)
		}
	}
	_ = s.Folder().ForgetUnmerged(id) // an error does no harm: if this file stays, a search for unmerged runs only has to look at one more run
	text, err := checkpoint.Marshal(files.RunFile{V: 1, Expired: true})
	if err != nil {
		return err
	}
	return dotgit.WriteFile(s.Folder().Path("closed", string(id)), append(text, '\n'))
}
