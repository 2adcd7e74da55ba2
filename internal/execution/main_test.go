//go:build linux

package execution_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// world is a repository with a folder next to it, in which commands record what they did.
type world struct {
	*gittest.Repo
	side string
	// limit is the time limit of the task that is interrupted.
	limit string
	// wrapper is the command with which every program is started. If it is nil, programs are started directly.
	wrapper []string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return worldOf(t, gittest.New(t))
}

func worldOf(t testing.TB, r *gittest.Repo) *world {
	t.Helper()
	w := &world{Repo: r.WithBinary(), side: filepath.Join(t.TempDir(), "side"), limit: "5m"}
	if err := os.MkdirAll(w.side, 0o755); err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, "SIDE="+w.side)
	w.file("tell.sh", "echo \"$GIT_RESUME_TASK\" >> \"$SIDE/ran\"\n")
	return w
}

// file writes a file into the folder next to the repository and returns its path.
func (w *world) file(name, text string) string {
	w.T.Helper()
	path := filepath.Join(w.side, name)
	if err := gittest.WriteProgram(path, []byte(text)); err != nil {
		w.T.Fatal(err)
	}
	return path
}

func (w *world) has(name string) bool {
	_, err := os.Stat(filepath.Join(w.side, name))
	return err == nil
}

// running is a command that was started.
type running struct {
	w    *world
	cmd  *exec.Cmd
	out  bytes.Buffer
	done chan struct{}
}

func (w *world) start(name string, args ...string) *running {
	w.T.Helper()
	line := append(append(slices.Clone(w.wrapper), name), args...)
	r := &running{w: w, cmd: exec.Command(line[0], line[1:]...), done: make(chan struct{})}
	r.cmd.Dir, r.cmd.Env = w.Dir, w.Env
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	r.cmd.WaitDelay = time.Second
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait()
		close(r.done)
	}()
	w.T.Cleanup(func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) })
	return r
}

func (w *world) startResume(args ...string) *running {
	return w.start(filepath.Join(gittest.Binary(w.T), "git-resume"), args...)
}

// Resume runs the program until it ends.
func (w *world) Resume(args ...string) (string, int) {
	w.T.Helper()
	if w.wrapper == nil {
		return w.Repo.Resume(args...)
	}
	return w.startResume(args...).wait()
}

// MustResume is like Resume, but fails the test if the program fails.
func (w *world) MustResume(args ...string) string {
	w.T.Helper()
	return w.resume(0, args...)
}

// wait returns the output and the exit code. If a signal ended the command, the code is 128 plus the signal's number.
func (r *running) wait() (string, int) {
	r.w.T.Helper()
	select {
	case <-r.done:
	case <-time.After(patience):
		r.w.T.Fatalf("it does not end\n%s", r.out.String())
	}
	ws := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return r.out.String(), 128 + int(ws.Signal())
	}
	return r.out.String(), ws.ExitStatus()
}

// patience limits how long a test waits for something that must happen. It is long, because on a busy machine everything takes far more
// time than on a quiet one.
const patience = 4 * time.Minute

// The function "until" waits until a condition is true. It fails the test if this takes longer than patience.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited in vain: %s", what)
}

// victim is a command that reports when it is half done, and then waits until it may continue.
const victim = `. "$SIDE/tell.sh"
echo half > half.txt
echo $$ > "$SIDE/mark.tmp"; mv "$SIDE/mark.tmp" "$SIDE/mark"
until test -e "$SIDE/go"; do sleep 0.02; done
echo whole > half.txt
`

