//go:build unix

package flock

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// roleVariable tells this test program to act as another process that uses a lock.
const roleVariable = "FLOCK_TEST_ROLE"

func TestMain(m *testing.M) {
	role, path, _ := strings.Cut(os.Getenv(roleVariable), " ")
	switch role {
	case "":
		os.Exit(m.Run())
	case "hold": // hold the lock until the standard input ends
		l, err := Try(path)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_ = l.Release()
	case "leave": // leave the lock to a child that inherits it, and exit
		l, err := Try(path)
		if err != nil {
			os.Exit(1)
		}
		cmd := exec.Command("cat")
		cmd.Stdin, cmd.ExtraFiles = os.Stdin, []*os.File{l.File()}
		if err := cmd.Start(); err != nil {
			os.Exit(1)
		}
		fmt.Println("held")
	case "forget": // start a child that must not inherit the lock, and exit
		if _, err := Try(path); err != nil {
			os.Exit(1)
		}
		cmd := exec.Command("cat")
		cmd.Stdin = os.Stdin
		if err := cmd.Start(); err != nil {
			os.Exit(1)
		}
		fmt.Println("held")
	case "race":
		race(path)
	}
	os.Exit(0)
}

// other is a child process that runs this test program in another role.
type other struct {
	cmd *exec.Cmd
	in  *os.File
}

func start(t *testing.T, role, path string) *other {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role+" "+path)
	cmd.Stdin = r
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%s said %q, %v", role, line, err)
	}
	return &other{cmd, w}
}

// becomesFree waits until nobody holds the lock. A process that was told to end may still hold the lock for a moment.
func becomesFree(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); Held(path); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the lock does not become free")
		}
	}
}

func TestHeld_acrossProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder", "x.lock")
	if Held(path) {
		t.Error("a lock without a file is held")
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("looking made a folder")
	}
	o := start(t, "hold", path)
	if !Held(path) {
		t.Error("a held lock is free")
	}
	if l, err := Try(path); !errors.Is(err, ErrHeld) {
		t.Errorf("took a held lock: %v, %v", l, err)
	}
	if err := o.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	becomesFree(t, path)
	l, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if !l.Intact() || !Held(path) {
		t.Error("our own lock does not hold")
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if Held(path) {
		t.Error("held after release")
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("the file is gone")
	}
}

func TestWait_untilTheHolderIsGone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	o := start(t, "hold", path)
	got := make(chan error, 1)
	go func() {
		l, err := WaitFor(path, time.Minute)
		if err == nil {
			err = l.Release()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	o.in.Close()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// TestLock_inheritedByAChild checks that a child that was given the lock file keeps the lock held until the child ends. A child that was
// not given the file does not keep the lock.
func TestLock_inheritedByAChild(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	o := start(t, "leave", path)
	if err := o.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !Held(path) {
		t.Error("free although a child has it")
	}
	o.in.Close() // this ends the child
	becomesFree(t, path)

	o = start(t, "forget", path)
	if err := o.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	becomesFree(t, path) // the lock is free although the child is still alive
}

func TestLock_fileTakenAway(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if l.Intact() {
		t.Error("intact without a file")
	}
	second, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if l.Intact() || !second.Intact() {
		t.Error("the lock on a file that was replaced still counts")
	}
	_ = l.Release()
	if !Held(path) {
		t.Error("the end of the old lock freed the new one")
	}
	_ = second.Release()
}

// TestWait_fileTakenAwayMeanwhile checks that WaitFor does not return a lock on a file that was deleted while it waited.
func TestWait_fileTakenAwayMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *Lock, 1)
	go func() {
		l, err := WaitFor(path, time.Minute)
		if err != nil {
			t.Error(err)
		}
		got <- l
	}()
	time.Sleep(20 * time.Millisecond) // give WaitFor time to wait for the file that is about to be deleted
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_ = first.Release()
	if l := <-got; !l.Intact() {
		t.Error("waited for a lock that excludes nobody")
	}
}

func TestWrite_replaces(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	if Read(path) != nil {
		t.Error("text without a file")
	}
	l, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a longer text", "short", ""} {
		if err := l.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := string(Read(path)); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	_ = l.Release()
}

