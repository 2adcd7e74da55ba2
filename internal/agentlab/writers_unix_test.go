//go:build unix

package agentlab

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Of the agents that were tried, only Codex refuses to continue a session that is still at work in another process.
func TestAgents_secondWriter(t *testing.T) {
	for _, a := range installed(t) {
		t.Run(a.Name, func(t *testing.T) {
			turns, tasks := jobFor(a)
			turns[1] = []step{{stall: 10 * time.Minute}}
			l := newLab(t, a, turns...)
			l.must("git-resume", "agents", "install", a.Name, "--tasks", "--yes")
			l.must("git-resume", append([]string{"start", "--here", "--name", "job"}, tasks...)...)
			first := l.begin("Do the job")
			l.until("the second task", func() bool { return l.has("signup.go") && l.model.stalled() })
			l.handsOver()
			again := l.again(l.events()[0].Session)
			if a.Name == "codex" {
				out, code := l.try(a.Program, again...)
				t.Logf("the same session once more (exit code %d):\n%s", code, out)
				if code == 0 || !strings.Contains(out, "active writer") {
					t.Error("a second process for the same session was not refused")
				}
			} else {
				second := l.start(again)
				l.until("the second process", func() bool { return l.model.stallCount() > 1 })
				l.shown("while both live", "status", "job")
				kill(first)
				l.notContinued("after the first process was killed")
				kill(second)
			}
			kill(first)
			l.until("an interrupted run", func() bool {
				out, _ := l.try("git-resume", "status")
				return strings.HasPrefix(out, "interrupted")
			})
			l.shown("after both were killed", "status")
		})
	}
}

// again returns the arguments with which a user continues a session without a terminal.
func (l *lab) again(session string) []string {
	l.Helper()
	c, ok := l.agent.Continuation()
	if !ok {
		l.Fatalf("%s continues no session", l.agent.Title)
	}
	var args []string
	for _, word := range strings.Fields(c.Alone)[1:] {
		if word == "{args}" {
			args = append(args, freely[l.agent.Name]...)
			continue
		}
		args = append(args, strings.NewReplacer("{agent_id}", session, "{dir}", l.repo, "{brief}", "Go on").Replace(word))
	}
	return args
}

// notContinued requires that 'git resume job --auto' does not continue the run, and does not start an agent.
func (l *lab) notContinued(when string) {
	l.Helper()
	asked := l.model.stallCount()
	if out, code := l.try("git-resume", "job", "--auto"); code != 13 || l.model.stallCount() != asked || l.model.saw("# Continue run") {
		l.Errorf("%s, --auto ended with %d:\n%s", when, code, out)
	}
}

// kill kills an agent with all its processes. It does nothing if the agent was killed before.
func kill(agent *exec.Cmd) {
	_ = syscall.Kill(-agent.Process.Pid, syscall.SIGKILL) // an error means that the agent has ended already
	_ = agent.Wait()
}
