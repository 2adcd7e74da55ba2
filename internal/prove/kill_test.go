package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// scenario is a command, and the repository in which it is killed.
type scenario struct {
	name string
	// prepare does everything before the command, and returns the worktree in which the command runs.
	prepare func(*gittest.Repo) *gittest.Repo
	args    []string
	// The function "after" checks what must exist once the command has reported success.
	after func(facts) error
	// The function "again" completes the command after a kill. If it is nil, the test repeats the command.
	again func(*gittest.Repo) (string, int)
	// done reports whether the command had completed before the kill, so that it must not be repeated.
	// If the field is nil, the command can always be repeated.
	done func(*gittest.Repo) bool
	// always checks what must hold after every kill, even before the command is repeated. It may be nil.
	always func(*gittest.Repo, facts) error
	// kept checks the final result, for example that the user has lost nothing. It may be nil.
	kept func(*gittest.Repo, witness) error
	// mayChange reports whether the command is allowed to change this file of the user. If it is nil, the command may change none.
	mayChange func(path string) bool
	// own lists the files that the task's commit must contain. It is empty if the scenario does not check them.
	own []string
	// removed is a file that the user deleted. The recovery must not restore it.
	removed string
}

// report is a simple scenario: the command changes no file of the user, and the recovery just repeats it.
type report struct {
	name    string
	prepare func(*gittest.Repo) *gittest.Repo
	args    []string
	after   func(facts) error
}

const job1 = "job"

func started(r *gittest.Repo) *gittest.Repo {
	r.MustResume("start", "--here", "--name", job1, "--task", "a", "--task", "b")
	return r
}

func active(r *gittest.Repo) *gittest.Repo {
	started(r).MustResume("task", "start", "a")
	r.Write("README", "changed\n")
	r.Write("new", "new\n")
	r.Write("other", "not of this task\n")
	return r
}

// scenarios returns the simple scenarios, in which a worker reports what it did.
func scenarios() []scenario {
	var out []scenario
	for _, r := range reports() {
		out = append(out, scenario{name: r.name, prepare: r.prepare, args: r.args, after: r.after, own: []string{"README", "new"}})
	}
	return out
}

