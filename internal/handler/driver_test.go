package handler_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// agent is a program that reports, waits until it may continue, and reports again.
type agent struct {
	name string
	// needs is a program that must be installed for the agent.
	needs string
	file  string
	text  string
	run   func(path string) []string
}

// Each agent reports "start a", creates the file $MARK, waits for the file $GO, and then reports "done a" and "start b".
var agents = []agent{
	{"a shell script", "sh", "agent.sh", `
git resume task start a
git resume task --help >/dev/null 2>&1 || :
touch "$MARK"
while [ ! -e "$GO" ] && [ -e "$MARK" ]; do sleep 0.02; done
git resume task done a && git resume task start b && touch "$MARK.2"
sleep 60
`, func(p string) []string { return []string{"sh", p} }},
	{"a bash script with subshells", "bash", "agent.bash", `
( git resume task start a; true )
x=$(touch "$MARK"; echo 1)
while [ ! -e "$GO" ] && [ -e "$MARK" ]; do sleep 0.02; done
( ( git resume task done a; true ); git resume task start b; touch "$MARK.2"; true )
sleep 60
`, func(p string) []string { return []string{"bash", p} }},
	{"make", "make", "Makefile", `
all:
	git resume task start a
	@touch "$$MARK"
	@while [ ! -e "$$GO" ] && [ -e "$$MARK" ]; do sleep 0.02; done
	git resume task done a && git resume task start b
	@touch "$$MARK.2"; sleep 60
`, func(p string) []string { return []string{"make", "-f", p} }},
	{"python", "python3", "agent.py", `
import os, subprocess, time
def report(*a, **k): subprocess.run(["git", "resume", "task", *a], check=True, **k)
report("start", "a")
open(os.environ["MARK"], "w").close()
while not os.path.exists(os.environ["GO"]) and os.path.exists(os.environ["MARK"]): time.sleep(0.02)
subprocess.run("git resume task done a && git resume task start b", shell=True, check=True)
open(os.environ["MARK"] + ".2", "w").close()
time.sleep(60)
`, func(p string) []string { return []string{"python3", p} }},
	{"node", "node", "agent.js", `
const { execFileSync, execSync } = require("child_process"), fs = require("fs");
const nap = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
execFileSync("git", ["resume", "task", "start", "a"]);
fs.writeFileSync(process.env.MARK, "");
while (!fs.existsSync(process.env.GO) && fs.existsSync(process.env.MARK)) nap();
execSync("git resume task done a && git resume task start b");
fs.writeFileSync(process.env.MARK + ".2", "");
for (let i = 0; i < 3000; i++) nap();
`, func(p string) []string { return []string{"node", p} }},
	{"setsid", "setsid", "agent2.sh", `
setsid git resume task start a
touch "$MARK"
while [ ! -e "$GO" ] && [ -e "$MARK" ]; do sleep 0.02; done
setsid -w sh -c 'git resume task done a && git resume task start b'
touch "$MARK.2"
sleep 60
`, func(p string) []string { return []string{"setsid", "-w", "sh", p} }},
}

func TestDriver_isRecognisedBehindWhateverReports(t *testing.T) {
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			needs(t, a.needs)
			u := start(t, "a", "b", "c")
			mark, goOn := filepath.Join(filepath.Dir(u.Dir), "mark"), filepath.Join(filepath.Dir(u.Dir), "go")
			u.Env = append(u.Env, "MARK="+mark, "GO="+goOn)
			u.loseDriver()
			argv := a.run(u.script(a.file, a.text))
			cmd := u.launch(argv[0], argv[1:]...)
			await(t, "the first report", func() bool { return exists(mark) })
			// Between two reports the run counts as running. Its worker is the agent, and not the shell that called git-resume.
			s := u.see()
			if s.State != "running" || s.task("a") != "active" {
				t.Fatalf("between two reports: %s, task a %s", s.State, s.task("a"))
			}
			if s.Driver.PID != cmd.Process.Pid && !below(s.Driver.PID, cmd.Process.Pid) {
				t.Errorf("the driver is %d, the agent %d", s.Driver.PID, cmd.Process.Pid)
			}
			// While the agent is alive, only the agent may report. Even this test, which started the agent, is refused.
			if out, code := u.Resume("task", "done", "a"); code != 13 || !strings.Contains(out, strconv.Itoa(s.Driver.PID)) {
				t.Errorf("a second driver: exit code %d\n%s", code, out)
			}
			u.Write("go-on", "")
			if err := os.WriteFile(goOn, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			await(t, "the second report", func() bool { return exists(mark + ".2") })
			if s := u.see(); s.State != "running" || s.task("a") != "done" || s.task("b") != "active" {
				t.Errorf("after it went on: %s, %v", s.State, s.Tasks)
			}
			// After the agent is killed, the run is shown as interrupted.
			gittest.Kill(s.Driver.PID)
			_ = cmd.Process.Kill()
			_, _ = cmd.Process.Wait()
			await(t, "its death", func() bool { return u.see().State != "running" })
			if s := u.see(); s.State != "interrupted" {
				t.Errorf("its driver killed: %s", s.State)
			}
			if _, code := u.Resume("status", "--exit-code"); code != 10 {
				t.Errorf("status --exit-code: %d", code)
			}
			// The process that reports next becomes the worker.
			u.MustResume("task", "done", "b")
			if s := u.see(); s.Driver.PID != os.Getpid() || s.State != "running" {
				t.Errorf("the new driver is %d, state %s", s.Driver.PID, s.State)
			}
		})
	}
}

