package prove

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// traceJob tells the tracer what to run and where to kill.
type traceJob struct {
	Args   []string
	Dir    string
	Env    []string
	Output string
	Limit  time.Duration
	// N is the number of the system call at which to kill, counted over all processes. If After is set, the count begins after the call
	// that After describes. If Match is set, N is ignored.
	N int
	// Match describes the call at which to kill. If the field After is set, the tracer first waits for a call that After describes.
	Match, After call
	// All is true if every process is killed, and not only the process that makes the call.
	All bool
	// Fault makes the call fail instead of killing the process. If Lasting is true, all later calls that this fault can affect fail too.
	// With a fault, N counts only calls that can fail.
	Fault   fault
	Lasting bool
	// Pause stops the command (SIGSTOP) instead of killing it, and the tracer detaches from it for good.
	// The outcome is reported twice: when the command is stopped, and when it has ended.
	Pause bool
	// Record asks the tracer to list every call in the outcome.
	Record bool
}

// call is a system call that the tracer counts, or a pattern that describes such calls.
type call struct{ Process, Name, Path string }

func (c call) String() string { return c.Process + ": " + c.Name + " " + c.Path }

// outcome is what the tracer saw.
type outcome struct {
	Fired bool
	At    call
	PID   int
	Exit  int
	Calls int
	Hung  bool
	Trace []call
	// Output is what the command printed. The tracer writes it to a file.
	Output string `json:"-"`
}

// wants reports whether this is the call that the job describes.
func (j *traceJob) wants(n int, c call) bool {
	switch {
	case j.After != call{}:
		if c.like(j.After) {
			j.After = call{}
			j.N += n
		}
		return false
	case j.Match == call{}:
		return n == j.N
	}
	return c.like(j.Match)
}

func (c call) like(m call) bool {
	return strings.HasPrefix(c.Process, m.Process) && strings.HasPrefix(c.Name, m.Name) && strings.Contains(c.Path, m.Path)
}

// fault is a kind of disk failure. The value sound means that the disk does not fail.
type fault int

const (
	sound fault = iota
	noSpace
	failing
	readOnly
	noAccess
)

func (f fault) String() string { return [...]string{"sound", "ENOSPC", "EIO", "EROFS", "EACCES"}[f] }

// If the first argument is one of these words, the test binary does not run tests. It becomes the tracer, or starts a command with a
// filter.
const (
	tracerWord = "trace-for-the-kill-test"
	filterWord = "filter-for-the-kill-test"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == tracerWord {
		runTracer()
		return
	}
	if len(os.Args) > 2 && os.Args[1] == filterWord {
		runFiltered(os.Args[2:])
		return
	}
	gittest.Main(m)
}

// needTracer skips the test if processes cannot be traced.
func needTracer(t *testing.T) {
	t.Helper()
	if !canTrace {
		t.Skip("killing at a system call needs Linux on amd64")
	}
	r := gittest.Empty(t)
	out, err := tryTrace(t, traceJob{Args: []string{"/bin/true"}, Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Skipf("this system does not let a process be traced: %v", err)
	}
	if out.Exit != 0 {
		t.Skip("this system does not let a process be traced")
	}
}

// trace runs a command under the tracer. It fails the test if the command hangs.
func trace(t testing.TB, j traceJob) outcome {
	t.Helper()
	out, err := tryTrace(t, j)
	if err != nil {
		t.Fatalf("trace %v: %v", j.Args, err)
	}
	if out.Hung {
		t.Fatalf("%v hangs after a kill at %s", j.Args, out.At)
	}
	return out
}

func tryTrace(t testing.TB, j traceJob) (outcome, error) {
	t.Helper()
	run, err := startTrace(t, j)
	if err != nil {
		return outcome{}, err
	}
	return run.end()
}

// traced is a command that runs under the tracer.
type traced struct {
	cmd    *exec.Cmd
	told   *json.Decoder
	output string
}

func startTrace(t testing.TB, j traceJob) (*traced, error) {
	t.Helper()
	j.Output = filepath.Join(t.TempDir(), "output")
	if j.Limit == 0 {
		j.Limit = 5 * time.Minute // this is long enough for a slow command on a busy machine
	}
	in, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], tracerWord)
	cmd.Stdin = bytes.NewReader(in)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &traced{cmd, json.NewDecoder(pipe), j.Output}, cmd.Start()
}

// next waits for the next outcome that the tracer reports.
func (r *traced) next() (outcome, error) {
	var out outcome
	err := r.told.Decode(&out)
	return out, err
}

// end waits for the command's end. It returns the outcome with the command's output.
func (r *traced) end() (outcome, error) {
	out, err := r.next()
	if stop := r.cmd.Wait(); stop != nil {
		return out, stop
	}
	if err != nil {
		return out, err
	}
	said, err := os.ReadFile(r.output)
	out.Output = string(said)
	return out, err
}

// resumeJob returns a job that calls git-resume in a repository.
func resumeJob(r *gittest.Repo, args ...string) traceJob {
	return traceJob{Args: append([]string{filepath.Join(gittest.Binary(r.T), "git-resume")}, args...), Dir: r.Dir, Env: r.Env}
}
