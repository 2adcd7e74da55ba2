//go:build linux

package execution_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// executionWay is one of the three ways to execute a command: a plan, "git resume run", or a script.
type executionWay struct {
	name string
	// The function "begin" starts a run with the given command: as the second of three tasks, or as the only task of "git resume run". The
	// function "again" continues the run after a stop, as a user would.
	begin func(w *world, command string) *running
	again func(w *world, command string) *running
	// The field "failed" is the program's exit code if the command failed with code 3. The field "killed" is the program's exit code if
	// a signal ended the command.
	failed, killed int
	// The field "commits" is true if the changes of the command are committed. Otherwise the worktree belongs to the user and stays as
	// it is.
	commits bool
}

func planFile(w *world, command string) string {
	return w.file("plan.yaml", fmt.Sprintf(`name: job
tasks:
  - {id: a, run: '. "$SIDE/tell.sh"; echo a > a.txt'}
  - {id: b, run: %q, timeout: %s}
  - {id: c, run: '. "$SIDE/tell.sh"; echo c > c.txt'}
`, command, w.limit))
}

func script(w *world, command string) string {
	return w.file("script.sh", fmt.Sprintf(`set -e
top=$(git resume start --auto --name job --task a --task b --task c 2>/dev/null) || exit
cd "$top"
git resume task run a $HOW -- sh -c '. "$SIDE/tell.sh"; echo a > a.txt'
git resume task run b --timeout %s $HOW -- sh -c '%s'
git resume task run c $HOW -- sh -c '. "$SIDE/tell.sh"; echo c > c.txt'
`, w.limit, command))
}

var ways = []executionWay{
	{
		name:  "plan",
		begin: func(w *world, cmd string) *running { return w.startResume("start", planFile(w, cmd)) },
		again: func(w *world, _ string) *running { return w.startResume("--yes", "--retry", "job") },
		// With a plan, the exit code is 1 if a command failed, whatever the command's own code was.
		failed: 1, killed: 1, commits: true,
	},
	{
		name: "run",
		begin: func(w *world, cmd string) *running {
			return w.startResume("run", "--name", "job", "--timeout", w.limit, "--", "sh", "-c", cmd)
		},
		again: func(w *world, cmd string) *running {
			return w.startResume("run", "--name", "job", "--", "sh", "-c", cmd)
		},
		failed: 3, killed: 1,
	},
	{
		name:  "task run",
		begin: func(w *world, cmd string) *running { return w.start("/bin/sh", script(w, cmd)) },
		again: func(w *world, cmd string) *running {
			w.Env = append(w.Env, "HOW=--retry")
			return w.start("/bin/sh", script(w, cmd))
		},
		failed: 3, killed: 1, commits: true,
	},
}

// interruption is one way to interrupt a task.
type interruption struct {
	name string
	// The field "command" is the task's command. The test calls the function "strike" when the command is half done.
	command string
	strike  func(w *world, group, owner int)
	// code is the exit code that the program must have. If code is 0, the exit code depends on the field "cause": for "exit" it must be
	// executionWay.failed, and for all other causes executionWay.killed.
	code int
	// The values of "state" and "cause" must be recorded after the interruption.
	state, cause string
	// The field "says" has texts that the output must contain.
	says []string
	// limit is the time limit of the task; empty means a long time.
	limit string
	// saved is true if the unfinished work must be in a snapshot.
	saved bool
}

const stopLine = "nothing lost. Continue with: git resume job-"

func kill(pid int, sig syscall.Signal) { _ = syscall.Kill(pid, sig) }