func reports() []report {
	return []report{
		{"start", func(r *gittest.Repo) *gittest.Repo { return r },
			[]string{"start", "--here", "--name", job1, "--task", "a", "--task", "b"}, exactlyOne("run.started", "")},
		{"start plan", func(r *gittest.Repo) *gittest.Repo {
			r.Write("plan.yaml", "name: job\ntasks:\n  - id: a\n  - id: b\n")
			return r
		}, []string{"start", "--here", "plan.yaml"}, exactlyOne("run.started", "")},
		{"start beside another", func(r *gittest.Repo) *gittest.Repo {
			r.MustResume("start", "--here", "--name", "first", "--task", "x")
			return r
		}, []string{"start", "--here", "--name", job1, "--task", "a", "--task", "b"}, exactlyOne("run.started", "")},
		{"task start", started, []string{"task", "start", "a"}, exactlyOne("task.started", "a")},
		{"task done named", active, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done named beside staged", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("add", "other")
			return r
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done staged", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("add", "README", "new")
			return r
		}, []string{"task", "done", "a"}, committed("a")},
		{"task done in a linked worktree", func(r *gittest.Repo) *gittest.Repo {
			tree := filepath.Join(filepath.Dir(r.Dir), "linked")
			r.Git("worktree", "add", "-q", "-b", "side", tree)
			return active(r.In(tree))
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done with packed refs", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("pack-refs", "--all", "--prune")
			return r
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done after a pruning fetch", func(r *gittest.Repo) *gittest.Repo {
			id, err := theRun(readFacts(active(r)))
			if err != nil {
				r.T.Fatal(err)
			}
			r.Git("update-ref", "-d", "refs/notes/resume/"+id)
			return r
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done detached", func(r *gittest.Repo) *gittest.Repo {
			r.Git("checkout", "-q", "--detach")
			return active(r)
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done with hooks", func(r *gittest.Repo) *gittest.Repo {
			active(r)
			for _, hook := range []string{"pre-commit", "commit-msg", "post-commit"} {
				r.Write(".git/hooks/"+hook, "#!/bin/sh\nexit 0\n")
				if err := os.Chmod(filepath.Join(r.Dir, ".git/hooks", hook), 0o755); err != nil {
					r.T.Fatal(err)
				}
			}
			return r
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done ends the run", func(r *gittest.Repo) *gittest.Repo {
			active(r).MustResume("task", "skip", "b")
			return r
		}, []string{"task", "done", "a", "README", "new"}, all(committed("a"), exactlyOne("run.finished", ""))},
		{"task fail", active, []string{"task", "fail", "a", "-m", "no"}, exactlyOne("task.failed", "a")},
		{"checkpoint", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("add", "README", "new")
			return r
		}, []string{"checkpoint", "--commit"}, partialCommit("a")},
		{"task skip", active, []string{"task", "skip", "b"}, exactlyOne("task.skipped", "b")},
		{"task block", active, []string{"task", "block", "a", "--ask", "which?"}, exactlyOne("task.blocked", "a")},
		{"task reset", func(r *gittest.Repo) *gittest.Repo {
			active(r).MustResume("task", "done", "a", "README", "new")
			return r
		}, []string{"task", "reset", "a"}, exactlyOne("task.reset", "a")},
		{"pause", active, []string{"pause"}, exactlyOne("run.paused", "")},
		{"answer", func(r *gittest.Repo) *gittest.Repo {
			active(r).MustResume("task", "block", "a", "--ask", "which?", "--option", "red", "--option", "blue")
			return r
		}, []string{"answer", "a", "2"}, exactlyOne("task.answered", "a")},
		{"start with a worktree", func(r *gittest.Repo) *gittest.Repo { return r },
			[]string{"start", "--name", job1, "--task", "a", "--task", "b"}, all(exactlyOne("run.started", ""), exactlyOne("worktree.ready", ""))},
		{"task done in its worktree", func(r *gittest.Repo) *gittest.Repo {
			out := r.MustResume("start", "--name", job1, "--task", "a", "--task", "b")
			for l := range strings.Lines(out) {
				if path := strings.TrimSpace(l); filepath.IsAbs(path) {
					r = r.In(path)
				}
			}
			r.MustResume("task", "start", "a")
			r.Write("README", "changed\n")
			r.Write("new", "new\n")
			return r
		}, []string{"task", "done", "a"}, committed("a")},
		{"finish", active, []string{"finish"}, exactlyOne("run.finished", "")},
	}
}

func TestKill_everyWriteOfEveryCommand(t *testing.T) {
	needTracer(t)
	all := slices.Concat(scenarios(), stories())
	if words := gittest.Scenarios(); len(words) > 0 {
		everyPoint(t, chosenScenarios(all, words))
		return
	}
	if gittest.Proving() {
		killEverywhere(t, all, gittest.New)
		return
	}
	for i, s := range all {
		if gittest.Call(t) == 0 && killedElsewhere(s) {
			continue
		}
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s.withGround(t, func(g *ground) {
				if n := gittest.Call(t); n > 0 {
					g.kill(t, traceJob{N: n})
					g.kill(t, traceJob{N: n, All: true})
					return
				}
				g.sample(t, 7*i, i%2 == 0)
			})
		})
	}
}

// killedElsewhere reports whether TestKill_knownWindows already kills in this scenario. The random sample then leaves it out.
func killedElsewhere(s scenario) bool {
	return slices.ContainsFunc(killWindows(), func(w window) bool { return w.scenario == s.name })
}

// killEverywhere tries all scenarios again and again, two at a time, starting with those that were tried least often.
// A scenario that fails is not tried again.
func killEverywhere(t *testing.T, all []scenario, fresh maker) {
	t.Helper()
	past, err := gittest.Past("A")
	if err != nil {
		t.Fatal(err)
	}
	tried := func(s scenario) int { return len(past[series(s.name, false)]) + len(past[series(s.name, true)]) }
	slices.SortStableFunc(all, func(a, b scenario) int { return tried(a) - tried(b) })
	queue := make(chan scenario, len(all))
	for _, s := range all {
		queue <- s
	}
	totals := sync.Map{}
	for lane := range 2 {
		t.Run(fmt.Sprint("lane", lane), func(t *testing.T) {
			t.Parallel()
			for gittest.TimeLeft() {
				var s scenario
				select {
				case s = <-queue:
				default:
					return
				}
				if t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) { s.turn(t, fresh, &totals) }) {
					queue <- s
				}
			}
		})
	}
}

