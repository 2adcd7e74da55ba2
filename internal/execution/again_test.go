//go:build linux

package execution_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestSameLine_continuesAfterEveryKill kills the script of README, and a plan that is started with "start --auto -j", at random moments and by
// random signals. The same line is repeated until it ends by itself. Then each task must be done once, and nothing may be lost.
func TestSameLine_continuesAfterEveryKill(t *testing.T) {
	p := gittest.Prove(t, "B", "kills of a line that is repeated")
	for i, kind := range []string{"script", "plan"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			chance := p.Rand(uint64(10 + i))
			for round := 0; p.More(sampleOfLines); round++ {
				p.Trial(killLine(t, kind, chance))
			}
		})
	}
}

// sampleOfLines is the number of kills in an everyday run.
const sampleOfLines = 12

// maxStrikes is how often one line is killed before it is left alone.
const maxStrikes = 6

// killLine kills a line several times and repeats it until it ends by itself. It returns the number of kills.
func killLine(t *testing.T, kind string, chance *rand.Rand) (killed int) {
	w := newWorld(t)
	defer func() {
		if t.Failed() {
			t.Logf("this was round of kind %s, with %d kills", kind, killed)
		}
	}()
	line, check := w.startNightly, w.checkNightlyWhole
	if kind == "plan" {
		line, check = w.jobsLine(chance.IntN(3)+2), w.checkEnd
	} else {
		w.setUser()
	}
	left := map[string]bool{}
	again := line
	for try := 0; ; try++ {
		r := again()
		again = line
		if killed < maxStrikes && w.strikeLine(r, chance) {
			killed++
		}
		out, code := r.wait()
		dead := len(w.groups()) == 0 // a task that lives on may still remove its file itself
		for _, f := range []string{"half-build.txt", "half-test.txt"} {
			if _, err := os.Stat(w.Dir + "/" + f); err == nil && kind == "script" && dead {
				left[f] = true
			}
		}
		switch {
		case code == 0 || strings.Contains(out, ") finished"): // a killed command that has said everything need not be repeated
			check(out)
			for f := range left {
				if !w.saved(f) {
					t.Errorf("no snapshot has %s, which an interrupted task had left", f)
				}
			}
			return killed
		case code == 11 && strings.Contains(out, "without any progress"):
			// It was killed three times in a row before any task could end. Then only a person continues, with the command that is offered.
			again = func() *running { return w.startResume("job", "--yes") }
		case code == 13: // a process of the last task has not ended yet, so wait
			time.Sleep(20 * time.Millisecond)
		case code != 130 && code != 137 && code != 143 && !strings.Contains(out, gitInterrupted):
			t.Fatalf("exit code %d\n%s", code, out)
		case try > 200:
			t.Fatalf("no end\n%s", out)
		}
	}
}

// gitInterrupted is what git itself may say if a signal reaches it while it waits for git-resume. Its exit code is 128 then.
const gitInterrupted = "waitpid for git-resume failed"

// jobsLine returns a line that starts a plan whose tasks run at the same time.
func (w *world) jobsLine(jobs int) func() *running {
	var text strings.Builder
	text.WriteString("name: job\ntasks:\n")
	for i := range randomTasks {
		command := `. "$SIDE/tell.sh"; echo x > "f$GIT_RESUME_TASK"; sleep 0.03; echo y >> "f$GIT_RESUME_TASK"`
		fmt.Fprintf(&text, "  - {id: t%d, on_interrupt: retry, run: %q}\n", i, command)
	}
	file := w.file("plan.yaml", text.String())
	return func() *running { return w.startResume("start", "--auto", "-j", fmt.Sprint(jobs), file) }
}

func (w *world) checkNightlyWhole(out string) {
	_, ids := nightly(w.T)
	w.checkNightly(out, ids)
}

// strikeLine ends a line by SIGINT, SIGTERM or SIGKILL at a random moment. With SIGKILL, the tasks may live on. It reports whether the line
// was still running.
func (w *world) strikeLine(r *running, chance *rand.Rand) bool {
	select {
	case <-r.done:
		return false
	case <-time.After(time.Duration(chance.IntN(900)) * time.Millisecond):
	}
	sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGKILL}[chance.IntN(4)]
	both := sig == syscall.SIGKILL && chance.IntN(2) == 0
	tasks := w.groups()
	select {
	case <-r.done:
		return false
	default:
	}
	for _, pid := range w.executors(r.cmd.Process.Pid) {
		kill(pid, sig)
	}
	if both {
		for _, g := range tasks {
			kill(-g, sig)
		}
	}
	return true
}