// loseDriver records a worker process that no longer exists, as if the worker of the run had ended long ago.
func (u *user) loseDriver() {
	u.T.Helper()
	u.recordDriver(func(a *checkpoint.Actor) { a.PID, a.Start = 1<<22+1, "1" }, time.Now)
}

// recordDriver records this process as the worker of the run. The function "change" can edit the description of the process, and the
// function "clock" returns the time of the record.
func (u *user) recordDriver(change func(*checkpoint.Actor), clock func() time.Time) {
	u.T.Helper()
	s := u.store("drv")
	s.Now = clock
	var table proc.Table
	self, _ := table.Get(os.Getpid())
	a := checkpoint.NewActor(table.Host(), self, clone.ID(s.Repo))
	change(a)
	_, err := s.Append(u.T.Context(), checkpoint.RunID(u.id), journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunDriven, Actor: a}}, nil
	}})
	if err != nil {
		u.T.Fatal(err)
	}
}

func (u *user) store(nonce string) *journal.Store {
	u.T.Helper()
	p, err := locate.Find(u.Dir, u.Env)
	if err != nil {
		u.T.Fatal(err)
	}
	repo := gitstate.Open(p, u.Env)
	u.T.Cleanup(repo.Close)
	return &journal.Store{Repo: repo, Now: time.Now, Nonce: nonce}
}

func below(pid, ancestor int) bool {
	var table proc.Table
	for _, p := range table.Ancestors(pid) {
		if p.PID == ancestor {
			return true
		}
	}
	return false
}

func TestDriver_thatCannotBeCheckedIsNeverCalledDead(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*checkpoint.Actor)
		state  string
		code   int
	}{
		{"another host", func(a *checkpoint.Actor) { a.Host = "elsewhere" }, "idle", 13},
		{"another container", func(a *checkpoint.Actor) { a.NS = "pid:[1]" }, "idle", 13},
		{"another clone", func(a *checkpoint.Actor) { a.Clone, a.PID = "0123456789abcdef", 1<<22+1 }, "idle", 13},
		{"no boot id", func(a *checkpoint.Actor) { a.Boot = "" }, "idle", 13},
		{"another host and boot", func(a *checkpoint.Actor) { a.Host, a.Boot = "elsewhere", "1" }, "idle", 13},
		// No process survives a reboot, so a different boot id proves that the worker is gone.
		{"this machine before it was started anew", func(a *checkpoint.Actor) { a.Boot = "00000000-0000-0000-0000-000000000000" }, "interrupted", 0},
		{"a number that was used again", func(a *checkpoint.Actor) { a.Start = "1" }, "interrupted", 0},
		{"a process that is gone", func(a *checkpoint.Actor) { a.PID = 1<<22 + 1 }, "interrupted", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u := start(t, "a", "b")
			u.MustResume("task", "start", "a")
			u.recordDriver(c.change, time.Now)
			if s := u.see(); s.State != c.state {
				t.Errorf("state %s", s.State)
			}
			if c.code == 13 && !strings.Contains(u.MustResume("status"), "cannot be checked from here") {
				t.Error("it is not said that it cannot be checked")
			}
			out, code := u.Resume("task", "done", "a")
			if code != c.code {
				t.Fatalf("exit code %d: %s", code, out)
			}
			if c.code == 0 {
				return
			}
			if !strings.Contains(out, "--takeover --run "+u.id) {
				t.Errorf("no way out is named: %s", out)
			}
			for _, args := range [][]string{{"finish", u.id}, {"checkpoint", "--commit"}} { // these commands have no option --takeover
				if out, code := u.Resume(args...); code != 13 || !strings.Contains(out, "git resume pause "+u.id) || strings.Contains(out, "--takeover") {
					t.Errorf("%s: %d %s", args[0], code, out)
				}
			}
			if out, code := u.Resume("task", "done", "a", "--takeover"); code != 129 {
				t.Errorf("a takeover without the run's name: %d %s", code, out)
			}
			u.MustResume("task", "done", "a", "--takeover", "--run", u.id)
			if s := u.see(); s.State != "running" || s.Driver.PID != os.Getpid() {
				t.Errorf("after the takeover: %s %+v", s.State, s.Driver)
			}
		})
	}
}

