package prove

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// diskFailure is one way in which the disk fails during a command.
type diskFailure struct {
	scenario scenario
	fault    fault
	lasting  bool
	n        int
}

func (x diskFailure) String() string {
	how := "once_at"
	if x.lasting {
		how = "from"
	}
	return fmt.Sprintf("%s/%s_%s_%d", strings.ReplaceAll(x.scenario.name, " ", "_"), x.fault, how, x.n)
}

// series names the scenario and the kind of failure.
func (x diskFailure) series() string {
	if x.lasting {
		return fmt.Sprintf("%s, %s from there on", x.scenario.name, x.fault)
	}
	return fmt.Sprintf("%s, %s once", x.scenario.name, x.fault)
}

// TestErrors_atEveryWriteOfEveryCommand makes the disk fail at system calls that write, once or permanently.
func TestErrors_atEveryWriteOfEveryCommand(t *testing.T) {
	needTracer(t)
	p := gittest.Prove(t, "F", "injected errors")
	list := &failureDeck{proof: p, chance: p.Rand(1), all: slices.Concat(scenarios(), stories()), decks: map[string][]diskFailure{}, short: !gittest.Proving()}
	for p.More(sampleOfErrors) {
		fired := 0
		var tried []diskFailure
		t.Run("batch", func(t *testing.T) {
			hits := make([]bool, parallelTrials)
			for i := range hits {
				x := list.next(t)
				t.Run(x.String(), func(t *testing.T) {
					t.Parallel()
					hits[i] = x.try(t)
				})
				tried = append(tried, x)
			}
			t.Cleanup(func() { fired = count(hits) })
		})
		for _, x := range tried {
			p.At(x.series(), x.n)
		}
		p.Trial(fired)
	}
}

const (
	parallelTrials = 4
	// sampleOfErrors is the number of trials in everyday tests. In each trial, the disk fails at one of the first firstFailures calls
	// that can fail. It fails only there, or at all later calls too.
	sampleOfErrors = 4
	firstFailures  = 25
)

func count(hits []bool) (n int) {
	for _, hit := range hits {
		if hit {
			n++
		}
	}
	return n
}

// failureDeck returns all possible failures in random order, again and again.
// Failures that earlier runs of the proof have tried come last.
type failureDeck struct {
	proof  *gittest.Proof
	chance *rand.Rand
	all    []scenario
	// decks holds the remaining failures by scenario and kind of failure. The system calls of a scenario's command are counted only
	// when their number is needed, because counting them for all scenarios takes longer than a short proof.
	decks map[string][]diskFailure
	// short is true if a few failures of each command are enough. Then the system calls of the command are not counted.
	short bool
}

func (l *failureDeck) next(t *testing.T) diskFailure {
	t.Helper()
	s, f := l.all[l.chance.IntN(len(l.all))], noSpace+fault(l.chance.IntN(int(noAccess)))
	key := s.name + " " + f.String()
	if len(l.decks[key]) == 0 {
		l.decks[key] = l.deal(t, s, f)
	}
	x := l.decks[key][0]
	l.decks[key] = l.decks[key][1:]
	return x
}

func (l *failureDeck) deal(t *testing.T, s scenario, f fault) (deck []diskFailure) {
	t.Helper()
	total := firstFailures
	if !l.short {
		total = failable(t, s, f)
	}
	for n := 1; n <= total; n++ {
		deck = append(deck, diskFailure{s, f, false, n}, diskFailure{s, f, true, n})
	}
	l.chance.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	tried := map[string]map[int]int{}
	for _, x := range []diskFailure{{s, f, false, 0}, {s, f, true, 0}} {
		tried[x.series()] = l.proof.Times(x.series())
	}
	times := func(x diskFailure) int { return tried[x.series()][x.n] }
	slices.SortStableFunc(deck, func(a, b diskFailure) int { return times(a) - times(b) })
	return deck
}

