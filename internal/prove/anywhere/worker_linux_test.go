package anywhere

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

// worker is a process of "git resume work".
type worker struct {
	what  string
	home  string
	cmd   *exec.Cmd
	out   bytes.Buffer
	ended chan struct{}
	// struck is true after the test has killed the worker, alone or with all processes of its machine, or has sent it SIGTERM.
	struck bool
	fate   chan struct{}
}

// hire starts a worker with random options in a clone, and chooses at random what will happen to the worker.
func (s *shop) hire(n int, in *gittest.Repo) *worker {
	s.Helper()
	args := []string{"work", s.run, "--remote", "origin", "--plan", "plan.yaml"}
	switch s.pick(10) {
	case 0:
	case 1, 2:
		args = append(args, "--takeover")
	default:
		args = append(args, "--seat", "nightly", "--incarnation", fmt.Sprint(n+1))
	}
	if s.pick(6) == 0 {
		args = append(args, "--for", s.millis(600).String())
		if args[len(args)-1] == "0s" {
			args[len(args)-1] = "1ms"
		}
	}
	w := s.begin(n, in, args[6:])
	s.fate(w)
	return w
}

// begin starts a worker in a clone. The argument "more" is added to its command line.
func (s *shop) begin(n int, in *gittest.Repo, more []string) *worker {
	s.Helper()
	args := append([]string{"work", s.run, "--remote", "origin", "--plan", "plan.yaml"}, more...)
	w := &worker{home: filepath.Join(filepath.Dir(in.Dir), "home"), ended: make(chan struct{})}
	w.cmd = exec.Command(filepath.Join(gittest.Binary(s.T), "git-resume"), args...)
	w.cmd.Dir, w.cmd.Env, w.cmd.Stdout, w.cmd.Stderr = in.Dir, in.Env, &w.out, &w.out
	w.cmd.WaitDelay = time.Second // stop waiting for the output, because the task of a killed worker may still hold it open
	w.what = fmt.Sprintf("worker %d in %s: %s", n, filepath.Base(filepath.Dir(in.Dir)), strings.Join(more, " "))
	if err := w.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.tally.Workers++
	go func() {
		_ = w.cmd.Wait()
		close(w.ended)
	}()
	return w
}

// fate chooses at random what will happen to a worker: it is killed, its machine dies or sleeps, it gets SIGTERM, or nothing happens.
func (s *shop) fate(w *worker) {
	w.fate = make(chan struct{})
	after, pause, how := s.millis(900), s.millis(1500), s.pick(10)
	switch how {
	case 0, 1:
		w.what += fmt.Sprint(", killed after ", after)
		s.tally.Kills++
	case 2, 3:
		w.what += fmt.Sprint(", machine dies after ", after)
		s.tally.Deaths++
	case 4, 5, 6:
		w.what += fmt.Sprint(", asleep after ", after, " for ", pause)
		s.tally.Pauses++
	case 7:
		w.what += fmt.Sprint(", told to end after ", after)
		s.tally.Signals++
	}
	go func() {
		defer close(w.fate)
		select {
		case <-w.ended:
			return
		case <-time.After(after):
		}
		w.strike(how, pause)
	}()
}

// strike makes the chosen failure happen to the worker.
func (w *worker) strike(how int, pause time.Duration) {
	switch how {
	case 0, 1:
		w.struck = true
		_ = w.cmd.Process.Kill()
	case 2, 3:
		w.struck = true
		stopAll(w.home, syscall.SIGKILL)
	case 4, 5, 6:
		all := stopAll(w.home, 0)
		time.Sleep(pause)
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	case 7:
		w.struck = true
		_ = w.cmd.Process.Signal(syscall.SIGTERM)
	}
}

// wait waits until a worker has ended, and checks its exit code.
func (s *shop) wait(w *worker) {
	s.Helper()
	if w.fate != nil {
		<-w.fate
	}
	if seen := usual.watch(w.home, w.ended); seen != "" {
		_ = w.cmd.Process.Signal(syscall.SIGQUIT) // SIGQUIT makes the worker print what it waits for
		select {
		case <-w.ended:
		case <-time.After(10 * time.Second):
			stopAll(w.home, syscall.SIGKILL)
			<-w.ended
		}
		s.Errorf("%s %s%s", w.what, seen, w.out.String())
		return
	}
	code := w.cmd.ProcessState.ExitCode()
	w.what += fmt.Sprint(", exit code ", code)
	if s.tally.Codes == nil {
		s.tally.Codes = map[int]int{}
	}
	s.tally.Codes[code]++
	known := []int{-1, exit.Done, exit.Decide, exit.Busy, exit.Remote, exit.TimeUp}
	if w.struck || strings.Contains(w.what, "--for") {
		known = append(known, exit.Interrupted, 128+int(syscall.SIGTERM))
	}
	if code == exit.Failed && strings.Contains(w.out.String(), "' is locked: ") {
		return // no error: another process of this clone, which the test has stopped, holds the lock of a ref
	}
	if !slices.Contains(known, code) {
		s.Errorf("%s:\n%s", w.what, w.out.String())
	}
}

// stopAll sends SIGSTOP to all processes of a machine, again and again until there are no new ones. Then it sends them the signal "then",
// if that is not 0.
func stopAll(home string, then syscall.Signal) []int {
	var all []int
	for fresh := true; fresh; {
		fresh = false
		for _, pid := range gittest.Processes(home) {
			if !slices.Contains(all, pid) && syscall.Kill(pid, syscall.SIGSTOP) == nil {
				all, fresh = append(all, pid), true
			}
		}
	}
	if then != 0 {
		for _, pid := range all {
			_ = syscall.Kill(pid, then)
		}
	}
	return all
}
