package proc

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These environment variables make this test program examine processes and print the result.
const (
	saysDriver = "PROC_TEST_DRIVER"
	tellFate   = "PROC_TEST_FATE"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(saysDriver) != "":
		p, _ := Table{}.Driver(os.Getpid())
		_ = json.NewEncoder(os.Stdout).Encode(p)
	case os.Getenv(tellFate) != "":
		f := strings.Split(os.Getenv(tellFate), " ")
		pid, _ := strconv.Atoi(f[0])
		os.Stdout.WriteString(Table{}.FateOf(Table{}.Host(), pid, f[1]).String())
	default:
		os.Exit(m.Run())
	}
}

// scenario runs a command line that calls this test program. It returns the process that the called test program found as its driver.
func scenario(t *testing.T, files map[string]string, name string, args ...string) Process {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	dir := t.TempDir()
	for file, text := range files {
		if err := writeProgram(filepath.Join(dir, file), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = name
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), saysDriver+"=1", "REPORT="+os.Args[0], "PYTHONDONTWRITEBYTECODE=1",
		"MAKEFLAGS=", "MAKELEVEL=") // otherwise make would print the name of its folder if make also runs the tests
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var p Process
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("the reporter said %q", out)
	}
	return p
}

// self, as the wanted driver of a case, stands for this test process itself: the process that Table.Driver finds must be this one.
const self = "self"

