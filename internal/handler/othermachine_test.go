package handler_test

import (
	"os"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

// A machine that was cloned from this one has its name and its ids, but was started at another time. Where it may share the repository, a
// worker that it recorded must not count as dead.
func TestSummary_ofAWorkerOnAClonedMachine(t *testing.T) {
	t.Parallel()
	u := start(t, "a")
	u.MustResume("task", "start", "a")
	u.loseDriver()
	for name, c := range map[string]struct {
		boot  string
		alone func() bool
		want  checkpoint.State
	}{
		"here":                              {"", func() bool { return false }, checkpoint.Interrupted},
		"restarted, on a disk of its own":   {"another", func() bool { return true }, checkpoint.Interrupted},
		"perhaps of a cloned machine":       {"another", func() bool { return false }, checkpoint.Idle},
		"where nothing says whose place it": {"another", nil, checkpoint.Idle},
	} {
		table := proc.Table{Alone: c.alone, Here: func() proc.Host {
			h := proc.Table{}.Host()
			if c.boot != "" {
				h.Boot = c.boot
			}
			return h
		}}
		store := u.store("seen")
		e := handler.New(site.Site{Repo: store.Repo, Store: store, Now: time.Now, PID: os.Getpid(), Procs: table})
		s, err := e.Find.Summary(t.Context(), checkpoint.RunID(u.id))
		if err != nil || s.State != c.want {
			t.Errorf("%s: %s, want %s (%v)", name, s.State, c.want, err)
		}
	}
}
