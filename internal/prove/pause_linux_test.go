package prove

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// pausePlan is a plan with three tasks. Each task writes to the file "ran" when it starts and when a signal ends it.
const pausePlan = `name: job
tasks:
  - id: a
    run: . "$SIDE/begin.sh"; echo a > a.txt
  - id: b
    run: . "$SIDE/begin.sh"; . "$SIDE/b.sh"; echo b > b.txt
  - id: c
    run: . "$SIDE/begin.sh"; echo c > c.txt
`

// begins is the first part of each task's script. Its short sleep gives a signal time to arrive.
const begins = `trap 'echo "$GIT_RESUME_ATTEMPT signalled" >> "$SIDE/ran"; exit 1' TERM
echo "$GIT_RESUME_ATTEMPT" >> "$SIDE/ran"
test -e "$SIDE/hurry" || sleep 0.2
`

// waits is a script that never ends the first time it runs, so only a signal ends it.
const waits = `if ! test -e "$SIDE/mark"; then
	: > "$SIDE/mark"
	until test -e "$SIDE/never"; do sleep 0.02; done
fi
`

// claimed is the system call that creates the run's journal. At this moment the owner of the run already holds the lock.
var claimed = call{"git update-ref", "rename", "refs/resume/journal/"}

// TestPauses_ofTheOwnerAtEveryWrite suspends the owner of a run at one of its system calls, and checks that the run stays sound.
func TestPauses_ofTheOwnerAtEveryWrite(t *testing.T) {
	needTracer(t)
	p := gittest.Prove(t, "E", "pauses")
	chance := p.Rand(1)
	length := lengthOfOwner(t)
	for p.More(sampleOfPauses) {
		paused := 0
		t.Run("batch", func(t *testing.T) {
			hits := make([]bool, pausesAbreast)
			for i := range hits {
				at := traceJob{After: claimed, N: leastTried(p.Times(ofOwner), length, chance)}
				if chance.IntN(5) == 0 {
					at = inTask
				} else {
					p.At(ofOwner, at.N)
				}
				t.Run(fmt.Sprint("trial", i), func(t *testing.T) { // the number of the call differs from run to run, so it is no name
					t.Parallel()
					t.Log(at.name())
					hits[i] = pauseAt(t, at)
				})
			}
			t.Cleanup(func() { paused = count(hits) })
		})
		p.Trial(paused)
	}
}

const ofOwner = "owner"

// leastTried chooses at which system call the owner of the run is suspended next: the one at which it was suspended least often, or one of
// these at random if there are several. Result 1 is the first call after the creation of the journal (see claimed), 2 is the second, and so
// on.
func leastTried(times map[int]int, length int, chance *rand.Rand) int {
	order := chance.Perm(length)
	return 1 + slices.MinFunc(order, func(a, b int) int { return times[a+1] - times[b+1] })
}

// TestPauses_knownWindows suspends the owner of a run at moments at which this once did harm, after the owner continued.
func TestPauses_knownWindows(t *testing.T) {
	needTracer(t)
	for _, w := range []struct {
		name string
		at   traceJob
	}{
		{"the run is there, and its worktree is not", traceJob{After: claimed, N: 1}},
		{"nobody else can write", traceJob{Match: call{"git-resume", "openat", "/resume/writing/"}, After: claimed}},
		{"its worktree is made, nothing is executed", traceJob{After: call{"git worktree", "openat", "/worktrees/"}, Match: call{"git update-ref", "write", "/logs/refs/notes/resume/"}}},
		{"its intent is recorded, the command has not begun", traceJob{Match: call{"git-resume", "openat", "/resume/logs/"}}},
		{"the command waits for permission to begin", traceJob{After: call{"git-resume", "openat", "/resume/logs/"}, Match: call{"git-resume", "write", "pipe:"}}},
		{"the command runs", inTask},
		{"it has looked, and the branch is about to move", traceJob{After: call{"git commit-tree", "write", "pipe:"}, Match: call{"git-resume", "write", "pipe:"}}},
	} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			if !pauseAt(t, w.at) {
				t.Error("it never came to that")
			}
		})
	}
}

