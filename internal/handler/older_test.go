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

// restoredByOldVersion discards a run, and restores it like an older version of git-resume, which knows only the
// journal. The journal then says that the run is open, but its worktree is still missing.
func restoredByOldVersion(t *testing.T) (*gittest.Repo, *Engine, checkpoint.RunID) {
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

// An old version has restored a run in the journal, but not its worktree. The test discards this run again. Undo must then restore the
// files of the first discard.
func TestDiscard_notesWhatOnlyTheJournalTookBack(t *testing.T) {
	t.Parallel()
	r, e, id := restoredByOldVersion(t)
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

func TestExpire_forgetsNoRunThatGoesOn(t *testing.T) {
	t.Parallel()
	r, e, id := restoredByOldVersion(t)
	e.Now = func() time.Time { return time.Now().Add(400 * 24 * time.Hour) }
	for range 2 { // call Expire twice, because it first only marks an expired run and deletes it at the next call
		if gone, err := e.Staging.Expire(t.Context()); err != nil || len(gone) > 0 {
			t.Fatalf("%v %v", gone, err)
		}
		e.Now = func() time.Time { return time.Now().Add(500 * 24 * time.Hour) }
	}
	r.Git("rev-parse", "--verify", "refs/resume/journal/"+string(id))
	r.Git("rev-parse", "--verify", "refs/resume/snapshots/"+string(id))
}