// turn kills the command of a scenario several times, each time at a system call at which a kill was tried least often. Among these calls
// it takes every eighth call first, so that even a short proof reaches the end of the command.
func (s scenario) turn(t *testing.T, fresh maker, totals *sync.Map) {
	t.Helper()
	p := gittest.Prove(t, "A", "kills at a system call")
	g := s.ground(t, fresh)
	known, ok := totals.Load(s.name)
	if !ok {
		known = g.length(t)
	}
	total := known.(int)
	for n := 0; n < turns && p.More(0); n++ {
		at := nextPoint(p, s.name, total)
		fired := g.kill(t, at)
		if t.Failed() {
			return
		}
		p.At(series(s.name, at.All), at.N)
		if fired {
			p.Trial(1)
			total = max(total, at.N) // the number of system calls varies a little between executions
		}
	}
	totals.Store(s.name, total)
}

// turns is the number of kills before the repository is prepared again.
const turns = 20

// length runs the command once without a kill and returns the number of its system calls.
func (g *ground) length(t *testing.T) int {
	t.Helper()
	g.reset(t)
	out := trace(t, resumeJob(g.r, g.s.args...))
	if out.Exit != 0 {
		t.Fatalf("undisturbed: exit code %d\n%s", out.Exit, out.Output)
	}
	if err := g.before.judge(g.s, g.r, out); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	return out.Calls
}

func series(scenario string, all bool) string {
	if all {
		return scenario + ", all"
	}
	return scenario + ", one"
}

// apart is the order in which a command is killed at its system calls, so that a few kills spread over all of them: first at every eighth
// call, starting with the first one, and then at the calls between.
var apart = [...]int{0, 4, 2, 6, 1, 5, 3, 7}

// nextPoint returns the system call at which a kill was tried least often.
// It may also return the number after the last call, to prove that there are no further calls.
func nextPoint(p *gittest.Proof, scenario string, total int) traceJob {
	var best traceJob
	least := -1
	one, all := p.Times(series(scenario, false)), p.Times(series(scenario, true))
	for _, offset := range apart {
		for n := 1 + offset; n <= total+1; n += len(apart) {
			for mode, times := range []map[int]int{one, all} {
				if least < 0 || times[n] < least {
					best, least = traceJob{N: n, All: mode == 1}, times[n]
				}
			}
		}
	}
	return best
}

// sampleDepth limits the everyday tests to the first system calls of a command.
const sampleDepth = 150

// sample kills the command at one of its first system calls. The argument n decides at which.
func (g *ground) sample(t *testing.T, n int, all bool) {
	t.Helper()
	out := g.cut(t, traceJob{N: 1 + n%sampleDepth, All: all})
	if !out.Fired && out.Calls > 0 {
		out = g.cut(t, traceJob{N: 1 + n%out.Calls, All: all})
	}
	if !out.Fired && !t.Failed() {
		t.Errorf("nobody was killed in %d calls", out.Calls)
	}
}

func (g *ground) kill(t *testing.T, at traceJob) (fired bool) { return g.cut(t, at).Fired }

// cut resets the repository, kills the command at the given system call, and checks the result.
func (g *ground) cut(t *testing.T, at traceJob) (out outcome) {
	t.Helper()
	t.Run(at.name(), func(t *testing.T) {
		r := g.reset(t)
		j := resumeJob(r, g.s.args...)
		j.N, j.Match, j.After, j.All = at.N, at.Match, at.After, at.All
		out = trace(t, j)
		w := g.before
		w.collect = at.N%9 == 0
		if err := w.judge(g.s, r, out); err != nil {
			t.Errorf("cut off at %s (call %d, all: %v), exit code %d\n%v\noutput: %s", out.At, out.Calls, at.All, out.Exit, err, out.Output)
		}
	})
	return out
}

func (j traceJob) name() string {
	switch {
	case j.Match != call{}:
		return strings.NewReplacer("/", "_", " ", "_").Replace(j.Match.String())
	case j.All:
		return fmt.Sprintf("all_at_%d", j.N)
	}
	return fmt.Sprintf("one_at_%d", j.N)
}
