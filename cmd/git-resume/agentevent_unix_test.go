//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	facts "github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/gittest"
)

// hookedEvents are inputs that a hook may get: a payload of an agent, nothing, damaged or hostile text, and too much text.
var hookedEvents = []string{
	`{"session_id":"s1","cwd":"/w","hook_event_name":"Stop"}`, "", "{", "null", "[[[[", "\x00\xff", `{"cwd":"` + strings.Repeat("../", 1000) + `"}`, strings.Repeat("x", 3<<20),
}

func TestAgentEvent_isSilent(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	outside := t.TempDir()
	for _, dir := range []string{repo.Dir, outside} {
		for _, in := range hookedEvents {
			for _, args := range [][]string{nil, {"sessionStart"}, {"--no-such-flag", "x"}, {"-h"}} {
				cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), append([]string{"agent-event"}, args...)...)
				cmd.Dir, cmd.Env, cmd.Stdin = dir, repo.Env, strings.NewReader(in)
				if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
					t.Errorf("%q with %.40q: %v, %q", args, in, err, said)
				}
			}
		}
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("it left %v outside of a repository", left)
	}
}

func TestAgentEvent_endsByItself(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), "agent-event")
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = repo.Dir, repo.Env, &said, &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("{")); err != nil {
		t.Fatal(err)
	}
	ignores(t, cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		_ = cmd.Process.Signal(s) // ignore the error: the process may have ended, which the test notices below
	}
	select {
	case err := <-ended:
		if err != nil || said.Len() > 0 {
			t.Errorf("it ended with %v and said %q", err, said.String())
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
		_ = cmd.Process.Kill()
	}
}

// The function "ignores" waits until the process ignores the signals that agents send.
func ignores(t *testing.T, pid int) {
	t.Helper()
	for range 200 {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
		if err != nil || strings.Contains(string(text), "SigIgn:\t0000000000004003") {
			return // the signals are ignored, or there is no /proc that shows ignored signals
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("it does not ignore signals")
}

// installedCommands returns the commands that are installed, or shown to be installed by hand, for all agents.
func installedCommands(t *testing.T) (commands []string) {
	t.Helper()
	form := regexp.MustCompile(`"(?:command|bash)": ?("[^"]* [^"]*")`)
	var texts []string
	for _, a := range facts.All {
		for _, p := range a.Pieces(facts.Place{Home: "/home/u"}, a.Tried, false) {
			texts = append(texts, string(p.Own))
			for _, e := range p.Entries {
				texts = append(texts, e.Value)
			}
		}
		for _, s := range a.Snippets(facts.Place{Home: "/home/u"}) {
			texts = append(texts, string(s.Text))
		}
	}
	for _, m := range form.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		command, err := strconv.Unquote(m[1])
		gittest.NoError(t, "read "+m[1], err)
		commands = append(commands, command)
	}
	slices.Sort(commands)
	return slices.Compact(commands)
}

// Claude Code and Codex do not go on after a hook that ends with 2. So what is installed ends with 0 and prints nothing, whatever happens to
// git-resume, in each shell that an agent may use.
func TestAgentCommand_neverFails(t *testing.T) {
	t.Parallel()
	commands := installedCommands(t)
	if len(commands) < 6 {
		t.Fatalf("found only %q", commands)
	}
	for name, program := range map[string]string{
		"missing": "", "a crash": "echo panic >&2; exit 2", "unknown word": "echo usage >&2; exit 129", "killed": "kill -9 $$", "a fault": "kill -SEGV $$", "failing": "exit 1",
	} {
		bin := t.TempDir()
		if program != "" {
			gittest.NoError(t, "write", os.WriteFile(filepath.Join(bin, "git-resume"), []byte("#!/bin/sh\n"+program+"\n"), 0o755))
		}
		for _, shell := range []string{"sh", "dash", "bash", "zsh", "fish", "ksh", "busybox sh"} {
			words := strings.Fields(shell)
			path, err := exec.LookPath(words[0])
			if err != nil {
				continue // it is not installed here
			}
			for _, command := range commands {
				cmd := exec.Command(path, append(words[1:], "-c", command)...)
				cmd.Env, cmd.Dir = []string{"PATH=" + bin, "HOME=" + bin}, bin
				if name != "missing" {
					cmd.Env[0] += ":/usr/bin:/bin"
				}
				var said bytes.Buffer
				cmd.Stdout = &said // a shell may name a killed process on its error output, which no agent shows after the exit code 0
				if err := cmd.Run(); err != nil || said.Len() > 0 {
					t.Errorf("%s, in %s: %v, %q from %s", name, shell, err, said.String(), command)
				}
			}
		}
	}
}
