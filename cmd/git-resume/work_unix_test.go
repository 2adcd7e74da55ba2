//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// workPlan has a task that waits for a file. So the test decides when each machine continues.
const workPlan = `name: job
tasks:
  - id: one
    run: echo 1 >one.txt
  - id: two
    run: touch "$HELD/began-$WHO"; until test -e "$HELD/go-$WHO" || test -e "$HELD/go"; do sleep 0.05; done; echo "$WHO" >two.txt
    on_interrupt: retry
  - id: three
    run: echo "$WHO" >three.txt
`

// fleet is a shared run that was started on one machine. Other clones of the remote work on it.
type fleet struct {
	*shop
	held string
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	s := newShop(t)
	says(s.Repo, 0, nil, "discard", "-y", s.run)
	s.Write("plan.yaml", workPlan)
	s.Git("commit", "-q", "-a", "-m", "another plan")
	s.Git("push", "-q", "origin", "main")
	f := &fleet{s, t.TempDir()}
	home := s.With("HELD="+f.held, "WHO=home")
	p := f.start(home, "start", "plan.yaml")
	f.await("began-home")
	if err := p.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_, _ = p.Wait()
	for _, id := range strings.Fields(s.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/")) {
		f.run = id
	}
	says(home, 0, []string{"and its branch"}, "push", f.run, "--to", "origin")
	return f
}

// machine returns a new clone, as a scheduler makes one for each job.
func (f *fleet) machine(name string) *gittest.Repo {
	return f.another(name).With("HELD="+f.held, "WHO="+name)
}

