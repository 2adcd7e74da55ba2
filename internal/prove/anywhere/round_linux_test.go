package anywhere

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// sample is the number of rounds in everyday tests.
const sample, lanes = 2, 2

// TestClones_ofAServerThatFails plays rounds. In each round, two to four clones work on one shared run while workers and connections fail.
// At the end of the round, a new clone must be able to finish the run, and the record of the run must be correct.
func TestClones_ofAServerThatFails(t *testing.T) {
	proof := gittest.Prove(t, "I", "rounds of clones that work on one run")
	var lock sync.Mutex
	sum := tally{}
	for lane := range lanes {
		t.Run(fmt.Sprint("lane", lane), func(t *testing.T) {
			t.Parallel()
			chance := proof.Rand(uint64(lane))
			for n := 0; n < sample/lanes || gittest.Proving() && proof.More(sample); n++ {
				t.Run(fmt.Sprint("round", n), func(t *testing.T) {
					got := play(t, chance)
					lock.Lock()
					sum.add(got)
					lock.Unlock()
					proof.Trial(1)
				})
			}
		})
	}
	t.Cleanup(func() { t.Logf("%+v", sum) })
}

// tally counts what happened during the rounds.
type tally struct {
	Workers, Kills, Deaths, Pauses, Signals, Hurt, Leases, Pushes, Parked int
	Codes                                                                 map[int]int
}

func (t *tally) add(o tally) {
	t.Workers, t.Kills, t.Deaths, t.Pauses, t.Signals = t.Workers+o.Workers, t.Kills+o.Kills, t.Deaths+o.Deaths, t.Pauses+o.Pauses, t.Signals+o.Signals
	t.Hurt, t.Leases, t.Pushes, t.Parked = t.Hurt+o.Hurt, t.Leases+o.Leases, t.Pushes+o.Pushes, t.Parked+o.Parked
	if t.Codes == nil {
		t.Codes = map[int]int{}
	}
	for code, n := range o.Codes {
		t.Codes[code] += n
	}
}

// shop is a server with a shared run, and the clones that work on it.
type shop struct {
	*testing.T
	chance *rand.Rand
	root   string
	server string
	proxy  *remotetest.Proxy
	run    string
	plan   []string
	clones []*gittest.Repo
	tally  tally
	// before has shell commands that are executed at the beginning of tasks. The field "once" says how the first push fails. It is empty if
	// that push does not fail.
	before commands
	once   remotetest.Harm

	lock sync.Mutex // protects the fields "chance" and "once", because the goroutines of the proxy use them too
}

func (s *shop) pick(n int) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.chance.IntN(n)
}

func (s *shop) millis(most int) time.Duration {
	return time.Duration(s.pick(most)) * time.Millisecond
}

// open makes a server, a first clone with a new run, and further clones.
func open(t *testing.T, chance *rand.Rand) *shop {
	t.Helper()
	s := &shop{T: t, chance: chance}
	s.start(2 + s.pick(3))
	return s
}

// start makes the server and the clones. The run's plan has the given number of tasks.
func (s *shop) start(tasks int) {
	s.Helper()
	if s.chance == nil {
		s.chance = rand.New(rand.NewPCG(1, 2))
	}
	s.root = s.TempDir()
	s.server = filepath.Join(s.root, "server", "shop.git")
	first := s.machine("m0", nil)
	first.Git("init", "-q", "-b", "main", ".")
	first.Git("init", "-q", "--bare", "-b", "main", s.server)
	first.Git("-C", s.server, "config", "core.logAllRefUpdates", "always")
	first.Write("plan.yaml", s.makePlan(tasks))
	first.Git("add", "-A")
	first.Git("commit", "-q", "-m", "plan")
	server := remotetest.Serve(s.T, filepath.Dir(s.server), first.Env)
	s.proxy = remotetest.NewProxy(s.T, server.URL, s.harm)
	s.proxy.Calm.Store(true)
	url := s.proxy.URL + "/shop.git"
	first.Git("remote", "add", "origin", url)
	first.Git("push", "-q", "origin", "main")
	if out, code := first.Resume("start", "plan.yaml"); code != 1 {
		s.Fatalf("start: exit code %d\n%s", code, out)
	}
	s.run = first.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/")
	first.MustResume("push", s.run, "--to", "origin")
	if err := os.WriteFile(filepath.Join(s.root, "go"), nil, 0o600); err != nil {
		s.Fatal(err)
	}
	s.clones = []*gittest.Repo{first}
	for i := range 1 + s.pick(3) {
		s.clones = append(s.clones, s.machine(fmt.Sprint("m", i+1), first))
	}
}

