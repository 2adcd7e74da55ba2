package anywhere

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// The tests in this file repeat failures that random rounds have found, or that planted bugs cause. They do not depend on chance.

// TestKnown runs these failures again. On most days everyday tests try only some of them, or none, so that all have their turn within some
// days.
func TestKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		try  func(*testing.T)
	}{
		{"asleepAndTakenOver", asleepAndTakenOver},
		{"aLeaseBringsItsCommits", aLeaseBringsItsCommits},
		{"aLostAnswerIsNoAnswer", aLostAnswerIsNoAnswer},
		{"aLostRequestIsNoLease", aLostRequestIsNoLease},
		{"aRefusedLeaseIsNone", aRefusedLeaseIsNone},
		{"twoProcessesOfOneClone", twoProcessesOfOneClone},
		{"aRunIsBoundToOneRemote", aRunIsBoundToOneRemote},
		{"nothingIsDroppedWhenLinesAreUnited", nothingIsDroppedWhenLinesAreUnited},
		{"aFencedCloneBuildsOnNothing", aFencedCloneBuildsOnNothing},
		{"aCommitWithoutItsRecordIsTakenBack", aCommitWithoutItsRecordIsTakenBack},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.try(t)
		})
	}
}

// commands maps the id of a task to a shell command that is executed at the beginning of this task.
type commands map[string]string

// openWith makes a server and clones for a run of three tasks. No request fails at random. The argument "before" adds commands to the
// tasks.
func openWith(t *testing.T, before commands) *shop {
	t.Helper()
	s := &shop{T: t, before: before}
	s.start(3)
	return s
}

// lines returns the journal lines that the server has.
func (s *shop) lines() journal {
	s.Helper()
	j, err := (&reader{s.clones[0].In(s.server), map[string][]*line{}}).journal("refs/resume/journal/" + s.run)
	if err != nil {
		s.Fatal(err)
	}
	return j
}

// In asleepAndTakenOver, a worker is stopped during its task, and another clone takes over and finishes the run. Then the first worker
// continues, and must report that its work does not count.
func asleepAndTakenOver(t *testing.T) {
	s := openWith(t, commands{"t1": "test -e ../../../woken || { touch ../../../woken; kill -STOP $PPID; }"})
	w := s.begin(0, s.clones[0], nil)
	s.until(func() bool { return s.has("task.started", "t1") || stopped(w.cmd.Process.Pid) })
	s.work(s.clones[1], 0, "--takeover")
	_ = syscall.Kill(w.cmd.Process.Pid, syscall.SIGCONT)
	s.wait(w)
	if code := w.cmd.ProcessState.ExitCode(); code != 13 || !strings.Contains(w.out.String(), "not part of the run") {
		t.Errorf("exit code %d\n%s", code, w.out.String())
	}
	if out := s.clones[0].MustResume("parked", s.run); !strings.Contains(out, "(task t1)") {
		t.Errorf("the commit of t1 is not listed:\n%s", out)
	}
	s.finish()
	check(s)
}

