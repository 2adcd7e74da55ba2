//go:build unix

package proc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func shell(text string) Command {
	return Command{Name: "sh", Args: []string{"-c", text}, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

func TestRun_outputAndCode(t *testing.T) {
	t.Parallel()
	c := shell("cat; echo err >&2; exit 7")
	c.Stdin = strings.NewReader("in")
	out, err := c.Run(t.Context())
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 7 || exit.Signal != "" || exit.Stderr != "err\n" {
		t.Errorf("error: %+v", err)
	}
	if string(out.Stdout) != "in" || string(out.Stderr) != "err\n" {
		t.Errorf("output: %q, %q", out.Stdout, out.Stderr)
	}
	_, err = shell("kill -9 $$").Run(t.Context())
	if !errors.As(err, &exit) || exit.Signal == "" {
		t.Errorf("killed: %+v", err)
	}
	_, err = Command{Name: "no-such-program"}.Run(t.Context())
	if !IsMissing(err) {
		t.Errorf("missing: %v", err)
	}
}

// TestRun_environmentIsTheCallers checks that a child gets only the given environment, and that its PATH is searched for the program.
func TestRun_environmentIsTheCallers(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := writeProgram(filepath.Join(bin, "tool"), []byte("#!/bin/sh\necho \"own tool $0\"\nenv\n")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "plain"), []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := Command{Name: "tool", Env: []string{"PATH=/usr/bin:/bin", "PATH=:relative:" + bin + ":/usr/bin:/bin", "ONE=1"}}.Run(t.Context())
	if err != nil || !strings.HasPrefix(string(out.Stdout), "own tool "+bin) {
		t.Fatalf("got %q, %v", out.Stdout, err)
	}
	if strings.Contains(string(out.Stdout), "HOME=") || !strings.Contains(string(out.Stdout), "ONE=1") {
		t.Errorf("environment: %q", out.Stdout)
	}
	for _, name := range []string{"plain", "tool"} {
		if _, err := (Command{Name: name, Dir: bin, Env: []string{"PATH=:.:" + bin + "/none"}}).Run(t.Context()); err == nil {
			t.Errorf("%s was run from where it must not", name)
		}
	}
}

// TestRun_childLeavesAProcess checks that Run returns the output or exit code of a child although a background process holds the pipe open.
func TestRun_childLeavesAProcess(t *testing.T) {
	t.Parallel()
	out, err := shell("sleep 20 & echo done").Run(t.Context())
	if err != nil || string(out.Stdout) != "done\n" {
		t.Errorf("got %q, %v", out.Stdout, err)
	}
	_, err = shell("sleep 20 & exit 3").Run(t.Context())
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("got %v", err)
	}
}

func TestRun_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	if _, err := shell("exec sleep 60").Run(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// When a child with its own session is cancelled, all processes that it started end too, even those that ignore SIGTERM.
func TestRun_cancelledApartEndsAll(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 1000 {
			if _, err := os.Stat(mark); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	c := shell(`(trap "" TERM; echo $$ > "$0.tmp"; mv "$0.tmp" "$0"; while :; do sleep 0.05; done) & wait`)
	c.Args = append(c.Args, mark)
	c.Apart = true
	if _, err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	text, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	group, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	for range 500 {
		if !groupIsThere(group) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("what it had started goes on")
}

func TestRun_inheritedFiles(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := shell("echo text >&3")
	c.Files = []*os.File{f}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(f.Name()); string(text) != "text\n" {
		t.Errorf("got %q", text)
	}
}

func TestStart_talks(t *testing.T) {
	t.Parallel()
	c, err := shell("read a; echo \"got $a\"; echo why >&2; exit 4").Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.In.Write([]byte("it\n")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 7)
	if _, err := c.Out.Read(buf); err != nil || string(buf) != "got it\n" {
		t.Errorf("got %q, %v", buf, err)
	}
	var exit *ExitError
	if err := c.Close(); !errors.As(err, &exit) || exit.Code != 4 || exit.Stderr != "why\n" {
		t.Errorf("got %v", err)
	}
	c, err = shell("sleep 60").Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := (Table{}).Get(c.PID()); !ok && canSeeAll() {
		t.Error("the child cannot be seen")
	}
	c.Kill()
}

// TestGroup_endsWithAllItStarted checks that Terminate ends the whole group, including a background process of the command.
func TestGroup_endsWithAllItStarted(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Wait until the background process has printed "up".
	// Before that it may still have the trap of its parent shell, and the signal would trigger this trap.
	c := shell("trap 'exit 9' TERM; sh -c 'echo up; exec sleep 60' & wait")
	c.Stdout = w
	g, err := c.StartGroup()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	buf := make([]byte, 3)
	if _, err := r.Read(buf); err != nil || string(buf) != "up\n" {
		t.Fatalf("got %q, %v", buf, err)
	}
	g.Terminate()
	if end, err := g.Wait(); err != nil || end.Code != 9 && end.Signal == "" {
		t.Errorf("got %+v, %v", end, err)
	}
	// The pipe ends only when the background process is gone too.
	if _, err := r.Read(buf); err == nil {
		t.Error("somebody still writes")
	}
}
