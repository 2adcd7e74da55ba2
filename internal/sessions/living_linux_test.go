package sessions

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

// edit replaces texts in the files of a store that a pattern names.
func edit(t *testing.T, home, pattern string, replace ...string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(home, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file %s: %v", pattern, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer(replace...).Replace(string(text))
		if changed == string(text) {
			t.Fatalf("%s does not contain %q", path, replace)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age(t, home, recorded)
}

// TestRead_registeredPrograms reads stores whose program wrote down its process, and compares that with the processes that there are.
func TestRead_registeredPrograms(t *testing.T) {
	t.Parallel()
	const registry = ".claude/sessions/*.json"
	living := func(pid int, start string) []proc.Process { return []proc.Process{{PID: pid, Start: start}} }
	for _, c := range []struct {
		what, agent, store string
		edit               []string
		living             []proc.Process
		after              time.Duration // the time since the last entry; some hours if it is zero
		fate               proc.Fate
		state, shown       State
	}{
		{what: "gone", store: "kill-tool", fate: proc.Dead, state: Cut, shown: Cut},
		{what: "at work", store: "kill-tool", living: living(8199, "63343"), fate: proc.Alive, state: Cut, shown: Running},
		{what: "another process with this number", store: "kill-tool", living: living(8199, "70000"), fate: proc.Dead, state: Cut, shown: Cut},
		{what: "a start that only ends the same", store: "kill-tool", living: living(8199, "163343"), fate: proc.Dead, state: Cut, shown: Cut},
		{what: "in a container", store: "kill-tool", edit: []string{namespace, "pid:[4026539999]"}, living: living(8199, "63343"), fate: proc.Unknown, state: Cut, shown: Cut},
		{what: "in a container, a minute ago", store: "kill-tool", edit: []string{namespace, "pid:[4026539999]"}, after: time.Minute, fate: proc.Unknown, state: Cut, shown: Running},
		{what: "on another machine", store: "kill-tool", edit: []string{machine, "1234"}, living: living(8199, "63343"), fate: proc.Unknown, state: Cut, shown: Cut},
		{what: "open and idle", store: "idle-open", living: living(19890, "127740"), fate: proc.Alive, state: Finished},
		{what: "an open permission", store: "kill-tool", edit: []string{`"status": "busy"`, `"status": "waiting", "waitingFor": "permission prompt"`}, living: living(8199, "63343"), fate: proc.Alive, state: Waits, shown: Waits},
		{what: "a program without a status", store: "kill-tool", edit: []string{`"status": "busy"`, `"kind": "sdk"`}, living: living(8199, "63343"), fate: proc.Alive, state: Cut, shown: Running},
		{what: "waiting for the end of a limit", store: "limit", living: living(8185, "63334"), fate: proc.Alive, state: Limit, shown: Limit},
		{what: "after the limit", store: "limit", after: 3 * time.Hour, fate: proc.Dead, state: Limit, shown: Cut},
		{what: "busy after the last entry, then killed", store: "idle-open", edit: []string{`"status": "idle"`, `"status": "busy"`}, fate: proc.Dead, state: Cut, shown: Cut},
		{what: "a torn registration", store: "kill-tool", edit: []string{"}", ""}, living: living(8199, "63343"), fate: proc.Dead, state: Cut, shown: Cut},
		{what: "with the start of the machine", agent: "qwen", store: "running", living: living(77, "4711"), fate: proc.Alive, state: Cut, shown: Running},
		{what: "another process", agent: "qwen", store: "running", living: living(77, "4712"), fate: proc.Dead, state: Cut, shown: Cut},
		{what: "a lock with a number", agent: "copilot", store: "kill-tool", living: []proc.Process{{PID: 31566, Args: []string{"node", "/usr/lib/copilot/index.js"}}}, fate: proc.Alive, state: Cut, shown: Running},
		{what: "a lock with a number that is used again", agent: "copilot", store: "kill-tool", living: []proc.Process{{PID: 31566, Args: []string{"vim"}}}, fate: proc.Dead, state: Cut, shown: Cut},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			if c.agent == "" {
				c.agent = "claude"
			}
			home := store(t, c.agent, c.store)
			if c.edit != nil {
				edit(t, home, registry, c.edit...)
			}
			if c.agent == "qwen" {
				put(t, home, ".qwen/sessions/77.json", `{"pid":77,"procStart":"b81f7811-aa1b:4711","pidNs":"`+namespace+`","sessionId":"905b4e63-0478-43ee-aa49-35947bd040cf"}`)
			}
			w := at(home, c.living...)
			s := only(t, Read(w, trees))
			if c.after != 0 {
				w.Now = s.Last.Add(c.after)
			}
			if s.Fate != c.fate || s.State != c.state {
				t.Errorf("%v and %v (%s), want %v and %v", s.Fate, s.State, s.Detail, c.fate, c.state)
			}
			var shown State
			for _, o := range Shown([]Session{s}, w.Now, Ground{}) {
				shown = o.State
			}
			if shown != c.shown {
				t.Errorf("shown as %q, want %q", shown, c.shown)
			}
		})
	}
}