// machine makes a folder with a home folder and a repository folder. If the argument "of" is not nil, the new repository is cloned from the
// remote of the repository "of".
func (s *shop) machine(name string, of *gittest.Repo) *gittest.Repo {
	s.Helper()
	home := filepath.Join(s.root, name, "home")
	r := &gittest.Repo{T: s.T, Dir: filepath.Join(s.root, name, "shop"), Env: gittest.Env(home)}
	r.Env = slices.DeleteFunc(r.Env, func(v string) bool {
		return strings.HasPrefix(v, "GIT_COMMITTER_DATE=") || strings.HasPrefix(v, "GIT_AUTHOR_DATE=")
	})
	r.Env = append(r.Env, "GIT_COMMITTER_EMAIL="+name+"@example.com") // so that two machines do not make commits with the same id
	for _, dir := range []string{home, r.Dir, filepath.Dir(s.server)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			s.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[resume]\n\tpushEvery = 0\n[gc]\n\tauto = 0\n"), 0o600); err != nil {
		s.Fatal(err)
	}
	if of != nil {
		r.Git("clone", "-q", "-b", "main", of.Git("remote", "get-url", "origin"), ".")
	}
	return r
}

// makePlan returns a plan. Each task appends a line to all.txt and writes a file of its own. Until the file "go" exists, every task fails.
func (s *shop) makePlan(tasks int) string {
	var b strings.Builder
	b.WriteString("name: job\ntasks:\n")
	for i := range tasks {
		id := fmt.Sprint("t", i)
		s.plan = append(s.plan, id)
		before := ""
		if s.before[id] != "" {
			before = "if test -e " + s.root + "/go; then " + s.before[id] + "; fi\n    "
		}
		fmt.Fprintf(&b, "- id: %s\n  on_interrupt: retry\n  run: |\n    %stest -e %s/go && echo %s >>all.txt && sleep 0.%03d && echo %s >%s.txt\n", id, before, s.root, id, s.pick(120), id, id)
	}
	return b.String()
}

// harm chooses how the proxy makes a request fail, and for how long it delays the request. Most requests do not fail.
func (s *shop) harm(r *http.Request) (remotetest.Harm, time.Duration) {
	push := strings.HasSuffix(r.URL.Path, "/git-receive-pack")
	s.lock.Lock()
	once := s.once
	if s.once != "" && push && r.Method == http.MethodPost {
		s.once = ""
		defer s.proxy.Calm.Store(true)
	}
	s.lock.Unlock()
	switch {
	case once != "" && push:
		return once, 300 * time.Millisecond
	case once != "":
		return remotetest.None, 0
	}
	often := 12
	if push {
		often = 4
	}
	if s.pick(often) != 0 {
		return remotetest.None, 0
	}
	return remotetest.Harms[s.pick(len(remotetest.Harms))], s.millis(400)
}

// play starts several workers at random times while connections fail, then finishes the run and checks everything.
func play(t *testing.T, chance *rand.Rand) tally {
	s := open(t, chance)
	s.proxy.Calm.Store(false)
	var at []*worker
	for n := range 3 + s.pick(6) {
		w := s.hire(n, s.clones[s.pick(len(s.clones))])
		at = append(at, w)
		select {
		case <-w.ended:
		case <-time.After(s.millis(700)):
		}
	}
	for _, w := range at {
		s.wait(w)
	}
	s.proxy.Calm.Store(true)
	s.proxy.Settle()
	s.tally.Hurt = int(s.proxy.Hurt.Load())
	s.finish()
	check(s)
	if t.Failed() {
		if dir := os.Getenv("GIT_RESUME_PROVE_KEEP"); dir != "" {
			_ = os.MkdirAll(dir, 0o755)
			_, _ = s.clones[0].Try("cp", "-a", s.root, dir)
		}
		for _, w := range at {
			t.Logf("%s\n%s", w.what, w.out.String())
		}
	}
	return s.tally
}

// finish takes over the run in a new clone and finishes it without failures. Then all clones pull the result.
func (s *shop) finish() {
	s.Helper()
	last := s.machine("last", s.clones[0])
	out, code := last.Resume("work", s.run, "--remote", "origin", "--plan", "plan.yaml", "--takeover")
	if code != 0 {
		s.Errorf("a new machine cannot finish the run: exit code %d\n%s", code, out)
	}
	s.clones = append(s.clones, last)
	for _, c := range s.clones {
		if out, code := c.Resume("pull", s.run, "--from", "origin"); code != 0 {
			s.Errorf("pull in %s: exit code %d\n%s", c.Dir, code, out)
		}
	}
}
