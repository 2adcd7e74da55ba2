package bench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/site"
)

// shared is a repository with a run that is shared through a git server on this machine.
type shared struct {
	*gittest.Repo
	t      *testing.T
	server *remotetest.Server
	run    checkpoint.RunID
	git    *exchange.Exchanger
	by     *checkpoint.Actor
	next   object.ID
	looked time.Duration
}

func newShared(t *testing.T, env ...string) *shared {
	t.Helper()
	s := &shared{Repo: gittest.New(t), t: t}
	_, s.server = remotetest.Origin(t, s.Git, s.Env)
	resume(s.Repo, "start", "--name", "bench", "--task", "a")
	s.run = checkpoint.RunID(s.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/"))
	resume(s.Repo, "push", string(s.run), "--to", "origin")
	repo := repotest.Open(t, s.Dir, append(slices.Clone(s.Env), env...))
	e := handler.New(site.Site{
		Repo: repo, Store: &journal.Store{Repo: repo, Now: time.Now, Nonce: journal.NewNonce()}, Now: time.Now, PID: os.Getpid(), Dir: s.Dir,
		Random: random,
	})
	s.git, s.by = e.Sharing.Exchange, &checkpoint.Actor{Host: "bench", PID: os.Getpid()}
	return s
}

func random() (out [4]byte) {
	for i := range out {
		out[i] = byte(rand.IntN(256))
	}
	return out
}

func (s *shared) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shared) look() {
	s.t.Helper()
	_, err := s.git.Look(s.t.Context(), s.run, "origin")
	s.must(err)
}

// lease takes the lease. The field "looked" gets the time that TakeLease needs to read the state of the remote.
func (s *shared) lease() {
	s.t.Helper()
	begun := time.Now()
	looked := func(*exchange.Exchange) error {
		s.looked = time.Since(begun)
		return nil
	}
	_, err := s.git.TakeLease(s.t.Context(), s.run, "origin", lease.Worker{Alone: true}, s.by, looked)
	s.must(err)
}

func (s *shared) release() {
	s.t.Helper()
	_, err := s.git.GiveBack(s.t.Context(), s.run, "origin", "done", exchange.Wip{})
	s.must(err)
}

// commit makes a commit for the next call of the method "push".
func (s *shared) commit(round int) {
	s.next = object.ID(s.Git("commit-tree", "-m", fmt.Sprint("round ", round), "HEAD^{tree}"))
}

// fetch and push let git fetch and push one branch, for comparison.
func (s *shared) fetch() {
	s.Git("fetch", "-q", "--no-tags", "origin", "+refs/heads/bench*:refs/bench/*")
}

func (s *shared) push() {
	s.Git("-c", "core.fsync=committed,reference", "push", "-q", "-f", "origin", string(s.next)+":refs/heads/bench")
}

func TestMeasure_exchange(t *testing.T) {
	needClock(t)
	s := newShared(t)
	s.commit(-1)
	s.push()
	const rounds = 25
	contest{what: "look at a shared run, nothing new / git fetch", rounds: rounds, budget: 2, ours: s.look, gits: s.fetch}.run(t)
	held := false
	free := func(round int) {
		if s.commit(round); held {
			s.release()
		}
		held = true
	}
	contest{what: "take the lease / git fetch, push", rounds: rounds, budget: 1.5, before: free, ours: s.lease, gits: func() { s.fetch(); s.push() }}.run(t)
	contest{what: "take the lease after the look / git push", rounds: rounds, budget: 1.5, before: free, ours: s.lease, aside: &s.looked, gits: s.push}.run(t)
	s.release()
	take := func(round int) {
		s.commit(round)
		s.lease()
	}
	contest{what: "give the lease back / git push", rounds: rounds, budget: 1.5, before: take, ours: s.release, gits: s.push}.run(t)
	alone := gittest.New(t)
	resume(alone, "start", "--name", "bench", "--task", "a")
	contest{what: "status of a shared run / of one that is not", rounds: 41, budget: 1.2, ours: func() { resume(s.Repo, "status") }, gits: func() { resume(alone, "status") }}.run(t)
}

