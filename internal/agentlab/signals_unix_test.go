//go:build unix

package agentlab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ending is how an agent ends if it gets a signal in the middle of a turn: its exit code, and the events that its hooks report after the
// signal.
type ending struct {
	code   int
	events string
}

// endings holds how each agent ended when we sent it each signal in the middle of a turn. Neither the exit code nor the events show whether
// the turn was finished: for example, Claude Code, Gemini CLI and Copilot CLI can exit with 0 in the middle of a turn.
var endings = map[string]map[syscall.Signal]ending{
	"claude":   {syscall.SIGINT: {0, "SessionEnd"}, syscall.SIGTERM: {143, "SessionEnd"}, syscall.SIGHUP: {129, "SessionEnd"}, syscall.SIGKILL: {137, ""}},
	"codex":    {syscall.SIGINT: {1, "Interrupt SessionEnd"}, syscall.SIGTERM: {143, ""}, syscall.SIGHUP: {129, ""}, syscall.SIGKILL: {137, ""}},
	"gemini":   {syscall.SIGINT: {0, "SessionEnd"}, syscall.SIGTERM: {0, "SessionEnd"}, syscall.SIGHUP: {0, "SessionEnd"}, syscall.SIGKILL: {137, ""}},
	"qwen":     {syscall.SIGINT: {130, ""}, syscall.SIGTERM: {143, ""}, syscall.SIGHUP: {129, ""}, syscall.SIGKILL: {137, ""}},
	"copilot":  {syscall.SIGINT: {0, "sessionEnd"}, syscall.SIGTERM: {0, "sessionEnd"}, syscall.SIGHUP: {0, "sessionEnd"}, syscall.SIGKILL: {137, ""}},
	"opencode": {syscall.SIGINT: {130, ""}, syscall.SIGTERM: {143, ""}, syscall.SIGHUP: {129, ""}, syscall.SIGKILL: {137, ""}},
}

func TestAgents_signals(t *testing.T) {
	// If the tests run under nohup, SIGHUP is ignored, and the agents would inherit that. After Notify, SIGHUP has its usual effect in
	// new processes.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for _, a := range installed(t) {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
			t.Run(a.Name+"/"+sig.String(), func(t *testing.T) {
				turns, tasks := jobFor(a)
				l := newLab(t, a, turns...)
				l.must("git-resume", "agents", "install", a.Name, "--tasks", "--yes")
				l.must("git-resume", append([]string{"start", "--here", "--name", "job"}, tasks...)...)
				agent := l.begin("Do the job")
				l.until("the second task", func() bool { return l.has("signup.go") && l.model.stalled() })
				before := len(l.events())
				to := agent.Process.Pid
				if a.Name == "qwen" {
					to = -to // Qwen Code works in a second process, which would continue if only the first one got the signal
				}
				_ = syscall.Kill(to, sig)
				got := ending{code: l.left(agent)}
				time.Sleep(time.Second) // a hook may live longer than its agent
				l.until("the end of its other processes", func() bool {
					out, _ := l.try("git-resume", "status")
					return !strings.HasPrefix(out, "running")
				})
				got.events = strings.Join(names(l.events()[before:]), " ")
				if a.Name == "qwen" && sig == syscall.SIGTERM && got.code == 130 {
					got.code = 143 // Qwen Code has two processes, and the exit code depends on which of them ends first
				}
				if want := endings[a.Name][sig]; got != want {
					t.Errorf("the agent ended with %+v, and not with %+v", got, want)
				}
				if out := l.shown("afterwards", "status"); !strings.HasPrefix(out, "interrupted") {
					t.Errorf("status says:\n%s", out)
				}
				out := l.must("git-resume", "log", "job")
				if strings.Contains(out, "run.finished") || strings.Contains(out, "turn.ended  done") {
					t.Errorf("the turn counts as finished:\n%s", out)
				}
				t.Logf("%+v\n%s", got, out)
			})
		}
	}
}

// left waits until an agent has ended, and returns the exit code that a shell would see.
func (l *lab) left(cmd *exec.Cmd) int {
	l.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
	case <-time.After(patience):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		l.Fatalf("the agent lives on: %v", fmt.Sprint(cmd.Args))
	}
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
