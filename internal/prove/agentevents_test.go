package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/gittest"
)

// agentScene is a command that records an agent's report, or puts it into the inbox. The test kills this command.
type agentScene struct {
	name string
	// event is the report that the killed command reads. If args is set, the test kills the command with these arguments instead.
	event string
	args  []string
	// held is true if the journal is locked while the command runs. The report then goes into the inbox.
	held bool
	// waiting is a report that is in the inbox before the command runs; empty if there is none.
	waiting string
}

const (
	promptEvent = `"hook_event_name":"UserPromptSubmit","prompt":"go"`
	stopEvent   = `"hook_event_name":"Stop"`
	limitEvent  = `"hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":"You hit your 5-hour limit, resets 7pm (UTC)"`
)

func agentScenes() []agentScene {
	return []agentScene{
		{name: "an event is recorded", event: limitEvent},
		{name: "an event goes into the inbox", event: limitEvent, held: true},
		{name: "an event takes in what waits", event: stopEvent, waiting: limitEvent},
		{name: "a report takes in what waits", args: []string{"task", "start", "b"}, waiting: limitEvent},
	}
}

// sampleOfEvents is how often everyday tests kill the command of each scenario.
const sampleOfEvents = 4

// TestKill_agentEvents kills the recording of agents' reports at system calls that are spread over the whole command.
func TestKill_agentEvents(t *testing.T) {
	t.Parallel()
	needTracer(t)
	for _, s := range agentScenes() {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			p := gittest.Prove(t, "A", "kills at a system call")
			_, calls := s.kill(t, traceJob{})
			for i := 0; p.More(sampleOfEvents); i++ {
				at := traceJob{N: gittest.Point(i, sampleOfEvents, calls), All: i%2 == 0}
				if gittest.Proving() {
					at = nextPoint(p, s.name, calls)
				}
				fired, _ := s.kill(t, at)
				p.At(series(s.name, at.All), at.N)
				if fired || at.N > calls-10 { // near the end there may be no call to kill at, because the number of calls varies
					p.Trial(1)
				}
			}
		})
	}
}

// kill runs the command of a scene, kills it, repeats it, and checks what is recorded.
func (s agentScene) kill(t *testing.T, at traceJob) (fired bool, calls int) {
	t.Helper()
	r := gittest.New(t).WithBinary()
	started(r.With("CLAUDE_CODE_SESSION_ID=s-1"))
	r.Write("../prompt", eventText(r, promptEvent))
	r.Write("../event", eventText(r, s.event))
	r.Write("../waiting", eventText(r, s.waiting))
	send(t, r, "prompt", traceJob{})
	run := r.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/resume/journal")
	lock := func(wanted bool) func() {
		if !wanted {
			return func() {}
		}
		l, err := flock.Try(filepath.Join(r.Dir, ".git", "resume", run+".append"))
		if err != nil {
			t.Fatal(err)
		}
		return func() { _ = l.Release() }
	}
	if s.waiting != "" {
		free := lock(true)
		send(t, r, "waiting", traceJob{})
		free()
		if len(letters(r)) != 1 {
			t.Fatalf("the inbox has %q", letters(r))
		}
	}
	command := func(at traceJob) outcome {
		if s.args == nil {
			return send(t, r, "event", at)
		}
		j := resumeJob(r, s.args...)
		j.N, j.All = at.N, at.All
		return trace(t, j)
	}
	free := lock(s.held)
	out := command(at)
	if said, code := r.Resume("status", "--json"); code != 0 || strings.Contains(said, `"state":"finished"`) {
		t.Errorf("killed at %s: status ends with %d:\n%s", out.At, code, said)
	}
	if again := command(traceJob{}); again.Exit != 0 {
		t.Errorf("killed at %s: repeated: exit code %d\n%s", out.At, again.Exit, again.Output)
	}
	free()
	r.MustResume("task", "add", "z") // every command that records something also records the reports in the inbox
	if err := s.recorded(r, readFacts(r).runs[run]); err != nil {
		t.Errorf("killed at %s: %v", out.At, err)
	}
	r.Fsck()
	return out.Fired, out.Calls
}

// recorded checks that the turn and its limit are in the journal exactly once, that the run is still open, that the inbox is empty, and
// that the note about the agent's session is complete.
func (s agentScene) recorded(r *gittest.Repo, f *runFacts) error {
	count := map[string]int{}
	for _, l := range f.lines {
		count[l.Event+" "+l.Cause]++
	}
	for _, want := range []string{"turn.started ", "turn.ended quota"} {
		if count[want] != 1 {
			return fmt.Errorf("a report was lost or recorded twice: %q is there %d times:\n%v", want, count[want], count)
		}
	}
	if f.closed != "" {
		return fmt.Errorf("the run is %s", f.closed)
	}
	if left := letters(r); len(left) > 0 {
		return fmt.Errorf("left in the inbox: %q", left)
	}
	note, err := os.ReadFile(filepath.Join(r.Dir, ".git", "resume", "sessions", "claude-s-1"))
	if err != nil || !strings.HasSuffix(string(note), "}\n") {
		return fmt.Errorf("the note about the session is %q, %v", note, err)
	}
	return nil
}

// letters lists the reports in the inbox. It leaves out incomplete files, which a killed process may have left.
func letters(r *gittest.Repo) (out []string) {
	entries, _ := os.ReadDir(filepath.Join(r.Dir, ".git", "resume", "inbox"))
	for _, e := range entries {
		if !strings.Contains(e.Name(), ".tmp") {
			out = append(out, e.Name())
		}
	}
	return out
}

func eventText(r *gittest.Repo, fields string) string {
	return fmt.Sprintf(`{"session_id":"s-1","cwd":%q,%s}`, r.Dir, fields)
}

// send runs the program with an event of Claude Code as its input. The event is in a file next to the repository.
func send(t *testing.T, r *gittest.Repo, file string, at traceJob) outcome {
	t.Helper()
	bin, err := gittest.ClockBinary() // the usual program gives up after less than a second, which is too short under a tracer
	if err != nil {
		bin = gittest.Binary(t) // with "--planted", the tests cannot build a program, but the program that they get already has the test clock
	}
	at.Args = []string{"/bin/sh", "-c", `exec "$0" agent-event <"$1"`, filepath.Join(bin, "git-resume"), filepath.Join(r.Dir, "..", file)}
	at.Dir, at.Env = r.Dir, r.Env
	out := trace(t, at)
	if at.N == 0 && (out.Exit != 0 || out.Output != "") {
		t.Fatalf("agent-event: exit code %d\n%s", out.Exit, out.Output)
	}
	return out
}