func TestMeasure_eightClones(t *testing.T) {
	needClock(t)
	s := newShared(t)
	const clones, moves = 8, 48
	s.commit(-1)
	s.push()
	var one []time.Duration
	for i := range 15 {
		s.commit(i)
		one = append(one, timed(s.push))
	}
	var remotes []remote.Remote
	var commits [][]object.ID
	for i := range clones {
		dir := filepath.Join(t.TempDir(), "clone")
		s.Git("clone", "-q", "-b", "main", s.server.URL+"/shop.git", dir)
		r := s.In(dir)
		var mine []object.ID
		for n := range moves {
			mine = append(mine, object.ID(r.Git("commit-tree", "-m", fmt.Sprint("clone ", i, " ", n), "HEAD^{tree}")))
		}
		remotes, commits = append(remotes, remote.Of(repotest.Open(t, dir, s.Env).Program, "origin")), append(commits, mine)
	}
	const ref = refs.Name("refs/resume/check/fight")
	var fight sync.WaitGroup
	var moved atomic.Int64
	enough := make(chan struct{})
	took := timed(func() {
		for i, r := range remotes {
			fight.Go(func() {
				for n, try := 0, 0; moved.Load() < moves; {
					now, err := r.List(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					answer, err := r.Swap(t.Context(), remote.Move{Ref: ref, Old: now[ref], New: commits[i][n]})
					switch {
					case err != nil || answer.Outcome != remote.Moved && answer.Outcome != remote.Stale:
						t.Error(answer, err)
						return
					case answer.Outcome == remote.Moved:
						n, try = n+1, 0
						if moved.Add(1) == moves {
							close(enough)
						}
					default:
						try++
						select {
						case <-time.After(exchange.Pause(try, random())):
						case <-enough:
						}
					}
				}
			})
		}
		fight.Wait()
	})
	each, alone := took/time.Duration(moved.Load()), median(one)
	table = append(table, row{"8 clones fight for a ref, each move / git push", milliseconds(each), milliseconds(alone), float64(each) / float64(alone), 3.5})
	t.Logf("%.1f moves a second", float64(moved.Load())/took.Seconds())
}

// With resume.pushEvery=0, each result is pushed at once. With 10s, the results of tasks that take a second are pushed together, at most
// every ten seconds.
func TestMeasure_pushesOfATask(t *testing.T) {
	needClock(t)
	for _, c := range []struct {
		what, every, run string
		budget           float64
	}{
		{"pushes a task, each result sent at once", "0", "true", 1.05},
		{"pushes a task of 1 s, results sent every 10 s", "10s", "sleep 1", 0.15},
	} {
		const tasks = 60
		r := gittest.New(t)
		ready := filepath.Join(t.TempDir(), "ready")
		text := "name: bench\ntasks:\n"
		for i := range tasks {
			text += fmt.Sprintf("- id: t%d\n  run: test -e %s && echo >f%d && %s\n", i, ready, i, c.run)
		}
		r.Write("plan.yaml", text)
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "plan")
		_, server := remotetest.Origin(t, r.Git, r.Env)
		if out, code := r.Try(filepath.Join(gittest.Binary(t), "git-resume"), "start", "plan.yaml"); code != 1 {
			t.Fatal(out)
		}
		if err := os.WriteFile(ready, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		run := r.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/")
		resume(r, "push", run, "--to", "origin")
		r.Git("config", "resume.pushEvery", c.every)
		before := server.Pushes.Load()
		resume(r, "work", run, "--remote", "origin", "--plan", "plan.yaml")
		n := server.Pushes.Load() - before
		table = append(table, row{c.what, fmt.Sprint(n, " pushes"), fmt.Sprint(tasks, " tasks"), float64(n) / tasks, c.budget})
	}
}

func TestExchange_gitProcesses(t *testing.T) {
	dir := t.TempDir()
	s := newShared(t, "GIT_TRACE2_EVENT="+dir)
	s.lease() // this starts the git processes that keep running, so that they are not counted below
	s.release()
	for _, c := range []struct {
		name string
		do   func()
		want int
	}{{"look", s.look, 3}, {"lease", s.lease, 6}, {"release", s.release, 4}} {
		for _, old := range files(t, dir) {
			s.must(os.Remove(old))
		}
		c.do()
		var own []string
		for _, f := range files(t, dir) {
			if text := started(t, f); text != "" {
				own = append(own, text)
			}
		}
		if len(own) > c.want {
			t.Errorf("%s starts %d git processes, at most %d are allowed:\n%s", c.name, len(own), c.want, strings.Join(own, "\n"))
		}
		t.Logf("%s: %d git processes", c.name, len(own))
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// started returns the command line of the git process that wrote this trace file. If that process was started by another git process, the
// result is "".
func started(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e struct {
			Event, SID string
			Argv       []string
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Event == "start" && !strings.Contains(e.SID, "/") {
			return strings.Join(e.Argv, " ")
		}
	}
	return ""
}