// failable counts the system calls of a scenario's command that can fail with this fault.
func failable(t *testing.T, s scenario, f fault) int {
	t.Helper()
	r := s.prepare(gittest.New(t).WithBinary())
	j := resumeJob(r, s.args...)
	j.Fault = f
	out := trace(t, j)
	if out.Exit != 0 {
		t.Fatalf("undisturbed: exit code %d\n%s", out.Exit, out.Output)
	}
	return out.Calls
}

// try makes the disk fail at one system call and checks the result. It returns false if the command ended before that call.
func (x diskFailure) try(t *testing.T) bool {
	t.Helper()
	return x.scenario.failDuring(t, traceJob{N: x.n, Fault: x.fault, Lasting: x.lasting})
}

// failDuring runs the command on a disk that fails at one system call, or from that call on. It checks the command's message and the
// repository.
func (s scenario) failDuring(t *testing.T, at traceJob) (fired bool) {
	t.Helper()
	s.withGround(t, func(g *ground) { fired = g.suffer(t, at) })
	return fired
}

func (g *ground) suffer(t *testing.T, at traceJob) (fired bool) {
	t.Helper()
	r := g.reset(t)
	j := resumeJob(r, g.s.args...)
	j.N, j.Match, j.After, j.Fault, j.Lasting = at.N, at.Match, at.After, at.Fault, at.Lasting
	out := trace(t, j)
	err := checkFailureMessage(out)
	if err == nil {
		err = g.before.judge(g.s, r, out)
	}
	if err != nil {
		t.Errorf("%s at %s (call %d, lasting: %v), exit code %d\n%v\noutput: %s", at.Fault, out.At, at.N, at.Lasting, out.Exit, err, out.Output)
	}
	return out.Fired
}

// TestErrors_knownWindows tests failures that once did harm.
// It also tests failures that must be reported although all files look correct afterwards.
func TestErrors_knownWindows(t *testing.T) {
	needTracer(t)
	for _, w := range []struct {
		name, scenario string
		at             call
		lasting        bool
		fault          fault
	}{
		{"the merge of the base into the run", "resume and update", call{"git merge", "write", "/AUTO_MERGE"}, true, sound},
		{"the base under the run", "resume and rebase", call{"git rebase", "openat", "/HEAD.lock"}, true, sound},
		{"the folder of the journal", "task start", call{"git-resume task", "fsync", "/refs/resume/journal"}, false, sound},
		{"the folder of the branch", "task done named", call{"git-resume task", "fsync", "/refs/heads"}, false, sound},
		{"the folder of a new run", "start", call{"git-resume start", "fsync", "/refs/resume/base"}, false, sound},
		{"a lock that git is not let remove, though its work is done", "task done in its worktree", call{"git update-ref", "unlink", "/HEAD.lock"}, false, sound},
		{"a lock of a merge that is done", "merge", call{"git merge", "unlink", "/HEAD.lock"}, true, noAccess},
		{"a lock of a merge that fails", "merge without trailers", call{"git merge", "rename", "/ORIG_HEAD"}, true, noAccess},
		{"the lock of an index that is not needed", "task done in its worktree", call{"git write-tree", "rename", "/index"}, true, sound},
		{"the journal of a run whose beginning cannot be taken back", "another system's state put aside",
			call{"git update-ref", "write", "refs/resume/journal/"}, true, noSpace},
		{"the mark of a merge that takes the base in", "resume and update", call{"git merge", "write", "/MERGE_HEAD"}, false, noSpace},
		{"the place for worktrees, tried", "start with everything", call{"git-resume start", "unlinkat", ".probe"}, false, noAccess},
		{"the mark of a commit that a rebase picked", "resume and rebase", call{"git rebase", "unlink", "/CHERRY_PICK_HEAD"}, false, readOnly},
		{"the HEAD of a rebase that takes the base in", "resume and rebase", call{"git rebase", "openat", "/HEAD.lock"}, false, failing},
		{"the list of a rebase that takes the base in", "resume and rebase", call{"git rebase", "openat", "/git-rebase-todo.lock"}, true, noSpace},
		{"the HEAD of a worktree that takes work along", "start with everything", call{"git reset", "openat", "/ORIG_HEAD.lock"}, true, failing},
		{"what a rebase notes of its last commit", "a rebase that was killed", call{"git rebase", "openat", "refs/heads/topic.lock"}, true, noSpace},
		{"the notes of a worktree that is being made", "start executes", call{"git worktree", "write", "/commondir"}, true, readOnly},
		{"what a task's own command writes", "resume", call{"sh", "write", "/home/ran"}, false, readOnly},
		{"what the command of one task writes", "task run", call{"sh", "openat", "made"}, false, noAccess},
		{"the folder of the snapshots", "task fail", call{"git-resume task", "fsync", "/refs/resume/snapshots"}, false, sound},
	} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			if !scenarioNamed(t, w.scenario).failDuring(t, traceJob{Match: w.at, Fault: cmp.Or(w.fault, failing), Lasting: w.lasting}) {
				t.Errorf("%s never calls %s", w.scenario, w.at)
			}
		})
	}
}

