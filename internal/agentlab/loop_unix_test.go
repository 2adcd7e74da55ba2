//go:build unix

package agentlab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/agents"
)

// work returns the steps of a job of two tasks. The first turn stops in the middle of the second task, and the next turn finishes that
// task.
func work() [][]step {
	return [][]step{{
		{say: "I make a plan.", list: []item{{"add schema", active}, {"update signup", pending}}},
		{say: "I write the schema.", shell: "echo one > schema.sql"},
		{say: "One is done.", list: []item{{"add schema", done}, {"update signup", active}}},
		{say: "I begin the second.", shell: "echo half > signup.go"},
		{stall: 10 * time.Minute},
	}, {
		{say: "I finish it.", shell: "echo whole >> signup.go"},
		{say: "Both are done.", list: []item{{"add schema", done}, {"update signup", done}}},
		{say: "All done."},
	}}
}

// resumeHere is the path of git-resume in the lab, for shells that set a PATH of their own.
const resumeHere = `"$LAB_EVENTS"/../bin/git-resume`

// reported is a job of two tasks for an agent whose task list git resume cannot read. The agent reports its tasks with commands of git
// resume instead.
func reported() [][]step {
	return [][]step{{
		{say: "I begin.", shell: resumeHere + " task start add-schema && echo one > schema.sql && " + resumeHere + " task done add-schema schema.sql"},
		{say: "I begin the second.", shell: resumeHere + " task start update-signup && echo half > signup.go"},
		{stall: 10 * time.Minute},
	}, {
		{say: "I finish it.", shell: resumeHere + " task start update-signup; echo whole >> signup.go && " + resumeHere + " task done update-signup signup.go"},
		{say: "All done."},
	}}
}

// jobFor returns a job of two tasks for an agent, and the options of 'git resume start' that name the tasks. Only Copilot CLI needs these
// options, because git resume cannot read its task list.
func jobFor(a agents.Agent) (turns [][]step, tasks []string) {
	if a.Name == "copilot" {
		return reported(), []string{"--task", "add-schema", "--task", "update-signup"}
	}
	return work(), nil
}

func TestAgents_loop(t *testing.T) {
	for _, a := range installed(t) {
		t.Run(a.Name, func(t *testing.T) {
			turns, tasks := work(), []string{}
			if a.Name == "copilot" {
				turns, tasks = reported(), []string{"--task", "add-schema: add schema", "--task", "update-signup: update signup"}
			}
			l := newLab(t, a, turns...)
			l.must("git-resume", "agents", "install", a.Name, "--tasks", "--yes")
			l.must("git-resume", append([]string{"start", "--here", "--name", "job"}, tasks...)...)
			killed := l.begin("Do the job")
			l.until("the second task", func() bool {
				out, _ := l.try("git-resume", "status", "job", "--porcelain")
				return strings.Contains(out, "\tactive\t") && strings.Contains(out, "\tdone\t") && l.has("signup.go")
			})
			l.shown("while it works", "status", "job")
			kill(killed)
			if out := l.shown("after kill -9", "status"); !strings.HasPrefix(out, "interrupted") {
				t.Fatalf("after kill -9, status says:\n%s", out)
			}
			l.must("git", "config", "resume.handoff", "agent")
			l.must("git", "config", "resume."+a.Name+".args", strings.Join(freely[a.Name], " "))
			l.shown("git resume job --auto", "job", "--auto")
			if out := l.shown("afterwards", "status", "--all"); !strings.Contains(out, "finished") {
				t.Errorf("after the hand-off, status says:\n%s", out)
			}
			if text, _ := os.ReadFile(filepath.Join(l.repo, "signup.go")); string(text) != "half\nwhole\n" {
				t.Errorf("signup.go has %q", text)
			}
			sessions := map[string]bool{}
			for _, e := range l.events() {
				sessions[e.Session] = true
			}
			if len(sessions) != 1 {
				t.Errorf("there were several sessions: %v", sessions)
			}
		})
	}
}

func (l *lab) has(name string) bool {
	_, err := os.Stat(filepath.Join(l.repo, name))
	return err == nil
}

// shown runs git-resume and logs what a user sees.
func (l *lab) shown(what string, args ...string) string {
	l.Helper()
	out, code := l.try("git-resume", args...)
	l.Logf("%s (exit code %d):\n%s", what, code, out)
	return out
}
