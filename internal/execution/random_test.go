//go:build linux

package execution_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestRandomKills_leaveAnHonestRecord kills the executing program, a task, or both, at random moments, or presses Ctrl-C. In the end, each
// task's change must exist exactly once.
func TestRandomKills_leaveAnHonestRecord(t *testing.T) {
	p := gittest.Prove(t, "B", "kills of what executes a plan")
	for i := range 2 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			chance := p.Rand(uint64(i))
			for round := 0; p.More(3); round++ {
				p.Trial(killRun(t, chance, round%2 == 0))
			}
		})
	}
}

const randomTasks = 5

// killRun kills one run several times, continues it until it is finished, and returns the number of kills.
func killRun(t *testing.T, chance *rand.Rand, planned bool) (killed int) {
	w := newWorld(t)
	command := `. "$SIDE/tell.sh"; echo x >> "f$GIT_RESUME_TASK"; sleep 0.03; echo y >> "f$GIT_RESUME_TASK"`
	begin, again := randomPlan(w, command)
	if !planned {
		begin, again = randomScript(w, command)
	}
	for try := 0; ; try++ {
		next := begin
		if try > 0 && w.begun() {
			if next = again; w.only().State == "finished" {
				w.checkEnd("killed after the end")
				return killed
			}
		}
		r := next()
		if killed < 8 {
			killed += w.strikeAt(r, chance)
		}
		out, code := r.wait()
		switch {
		case code == 0:
			w.checkEnd(out)
			return killed
		case code == 13: // a process of the last task has not ended yet, so wait
			time.Sleep(20 * time.Millisecond)
		case code != 130 && code != 137 && code != 1:
			w.T.Errorf("exit code %d\n%s", code, out)
			return killed
		case try > 200:
			w.T.Fatalf("no end\n%s", out)
		}
	}
}

func randomPlan(w *world, command string) (begin, again func() *running) {
	var text strings.Builder
	text.WriteString("name: job\ntasks:\n")
	for i := range randomTasks {
		fmt.Fprintf(&text, "  - {id: t%d, run: %q}\n", i, command)
	}
	file := w.file("plan.yaml", text.String())
	return func() *running { return w.startResume("start", "--auto", file) },
		func() *running { return w.startResume("--yes", "--retry", "job") }
}

func randomScript(w *world, command string) (begin, again func() *running) {
	var text strings.Builder
	text.WriteString("set -e\ntop=$(git resume start --auto --name job")
	for i := range randomTasks {
		fmt.Fprintf(&text, " --task t%d", i)
	}
	text.WriteString(")\ncd \"$top\"\n")
	for i := range randomTasks {
		fmt.Fprintf(&text, "git resume task run t%d --retry -- sh -c '%s'\n", i, command)
	}
	file := w.file("script.sh", text.String())
	run := func() *running { return w.start("/bin/sh", file) }
	return run, run
}

func (w *world) begun() bool {
	return len(w.status()) > 0
}

// strikeAt kills a part of a running execution at a random moment, or presses Ctrl-C. It returns the number of kills. Ctrl-C does not
// count, and neither does a kill of something that had already ended.
func (w *world) strikeAt(r *running, chance *rand.Rand) int {
	select {
	case <-r.done:
		return 0
	case <-time.After(time.Duration(chance.IntN(400)) * time.Millisecond):
	}
	who := chance.IntN(4)
	tasks := w.groups()
	if who != 1 {
		sig := syscall.SIGKILL
		if who == 3 {
			sig = syscall.SIGINT
		}
		for _, pid := range w.executors(r.cmd.Process.Pid) {
			kill(pid, sig)
		}
	}
	if who == 1 || who == 2 {
		for _, g := range tasks {
			kill(-g, syscall.SIGKILL)
		}
	}
	if who == 3 || who == 1 && len(tasks) == 0 {
		return 0
	}
	return 1
}

// executors returns the process that was started and its descendants, except tasks and git processes.
func (w *world) executors(pid int) []int {
	out := []int{pid}
	all := processes()
	for _, p := range all {
		// If this process is git-resume, leave out its children: they are tasks and git processes, but a new child has the command line of
		// git-resume for a moment.
		if program, _, _ := strings.Cut(p.line, " "); p.pid == pid && filepath.Base(program) == "git-resume" {
			return out
		}
	}
	for _, p := range all {
		if p.ppid == pid && (strings.Contains(p.line, "git-resume") || strings.HasPrefix(p.line, "git resume")) {
			out = append(out, w.executors(p.pid)...)
		}
	}
	return out
}

// groups returns the process groups of the tasks of this test. Their environment contains the test's folder and the id of an attempt.
func (w *world) groups() []int {
	var out []int
	for _, p := range processes() {
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
		if p.pid == p.group && strings.Contains(string(env), "SIDE="+w.side) && strings.Contains(string(env), "GIT_RESUME_ATTEMPT=") {
			out = append(out, p.pid)
		}
	}
	return out
}

type process struct {
	pid, ppid, group int
	line             string
}

func processes() []process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var out []process
	for _, d := range dirs {
		stat, err := os.ReadFile(filepath.Join(d, "stat"))
		if err != nil {
			continue
		}
		var p process
		var state string
		i := strings.LastIndexByte(string(stat), ')')
		if _, err := fmt.Sscan(string(stat[i+1:]), &state, &p.ppid, &p.group); err != nil {
			continue
		}
		_, _ = fmt.Sscan(filepath.Base(d), &p.pid)
		line, _ := os.ReadFile(filepath.Join(d, "cmdline"))
		p.line = strings.ReplaceAll(string(line), "\x00", " ")
		out = append(out, p)
	}
	return out
}

// checkEnd checks a finished run: each task's change must exist exactly once.
func (w *world) checkEnd(out string) {
	w.T.Helper()
	s := w.only()
	if s.State != "finished" {
		w.T.Errorf("state %s\n%s", s.State, out)
		return
	}
	for i := range randomTasks {
		if got := w.Git("show", fmt.Sprintf("resume/%s:ft%d", s.Run, i)); got != "x\ny" {
			w.T.Errorf("task t%d left %q", i, got)
		}
	}
	w.checkRecord()
	w.Fsck()
	if w.T.Failed() {
		w.T.Log(w.MustResume("log", "--raw", s.Run))
	}
}