// TestRead_locked holds the lock of a session as its program does: the file stays for ever, only the lock counts.
func TestRead_locked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, store string
		args        []string // of the process that holds the lock
		fate        proc.Fate
		busy        bool
		shown       State
	}{
		{"at work", "kill-tool", []string{"codex", "app-server"}, proc.Alive, true, Running},
		{"open and idle", "finished", []string{"codex"}, proc.Alive, false, ""},
		{"a process that cannot be seen", "kill-tool", nil, proc.Alive, true, Running},
		{"a file of another disk with the same number", "kill-tool", []string{"vim"}, proc.Dead, false, Cut},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			home := store(t, "codex", c.store)
			locks, err := filepath.Glob(filepath.Join(home, ".codex/thread-writer-locks/*.lock"))
			if err != nil || len(locks) != 1 {
				t.Fatal(locks, err)
			}
			file, err := os.OpenFile(locks[0], os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			w := at(home, proc.Process{PID: os.Getpid(), Args: c.args})
			s := only(t, Read(w, trees))
			if s.Fate != c.fate || s.Busy != c.busy {
				t.Errorf("%v, busy %v", s.Fate, s.Busy)
			}
			if got := Shown([]Session{s}, recorded, Ground{}); c.shown == "" && len(got) > 0 || c.shown != "" && (len(got) != 1 || got[0].State != c.shown) {
				t.Errorf("shown as %v, want %q", got, c.shown)
			}
			if err := syscall.Flock(int(file.Fd()), syscall.LOCK_UN); err != nil {
				t.Fatal(err)
			}
			if s := only(t, Read(w, trees)); s.Fate != proc.Dead {
				t.Errorf("%v after the lock was released", s.Fate)
			}
		})
	}
}

// TestStandIn is the program of an agent for TestRead_seenPrograms: it runs until its input ends.
func TestStandIn(t *testing.T) {
	if os.Getenv("SESSIONS_STAND_IN") == "" {
		t.Skip("only another test starts it")
	}
	os.Stdout.WriteString("ready\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestRead_seenPrograms runs a program with the name of an agent that keeps no lock, in the folder of its sessions.
func TestRead_seenPrograms(t *testing.T) {
	t.Parallel()
	home := store(t, "gemini", "two")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	edit(t, home, ".gemini/tmp/*/.project_root", trees[0], dir)
	w := at(home)
	w.Procs = proc.Table{}
	fates := func() (out []string) {
		for _, s := range Read(w, []string{dir}).Sessions {
			out = append(out, string(s.State)+" "+s.Fate.String())
		}
		return out
	}
	if got := strings.Join(fates(), ", "); got != "finished gone, cut gone" && got != "cut gone, finished gone" {
		t.Errorf("without a program: %s", got)
	}
	first := fates()[0]
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestStandIn$")
	cmd.Args[0], cmd.Dir, cmd.Env = "gemini", dir, append(os.Environ(), "SESSIONS_STAND_IN=1")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		input.Close()
		_ = cmd.Wait()
	}()
	if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	got := fates()
	if got[0] != strings.Replace(first, "gone", "alive", 1) || !strings.HasSuffix(got[1], "gone") {
		t.Errorf("one program belongs to the newest session, not to %v", got)
	}
}