// start starts git-resume and does not wait for it.
func (f *fleet) start(r *gittest.Repo, args ...string) *os.Process {
	f.T.Helper()
	out, err := os.Create(filepath.Join(f.T.TempDir(), "out"))
	if err != nil {
		f.T.Fatal(err)
	}
	program := filepath.Join(gittest.Binary(f.T), "git-resume")
	p, err := os.StartProcess(program, append([]string{program}, args...), &os.ProcAttr{
		Dir: r.Dir, Env: r.Env, Files: []*os.File{nil, out, out}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		f.T.Fatal(err)
	}
	f.T.Cleanup(func() {
		_ = p.Kill()
		if text, _ := os.ReadFile(out.Name()); f.T.Failed() {
			f.T.Logf("git-resume %q said\n%s", args, text)
		}
	})
	return p
}

// work starts a worker, and returns when the worker executes the task "two". This task waits until the test creates a file.
func (f *fleet) work(r *gittest.Repo, name string, args ...string) *os.Process {
	f.T.Helper()
	p := f.start(r, append([]string{"work", f.run, "--remote", "origin", "--plan", "plan.yaml"}, args...)...)
	f.await("began-" + name)
	return p
}

func (f *fleet) await(file string) {
	f.T.Helper()
	for range 600 {
		if _, err := os.Stat(filepath.Join(f.held, file)); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.T.Fatalf("%s did not come", file)
}

func (f *fleet) let(file string) {
	f.T.Helper()
	if err := os.WriteFile(filepath.Join(f.held, file), nil, 0o600); err != nil {
		f.T.Fatal(err)
	}
}

// remove removes a file that was created by the method "let" or by a task.
func (f *fleet) remove(file string) error { return os.Remove(filepath.Join(f.held, file)) }

// code waits for a process and returns its exit code.
func (f *fleet) code(p *os.Process) int {
	f.T.Helper()
	s, err := p.Wait()
	if err != nil {
		f.T.Fatal(err)
	}
	return s.ExitCode()
}

// made returns the content of a file on the run's branch at the remote.
func (f *fleet) made(file string) string {
	f.T.Helper()
	return f.there("show", "refs/resume/heads/"+f.run+":"+file)
}

func TestWork_aWokenMachineIsParked(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.machine("a"), f.machine("b")
	p := f.work(a, "a")
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	f.let("go-b")
	says(b, 13, []string{"' has the lease of run '", "(lease 1)", "--takeover"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
	says(b, 0, []string{"[2/3] two", "[3/3] three", "finished"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml", "--takeover")
	if got := f.made("two.txt") + f.made("three.txt"); got != "bb" {
		t.Errorf("the remote has %q", got)
	}
	before := f.there("rev-parse", "refs/resume/heads/"+f.run)
	f.let("go-a")
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got := f.code(p); got != 13 {
		t.Errorf("the woken machine ended with %d", got)
	}
	if now := f.there("rev-parse", "refs/resume/heads/"+f.run); now != before {
		t.Errorf("the branch at the remote moved from %s to %s", before, now)
	}
	if kept := a.Git("show", "refs/resume/parked/"+f.run+"/1:two.txt"); kept != "a" {
		t.Errorf("parked is %q", kept)
	}
	// Another clone, which also gets the late lines of the first machine, must see the same state of the run.
	says(a, 0, nil, "push", f.run)
	c := f.machine("c")
	says(c, 0, nil, "pull", f.run)
	if out := says(c, 0, nil, "status", f.run); !strings.Contains(out, f.there("rev-parse", "--short=7", "refs/resume/heads/"+f.run)) {
		t.Errorf("a third clone sees\n%s", out)
	}
	says(c, 0, []string{"nothing is left to do"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
	a.Fsck()
}

func TestWork_aSeatTakesOver(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.machine("a"), f.machine("b")
	p := f.work(a, "a", "--seat", "job:0", "--incarnation", "7")
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_, _ = p.Wait()
	f.let("go")
	args := []string{"work", f.run, "--remote", "origin", "--plan", "plan.yaml"}
	says(b, 13, nil, args...)
	says(b, 13, nil, append(args, "--seat", "job:1")...)
	says(b, 13, []string{"job:0"}, append(args, "--seat", "job:0", "--incarnation", "6")...)
	says(b, 0, []string{"finished"}, append(args, "--seat", "job:0", "--incarnation", "8")...)
	if got := f.made("two.txt"); got != "b" {
		t.Errorf("the remote has %q", got)
	}
}

func TestWork_goesOnAfterAKill(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.machine("a")
	p := f.work(a, "a")
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_, _ = p.Wait()
	if out, code := a.Try("sh", "-c", `kill -9 -$(grep -o '"pid":[0-9]*' .git/resume/*.task.lock | cut -d: -f2)`); code != 0 {
		t.Log(out) // kill fails if the task has already died together with the worker, which is fine
	}
	f.let("go")
	says(a, 0, []string{"[2/3] two", "finished"}, "work", f.run, "--remote", "origin")
	if got := f.made("three.txt"); got != "a" {
		t.Errorf("the remote has %q", got)
	}
}

func TestWork_endsInTime(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.machine("a"), f.machine("b")
	says(a, 18, []string{"The time limit is reached", "start the same command again"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml", "--for", "2s")
	f.let("go")
	says(b, 0, []string{"finished"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml", "--for", "1h")
	if got := f.made("two.txt"); got != "b" {
		t.Errorf("the remote has %q", got)
	}
}

func TestWork_executesNothingUnasked(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.machine("a")
	f.let("go")
	says(a, 129, []string{"'work' needs --remote"}, "work", f.run)
	says(a, 129, []string{"--takeover needs the name"}, "work", "--remote", "origin", "--takeover")
	says(a, 11, []string{"nobody has approved", "--plan FILE"}, "work", f.run, "--remote", "origin")
	a.Write("plan.yaml", strings.Replace(workPlan, "echo 1", "echo 2", 1))
	says(a, 11, []string{"has commands that are not in the plan file, so they are not approved"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
	a.Write("plan.yaml", workPlan)
	f.server.Refuse.Store(403)
	says(a, 16, []string{"403"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
	if _, err := os.Stat(filepath.Join(f.held, "began-a")); err == nil {
		t.Error("a task was executed without a lease")
	}
	f.server.Refuse.Store(0)
	f.server.Cut.Store(1)
	says(a, 0, []string{"finished"}, "work", f.run, "--remote", "origin", "--plan", "plan.yaml")
}
