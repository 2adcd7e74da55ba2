//go:build unix

package agentlab

import (
	"strings"
	"testing"
)

func TestAgents_newUser(t *testing.T) {
	l := newLab(t, onlyAgent(t, "claude"), work()...)
	l.shown("$ git resume agents", "agents")
	l.shown("$ git resume agents install claude --tasks -n", "agents", "install", "claude", "--tasks", "-n")
	l.shown("$ git resume agents install claude --tasks -y", "agents", "install", "claude", "--tasks", "-y")
	if out := l.shown("$ git resume agents check --probe", "agents", "check", "--probe"); !strings.Contains(out, "called git-resume") {
		t.Error("the probe says nothing")
	}
	l.must("git", "config", "resume.agents", "begin") // with this setting, the hooks start a run by themselves
	agent := l.begin("Do the job")
	l.until("the second task", func() bool { return l.has("signup.go") && l.model.stalled() })
	l.shown("$ git resume status (while claude works)", "status")
	l.shown("$ git resume agents (while claude works)", "agents")
	kill(agent)
	if out := l.shown("$ git resume status (after kill -9)", "status"); !strings.HasPrefix(out, "interrupted") {
		t.Error("the run is not interrupted")
	}
	l.shown("$ git resume --preflight -n", "--preflight", "-n")
	l.handsOver()
	l.shown("$ git resume --auto", "--auto")
	if out := l.shown("$ git resume status --all", "status", "--all"); !strings.Contains(out, "finished") {
		t.Error("the run is not finished")
	}
	l.shown("$ git resume log", "log", "do-the-job")
	l.shown("$ git resume agents uninstall -y", "agents", "uninstall", "-y")
}
