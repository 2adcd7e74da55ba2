//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/gittest"
)

// hooked sends one event of Claude Code to the program, and returns what the program printed.
func hooked(r *gittest.Repo, fields string) string {
	r.T.Helper()
	cmd := exec.Command(filepath.Join(gittest.Binary(r.T), "git-resume"), "agent-event")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s-1","cwd":%q,%s}`, r.Dir, fields))
	said, err := cmd.CombinedOutput()
	if err != nil {
		r.T.Fatalf("agent-event: %v\n%s", err, said)
	}
	return string(said)
}

const (
	askedEvent = `"hook_event_name":"UserPromptSubmit","prompt":"go"`
	endedEvent = `"hook_event_name":"Stop"`
	limitEvent = `"hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":"You hit your 5-hour limit, resets 7pm (UTC)"`
)

// claudeSession is the variable with which Claude Code names the session of the function "hooked".
const claudeSession = "CLAUDE_CODE_SESSION_ID=s-1"

func TestAgentEvent_waitsInTheInbox(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.With(claudeSession).MustResume("start", "--here", "--name", "job", "--task", "a")
	run := r.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/resume/journal")
	inbox := filepath.Join(r.Dir, ".git", "resume", "inbox")
	lock, err := flock.Try(filepath.Join(r.Dir, ".git", "resume", run+".append"))
	if err != nil {
		t.Fatal(err)
	}
	hooked(r, askedEvent)
	hooked(r, limitEvent)
	letters, _ := os.ReadDir(inbox)
	if len(letters) != 2 {
		t.Fatalf("%d letters in the inbox", len(letters))
	}
	// Put files into the inbox that git-resume did not write. It must ignore them.
	first, err := os.ReadFile(filepath.Join(inbox, letters[1].Name()))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		run + "@1-forged": strings.Replace(string(first), "quota", "error", 1), run + "@2-forged": strings.Repeat("x", 1<<20), run + "@3-x": "",
	} {
		if err := os.WriteFile(filepath.Join(inbox, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", filepath.Join(inbox, run+"@4-x")); err != nil {
		t.Fatal(err)
	}
	if said := r.MustResume("status"); !strings.Contains(said, "5-hour limit") || strings.Contains(r.MustResume("log", "job"), "turn.") {
		t.Errorf("a reader does not see the inbox, or recorded it:\n%s", said)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	hooked(r, endedEvent)
	if left, _ := os.ReadDir(inbox); len(left) > 0 {
		t.Errorf("left in the inbox: %v", left)
	}
	log := r.MustResume("log", "job")
	for _, want := range []string{"turn.started", "turn.ended quota", "turn.ended done"} {
		if strings.Count(strings.Join(strings.Fields(log), " "), want) != 1 {
			t.Errorf("%q is not recorded once:\n%s", want, log)
		}
	}
	r.Fsck()
}

func TestAgentEvent_leavesOthersAlone(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	hooked(r, askedEvent)
	if _, err := os.Lstat(filepath.Join(r.Dir, ".git", "resume")); err == nil {
		t.Error("a repository that does not use git-resume got a folder")
	}
	r.MustResume("start", "--name", "apart", "--task", "a")
	before := r.Git("for-each-ref", "refs/resume")
	if said := hooked(r, `"hook_event_name":"SessionStart","source":"startup"`); said != "" {
		t.Errorf("said %q in another worktree", said)
	}
	hooked(r, askedEvent)
	hooked(r, endedEvent)
	if after := r.Git("for-each-ref", "refs/resume"); after != before {
		t.Errorf("recorded in a run of another worktree:\n%s\n%s", before, after)
	}
	// A living process works on the run, so another session must not report on it.
	work := exec.Command("sh", "-c", `git resume start --here --name mine --task a --owner $$ >&2; exec sleep 100`)
	work.Dir, work.Env = r.Dir, r.Env
	if err := work.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = work.Process.Kill(); _ = work.Wait() }()
	for range 600 {
		if names, _ := filepath.Glob(filepath.Join(r.Dir, ".git", "resume", "open", "mine-*")); len(names) > 0 && strings.Contains(r.MustResume("status"), "mine-") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	before = r.Git("for-each-ref", "refs/resume")
	if said := hooked(r, `"hook_event_name":"SessionStart","source":"startup"`); !strings.Contains(said, "Somebody else works on it: ") || len(said) > 1700 {
		t.Errorf("said %q", said)
	}
	hooked(r, askedEvent)
	hooked(r, limitEvent)
	if after := r.Git("for-each-ref", "refs/resume"); after != before {
		t.Errorf("recorded in a run of another process:\n%s\n%s", before, after)
	}
}

func TestAgentEvent_keepsWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	for how, after := range map[string]string{"it comes through": "", "it is lost": "exit 1;"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t).WithBinary()
			r.With(claudeSession).MustResume("start", "--here", "--name", "job", "--task", "a")
			git, err := exec.LookPath("git")
			if err != nil {
				t.Fatal(err)
			}
			bin := t.TempDir()
			slow := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' update-ref '*) : >'%s/slow'; sleep 2; %s : >'%s/done';; esac\nexec '%s' \"$@\"\n", bin, after, bin, git)
			if err := gittest.WriteProgram(filepath.Join(bin, "git"), []byte(slow)); err != nil {
				t.Fatal(err)
			}
			usual := r.Env
			r.Env = append(slices.Clone(usual), "PATH="+bin+":"+os.Getenv("PATH"))
			begun := time.Now()
			hooked(r, askedEvent)
			if took := time.Since(begun); took > 1900*time.Millisecond {
				t.Errorf("the hook took %v", took)
			}
			if _, err := os.Lstat(filepath.Join(bin, "slow")); err != nil {
				t.Fatal("nothing was slow")
			}
			r.Env = usual
			letters, _ := os.ReadDir(filepath.Join(r.Dir, ".git", "resume", "inbox"))
			if len(letters) != 1 {
				t.Fatalf("%d letters in the inbox", len(letters))
			}
			time.Sleep(3 * time.Second) // wait until the slow git has ended
			hooked(r, endedEvent)
			log := r.MustResume("log", "job")
			if strings.Count(log, "turn.started") != 1 || strings.Count(log, "turn.ended") != 1 {
				t.Errorf("the log says:\n%s", log)
			}
			if left, _ := os.ReadDir(filepath.Join(r.Dir, ".git", "resume", "inbox")); len(left) > 0 {
				t.Errorf("left in the inbox: %v", left)
			}
		})
	}
}