func blows() []interruption {
	half := victim
	stubborn := "trap '' INT TERM HUP; " + victim
	return []interruption{
		{name: "kill -9 of both", command: half, code: 128 + 9, state: "interrupted", strike: func(w *world, group, owner int) {
			kill(owner, syscall.SIGKILL)
			kill(-group, syscall.SIGKILL)
			w.waitForGroup(group)
		}},
		{name: "kill -9 of the task", command: half, state: "failed", cause: "signal", saved: true, says: []string{stopLine, "ended by signal killed"},
			strike: func(w *world, group, _ int) { kill(-group, syscall.SIGKILL) }},
		{name: "Ctrl-C", command: half, code: 130, state: "interrupted", cause: "interrupt", saved: true, says: []string{stopLine},
			strike: func(_ *world, _, owner int) { kill(owner, syscall.SIGINT) }},
		{name: "Ctrl-C twice", command: stubborn, code: 130, state: "interrupted", cause: "interrupt", saved: true, says: []string{stopLine},
			strike: func(w *world, group, owner int) {
				kill(owner, syscall.SIGINT)
				until(w.T, "the signal is taken", func() bool { kill(owner, syscall.SIGINT); return syscall.Kill(-group, 0) != nil })
			}},
		{name: "SIGTERM", command: half, code: 130, state: "interrupted", cause: "terminated", saved: true, says: []string{stopLine},
			strike: func(_ *world, _, owner int) { kill(owner, syscall.SIGTERM) }},
		{name: "SIGHUP", command: half, code: 130, state: "interrupted", cause: "hangup", saved: true, says: []string{stopLine},
			strike: func(_ *world, _, owner int) { kill(owner, syscall.SIGHUP) }},
		{name: "time limit", command: half, state: "failed", cause: "timeout", saved: true, says: []string{stopLine, "time limit"},
			strike: func(*world, int, int) {}, limit: "2s"},
		{name: "exit code", command: "test -e \"$SIDE/go\" || { " + victim1 + " exit 3; }; . \"$SIDE/tell.sh\"; echo whole > half.txt", state: "failed", cause: "exit", saved: true,
			says: []string{stopLine}, strike: func(*world, int, int) {}},
	}
}

// victim1 is like victim, but it does not wait for the test. It continues 0.3 seconds after it has reported that it is half done.
const victim1 = `. "$SIDE/tell.sh"; echo half > half.txt; echo $$ > "$SIDE/mark.tmp"; mv "$SIDE/mark.tmp" "$SIDE/mark"; sleep 0.3;`

func TestMatrix_everyStopOfEveryWay(t *testing.T) {
	for _, v := range ways {
		for _, b := range blows() {
			t.Run(strings.ReplaceAll(v.name+"/"+b.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				strikeOne(t, v, b)
			})
		}
	}
}

func strikeOne(t *testing.T, v executionWay, b interruption) {
	w := newWorld(t)
	if b.limit != "" {
		w.limit = b.limit
	}
	r := v.begin(w, b.command)
	group, owner := w.atMark(r)
	b.strike(w, group, owner)
	out, code := r.wait()
	want := b.code
	if want == 0 {
		if want = v.killed; b.cause == "exit" {
			want = v.failed
		}
	}
	if code != want {
		t.Errorf("exit code %d, want %d\n%s", code, want, out)
	}
	wantIn(t, out, b.says...)
	w.waitForGroup(group)
	checkStop(t, w, v, b)
	w.file("go", "")
	w.continueRun(v, b.command)
}

// checkStop checks state, cause, files and snapshot after an interruption.
func checkStop(t *testing.T, w *world, v executionWay, b interruption) {
	t.Helper()
	s := w.only()
	if s.State != b.state {
		t.Errorf("state %s, want %s", s.State, b.state)
	}
	if cause := w.cause(); cause != b.cause {
		t.Errorf("cause %q, want %q", cause, b.cause)
	}
	w.wantFile("half.txt", "half\n")
	if b.saved {
		if got := w.Git("show", "refs/resume/snapshots/"+s.Run+":0001/work/half.txt"); got != "half" {
			t.Errorf("the snapshot has %q", got)
		}
	}
}

// continueRun continues after a stop and checks that the work is finished.
func (w *world) continueRun(v executionWay, command string) {
	w.T.Helper()
	out, code := v.again(w, command).wait()
	if code != 0 {
		w.T.Fatalf("going on: exit code %d\n%s", code, out)
	}
	s := w.only()
	if s.State != "finished" {
		w.T.Fatalf("state %s after going on\n%s", s.State, out)
	}
	if text, err := os.ReadFile(filepath.Join(s.Worktree, "half.txt")); err != nil || string(text) != "whole\n" {
		w.T.Errorf("half.txt is %q, %v\n%s", text, err, out)
	}
	if v.commits {
		branch := "resume/" + s.Run
		if got := w.Git("show", branch+":half.txt") + w.Git("show", branch+":c.txt"); got != "wholec" {
			w.T.Errorf("the branch has %q", got)
		}
	} else if got := w.Git("status", "--porcelain"); got != "?? half.txt" {
		w.T.Errorf("the user's tree: %q", got)
	}
	w.checkRecord()
	w.Fsck()
}
