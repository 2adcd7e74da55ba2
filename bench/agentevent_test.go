package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// hook sends an event to the program, as a session of Claude Code in the folder dir does.
func hook(t *testing.T, r *gittest.Repo, dir, fields string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), "agent-event")
	cmd.Dir, cmd.Env = dir, r.Env
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s-1","cwd":%q,%s}`, dir, fields))
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("agent-event: %v\n%s", err, said)
	}
}

// emptyProgram builds a Go program that does nothing, and returns a function that runs it. Hooks are compared with it, because a Go program
// can hardly be faster.
func emptyProgram(t *testing.T) func() {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	place, err := gittest.InstallDir()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(place, "empty")
	// The empty program is built and copied in the same way as git-resume, see gittest.BuildInto. A file that the linker has just written
	// would start more slowly than a copy.
	if out, err := exec.Command("go", "run", "-exec", "cp", filepath.Join(dir, "main.go"), program).CombinedOutput(); err != nil {
		t.Fatalf("go run: %v\n%s", err, out)
	}
	return func() {
		cmd := exec.Command(program)
		cmd.Stdin = strings.NewReader("x")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("the empty program: %v\n%s", err, out)
		}
	}
}

// A coding agent waits until its hook ends, so the program must be fast when a hook calls it.
func TestMeasure_agentEvent(t *testing.T) {
	needClock(t)
	const prompt, stop = `"hook_event_name":"UserPromptSubmit","prompt":"go"`, `"hook_event_name":"Stop"`
	r := crowd(t, 0, 200)
	empty, outside := emptyProgram(t), t.TempDir()
	resume(r, "start", "--here", "--name", "blocked", "--task", "a", "--task", "b")
	resume(r, "start", "--name", "heard", "--task", "a", "--task", "b")
	heard := r.In(r.Git("for-each-ref", "--format=%(worktreepath)", "refs/heads/resume/heard-*"))
	other := filepath.Join(r.Dir, "..", "other")
	r.Git("worktree", "add", "-q", "--detach", other)
	hook(t, r, heard.Dir, prompt)
	event := ""
	for _, c := range []contest{
		{what: "agent-event outside of repositories / an empty Go program", budget: 2, ours: func() { hook(t, r, outside, prompt) }, gits: empty},
		{what: "agent-event, 200 runs, none here / an empty Go program", budget: 3, ours: func() { hook(t, r, other, prompt) }, gits: empty},
		{what: "agent-event, 200 runs, nothing new / an empty Go program", budget: 3, ours: func() { hook(t, r, heard.Dir, prompt) }, gits: empty},
		{what: "agent-event, 200 runs, nothing new / git rev-parse HEAD", ours: func() { hook(t, r, heard.Dir, prompt) }, gits: func() { r.Git("rev-parse", "HEAD") }},
		{
			what: "agent-event that records, 200 runs / task block", budget: 1.5,
			before: func(round int) {
				if event = stop; round%2 == 1 {
					event = prompt
				}
				resume(r, "task", "start", "a", "--run", "blocked")
			},
			ours: func() { hook(t, r, heard.Dir, event) }, gits: func() { resume(r, "task", "block", "a", "--ask", "which?", "--run", "blocked") },
		},
		{
			what:   "agent-event that records / git commit --allow-empty",
			before: func(round int) { event = []string{prompt, stop}[round%2] },
			ours:   func() { hook(t, r, heard.Dir, event) },
			gits:   func() { r.Git("-c", "core.fsync=committed,reference", "commit", "-q", "--allow-empty", "-m", "x") },
		},
	} {
		c.rounds = 41
		c.run(t)
	}
	if log := heard.MustResume("log", "heard"); strings.Count(log, "turn.started") < 30 {
		t.Errorf("the events were not recorded:\n%s", log)
	}
}
