package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/plan"
)

// TestMain can also act as a second process. A test starts its own test binary again and says in an environment variable
// what the process does.
func TestMain(m *testing.M) {
	if part := os.Getenv(gittest.PartEnv); part != "" {
		os.Exit(play(part, os.Args[1:]))
	}
	gittest.Main(m)
}

func storeAt(t testing.TB, dir string, env []string, nonce string) *Store {
	t.Helper()
	return &Store{Repo: repotest.Open(t, dir, env), Now: func() time.Time { return atWork }, Nonce: nonce}
}

type journal struct {
	*gittest.Repo
	t  testing.TB
	s  *Store
	id checkpoint.RunID
}

func newJournal(t testing.TB, tasks ...string) *journal {
	t.Helper()
	return newJournalIn(t, gittest.New(t), tasks...)
}

func newJournalIn(t testing.TB, repo *gittest.Repo, tasks ...string) *journal {
	t.Helper()
	j := &journal{Repo: repo, t: t, s: storeAt(t, repo.Dir, repo.Env, "nonce1"), id: testRun}
	j.create(testRun, tasks...)
	return j
}

func (j *journal) create(id checkpoint.RunID, tasks ...string) {
	j.t.Helper()
	p := plan.Plan{Name: "work"}
	for _, id := range tasks {
		p.Tasks = append(p.Tasks, plan.Task{ID: id})
	}
	doc := p.Canonical()
	at := object.ID(j.Git("rev-parse", "HEAD"))
	h, err := j.s.Repo.Settings.Hasher(context.Background())
	if err != nil {
		j.t.Fatal(err)
	}
	_, err = j.s.Create(context.Background(), id, []checkpoint.Event{{
		Event: checkpoint.RunStarted, Name: "work", Base: &checkpoint.Base{Name: "main", Commit: at}, Branch: "refs/heads/main", Here: true, Admin: "main",
		Head: at, BaseTip: at, Plan: h.ID("blob", doc),
	}}, [][]byte{doc})
	if err != nil {
		j.t.Fatal(err)
	}
}

func (j *journal) add(events ...checkpoint.Event) *Journal {
	j.t.Helper()
	got, err := j.s.Append(context.Background(), j.id, Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil }})
	if err != nil {
		j.t.Fatal(err)
	}
	return got
}

// load reads the journal without the state that the store remembers, as another process would.
func (j *journal) load() *Journal {
	j.t.Helper()
	j.s.last, j.s.seen = nil, nil
	got, err := j.s.Load(context.Background(), j.id)
	if err != nil {
		j.t.Fatal(err)
	}
	return got
}

func (j *journal) texts() []string {
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

// commit makes a commit that does not belong to a run, and returns its id.
func (j *journal) commit(name string) object.ID {
	j.t.Helper()
	j.Write(name, name+"\n")
	j.Git("add", "-A")
	j.Git("commit", "-q", "-m", name)
	return object.ID(j.Git("rev-parse", "HEAD"))
}

func pause(*checkpoint.Run) ([]checkpoint.Event, error) {
	return []checkpoint.Event{{Event: checkpoint.RunPaused}}, nil
}

const testRun = checkpoint.RunID("work-abcd")

var atWork = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

func line(seq int64, id string, e checkpoint.Event) checkpoint.Line {
	e.Seq, e.ID, e.V = checkpoint.SeqText(seq), id, checkpoint.Version
	if e.At.IsZero() {
		e.At = atWork.Add(time.Duration(seq) * time.Second)
	}
	text, err := e.Encode()
	if err != nil {
		panic(err)
	}
	return checkpoint.ParseLine(string(text[:len(text)-1]))
}

func same(a, b checkpoint.Run) bool { return asJSON(a) == asJSON(b) }

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}
