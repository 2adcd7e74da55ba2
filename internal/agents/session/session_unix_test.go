//go:build unix

package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

func reader(home string) Reader {
	return Reader{Place: agents.Place{Home: home, Getenv: func(string) string { return "" }}, Now: time.Now}
}

// sleeper starts a process that sleeps. Its command line begins with the given words.
func sleeper(t *testing.T, args ...string) proc.Process {
	t.Helper()
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	cmd := &exec.Cmd{Path: path, Args: append(args, "100")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 500 {
		if p, ok := (proc.Table{}).Get(cmd.Process.Pid); ok && len(p.Args) > 0 && p.Args[0] == args[0] {
			return p
		}
		time.Sleep(time.Millisecond)
	}
	t.Skip("processes cannot be seen here")
	return proc.Process{}
}

// gone returns an actor whose process has ended on this host.
func gone(t *testing.T) *checkpoint.Actor {
	t.Helper()
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p, _ := proc.Table{}.Get(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return checkpoint.NewActor(proc.Table{}.Host(), p, "")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Codex's daemon outlives its sessions, so a living daemon does not prove that a session is alive. If the session has a lock file, the
// session must count as alive only while somebody holds that lock.
func TestFate_codexLock(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	x := reader(home)
	daemon := sleeper(t, "codex")
	rec := Record{Agent: "codex", Session: "id-1", Actor: checkpoint.NewActor(proc.Table{}.Host(), daemon, "")}
	if got := x.Fate(rec); got != proc.Alive {
		t.Errorf("without a lock file the process counts, but it is %v", got)
	}
	path := filepath.Join(home, ".codex", "thread-writer-locks", "id-1.lock")
	write(t, path, "")
	if got := x.Fate(rec); got != proc.Dead {
		t.Errorf("nobody holds the lock, but it is %v", got)
	}
	lock, err := flock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	rec.Actor = gone(t)
	if got := x.Fate(rec); got != proc.Alive {
		t.Errorf("the lock is held, but it is %v", got)
	}
	_ = lock.Release()
	rec.Actor = nil
	if got := x.Fate(rec); got != proc.Dead {
		t.Errorf("without a process and without a lock it is %v", got)
	}
}

// Claude Code and Copilot CLI store which process has a session open. The session must count as alive while that process is alive, even if
// the process that called our hook has ended.
func TestFate_namedProcess(t *testing.T) {
	t.Parallel()
	for agent, file := range map[string]func(pid int) (name, text string){
		"claude": func(pid int) (string, string) {
			return fmt.Sprintf(".claude/sessions/%d.json", pid), fmt.Sprintf(`{"pid":%d,"sessionId":"id-1"}`, pid)
		},
		"copilot": func(pid int) (string, string) {
			return fmt.Sprintf(".copilot/session-state/id-1/inuse.%d.lock", pid), ""
		},
	} {
		home := t.TempDir()
		x, dead := reader(home), gone(t)
		rec := Record{Agent: agent, Session: "id-1", Actor: dead}
		if got := x.Fate(rec); got != proc.Dead {
			t.Errorf("%s: the process is gone, but it is %v", agent, got)
		}
		name, text := file(dead.PID)
		write(t, filepath.Join(home, name), text)
		if got := x.Fate(rec); got != proc.Dead {
			t.Errorf("%s: the named process is gone, but it is %v", agent, got)
		}
		name, text = file(sleeper(t, agent).PID)
		write(t, filepath.Join(home, name), text)
		if got := x.Fate(rec); got != proc.Alive {
			t.Errorf("%s: another process has the session, but it is %v", agent, got)
		}
		far := *dead
		far.NS = "pid:[1]"
		rec.Actor = &far
		if got := x.Fate(rec); got != proc.Unknown {
			t.Errorf("%s: in another container it is %v", agent, got)
		}
	}
}

func TestTranscript_isTheAgentsOwn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	x := reader(home)
	for agent, path := range map[string]string{
		"claude": ".claude/projects/-w/id-1.jsonl", "codex": ".codex/sessions/2026/11/15/rollout-2026-11-15T17-49-41-id-1.jsonl",
		"qwen": ".qwen/projects/-w/chats/id-1.jsonl", "gemini": ".gemini/tmp/w/chats/session-2026-11-15T17-53-id-1.jsonl", "copilot": ".copilot/session-state/id-1/events.jsonl",
	} {
		path = filepath.Join(home, path)
		write(t, path, "x")
		outside := filepath.Join(home, "id-1.jsonl")
		write(t, outside, "x")
		for _, hint := range []string{"", path, outside, "/etc/passwd", filepath.Join(home, ".claude", "..", "id-1.jsonl"), "relative/id-1"} {
			if got := x.transcript(Record{Agent: agent, Session: "id-1", Transcript: hint}); got != path {
				t.Errorf("%s with %q: %q", agent, hint, got)
			}
		}
	}
	if got := x.transcript(Record{Agent: "claude", Session: "../id-1"}); got != "" {
		t.Errorf("an id that is a path leads to %q", got)
	}
}

func TestReadTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big, link, pipe := filepath.Join(dir, "big"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	write(t, big, strings.Repeat("x", 10*maxTail)+"\nlast\n")
	if text, err := readTail(big); err != nil || string(text) != "last\n" {
		t.Errorf("%.20q, %v", text, err)
	}
	if err := os.Symlink(big, link); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{link, pipe, dir, filepath.Join(dir, "none"), ""} {
		if text, err := readTail(path); err == nil {
			t.Errorf("%s: read %.20q", path, text)
		}
	}
}