// inTask stops the owner while it waits for the second task.
var inTask = traceJob{Match: call{Name: "wait"}}

// sampleOfPauses is the number of trials in everyday tests.
const sampleOfPauses = 1

// pausesAbreast is the number of trials that run at the same time.
var pausesAbreast = map[bool]int{true: parallelTrials, false: sampleOfPauses}[gittest.Proving()]

// sleeper is a repository with a run whose owner process is suspended by SIGSTOP.
type sleeper struct {
	*gittest.Repo
	side string
	// pid is the process id of the owner. The function "ended" waits until the owner has ended, and returns its output and exit code.
	pid   int
	ended func() (string, int)
	at    call
	id    string
}

func newSleeper(t *testing.T) *sleeper {
	t.Helper()
	s := &sleeper{Repo: gittest.New(t), side: t.TempDir()}
	s.Env = append(s.Env, "SIDE="+s.side)
	s.put("plan.yaml", pausePlan)
	s.put("begin.sh", begins)
	s.put("b.sh", "")
	return s
}

func (s *sleeper) put(name, text string) {
	s.T.Helper()
	if err := os.WriteFile(filepath.Join(s.side, name), []byte(text), 0o644); err != nil {
		s.T.Fatal(err)
	}
}

func (s *sleeper) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.side, name))
	return err == nil
}

func (s *sleeper) job() traceJob {
	return resumeJob(s.Repo, "start", filepath.Join(s.side, "plan.yaml"))
}

// lengthOfOwner counts the system calls of an undisturbed owner after the call that creates the run's journal.
func lengthOfOwner(t *testing.T) int {
	t.Helper()
	j := newSleeper(t).job()
	j.Pause, j.Record = true, true
	out := trace(t, j)
	if out.Exit != 0 {
		t.Fatalf("undisturbed: exit code %d\n%s", out.Exit, out.Output)
	}
	first := slices.IndexFunc(out.Trace, func(c call) bool { return c.like(claimed) })
	if first < 0 {
		t.Fatal("the owner never writes into its lock")
	}
	return len(out.Trace) - first - 1
}

// pauseAt stops the owner at a system call and checks that the run stays sound. It returns false if that call was not reached.
func pauseAt(t *testing.T, at traceJob) bool {
	t.Helper()
	s := newSleeper(t)
	if at.Match == inTask.Match {
		s.stopInTask()
	} else if !s.stopAt(at) {
		return false
	}
	s.id = s.settle()
	err := s.checkStatus()
	switch {
	case err != nil:
	case s.holdsWriterList():
		err = s.checkContinues()
	default:
		if err = s.checkLocked(); err == nil {
			err = s.checkFenced()
		}
	}
	if err != nil {
		t.Errorf("stopped at %s (call %d): %v", s.at, at.N, err)
	}
	return true
}

// stopAt lets the tracer stop the owner at a system call. It returns false if that call was not reached.
func (s *sleeper) stopAt(at traceJob) bool {
	s.T.Helper()
	j := s.job()
	j.Pause, j.Match, j.After, j.N = true, at.Match, at.After, at.N
	run, err := startTrace(s.T, j)
	if err != nil {
		s.T.Fatal(err)
	}
	out, err := run.next()
	if err != nil {
		s.T.Fatal(err)
	}
	if !out.Fired {
		_ = run.cmd.Wait()
		return false
	}
	s.pid, s.at = out.PID, out.At
	s.T.Cleanup(func() { _ = run.cmd.Process.Kill() }) // killing the tracer also ends the processes that it still traces
	s.ended = func() (string, int) {
		out, err := run.end()
		if err != nil || out.Hung {
			s.T.Errorf("the owner does not end: %v", err)
		}
		return out.Output, out.Exit
	}
	return true
}

