package handler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
)

func (u *user) removeObject(id string) {
	u.T.Helper()
	if err := os.Remove(filepath.Join(u.Dir, ".git", "objects", id[:2], id[2:])); err != nil {
		u.T.Fatal(err)
	}
	_ = os.RemoveAll(filepath.Join(u.Dir, ".git", "resume", "cache"))
}

func TestDamage_isToldAndNothingIsMadeUp(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.work("a")
	u.removeObject(u.Git("rev-parse", "refs/resume/journal/"+u.id+"^{tree}"))
	s := u.see()
	if !s.Rebuilt || !s.has("journal-damaged") || !s.has("journal-rebuilt") || s.task("a") != "done" {
		t.Errorf("%v %v", s.Findings, s.Tasks)
	}
	if out := u.MustResume("status"); !strings.Contains(out, "its journal cannot be read") {
		t.Errorf("not told:\n%s", out)
	}
	if out, code := u.Resume("task", "start", "b"); code == 0 {
		t.Errorf("a report was taken by a journal that cannot be read: %s", out)
	}
}

func TestDamage_ofARunThatMadeNoCommit(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	broken := u.id
	u.begin("sound", "x")
	u.removeObject(u.Git("rev-parse", "refs/resume/journal/"+broken+"^{tree}"))
	// The healthy run is still shown, and the broken run is shown too.
	states := map[string]string{}
	for _, r := range u.status() {
		states[r.Run] = r.State
	}
	if states[broken] != "unreadable" || states[u.id] != "idle" {
		t.Errorf("%v", states)
	}
	u.MustResume("task", "start", "--run", u.id, "x")
}

func TestDamage_unknownEventsAreShown(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	s := u.store("future")
	_, err := s.Append(t.Context(), checkpoint.RunID(u.id), journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: "mood.changed"}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if out := u.MustResume("status"); !strings.Contains(out, "1 event of a newer git-resume") {
		t.Errorf("not told:\n%s", out)
	}
}

// A journal line that undoes itself must not make the undo command run forever.
func TestDamage_undosInACircle(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.MustResume("task", "skip", "a")
	s := u.store("evil")
	_, err := s.Append(t.Context(), checkpoint.RunID(u.id), journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.Undone, Undoes: "evil.1"}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(u.MustResume("log", "--raw", u.id), `"id":"evil.1","at"`) {
		t.Fatal("the line that was made does not take back itself")
	}
	ended := make(chan string, 1)
	go func() {
		out, code := u.Resume("undo", "--yes", u.id)
		ended <- fmt.Sprint(code, " ", out)
	}()
	select {
	case out := <-ended:
		if !strings.HasPrefix(out, "0 ") || !strings.Contains(out, "undid the skip of task 'a'") {
			t.Error(out)
		}
	case <-time.After(30 * time.Second):
		t.Error("it goes round in a circle")
	}
}
