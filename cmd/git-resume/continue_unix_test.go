//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func TestContinue_getsAndGivesBackTheLease(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	home, b := f.With("HELD="+f.held, "WHO=home"), f.machine("b")
	f.let("go-b")
	if err := f.remove("began-home"); err != nil {
		t.Fatal(err)
	}
	p := f.start(home, f.run)
	f.await("began-home")
	says(b, 13, []string{"' has the lease of run '", "(lease 1)"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
	f.let("go-home")
	if got := f.code(p); got != 0 {
		t.Errorf("exit code %d", got)
	}
	if got := f.made("two.txt") + f.made("three.txt"); got != "homehome" {
		t.Errorf("the remote has %q", got)
	}
	says(b, 0, []string{"nothing is left to do"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
	if lines := f.there("log", "--format=%s", "main..refs/resume/heads/"+f.run); lines != "three\ntwo\none" {
		t.Errorf("commits at the remote:\n%s", lines)
	}
}

func TestContinue_takeoverByAPerson(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	home, b := f.With("HELD="+f.held, "WHO=home"), f.machine("b")
	if err := f.remove("began-home"); err != nil {
		t.Fatal(err)
	}
	p := f.start(home, f.run)
	f.await("began-home")
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	f.let("go-b")
	says(b, 0, []string{"new here"}, "pull", f.run)
	says(b, 129, []string{"only a person can take over"}, f.run, "--takeover", "--auto")
	says(b, 11, []string{
		"Taking over " + f.run + " means to take its lease from", "(lease 1, taken ", "what the holder sent to origin stays part of the run", "kept, but does not become part of the run",
		"working on " + f.run + ", shared at origin", "not approved in this clone",
	}, f.run, "--takeover")
	says(b, 0, nil, "trust", f.run, "--yes")
	out := says(b, 0, []string{"working on " + f.run + ", shared at origin", "[2/3] two", "finished"}, f.run, "--retry")
	if strings.Contains(out, "[1/3]") {
		t.Errorf("a task was done again:\n%s", out)
	}
	f.let("go-home")
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got := f.code(p); got != 13 {
		t.Errorf("the woken machine ended with %d", got)
	}
	if got := f.made("two.txt") + f.made("three.txt"); got != "bb" {
		t.Errorf("the remote has %q", got)
	}
	if kept := home.Git("show", "refs/resume/parked/"+f.run+"/1:two.txt"); kept != "home" {
		t.Errorf("parked is %q", kept)
	}
}

func TestContinue_failsClosed(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	home, b := f.With("HELD="+f.held, "WHO=home"), f.machine("b")
	if err := f.remove("began-home"); err != nil {
		t.Fatal(err)
	}
	p := f.work(b, "b")
	for _, args := range [][]string{{f.run}, {f.run, "--auto"}, {f.run, "--yes"}, {"--yes"}, {"start", "plan.yaml", "--auto"}} {
		says(home, 13, []string{"' has the lease of run '" + f.run, "git resume " + f.run + " --takeover"}, args...)
	}
	f.server.Down.Store(true)
	says(home, 16, []string{"503", "nothing was started", "git resume " + f.run + " --offline"}, f.run)
	says(home, 13, []string{"' has the lease of run '"}, f.run, "--offline", "--auto")
	if f.remove("began-home") == nil {
		t.Error("a task was executed without the lease")
	}
	f.server.Down.Store(false)
	before := home.Git("for-each-ref")
	says(home, 0, nil, f.run, "--dry-run")
	if now := home.Git("for-each-ref"); now != before {
		t.Errorf("a dry run changed refs:\n%s\n%s", before, now)
	}
	f.let("go")
	if got := f.code(p); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

func TestContinue_offline(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		f := newFleet(t)
		home, b := f.With("HELD="+f.held, "WHO=home"), f.machine("b")
		f.let("go")
		f.server.Down.Store(true)
		says(home, 0, []string{"continuing " + f.run + " without asking origin for the lease", "does not become part of the run", "finished"}, f.run, "--offline")
		f.server.Down.Store(false)
		want := "home"
		if late {
			want = "b"
			says(b, 0, []string{"finished"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
			says(home, 0, []string{"had taken over " + f.run + " before your work arrived. It is kept, but is not part of the run:", "two", "three", "refs/resume/parked/" + f.run + "/0"}, "push", f.run)
			if kept := home.Git("show", "refs/resume/parked/"+f.run+"/0:two.txt"); kept != "home" {
				t.Errorf("parked is %q", kept)
			}
		} else {
			says(home, 0, []string{"and its branch"}, "push", f.run)
			says(b, 0, []string{"nothing is left to do"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
		}
		if got := f.made("two.txt") + f.made("three.txt"); got != want+want {
			t.Errorf("late %v: the remote has %q", late, got)
		}
		home.Fsck()
	}
}

func TestParked_isListedAndPicked(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	home, b := f.With("HELD="+f.held, "WHO=home"), f.machine("b")
	f.let("go")
	says(home, 0, []string{"finished"}, f.run, "--offline")
	if err := f.remove("go"); err != nil {
		t.Fatal(err)
	}
	// Somebody else gets the lease, does the second task, fails in the third, and gives the lease back.
	p := f.work(b, "b")
	if err := os.Mkdir(filepath.Join(filepath.Dir(b.Dir), "b.worktrees", f.run, "three.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.let("go-b")
	if got := f.code(p); got != 1 {
		t.Errorf("exit code %d", got)
	}
	says(home, 0, []string{"is not part of the run", "git resume parked " + f.run}, "push", f.run)
	says(home, 0, []string{f.run + ", lease 0: this work is kept, but is not part of the run", "two  (task two)", "three  (task three)", "refs/resume/parked/" + f.run + "/0"}, "parked")
	tree := home.In(filepath.Join(filepath.Dir(home.Dir), filepath.Base(home.Dir)+".worktrees", f.run))
	pick := regexp.MustCompile(`cherry-pick ([0-9a-f]{7}) ([0-9a-f]{7})"`).FindStringSubmatch(says(home, 0, []string{`use "git resume ` + f.run + `"`}, "parked"))
	says(home, 11, []string{"must take it over first"}, f.run)
	says(home, 0, []string{`use "git -C ` + tree.Dir + " cherry-pick "}, "parked")
	tree.Git("cherry-pick", pick[2])
	says(home, 0, []string{"sent " + f.run + " to origin: 0 records and its branch"}, "push", f.run)
	if got := f.made("two.txt") + f.made("three.txt"); got != "bhome" {
		t.Errorf("the remote has %q", got)
	}
	says(home, 0, []string{"3 of 3 done"}, "status")
	says(home, 0, []string{"refs/resume/parked/" + f.run + "/0"}, "parked", f.run)
	if kept := home.Git("show", "refs/resume/parked/"+f.run+"/0:two.txt"); kept != "home" {
		t.Errorf("parked is %q", kept)
	}
	home.Fsck()
}