// stopInTask sends SIGSTOP to an owner that is waiting for its task.
func (s *sleeper) stopInTask() {
	s.T.Helper()
	s.put("b.sh", waits)
	j := s.job()
	cmd := exec.Command(j.Args[0], j.Args[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = j.Dir, j.Env, &said, &said, 20*time.Second
	if err := cmd.Start(); err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s.until("the task begins", func() bool { return s.has("mark") })
	s.pid, s.at = cmd.Process.Pid, inTask.Match
	_ = syscall.Kill(s.pid, syscall.SIGSTOP)
	s.ended = func() (string, int) {
		limit := time.AfterFunc(40*time.Second, func() { _ = cmd.Process.Kill() })
		defer limit.Stop()
		_ = cmd.Wait()
		return said.String(), cmd.ProcessState.ExitCode()
	}
}

func (s *sleeper) until(what string, ok func() bool) {
	s.T.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	s.T.Fatalf("waited in vain: %s", what)
}

// settle waits until the owner is suspended and the refs and files no longer change. It returns the run's id.
func (s *sleeper) settle() string {
	s.T.Helper()
	s.T.Cleanup(func() { _ = syscall.Kill(s.pid, syscall.SIGKILL) })
	s.until("every thread of the owner stops", func() bool {
		all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", s.pid))
		for _, path := range all {
			text, _ := os.ReadFile(path)
			if _, rest, _ := strings.Cut(string(text), ") "); !strings.HasPrefix(rest, "T") {
				return false
			}
		}
		return len(all) > 0
	})
	if s.at != inTask.Match {
		s.until("the command that it started comes to its end", func() bool { return !s.commandAlive() })
	}
	last := ""
	s.until("the refs come to rest", func() bool {
		time.Sleep(30 * time.Millisecond)
		now := s.world()
		same := now == last
		last = now
		return same
	})
	run, err := theRun(readFacts(s.Repo))
	if err != nil {
		s.T.Fatal(err)
	}
	return run
}

// commandAlive reports whether the command of a task is still running. The shell that will become the command does not count. It waits
// until the owner lets it start, which a suspended owner does not do.
func (s *sleeper) commandAlive() bool {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	return slices.ContainsFunc(all, func(path string) bool {
		env, _ := os.ReadFile(path)
		if !bytes.Contains(env, []byte("\x00SIDE="+s.side+"\x00")) || !bytes.Contains(env, []byte("\x00GIT_RESUME_ATTEMPT=")) {
			return false
		}
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		return !bytes.HasPrefix(args, []byte("sh\x00-c\x00read _ <&"))
	})
}

// world describes all refs, and all files of the repository and of the run's worktree outside of .git.
func (s *sleeper) world() string {
	s.T.Helper()
	var b strings.Builder
	b.WriteString(s.Git("for-each-ref", "--format=%(objectname) %(refname)"))
	trees, _ := filepath.Glob(filepath.Join(filepath.Dir(s.Dir), "repo.worktrees", "*"))
	for _, dir := range append(trees, s.Dir) {
		have := files(s.In(dir))
		for _, path := range slices.Sorted(maps.Keys(have)) {
			fmt.Fprintf(&b, "\n%s/%s %q", dir, path, have[path])
		}
	}
	return b.String()
}

// checkStatus checks that a run is not reported as interrupted while SIGSTOP suspends its owner.
func (s *sleeper) checkStatus() error {
	s.T.Helper()
	f := readFacts(s.Repo)
	f.runs[s.id].owner = living(s.pid) // set the owner that the check expects: the suspended process holds the lock, although it may not have recorded itself yet
	_, err := checkReport(s.Repo, f)
	return err
}

// holdsWriterList reports whether the run's owner, which SIGSTOP has suspended, holds the lock writing.lock. Other commands that write would
// then wait for a minute and fail.
func (s *sleeper) holdsWriterList() bool {
	f, err := os.Open(filepath.Join(s.Dir, ".git", "resume", "writing.lock"))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// checkContinues checks that the owner completes the run when it receives SIGCONT.
func (s *sleeper) checkContinues() error {
	s.T.Helper()
	_ = syscall.Kill(s.pid, syscall.SIGCONT)
	if out, code := s.ended(); code != 0 {
		return fmt.Errorf("it was left alone, and ends with %d\n%s", code, out)
	}
	return s.checkFinished()
}

// checkLocked checks that nobody can continue, take over or discard the run while its owner is suspended.
func (s *sleeper) checkLocked() error {
	s.T.Helper()
	closed := readFacts(s.Repo).runs[s.id].closed != ""
	before := s.world()
	for _, args := range [][]string{{s.id}, {"--auto"}, {s.id, "--yes", "--retry"}, {s.id, "--takeover", "--yes", "--retry"}, {"--discard", "-y", s.id}} {
		if closed && args[0] != s.id {
			continue // if the run is finished, these commands need not fail
		}
		out, code := s.Resume(args...)
		if code != 13 && !closed {
			return fmt.Errorf("%v beside a living owner: exit code %d\n%s", args, code, out)
		}
		if now := s.world(); now != before {
			return fmt.Errorf("%v beside a living owner changed something\nbefore: %s\nnow: %s\n%s", args, before, now, out)
		}
	}
	return nil
}

// checkFenced removes the lock files of a suspended owner and takes over its run.
// When the old owner continues, it must report the takeover and write nothing.
// If the run is already closed, checkFenced only lets the owner continue and checks that it succeeds.
func (s *sleeper) checkFenced() error {
	s.T.Helper()
	if readFacts(s.Repo).runs[s.id].closed != "" {
		_ = syscall.Kill(s.pid, syscall.SIGCONT)
		if out, code := s.ended(); code != 0 {
			return fmt.Errorf("the run was finished, but its owner ends with %d\n%s", code, out)
		}
		return nil
	}
	for _, lock := range []string{".lock", ".task.lock", ".append"} {
		_ = os.Remove(filepath.Join(s.Dir, ".git/resume", s.id+lock)) // ignore the error, because not every run has all these files
	}
	s.put("hurry", "") // the scripts do not sleep if this file exists
	if out, code := s.Resume(s.id, "--takeover", "--yes", "--retry"); code != 0 {
		return fmt.Errorf("takeover: exit code %d\n%s", code, out)
	}
	before, ran := s.world(), s.ran()
	_ = os.Remove(filepath.Join(s.side, "hurry"))
	_ = syscall.Kill(s.pid, syscall.SIGCONT)
	out, code := s.ended()
	switch now := s.world(); {
	case now != before:
		return fmt.Errorf("the old owner wrote\nbefore: %s\nnow: %s\n%s", before, now, out)
	case code != 13 || !strings.Contains(out, "took over"):
		return fmt.Errorf("the old owner does not say so: exit code %d\n%s", code, out)
	case s.has("mark") && !strings.HasSuffix(s.ran(), " signalled\n"):
		return fmt.Errorf("the old owner's task was not signalled\n%s", s.ran())
	}
	if err := onlySignalled(strings.Fields(strings.TrimPrefix(s.ran(), ran))); err != nil {
		return err
	}
	return s.checkFinished()
}

func (s *sleeper) ran() string {
	text, _ := os.ReadFile(filepath.Join(s.side, "ran"))
	return string(text)
}

// onlySignalled checks that the old owner completed no task. If it had just started a command, a signal must have ended that command.
func onlySignalled(words []string) error {
	if len(words) == 0 || words[len(words)-1] == "signalled" && len(words) <= 3 {
		return nil
	}
	return fmt.Errorf("the old owner ran a task: %v", words)
}

// checkFinished checks that the run is finished, with one result for each task, and that the repository is sound.
func (s *sleeper) checkFinished() error {
	s.T.Helper()
	tree := s.In(filepath.Join(filepath.Dir(s.Dir), "repo.worktrees", s.id))
	f := readFacts(tree)
	for _, task := range []string{"a", "b", "c"} {
		if err := committed(task)(f); err != nil {
			return err
		}
	}
	if f.runs[s.id].closed == "" {
		return errors.New("the run is not finished")
	}
	if _, err := checkReport(s.Repo, readFacts(s.Repo)); err != nil {
		return err
	}
	if err := checkNothingToDo(s.Repo); err != nil {
		return err
	}
	s.Fsck()
	return tidied(s.Repo)
}
