package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestOperation_besideAnotherUsersGit(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	r := gittest.New(t).WithBinary()
	r.Topic(3)
	r.Shift()
	r.Git("checkout", "-q", "topic")
	safe := r.KillIn("driver", 2)
	r.Dies("rebase", "main")
	safe()
	for dir := r.Root(); dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(r.Root(), "git-resume") // a copy of the program, in a folder that everybody can read
	text, err := os.ReadFile(filepath.Join(gittest.Binary(t), "git-resume"))
	if err != nil {
		t.Fatal(err)
	}
	if err := gittest.WriteProgram(program, text); err != nil {
		t.Fatal(err)
	}
	const user = 23456
	if out, err := exec.Command("chown", "-R", "23456", r.Root()).CombinedOutput(); err != nil {
		t.Fatalf("chown: %v\n%s", err, out)
	}
	other := exec.Command("git", "-c", "alias.wait=!sleep 60", "wait")
	other.Dir, other.SysProcAttr = "/", &syscall.SysProcAttr{Setpgid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(-other.Process.Pid, syscall.SIGKILL); _ = other.Wait() }()
	resume := func() (string, int) {
		cmd := exec.Command(program, "--yes")
		cmd.Dir, cmd.Env = r.Dir, r.Env
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	todo := filepath.Join(r.Dir, ".git/rebase-merge/git-rebase-todo")
	if err := os.Chown(todo, 0, 0); err != nil {
		t.Fatal(err)
	}
	if out, code := resume(); code != 13 || !strings.Contains(out, "cannot be checked from here") {
		t.Errorf("where the other user was at work: exit code %d\n%s", code, out)
	}
	if err := os.Chown(todo, user, user); err != nil {
		t.Fatal(err)
	}
	if out, code := resume(); code != 0 {
		t.Errorf("where he never was: exit code %d\n%s", code, out)
	}
	if got := r.With("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*").Git("log", "--format=%s", "main..topic"); got != "t3\nt2\nt1" {
		t.Errorf("commits are %q", got)
	}
}
