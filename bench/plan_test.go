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

// change is what one task of the long plan does.
func change(i int) string { return fmt.Sprintf("echo %d > d%d/f%d", i, i%50, i) }

// longPlan makes a repository and a plan of n tasks, each of which changes one file.
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
		fmt.Fprintf(&b, "  - {id: t%d, run: %q}\n", i, change(i))
	}
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return r, path
}

// watched is what was seen of a plan's execution from outside.
type watched struct {
	took         time.Duration
	early, late  int // most memory so far in KB, near the beginning and at the end
	statuses     []time.Duration
	gits         []time.Duration // git status, asked right after
	statusBroken string
}

// runPlan executes a plan and looks at memory and status meanwhile.
func runPlan(t *testing.T, r *gittest.Repo, plan string) watched {
	t.Helper()
	cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), "start", plan)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var w watched
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			w.took = time.Since(begun)
			return w
		case <-tick.C:
			if kb := highWater(cmd.Process.Pid); kb > 0 {
				w.late = kb
			}
			if n == 5 {
				w.early = w.late
			}
			if n%5 == 4 {
				w.statuses = append(w.statuses, timed(func() {
					if out, code := r.Resume("status"); code != 0 || !strings.Contains(out, "running") {
						w.statusBroken = out
					}
				}))
				w.gits = append(w.gits, timed(func() { r.Git("status") }))
			}
		}
	}
}

// highWater is the most memory that a process has had so far, in KB; 0 where that cannot be seen.
func highWater(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, ok := strings.Cut(string(text), "VmHWM:")
	var kb int
	if ok {
		_, _ = fmt.Sscan(rest, &kb)
	}
	return kb
}

// commitAll does the same changes with git alone, as durably, and gives the time that git took.
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

// A plan of a thousand tasks: what recording, locking and committing cost beside the commands,
// compared with adding and committing the same changes by hand, before and after.
func TestMeasurePlan(t *testing.T) {
	needClock(t)
	const n = 1000
	r, plan := longPlan(t, n)
	other, _ := longPlan(t, 0)
	git, commands := commitAll(t, other, 0, n/2)
	w := runPlan(t, r, plan)
	more, moreCommands := commitAll(t, other, n/2, n)
	git, commands = git+more, commands+moreCommands
	ours := w.took - commands
	table = append(table, row{
		fmt.Sprintf("overhead of a task among %d / git add && git commit", n),
		milliseconds(ours / n), milliseconds(git / n), float64(ours) / float64(git), 2.5,
	})
	if w.statusBroken != "" {
		t.Errorf("status during the run: %s", w.statusBroken)
	}
	status := median(w.statuses)
	plain := median(w.gits)
	table = append(table, row{"status while it runs / git status", milliseconds(status), milliseconds(plain), float64(status) / float64(plain), 0})
	t.Logf("%d tasks in %v; memory %d KB after the first second, %d KB at the end; %d looks at the status", n, w.took, w.early, w.late, len(w.statuses))
	if w.early > 0 {
		table = append(table, row{"memory at the end / after the first tasks", fmt.Sprintf("%d KB", w.late), fmt.Sprintf("%d KB", w.early), float64(w.late) / float64(w.early), 1.5})
	}
}
