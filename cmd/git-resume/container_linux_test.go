package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// container runs a script in a process namespace of its own, as an agent in a container does, and returns when the script says "ready".
// The returned function ends the script.
func container(r *gittest.Repo, script string) (end func()) {
	r.T.Helper()
	cmd := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", script+"\necho ready; exec sleep 100")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.T.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.T.Skip(err)
	}
	end = func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}
	r.T.Cleanup(end)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			return end
		}
	}
	r.T.Skip("process namespaces cannot be made here")
	return nil
}

// hookText returns a shell command that sends an event of a session.
func hookText(r *gittest.Repo, session, fields string) string {
	return fmt.Sprintf("printf '%%s' '{\"session_id\":%q,\"cwd\":%q,%s}' | %s/git-resume agent-event", session, r.Dir, fields, gittest.Binary(r.T))
}

// The processes of an agent in a container cannot be seen from here, so nothing proves that the agent has ended.
func TestContainer_agentIsNotCalledInterrupted(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	end := container(r, claudeSession+" "+gittest.Binary(t)+"/git-resume start --here --name job --task a --task b >/dev/null 2>&1\n"+hookText(r, "s-1", askedEvent))
	for _, when := range []string{"while it lives", "after its end"} {
		if out := r.MustResume("status"); !strings.HasPrefix(out, "idle") {
			t.Errorf("%s, status says:\n%s", when, out)
		}
		if out, code := r.Resume("job", "--auto"); code != 13 || !strings.Contains(out, "it cannot be checked from here whether its last worker is alive") {
			t.Errorf("%s, --auto ends with %d:\n%s", when, code, out)
		}
		end()
	}
}

// Codex holds a lock while a session is open, and this lock can be seen from outside of the container.
func TestContainer_lockOfCodexIsSeen(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	home := t.TempDir()
	r.Env = append(r.Env, "CODEX_HOME="+home)
	lock := filepath.Join(home, "thread-writer-locks", "s-1.lock")
	if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
		t.Fatal(err)
	}
	end := container(r, "exec 9>>'"+lock+"'; flock 9\nCODEX_THREAD_ID=s-1 "+gittest.Binary(t)+"/git-resume start --here --name job --task a --task b >/dev/null 2>&1\n"+
		hookText(r, "s-1", `"turn_id":"t",`+askedEvent))
	if out := r.MustResume("status"); !strings.HasPrefix(out, "running") {
		t.Errorf("while the lock is held, status says:\n%s", out)
	}
	end()
	// On a busy machine, the kernel closes the files of a killed process a little later. So wait until the process has lost its lock.
	if err := exec.Command("flock", lock, "true").Run(); err != nil {
		t.Fatal(err)
	}
	if out := r.MustResume("status"); !strings.HasPrefix(out, "interrupted") {
		t.Errorf("after the lock was released, status says:\n%s", out)
	}
}

// It cannot be proven from here whether an agent in a container is alive. So the preflight names that agent, and the report of the agent is
// not recorded.
func TestContainer_otherAgentIsTold(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.MustResume("start", "--here", "--name", "job", "--task", "a", "--task", "b")
	container(r, hookText(r, "s-2", askedEvent))
	out, _ := r.Resume("job", "--preflight", "-n")
	if !strings.Contains(out, "an agent in a container may be working in the same worktree: claude, last report just now") {
		t.Errorf("the agent in the container is not named:\n%s", out)
	}
	if out := r.MustResume("log", "job"); strings.Contains(out, "turn.started") {
		t.Errorf("its report was recorded:\n%s", out)
	}
}

// Another user of this host has another key for signing records. So an event of that user's agent is not recorded in the first user's run.
func TestContainer_otherUserIsNotRecorded(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	r := shared(u, "002", "--shared=group")
	must(r, "002", "git-resume start --here --name job --task a --task b")
	before := must(r, "002", "git-resume log job")
	other := u.Be(second, r.Dir, team)
	other.Env = append(other.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	event := fmt.Sprintf(`printf '%%s' '{"session_id":"s-1","cwd":%q,%s}' | git-resume agent-event`, r.Dir, askedEvent)
	if out := must(other, "002", event); out != "" {
		t.Errorf("the hook said %q", out)
	}
	if after := must(r, "002", "git-resume log job"); after != before {
		t.Errorf("the log was\n%s\nand is\n%s", before, after)
	}
	if out := must(other, "002", "git-resume status"); !strings.HasPrefix(out, "elsewhere") {
		t.Errorf("to the other user, status says:\n%s", out)
	}
}
