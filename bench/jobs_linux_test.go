package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// jobsPlan writes a plan of n tasks, and returns its path. Each task runs the command, and then writes a file of its own.
func jobsPlan(t *testing.T, n int, command string) string {
	t.Helper()
	text := "name: jobs\njobs: 8\ntasks:\n"
	for i := range n {
		text += fmt.Sprintf("- {id: t%d, outputs: [o%d], run: %q}\n", i, i, fmt.Sprintf("%s; echo %d >o%d", command, i, i))
	}
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// spanOfTasks executes a plan and returns the time between the start of its first task and the end of its last one, from the record. The
// time before the first task, in which the run's worktree is made, does not count.
func spanOfTasks(t *testing.T, r *gittest.Repo, plan string) time.Duration {
	t.Helper()
	out := r.MustResume("start", plan, "--new")
	raw := r.MustResume("log", regexp.MustCompile(`started (\S+):`).FindStringSubmatch(out)[1], "--raw")
	var first, last time.Time
	for line := range strings.Lines(raw) {
		var e struct {
			Event string
			At    time.Time
		}
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		if e.Event == "task.started" && first.IsZero() {
			first = e.At
		}
		if e.Event == "task.done" {
			last = e.At
		}
	}
	return last.Sub(first)
}

// With eight tasks at a time, 64 tasks that sleep for a second take eight seconds at best.
func TestJobs_sleepers(t *testing.T) {
	needClock(t)
	r := manyFiles(t, 1000)
	plan := jobsPlan(t, 64, "sleep 1")
	var spans []time.Duration
	for range 5 {
		spans = append(spans, spanOfTasks(t, r, plan))
	}
	got, ideal := median(spans), 8*time.Second
	t.Logf("64 tasks of a second with 8 jobs: %v", spans)
	table = append(table, row{"64 tasks of 1 s, 8 jobs (against 8 s)", milliseconds(got), milliseconds(ideal), float64(got) / float64(ideal), 1.3})
}

func TestJobs_overhead(t *testing.T) {
	needClock(t)
	const n = 64
	r := manyFiles(t, 1000)
	plan := jobsPlan(t, n, ":")
	var ours, gits []time.Duration
	for round := range 5 {
		ours = append(ours, spanOfTasks(t, r, plan)/n)
		var commits []time.Duration
		for i := range 15 {
			r.Write(place(i), fmt.Sprint(round, i))
			commits = append(commits, timed(func() {
				r.Git("add", "-A")
				r.Git("commit", "-q", "-m", "one file")
			}))
		}
		gits = append(gits, median(commits))
	}
	x, y := median(ours), median(gits)
	table = append(table, row{"a task, 8 jobs (against add + commit)", milliseconds(x), milliseconds(y), float64(x) / float64(y), 2.5})
}

func TestJobs_liveView(t *testing.T) {
	needClock(t)
	r := manyFiles(t, 1000)
	plan := jobsPlan(t, 8, "for i in $(seq 140); do echo line $i; sleep 0.1; done")
	keys, tty, err := gittest.OpenTerminal()
	if err != nil {
		t.Skip(err)
	}
	defer keys.Close()
	go func() { _, _ = io.Copy(io.Discard, keys) }()
	cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), "start", plan)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.Dir, r.Env, tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	time.Sleep(4 * time.Second)
	begun, before := time.Now(), ticks(cmd.Process.Pid)
	time.Sleep(8 * time.Second)
	used, passed := time.Duration(ticks(cmd.Process.Pid)-before)*10*time.Millisecond, time.Since(begun)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v of processor time in %v", used, passed)
	table = append(table, row{"eight tasks at a terminal (against 2 % of a core)", milliseconds(used), milliseconds(passed / 50), float64(used) / float64(passed/50), 1})
}

// ticks returns the processor time that a process has used, in hundredths of a second, without the processes that it started. If the time
// cannot be read, the result is 0.
func ticks(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	var user, system int
	_, _ = fmt.Sscan(f[11], &user)
	_, _ = fmt.Sscan(f[12], &system)
	return user + system
}
