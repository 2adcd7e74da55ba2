//go:build linux

package execution_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-resume/git-resume/internal/gittest"
)

func rusage(state *os.ProcessState) int64 {
	return state.SysUsage().(*syscall.Rusage).Maxrss
}

// terminal is a pseudo terminal with a process.
type terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	keys *os.File

	mu    sync.Mutex
	shown bytes.Buffer
	done  chan struct{}
}

// openTerminal starts a command as a session leader with its own terminal.
func (w *world) openTerminal(args ...string) *terminal {
	w.T.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		w.T.Skipf("no terminals here: %v", err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		w.T.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		w.T.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		w.T.Fatal(err)
	}
	if !strings.Contains(args[0], "/") {
		if path := filepath.Join(gittest.Binary(w.T), args[0]); strings.HasPrefix(args[0], "git-resume") {
			args[0] = path
		}
	}
	term := &terminal{t: w.T, cmd: exec.Command(args[0], args[1:]...), keys: keys, done: make(chan struct{})}
	term.cmd.Dir, term.cmd.Env = w.Dir, append(w.Env, "TERM=xterm")
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = tty, tty, tty
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := term.cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	_ = tty.Close()
	go term.read()
	w.T.Cleanup(func() {
		_ = term.cmd.Process.Kill()
		_ = keys.Close()
	})
	return term
}

func (term *terminal) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := term.keys.Read(buf)
		term.mu.Lock()
		term.shown.Write(buf[:n])
		term.mu.Unlock()
		if err != nil {
			close(term.done)
			return
		}
	}
}

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.shown.String()
}

func (term *terminal) enter(keys string) {
	term.t.Helper()
	if _, err := term.keys.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

func (term *terminal) wait() (string, int) {
	term.t.Helper()
	ended := make(chan struct{})
	go func() {
		_ = term.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(40 * time.Second):
		term.t.Fatalf("it does not end\n%.2000s", term.text())
	}
	select {
	case <-term.done:
	case <-time.After(5 * time.Second):
	}
	ws := term.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return term.text(), 128 + int(ws.Signal())
	}
	return term.text(), ws.ExitStatus()
}

// onTerminal runs a command on a terminal and returns its output and exit code. While the command is running, it calls the function "at",
// which can type on that terminal.
func (w *world) onTerminal(at func(*terminal), args ...string) (string, int) {
	w.T.Helper()
	term := w.openTerminal(args...)
	if at != nil {
		at(term)
	}
	return term.wait()
}

func TestTerminal_singleCommandHasIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, code := w.onTerminal(func(term *terminal) {
		until(t, "it asks", func() bool { return strings.Contains(term.text(), "name?") })
		term.enter("Ada\n")
	}, "git-resume", "run", "--name", "job", "--", "sh", "-c", `test -t 0 && test -t 1 && test -t 2 || exit 9; printf 'name? '; read n; echo "hello $n"; exit 7`)
	if code != 7 {
		t.Errorf("exit code %d", code)
	}
	wantIn(t, out, "hello Ada", stopLine)
}

func TestTerminal_ctrlCReachesThePlansTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.plan("", "a: "+tell+"echo a > a.txt", "b: "+strings.ReplaceAll(victim, "\n", ";"))
	out, code := w.onTerminal(func(term *terminal) {
		until(t, "it is half way", func() bool { return w.has("mark") })
		term.enter("\x03")
	}, "git-resume", "start", plan)
	if code != 130 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	wantIn(t, out, "stopped by Ctrl-C", stopLine)
	if s := w.only(); s.State != "interrupted" {
		t.Errorf("state %s", s.State)
	}
	if got := w.Git("show", "refs/resume/snapshots/"+w.only().Run+":0001/work/half.txt"); got != "half" {
		t.Errorf("the snapshot has %q", got)
	}
}

func TestTerminal_ctrlCEndsTheScriptToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	script := w.file("script.sh", `git resume start --here --name job --task a --task b >/dev/null 2>&1
git resume task run a -- sh -c '`+victim+`'
git resume task run b -- sh -c '. "$SIDE/tell.sh"'
`)
	_, code := w.onTerminal(func(term *terminal) {
		until(t, "it is half way", func() bool { return w.has("mark") })
		term.enter("\x03")
	}, "/bin/bash", script)
	if code != 130 || w.ran()["b"] != 0 {
		t.Errorf("exit code %d, ran %v", code, w.ran())
	}
	if s := w.only(); s.State != "interrupted" {
		t.Errorf("state %s", s.State)
	}
}

func TestTerminal_ctrlZStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Env = append(w.Env, "PS1=prompt$ ")
	out, code := w.onTerminal(func(term *terminal) {
		until(t, "a prompt", func() bool { return strings.Contains(term.text(), "prompt$ ") })
		term.enter("git resume run --name job -- sh -c '" + strings.ReplaceAll(victim, "\n", ";") + "'\n")
		until(t, "it is half way", func() bool { return w.has("mark") })
		term.enter("\x1a")
		until(t, "it is stopped", func() bool { return strings.Contains(term.text(), "Stopped") })
		w.file("go", "")
		term.enter("fg\n")
		until(t, "it is finished", func() bool { return strings.Contains(term.text(), "finished: 1 task") })
		term.enter("exit 5\n")
	}, "/bin/bash", "--norc", "-i")
	if code != 5 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if s := w.only(); s.State != "finished" {
		t.Errorf("state %s", s.State)
	}
}

func TestTerminal_backgroundDoesNotStealIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Env = append(w.Env, "PS1=prompt$ ")
	out, code := w.onTerminal(func(term *terminal) {
		until(t, "a prompt", func() bool { return strings.Contains(term.text(), "prompt$ ") })
		term.enter("git resume run --name job -- sh -c '" + strings.ReplaceAll(victim, "\n", ";") + "' &\n")
		until(t, "it is half way", func() bool { return w.has("mark") })
		term.enter("echo alive-$((1+1))\n")
		until(t, "the shell answers", func() bool { return strings.Contains(term.text(), "alive-2") })
		w.file("go", "")
		term.enter("wait; exit 5\n")
	}, "/bin/bash", "--norc", "-i")
	if code != 5 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if s := w.only(); s.State != "finished" {
		t.Errorf("state %s", s.State)
	}
}
