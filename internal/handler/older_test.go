package handler

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler/discard"
)

// takenBack is a run that was discarded, and taken back by a program that knows nothing of what the discard kept:
// the journal says that it goes on, and its worktree is not there.
func takenBack(t *testing.T) (*gittest.Repo, *Engine, checkpoint.RunID) {
	t.Helper()
	r := gittest.New(t).WithBinary()
	r.MustResume("start", "--name", "job", "--task", "a")
	id := checkpoint.RunID(r.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/resume/journal"))
	r.In(filepath.Join(filepath.Dir(r.Dir), "repo.worktrees", string(id))).Write("work", "w")
	r.MustResume("discard", "-y", string(id))
	e := foreignEngine(t, r)
	e.Now = time.Now
	e.Store.Now = time.Now
	_, err := e.Store.Append(t.Context(), id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunRestored}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, e, id
}

// To discard it again is to note it again, so that undo finds all that was kept.
func TestDiscard_notesWhatOnlyTheJournalTookBack(t *testing.T) {
	t.Parallel()
	r, e, id := takenBack(t)
	out, err := e.Dropping.Discard(t.Context(), id, discard.DiscardCarefully)
	if err != nil || !out.Journal.Run.Discarded {
		t.Fatalf("%+v: %v", out, err)
	}
	if _, err := undoNewest(t, e, string(id)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(r.Dir), "repo.worktrees", string(id), "work")); err != nil || string(text) != "w" {
		t.Errorf("the work is %q: %v", text, err)
	}
}

// Nothing of it is forgotten while it goes on, however old the discard is.
func TestExpire_forgetsNoRunThatGoesOn(t *testing.T) {
	t.Parallel()
	r, e, id := takenBack(t)
	e.Now = func() time.Time { return time.Now().Add(400 * 24 * time.Hour) }
	for range 2 { // the first only notes it
		if gone, err := e.Staging.Expire(t.Context()); err != nil || len(gone) > 0 {
			t.Fatalf("%v %v", gone, err)
		}
		e.Now = func() time.Time { return time.Now().Add(500 * 24 * time.Hour) }
	}
	r.Git("rev-parse", "--verify", "refs/resume/journal/"+string(id))
	r.Git("rev-parse", "--verify", "refs/resume/snapshots/"+string(id))
}