// TestHeld_lookersDoNotMatter calls Held in two goroutines while another one takes the lock again and again. Held must not make Try fail.
func TestHeld_lookersDoNotMatter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	if l, err := Try(path); err != nil || l.Release() != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for !stop.Load() {
				Held(path)
				time.Sleep(100 * time.Microsecond)
			}
		})
	}
	failed := 0
	for range 200 {
		l, err := Try(path)
		if err != nil {
			failed++
			continue
		}
		_ = l.Release()
	}
	stop.Store(true)
	all.Wait()
	if failed > 0 {
		t.Errorf("%d of 200 failed because somebody looked", failed)
	}
}

// race takes the lock repeatedly. While a process has the lock, it creates and removes a file with a fixed name. If the file already
// exists, two processes have the lock.
func race(path string) {
	f := strings.Fields(path)
	rounds, _ := strconv.Atoi(f[0])
	owner := f[1] + ".owner"
	me := strconv.Itoa(os.Getpid())
	fmt.Println("held")
	won := 0
	for won < rounds {
		l, err := Try(f[1])
		if errors.Is(err, ErrHeld) {
			continue
		}
		if err != nil {
			fmt.Println("error", err)
			return
		}
		won++
		g, err := os.OpenFile(owner, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			fmt.Println("two owners", me, err)
			return
		}
		_ = g.Close()
		_ = os.Remove(owner)
		_ = l.Release()
	}
	fmt.Println("won", won)
}

// TestTry_neverTwoOwners lets several processes compete for the lock, thousands of times each.
func TestTry_neverTwoOwners(t *testing.T) {
	t.Parallel()
	rounds := 2000
	if os.Getenv("GIT_RESUME_PROVE") != "" {
		rounds = 50000
	}
	path := filepath.Join(t.TempDir(), "x.lock")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=race %d %s", roleVariable, rounds, path))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), fmt.Sprintf("won %d\n", rounds)) {
				t.Errorf("a racer: %v\n%s", err, out)
			}
		})
	}
	all.Wait()
}

// TestMake_isHeldFromTheFirstMoment checks that the lock is held when Make returns. It does not check what another process sees while Make
// runs.
func TestMake_isHeldFromTheFirstMoment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	l, err := Make(path)
	if err != nil {
		t.Fatal(err)
	}
	if !Held(path) || !l.Intact() {
		t.Errorf("held %v, intact %v", Held(path), l.Intact())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("beside it there is something: %v", entries)
	}
	if err := l.Release(); err != nil || Held(path) {
		t.Errorf("released: %v, held %v", err, Held(path))
	}
	if _, err := Make(filepath.Join(dir, "none", "lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}

// TestTry_followsNoLink puts a symbolic link in the place of a lock file, as an unpacked hostile repository may do.
// Following the link would be dangerous, because the process that takes the lock writes into the file.
func TestTry_followsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link, dangling := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := os.WriteFile(file, []byte("somebody's own"), 0o644); err != nil {
		t.Fatal(err)
	}
	for at, to := range map[string]string{link: file, dangling: filepath.Join(dir, "none")} {
		if err := os.Symlink(to, at); err != nil {
			t.Skip("no links here")
		}
	}
	for _, path := range []string{link, dangling, dir} {
		if l, err := Try(path); err == nil || errors.Is(err, ErrHeld) {
			t.Errorf("took '%s' (%v): %v", path, l, err)
		}
		if l, err := WaitFor(path, time.Second); err == nil {
			t.Errorf("took '%s' (%v)", path, l)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != "somebody's own" {
		t.Errorf("the file holds %q", text)
	}
	if _, err := os.Lstat(filepath.Join(dir, "none")); err == nil {
		t.Error("a file was made behind the link")
	}
}

// TestRelease_isSeenAtOnce checks that a released lock is free at once, even if a child process was just started and has not called exec
// yet. Only a child that gets the lock from the method File keeps it. A copied file descriptor imitates the child.
func TestRelease_isSeenAtOnce(t *testing.T) {
	t.Parallel()
	for _, lent := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "lock")
		l, err := Try(path)
		if err != nil {
			t.Fatal(err)
		}
		fd := int(l.f.Fd())
		if lent {
			fd = int(l.File().Fd())
		}
		child, err := unix.Dup(fd)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
		if Held(path) != lent {
			t.Errorf("lent %v: after the release the lock is held: %v", lent, !lent)
		}
		if err := unix.Close(child); err != nil || Held(path) {
			t.Errorf("lent %v: held after everybody closed it, %v", lent, err)
		}
	}
}