// until waits until so() returns true. After ten seconds it ends the test.
func (s *shop) until(so func() bool) {
	s.Helper()
	for range 400 {
		if so() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	s.Fatal("it never comes")
}

// has reports whether the server has a journal line with this event for this task.
func (s *shop) has(event, task string) bool {
	for _, l := range s.lines() {
		if l.Event == event && l.Task == task {
			return true
		}
	}
	return false
}

// stopped reports whether a process was stopped by a signal and can be continued.
func stopped(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(rest, "T")
}

// In aLeaseBringsItsCommits, a worker is killed, and another worker of the same clone takes the lease again. When it sends the recorded
// results of tasks, it must also send their commits.
func aLeaseBringsItsCommits(t *testing.T) {
	s := openWith(t, commands{"t2": "test -e ../../../2 || { test ! -e ../../../1 || touch ../../../2; touch ../../../1; kill -9 $PPID; }"})
	in := s.clones[0]
	in.Git("config", "resume.pushEvery", "1h")
	s.work(in, -1) // the worker is killed after it has sent the result of t0, and before it sends the result of t1
	s.until(func() bool { return len(gittest.Processes(filepath.Join(filepath.Dir(in.Dir), "home"))) == 0 })
	s.work(in, -1) // the worker is killed in t2, before it sends another result
	now := s.lines()
	if len(now.leases()) != 2 || !s.has("task.done", "t1") {
		t.Fatalf("%d leases", len(now.leases()))
	}
	for _, l := range now {
		if l.Event != "task.done" {
			continue
		}
		if _, code := in.In(s.server).Try("git", "cat-file", "-e", l.Commit); code != 0 {
			t.Errorf("the server tells of commit %s, and does not have it", l.Commit)
		}
	}
	s.finish()
	check(s)
}

// In aLostAnswerIsNoAnswer, the server's answer to the first push is lost, or the push itself fails. The worker must find out what
// happened, and there must be only one lease.
func aLostAnswerIsNoAnswer(t *testing.T) {
	for _, harm := range []remotetest.Harm{remotetest.LostAnswer, remotetest.CutAnswer, remotetest.Busy, remotetest.LostRequest, remotetest.Late} {
		t.Run(strings.ReplaceAll(string(harm), " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := openWith(t, nil)
			s.once = harm
			s.proxy.Calm.Store(false)
			s.work(s.clones[0], 0)
			s.proxy.Settle()
			if s.once != "" {
				t.Error("nothing was hurt")
			}
			if all := s.lines().leases(); len(all) != 1 {
				t.Errorf("%d leases were taken", len(all))
			}
			s.finish()
			check(s)
		})
	}
}

// In aLostRequestIsNoLease, the server first answers that it is busy when the worker pushes its request for the lease, so the worker
// repeats the push. Once the worker has the lease and is at its first task, a second clone must be told that somebody else has the lease.
func aLostRequestIsNoLease(t *testing.T) {
	s := openWith(t, commands{"t0": "test -e ../../../begun || { touch ../../../begun; until test -e ../../../free; do sleep 0.05; done; }"})
	s.once = remotetest.Busy
	s.proxy.Calm.Store(false)
	w := s.begin(0, s.clones[0], nil)
	above := filepath.Dir(filepath.Dir(s.clones[0].Dir))
	s.until(func() bool { _, err := os.Stat(filepath.Join(above, "begun")); return err == nil })
	if s.once != "" {
		t.Error("nothing was hurt")
	}
	s.work(s.clones[1], 13)
	if err := os.WriteFile(filepath.Join(above, "free"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.wait(w)
	s.finish()
	check(s)
}

// In aRefusedLeaseIsNone, the server refuses the lease. No clone may then have the lease in its journal.
func aRefusedLeaseIsNone(t *testing.T) {
	s := openWith(t, nil)
	s.hook("pre-receive", "echo only the release team may do this >&2; exit 1")
	for _, c := range s.clones[:2] {
		if out := s.work(c, 16); !strings.Contains(out, "release team") {
			t.Errorf("%s", out)
		}
		here, err := (&reader{c, map[string][]*line{}}).journal("refs/resume/journal/" + s.run + "^{tree}")
		if err != nil || len(here.leases()) != 0 {
			t.Errorf("%v, %d leases", err, len(here.leases()))
		}
	}
	s.hook("pre-receive", "exit 0")
	s.finish()
	check(s)
}

// In twoProcessesOfOneClone, a second process of the same clone must not take the lease from the first one, and pulls during the work of
// the first must do no harm.
func twoProcessesOfOneClone(t *testing.T) {
	s := openWith(t, commands{"t1": "while ! test -e $HOME/go; do sleep 0.05; done"})
	in := s.clones[0]
	w := s.begin(0, in, []string{"--seat", "nightly", "--incarnation", "1"})
	s.until(func() bool { return s.has("task.started", "t1") })
	s.work(in, 13, "--seat", "nightly", "--incarnation", "2")
	s.work(in, 13, "--takeover")
	for range 3 {
		in.MustResume("pull", s.run)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(in.Dir), "home", "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.wait(w)
	if all := s.lines().leases(); len(all) != 1 {
		t.Errorf("%d leases were taken", len(all))
	}
	s.finish()
	check(s)
}

// In aRunIsBoundToOneRemote, another remote gets the name origin. The run must still be sent to its own remote, and to no other.
func aRunIsBoundToOneRemote(t *testing.T) {
	s := openWith(t, nil)
	in := s.clones[0]
	other := filepath.Join(s.root, "other.git")
	in.Git("init", "-q", "--bare", other)
	in.Git("remote", "rename", "origin", "team")
	in.Git("remote", "add", "origin", other)
	for _, kind := range []string{"journal", "heads"} { // these refs came from the remote that is now called "team", so remove them
		in.Git("update-ref", "-d", "refs/resume/remotes/origin/"+kind+"/"+s.run)
	}
	in.MustResume("pause", s.run)
	if out, code := in.Resume("push", s.run); code != 0 {
		t.Errorf("push: exit code %d\n%s", code, out)
	}
	for _, args := range [][]string{{"push", s.run, "--to", "origin"}, {"pull", s.run, "--from", "origin"}, {"work", s.run, "--remote", "origin", "--plan", "plan.yaml"}} {
		if out, code := in.Resume(args...); code == 0 {
			t.Errorf("%v: %s", args, out)
		}
	}
	if refs := in.In(other).Git("for-each-ref"); refs != "" {
		t.Errorf("something was sent to another remote than the run's own:\n%s", refs)
	}
	found := false
	for _, l := range s.lines() {
		found = found || l.Event == "run.paused"
	}
	if !found {
		t.Error("the pause was not sent")
	}
}

// In nothingIsDroppedWhenLinesAreUnited, another clone adds a line to the journal while a worker is working. The server must keep this
// line.
func nothingIsDroppedWhenLinesAreUnited(t *testing.T) {
	s := openWith(t, commands{"t1": "while ! test -e $HOME/go; do sleep 0.05; done"})
	in, other := s.clones[0], s.clones[1]
	w := s.begin(0, in, nil)
	s.until(func() bool { return s.has("task.started", "t1") })
	other.MustResume("pull", s.run)
	out, code := other.Resume(s.run, "--takeover", "--offline", "--yes")
	if code != 11 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	other.MustResume("pause", s.run)
	other.MustResume("push", s.run)
	if err := os.WriteFile(filepath.Join(filepath.Dir(in.Dir), "home", "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.wait(w)
	found := false
	for _, l := range s.lines() {
		found = found || l.Event == "run.paused"
	}
	if !found {
		t.Error("a line that the server had accepted is gone")
	}
	if _, err := s.walk(in.In(s.server)); err != nil {
		t.Error(err)
	}
}

// In aFencedCloneBuildsOnNothing, a worker dies with an unsent result and a half-done task. Another clone takes over and dies too. When
// the first clone continues, it must say that its earlier work does not count.
func aFencedCloneBuildsOnNothing(t *testing.T) {
	s := openWith(t, commands{
		"t1": "test ! -e ../../../stop || { rm ../../../stop; kill -9 $PPID; }",
		"t2": "test -e ../../../once || { touch ../../../once; echo half >>all.txt; kill -9 $PPID; }",
	})
	in, other := s.clones[0], s.clones[1]
	in.Git("config", "resume.pushEvery", "1h")
	s.work(in, -1)
	s.until(func() bool { return len(gittest.Processes(filepath.Join(filepath.Dir(in.Dir), "home"))) == 0 })
	if err := os.WriteFile(filepath.Join(s.root, "stop"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.work(other, -1, "--takeover")
	out := s.work(in, 0, "--takeover")
	for _, want := range []string{"not part of the run", "refs/resume/parked/" + s.run + "/1", s.run + "@1"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not told:\n%s", want, out)
		}
	}
	if text := in.Git("log", "--format=%s", "refs/resume/parked/"+s.run+"/1"); !strings.HasPrefix(text, "t1\nt0\n") {
		t.Errorf("parked: %s", text)
	}
	s.finish()
	check(s)
}

// In aCommitWithoutItsRecordIsTakenBack, a worker is stopped, and a second worker takes over the run. The second worker is killed between a
// commit and its record. Then the first worker continues and ends. When the clone of the second worker continues the run, it must use that
// commit, and not do the task again.
func aCommitWithoutItsRecordIsTakenBack(t *testing.T) {
	s := openWith(t, commands{"t0": "test -e ../../../slept || { touch ../../../slept; kill -STOP $PPID; }"})
	in, other := s.clones[0], s.clones[1]
	asleep := s.begin(0, other, nil)
	s.until(func() bool { return stopped(asleep.cmd.Process.Pid) })
	hook := filepath.Join(in.Dir, ".git", "hooks", "post-commit")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch $HOME/committed\nwhile ! test -e $HOME/dead; do sleep 0.05; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(filepath.Dir(in.Dir), "home")
	w := s.begin(1, in, []string{"--takeover"})
	s.until(func() bool { _, err := os.Stat(filepath.Join(home, "committed")); return err == nil })
	_ = w.cmd.Process.Kill()
	s.wait(w)
	if err := os.WriteFile(filepath.Join(home, "dead"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return len(gittest.Processes(home)) == 0 })
	_ = syscall.Kill(asleep.cmd.Process.Pid, syscall.SIGCONT)
	s.wait(asleep)
	if out := s.work(in, 0); !strings.Contains(out, "was not recorded") {
		t.Errorf("this is another case:\n%s", out)
	}
	s.finish()
	check(s)
}
