package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// change returns the command of the i-th task of the long plan.
func change(i int) string { return fmt.Sprintf("echo %d > d%d/f%d", i, i%50, i) }

// turn is the number of tasks after which the plan pauses. In each pause, the test makes the same number of commits with git alone. Because
// the plan and git take turns, a busy machine slows down both alike, and their times can be compared.
const turn = 100

// waitsFor is a shell command that pauses the plan until the test lets it continue.
const waitsFor = `touch "$TURNS/at"; until test -e "$TURNS/go"; do sleep 0.005; done; rm "$TURNS/go"`

// longPlan makes a repository and a plan of n tasks that each change one file.
func longPlan(t *testing.T, n int) (*gittest.Repo, string) {
	t.Helper()
	r := gittest.Empty(t)
	for i := range 50 {
		r.Write(fmt.Sprintf("d%d/keep", i), "")
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "folders")
	var b strings.Builder
	b.WriteString("name: long\ntasks:\n")
	for i := range n {
		command := change(i)
		if i%turn == turn-1 {
			command += "; " + waitsFor
		}
		fmt.Fprintf(&b, "  - {id: t%d, run: %q}\n", i, command)
	}
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return r, path
}

// watched holds the measurements that a test makes while a plan is executed.
type watched struct {
	took         time.Duration // the time of the whole plan, without its pauses
	early, late  int           // peak memory in KB, near the beginning and at the end
	statuses     []time.Duration
	gits         []time.Duration // the time of "git status", measured after each "git resume status"
	statusBroken string
}

// planRun is the execution of a plan.
type planRun struct {
	r     *gittest.Repo
	cmd   *exec.Cmd
	turns string
	begun time.Time
	away  time.Duration // the total length of all pauses
	watched
}

// runPlan executes a plan and calls the given function at each pause of the plan. About every second and a half, it also measures the
// memory of the plan's process and the times of "git resume status" and "git status".
func runPlan(t *testing.T, r *gittest.Repo, plan string, other func()) watched {
	t.Helper()
	p := &planRun{r: r, turns: t.TempDir(), begun: time.Now()}
	p.cmd = exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), "start", plan)
	p.cmd.Dir, p.cmd.Env = r.Dir, append(r.Env, "TURNS="+p.turns)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			p.took = time.Since(p.begun) - p.away
			return p.watched
		case <-tick.C:
			if n%75 == 74 {
				p.look()
			}
			if err := p.turn(other); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// turn checks whether the plan is paused. If so, turn calls the given function and then lets the plan continue.
func (p *planRun) turn(other func()) error {
	at, err := os.Stat(filepath.Join(p.turns, "at"))
	if err != nil {
		return nil
	}
	other()
	p.away += time.Since(at.ModTime())
	if err := os.Remove(filepath.Join(p.turns, "at")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.turns, "go"), nil, 0o644)
}

// look measures the memory of the process that executes the plan, and the times of "git resume status" and "git status".
func (p *planRun) look() {
	if kb := highWater(p.cmd.Process.Pid); kb > 0 {
		p.late = kb
	}
	if p.early == 0 {
		p.early = p.late
	}
	p.statuses = append(p.statuses, timed(func() {
		if out, code := p.r.Resume("status"); code != 0 || !strings.Contains(out, "running") {
			p.statusBroken = out
		}
	}))
	p.gits = append(p.gits, timed(func() { p.r.Git("status") }))
}

// highWater returns the peak memory of a process so far in KB, or 0 where the system does not show it.
func highWater(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, ok := strings.Cut(string(text), "VmHWM:")
	var kb int
	if ok {
		_, _ = fmt.Sscan(rest, &kb)
	}
	return kb
}

// commitAll makes the changes of some tasks and commits each of them with git alone. It returns the time that git took and
// the time that the tasks' commands took.
func commitAll(t *testing.T, r *gittest.Repo, from, to int) (git, commands time.Duration) {
	t.Helper()
	durable := []string{"-c", "core.fsync=committed,reference"}
	for i := from; i < to; i++ {
		commands += timed(func() { r.Try("sh", "-c", change(i)) })
		git += timed(func() {
			r.Git(append(durable, "add", "-A")...)
			r.Git(append(durable, "commit", "-q", "-m", fmt.Sprintf("t%d", i))...)
		})
	}
	return git, commands
}

// The two measurements alternate: a hundred tasks of git-resume, then a hundred commits of git.
func TestMeasurePlan(t *testing.T) {
	needClock(t)
	const n = 1000
	r, plan := longPlan(t, n)
	other, _ := longPlan(t, 0)
	var git, commands time.Duration
	done := 0
	w := runPlan(t, r, plan, func() {
		g, c := commitAll(t, other, done, done+turn)
		git, commands, done = git+g, commands+c, done+turn
	})
	if done != n {
		t.Fatalf("%d changes by hand", done)
	}
	ours := w.took - commands
	table = append(table, row{
		fmt.Sprintf("overhead of a task among %d / git add && git commit", n),
		milliseconds(ours / n), milliseconds(git / n), float64(ours) / float64(git), 2.5,
	})
	if w.statusBroken != "" {
		t.Errorf("status during the run: %s", w.statusBroken)
	}
	status, plain := median(w.statuses), median(w.gits)
	table = append(table, row{"status while it runs / git status", milliseconds(status), milliseconds(plain), float64(status) / float64(plain), 0})
	t.Logf("%d tasks in %v; memory %d KB at first, %d KB at the end; %d looks at the status", n, w.took, w.early, w.late, len(w.statuses))
	if w.early > 0 {
		table = append(table, row{"memory at the end / after the first tasks", fmt.Sprintf("%d KB", w.late), fmt.Sprintf("%d KB", w.early), float64(w.late) / float64(w.early), 1.5})
	}
}