// atMark waits until the victim is half done. It returns the victim's process group, and the process that started the group.
func (w *world) atMark(r *running) (group, owner int) {
	w.T.Helper()
	until(w.T, "the command comes half way", func() bool { return w.has("mark") })
	text, _ := os.ReadFile(filepath.Join(w.side, "mark"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	group, err := syscall.Getpgid(pid)
	if err != nil {
		w.T.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", group))
	if err != nil {
		w.T.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	owner, _ = strconv.Atoi(fields[1])
	w.T.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	return group, owner
}

// waitForGroup waits until all processes of a group have ended. Zombies count as ended.
func (w *world) waitForGroup(group int) {
	w.T.Helper()
	until(w.T, "the group ends", func() bool {
		all, _ := filepath.Glob("/proc/[0-9]*/stat")
		return !slices.ContainsFunc(all, func(path string) bool {
			stat, _ := os.ReadFile(path) // an error means that the process has ended
			_, rest, _ := bytes.Cut(stat, []byte(") "))
			var state string
			var parent, of int
			_, err := fmt.Sscan(string(rest), &state, &parent, &of)
			return err == nil && of == group && state != "Z" && state != "X"
		})
	})
}

// status is a run as "status --json" prints it.
type status struct {
	Run, State, Cause, Worktree string
	Task                        struct{ ID, State string }
	Tasks                       []struct{ ID, State, Commit string }
	Also                        []string
}

func (w *world) status() []status {
	w.T.Helper()
	out, _ := w.Resume("status", "--json", "--all")
	var s struct{ Runs []status }
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		w.T.Fatalf("%v\n%s", err, out)
	}
	return s.Runs
}

func (w *world) only() status {
	w.T.Helper()
	runs := w.status()
	if len(runs) != 1 {
		w.T.Fatalf("%d runs: %+v", len(runs), runs)
	}
	return runs[0]
}

// events reads the journal of the only run.
func (w *world) events() []checkpoint.Event {
	w.T.Helper()
	only := w.only()
	id := only.Run
	if len(only.Also) > 0 { // a git operation in the run's worktree is listed instead of the run
		id = only.Also[0]
	}
	out := w.MustResume("log", "--raw", id)
	var events []checkpoint.Event
	for line := range strings.Lines(out) {
		e, err := checkpoint.Decode([]byte(strings.TrimSpace(line)))
		if err != nil {
			w.T.Fatalf("%v: %s", err, line)
		}
		events = append(events, e)
	}
	return events
}

// cause returns the recorded cause of the run's last stop.
func (w *world) cause() (cause string) {
	w.T.Helper()
	for _, e := range w.events() {
		if e.Cause != "" {
			cause = e.Cause
		}
	}
	return cause
}

// wantFile checks the content of a file in the run's worktree.
func (w *world) wantFile(name, text string) {
	w.T.Helper()
	if got := w.in(name); got != text {
		w.T.Errorf("%s is %q, want %q", name, got, text)
	}
}

// ran counts how often each task's command was really executed.
func (w *world) ran() map[checkpoint.TaskID]int {
	text, _ := os.ReadFile(filepath.Join(w.side, "ran"))
	out := map[checkpoint.TaskID]int{}
	for line := range strings.Lines(string(text)) {
		out[checkpoint.TaskID(strings.TrimSpace(line))]++
	}
	return out
}

// checkRecord compares the journal with what was executed: each command must have a recorded start, each repetition a reason, and each
// task that is done a result.
func (w *world) checkRecord() {
	w.T.Helper()
	starts, done := map[checkpoint.TaskID]int{}, map[checkpoint.TaskID]int{}
	for _, e := range w.events() {
		switch e.Event {
		case checkpoint.TaskStarted:
			starts[e.Task]++
			if e.Attempt != e.ID {
				w.T.Errorf("attempt %s was begun by line %s", e.Attempt, e.ID)
			}
			if starts[e.Task] > 1 && e.Text == "" {
				w.T.Errorf("task %s began again without a reason: %+v", e.Task, e)
			}
		case checkpoint.TaskDone, checkpoint.TaskSkipped:
			done[e.Task]++
		}
	}
	for id, n := range w.ran() {
		if n > starts[id] {
			w.T.Errorf("task %s ran %d times and was begun %d times", id, n, starts[id])
		}
	}
	for _, t := range w.only().Tasks {
		id := checkpoint.TaskID(t.ID)
		if t.State == "done" && (done[id] == 0 || w.ran()[id] == 0) {
			w.T.Errorf("task %s is done, with %d results after %d commands", id, done[id], w.ran()[id])
		}
	}
}

func wantIn(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing in:\n%s", word, text)
		}
	}
}
