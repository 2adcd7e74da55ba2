package owner

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// TestMain can also act as a second process. A test starts its own test binary again and says in an environment variable
// what the process does.
func TestMain(m *testing.M) {
	if part := os.Getenv(gittest.PartEnv); part != "" {
		os.Exit(play(part, os.Args[1:]))
	}
	gittest.Main(m)
}

var atWork = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

func storeAt(t testing.TB, dir string, env []string, nonce string) *journal.Store {
	t.Helper()
	return &journal.Store{Repo: repotest.Open(t, dir, env), Now: func() time.Time { return atWork }, Nonce: nonce}
}

type work struct {
	*gittest.Repo
	t  testing.TB
	s  *journal.Store
	id checkpoint.RunID
}

func newWork(t testing.TB) *work {
	t.Helper()
	repo := gittest.New(t)
	j := &work{Repo: repo, t: t, s: storeAt(t, repo.Dir, repo.Env, "nonce1"), id: "work-abcd"}
	j.create(j.id)
	return j
}

func (j *work) create(id checkpoint.RunID) {
	j.t.Helper()
	at := object.ID(j.Git("rev-parse", "HEAD"))
	_, err := j.s.Create(context.Background(), id, []checkpoint.Event{{
		Event: checkpoint.RunStarted, Name: "work", Base: &checkpoint.Base{Name: "main", Commit: at}, Branch: "refs/heads/main", Here: true, Admin: "main",
		Head: at, BaseTip: at,
	}}, nil)
	if err != nil {
		j.t.Fatal(err)
	}
}

func (j *work) add(events ...checkpoint.Event) *journal.Journal {
	j.t.Helper()
	got, err := j.s.Append(context.Background(), j.id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil }})
	if err != nil {
		j.t.Fatal(err)
	}
	return got
}

// load reads the journal as another process would.
func (j *work) load() *journal.Journal {
	j.t.Helper()
	got, err := storeAt(j.t, j.Dir, j.Env, "reader").Load(context.Background(), j.id)
	if err != nil {
		j.t.Fatal(err)
	}
	return got
}

func (j *work) texts() []string {
	j.t.Helper()
	lines, err := j.s.Lines(context.Background(), j.id)
	if err != nil {
		j.t.Fatal(err)
	}
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

func pause(*checkpoint.Run) ([]checkpoint.Event, error) {
	return []checkpoint.Event{{Event: checkpoint.RunPaused}}, nil
}