func TestDriver_whateverTheClockSaid(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, off := range map[string]time.Duration{"far ahead": 60 * year, "far behind": -50 * year, "a little ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := func() time.Time { return time.Now().Add(off) }
			u := start(t, "a", "b")
			u.MustResume("task", "start", "a")
			u.recordDriver(func(*checkpoint.Actor) {}, clock)
			s := u.see()
			silent := off < -time.Hour // a worker that is alive counts as idle after a long time without activity
			if s.State != "running" && !(silent && s.State == "idle") || s.Driver.PID != os.Getpid() {
				t.Errorf("its driver lives: %s, %+v", s.State, s.Driver)
			}
			u.recordDriver(func(a *checkpoint.Actor) { a.PID, a.Start = 1<<22+1, "1" }, clock)
			if s := u.see(); s.State != "interrupted" {
				t.Errorf("its driver is gone: %s", s.State)
			}
			u.MustResume("--yes")
			u.Write("f", "f")
			u.MustResume("task", "done", "a", "f")
			u.MustResume("task", "skip", "b")
			if s := u.see(); s.State != "finished" || s.Tasks[0].State != "done" || s.Tasks[1].State != "skipped" {
				t.Errorf("at the end: %s, %+v", s.State, s.Tasks)
			}
			for _, args := range [][]string{{"log", u.id}, {"log"}, {"status", "--all", "--json"}, {"status", u.id}} {
				u.MustResume(args...)
			}
			u.MustResume("discard", "-y", u.id)
			u.MustResume("undo", "--yes", u.id)
		})
	}
}

func TestDriver_canBeNamed(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.loseDriver()
	sleeper := u.launch("sleep", "1000")
	pid := strconv.Itoa(sleeper.Process.Pid)
	u.MustResume("task", "start", "a", "--owner", pid)
	if s := u.see(); s.Driver.PID != sleeper.Process.Pid || s.State != "running" {
		t.Errorf("driver %+v, state %s", s.Driver, s.State)
	}
	if _, code := u.Resume("task", "done", "a"); code != 13 {
		t.Errorf("somebody else: exit code %d", code)
	}
	u.MustResume("task", "done", "a", "--owner", pid)
	_ = sleeper.Process.Kill()
	_, _ = sleeper.Process.Wait()
	if s := u.see(); s.State != "interrupted" {
		t.Errorf("its process gone: %s", s.State)
	}
	if out, code := u.Resume("task", "start", "b", "--owner", pid); code != 1 || !strings.Contains(out, "no process "+pid) {
		t.Errorf("a dead owner: %d %s", code, out)
	}
}

func TestDriver_silentLongerThanTheLimitIsIdle(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.MustResume("task", "start", "a")
	// Record a line with the time of an hour ago, and set the times of git's files to that time.
	old := time.Now().Add(-time.Hour)
	s := u.store("old")
	s.Now = func() time.Time { return old }
	_, err := s.Append(t.Context(), checkpoint.RunID(u.id), journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: "mood.changed"}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index", "HEAD", "logs/HEAD"} {
		if err := os.Chtimes(filepath.Join(u.Dir, ".git", name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if s := u.see(); s.State != "idle" {
		t.Errorf("silent for an hour: %s", s.State)
	}
	u.Git("config", "resume.idle", "2h")
	if s := u.see(); s.State != "running" {
		t.Errorf("silent for less than resume.idle: %s", s.State)
	}
	u.Git("config", "--unset", "resume.idle")
	u.Write("changed.txt", "work goes on\n")
	if s := u.see(); s.State != "running" {
		t.Errorf("a file changed: %s", s.State)
	}
}

func TestDriver_ownersChildrenReportUnderItsNonce(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.MustResume("task", "start", "a")
	s := u.store("ownernonce")
	var table proc.Table
	self, _ := table.Get(os.Getpid())
	o, err := owner.Take(t.Context(), s, checkpoint.RunID(u.id), checkpoint.NewActor(table.Host(), self, clone.ID(s.Repo)))
	if err != nil {
		t.Fatal(err)
	}
	if st := u.see(); st.State != "running" {
		t.Errorf("owner lock held: %s", st.State)
	}
	if out, code := u.Resume("task", "done", "a"); code != 13 || !strings.Contains(out, strconv.Itoa(os.Getpid())) {
		t.Errorf("a stranger while the owner lives: %d %s", code, out)
	}
	env := u.Env
	u.Env = append(append([]string{}, env...), "GIT_RESUME_OWNER=someoneelse")
	if _, code := u.Resume("task", "done", "a"); code != 13 {
		t.Errorf("a wrong nonce: exit code %d", code)
	}
	u.Env = append(append([]string{}, env...), "GIT_RESUME_OWNER=ownernonce")
	u.MustResume("task", "done", "a")
	u.Env = env
	o.Release()
	u.MustResume("task", "start", "b")
}