func TestDriver_realProcesses(t *testing.T) {
	t.Parallel()
	const report = "\"$REPORT\"\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		line  []string
		want  string // the beginning of the driver's command line
	}{
		{"a script", map[string]string{"s.sh": report + "true\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"a script by its name", map[string]string{"s.sh": "#!/bin/sh\n" + report + "true\n"}, []string{"./s.sh"}, "/bin/sh ./s.sh"},
		{"a bash script with options", map[string]string{"s.sh": report + "true\n"}, []string{"bash", "-euo", "pipefail", "s.sh"}, "bash -euo pipefail s.sh"},
		{"sh -c", nil, []string{"sh", "-c", report + "true"}, self},
		{"bash -c", nil, []string{"bash", "-c", report + "true"}, self},
		{"bash -lc", nil, []string{"bash", "-lc", report + "true"}, self},
		{"bash with options and -c", nil, []string{"bash", "-euo", "pipefail", "-c", report + "true"}, self},
		{"zsh -c", nil, []string{"zsh", "-fc", report + "true"}, self},
		{"fish -c", nil, []string{"fish", "--no-config", "-c", report + "true"}, self},
		{"-c in -c", nil, []string{"sh", "-c", "bash -c '" + report + "true'; true"}, self},
		{"-c in a script", map[string]string{"s.sh": "sh -c '" + report + "true'\ntrue\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"a subshell", map[string]string{"s.sh": "( " + report + "true )\ntrue\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"a subshell in a subshell", map[string]string{"s.sh": "( ( " + report + "true ); true )\ntrue\n"}, []string{"bash", "s.sh"}, "bash s.sh"},
		{"a substitution", map[string]string{"s.sh": "x=$( " + report + "true )\necho \"$x\"\n"}, []string{"bash", "s.sh"}, "bash s.sh"},
		{"a pipeline", map[string]string{"s.sh": "echo x | while read -r _; do " + report + " done\ntrue\n"}, []string{"bash", "s.sh"}, "bash s.sh"},
		{"the start of a pipeline", map[string]string{"s.sh": "{ " + report + "true; } | cat\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"the background", map[string]string{"s.sh": "{ " + report + "true; } &\nwait\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"a script in a script", map[string]string{"s.sh": "sh t.sh\ntrue\n", "t.sh": report + "true\n"}, []string{"sh", "s.sh"}, "sh t.sh"},
		{"a sourced script", map[string]string{"s.sh": ". ./t.sh\ntrue\n", "t.sh": report + "true\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"make", map[string]string{"Makefile": "all:\n\t@\"$$REPORT\"\n"}, []string{"make", "all"}, "make all"},
		{"make with a shell", map[string]string{"Makefile": "all:\n\t@\"$$REPORT\"; true\n"}, []string{"make", "-s", "all"}, "make -s all"},
		{"make below a script", map[string]string{"s.sh": "make -s all\ntrue\n", "Makefile": "all:\n\t@\"$$REPORT\"; true\n"}, []string{"sh", "s.sh"}, "make -s all"},
		{"python", map[string]string{"s.py": "import os, subprocess\nsubprocess.run([os.environ['REPORT']])\n"}, []string{"python3", "s.py"}, "python"},
		{"python with a shell", map[string]string{"s.py": "import subprocess\nsubprocess.run('\"$REPORT\"; true', shell=True)\n"}, []string{"python3", "s.py"}, "python"},
		{"node", map[string]string{"s.js": "require('child_process').execFileSync(process.env.REPORT, {stdio: 'inherit'})\n"}, []string{"node", "s.js"}, "node s.js"},
		{"node with a shell", map[string]string{"s.js": "require('child_process').execSync('\"$REPORT\"; true', {stdio: 'inherit'})\n"}, []string{"node", "s.js"}, "node s.js"},
		{"setsid", map[string]string{"s.sh": "setsid -w " + report + "true\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"setsid and a shell", map[string]string{"s.sh": "setsid -w sh -c '" + report + "true'\ntrue\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"timeout", map[string]string{"s.sh": "timeout 60 " + report + "true\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"env", map[string]string{"s.sh": "env X=1 " + report + "true\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"nice and nohup", map[string]string{"s.sh": "nice nohup " + report + "true\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"xargs", map[string]string{"s.sh": "echo x | xargs \"$REPORT\"\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"git", map[string]string{"s.sh": "git -c alias.say='!\"$REPORT\"; true' say\ntrue\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"everything at once", map[string]string{"s.sh": "( timeout 60 bash -c 'env setsid -w sh -c \"( \\\"\\$REPORT\\\"; true ); true\"; true'; true )\ntrue\n"}, []string{"sh", "s.sh"}, "sh s.sh"},
		{"a shell that reads", map[string]string{"s.sh": "echo '\"$REPORT\"; true' | sh -s one\n"}, []string{"sh", "s.sh"}, "sh -s one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := scenario(t, c.files, c.line[0], c.line[1:]...)
			line := strings.Join(p.Args, " ")
			if c.want == self {
				if p.PID != os.Getpid() {
					t.Errorf("driver is %d %q, not this process", p.PID, line)
				}
				return
			}
			if !strings.HasPrefix(line, c.want) && !(c.want == "python" && strings.Contains(line, "python")) {
				t.Errorf("driver is %q, want %q", line, c.want)
			}
			if p.PID == 0 || p.Start == "" {
				t.Errorf("driver is not named: %+v", p)
			}
		})
	}
}

// TestFateOf_realProcesses examines a process while it is alive, then as a zombie, and then after it is gone.
func TestFateOf_realProcesses(t *testing.T) {
	t.Parallel()
	var table Table
	here := table.Host()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	p, ok := table.Get(pid)
	if !ok || p.PPID != os.Getpid() || p.Start == "" {
		t.Fatalf("a living child: %+v, %v", p, ok)
	}
	want := func(name string, start string, want Fate) {
		t.Helper()
		if got := table.FateOf(here, pid, start); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	want("alive", p.Start, Alive)
	want("its number used again", p.Start+"0", Dead)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for zombie := false; !zombie; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		zombie = err != nil || strings.Contains(string(stat), ") Z ")
	}
	want("zombie", p.Start, Dead)
	_ = cmd.Wait()
	want("gone", p.Start, Dead)
	if (Host{}) == here || here.Boot == "" || here.NS == "" {
		t.Errorf("host: %+v", here)
	}
}

// TestFateOf_hiddenProcess examines a process as a user who is not allowed to see it. Such a process must not count as dead.
func TestFateOf_hiddenProcess(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can hide processes")
	}
	dir, err := os.MkdirTemp("/tmp", "proc-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeProgram(filepath.Join(dir, "look"), program); err != nil {
		t.Fatal(err)
	}
	p, _ := Table{}.Get(os.Getpid())
	cmd := exec.Command("unshare", "-m", "sh", "-c",
		"mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups "+dir+"/look")
	cmd.Env = append(os.Environ(), tellFate+"="+strconv.Itoa(p.PID)+" "+p.Start)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("processes cannot be hidden here: %v", err)
	}
	if string(out) != Unknown.String() {
		t.Errorf("a hidden process is %q", out)
	}
}

// TestAt_realProcesses finds the processes in a folder, also through a symbolic link to the folder.
func TestAt_realProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "real", "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	// The parent of sleep ends at once, so that sleep does not count as our descendant.
	cmd := exec.Command("sh", "-c", "cd real/below && { sleep 60 >/dev/null 2>&1 & echo $!; }")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	is := func(p Process) bool { return p.PID == pid }
	for _, at := range []string{"real", "real/below", "link", "link/below"} {
		if found, known := (Table{}).WithDirectoryIn([]string{filepath.Join(dir, at)}); !known || !slices.ContainsFunc(found, is) {
			t.Errorf("in %s: %v, %v", at, found, known)
		}
	}
	if found, _ := (Table{}).WithDirectoryIn([]string{filepath.Join(dir, "rea")}); len(found) != 0 {
		t.Errorf("in a folder that is not there: %v", found)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (a b) c) S 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0"))
	f.Add([]byte("12 (x) Z 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		p, ok := parseStat(12, stat)
		if ok && (p.PID != 12 || p.Start == "") {
			t.Errorf("of %q: %+v", stat, p)
		}
	})
	if p, ok := parseStat(12, []byte("12 (a b) c) S 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0")); !ok || p.PPID != 7 || p.Start != "4711" {
		f.Errorf("got %+v, %v", p, ok)
	}
}

func TestArgs_ofAnyLength(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 900, 1005, 1006, 1007, 1008, 1024, 4096, 5000, 100_000} {
		cmd := exec.Command("sh", "-c", "echo here; read line", strings.Repeat("x", n), "--last")
		input, err := cmd.StdinPipe() // the process ends when the test closes this pipe
		if err != nil {
			t.Fatal(err)
		}
		defer input.Close()
		output, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Start returns before the kernel has set up the arguments. Until the program runs, the arguments look empty.
		if said, err := bufio.NewReader(output).ReadString('\n'); said != "here\n" {
			t.Fatalf("the process said %q, %v", said, err)
		}
		want := slices.Clone(cmd.Args)
		got := Table{}.Args(cmd.Process.Pid)
		p, ok := Table{}.Get(cmd.Process.Pid)
		_ = cmd.Process.Kill()
		if !slices.Equal(got, want) || !ok || !slices.Equal(p.Args, want) {
			t.Errorf("%d bytes: %d arguments, %d with the rest, want %d", n, len(got), len(p.Args), len(want))
		}
		_ = cmd.Wait()
		if got := (Table{}).Args(cmd.Process.Pid); got != nil {
			t.Errorf("a process that is gone has the arguments %q", got)
		}
	}
}