// TestErrors_later tests failures that once did harm, but only if they happened after a certain other system call.
func TestErrors_later(t *testing.T) {
	needTracer(t)
	for _, w := range []struct {
		name, scenario string
		after, at      call
	}{
		{"a result that is in the journal, and whose name the disk did not take", "start executes",
			call{"sh", "openat", "fc"}, call{"git-resume start", "fsync", "/refs/resume/journal"}},
		{"the index of a merge that takes the base in", "resume and update",
			call{"git merge", "rename", "/index"}, call{"git merge", "openat", "/index.lock"}},
		{"the log of the task behind one that was skipped", "resume and skip",
			call{"git-resume --yes", "renameat", "/resume/asked/"}, call{"git-resume --yes", "openat", "/resume/logs/"}},
		{"the index of the commit that a rebase comes to next", "a rebase that was killed",
			call{"git rebase", "openat", "rewritten-pending"}, call{"git rebase", "rename", ".git/index"}},
	} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			if !scenarioNamed(t, w.scenario).failDuring(t, traceJob{After: w.after, Match: w.at, Fault: failing}) {
				t.Errorf("%s never calls %s after %s", w.scenario, w.at, w.after)
			}
		})
	}
}

// checkFailureMessage checks that a failed command prints an error and ends with a documented exit code.
// It also returns an error if a command succeeded although a ref could not be synced to the disk.
func checkFailureMessage(out outcome) error {
	switch {
	case out.Exit == 0 && strings.HasPrefix(out.At.Name, "fsync") && strings.HasPrefix(out.At.Process, "git-resume") &&
		(strings.Contains(out.At.Path, "/refs/resume") || strings.Contains(out.At.Path, "/refs/heads")):
		return fmt.Errorf("acknowledged, but not on the disk")
	case strings.Contains(out.Output, "goroutine "):
		return fmt.Errorf("it broke down")
	case out.Exit == 0:
		return nil
	case strings.HasPrefix(out.At.Process, "sh") && (strings.Contains(out.Output, " failed with exit code ") || strings.Contains(out.Output, "Stopped at task ")):
		return nil // the task's own command got the error, and git-resume correctly reports a failed task
	case out.Exit == 12 && strings.Contains(out.Output, "it is not known whether"): // allowed: git-resume cannot read the disk
	case !slices.Contains([]int{1, 128}, out.Exit):
		return fmt.Errorf("no such exit code is documented")
	case strings.Contains(out.Output, "\nfail "):
		return nil // doctor says what is wrong in a line for each check that failed, and not after "error: "
	case !strings.Contains(out.Output, "error: ") && !strings.Contains(out.Output, "fatal: "):
		return fmt.Errorf("it does not say what is wrong")
	}
	return nil
}
