package proc

import (
	"os"
	"strings"
	"testing"
)

func TestIsTerminalShell(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"bash": true, "-bash": true, "/bin/zsh -l": true, "sh -i": true, "bash --login -i": true, "bash --rcfile /tmp/rc": true, "bash -o vi": true,
		"zsh -o shwordsplit -i": true, "sh -s one two": true, "sh -": true, "busybox sh": true, "busybox ash -l": true, "fish": true, "-zsh": true, "dash +e": true,
		"tcsh": true, "bash --init-file x -i": true,
		"/bin/BASH.EXE --login": true, "cmd.exe": true, "CMD.EXE /k title": true, "powershell -NoLogo": true, "pwsh": true,
		"bash.exe script.sh": false, "cmd /c dir": false, "cmd.exe /D /C dir": false, "powershell -File x.ps1": false, "pwsh -Command ls": false,
		"sh script.sh": false, "bash -e script.sh": false, "bash -euo pipefail script.sh": false, "bash --noprofile --norc -eo pipefail script": false,
		"bash -- script": false, "bash - script": false, "sh -c true": false, "bash -lc true": false, "busybox sh script": false, "busybox ls": false, "busybox": false,
		"zsh -o errexit script": false, "node": false, "python3 -i": false, "fish -c true": false, "fish --command=true": false, "fish script.fish": false, "": false,
	} {
		if got := IsTerminalShell(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v", line, got)
		}
	}
	if IsTerminalShell([]string{"sh", ""}) {
		t.Error("a script without a name passes for a terminal")
	}
}

func TestIsCarrier(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"sh -c x": true, "bash -lc x": true, "bash -eu -c x": true, "bash -euo pipefail -c x": true, "bash -o pipefail -c x": true, "bash --norc -c x": true,
		"bash --rcfile f -c x": true, "/usr/bin/zsh -fc x": true, "busybox sh -c x": true, "busybox ash -ec x": true, "fish -c x": true, "fish --command x": true,
		"git resume": true, "git-remote-https x": true, "/usr/lib/git-core/git-rebase": true, "timeout 5 x": true, "sudo -u me x": true, "xargs x": true, "-sh -c x": true,
		"git.exe resume": true, "sh.exe -c x": true, "cmd /c x": true, "powershell -c x": true, "powershell -File x.ps1": false, "cmd": false,
		"sh script -c x": false, "bash -e script -c": false, "bash": false, "bash -s -- -c": false, "make -c x": false, "python3 -c x": false, "node -e x": false,
		"bash -o pipefail script -c": false, "busybox timeout -c": false, "gitk": false, "bash -- -c": false,
	} {
		if got := isCarrier(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v", line, got)
		}
	}
}

// fakeTable returns a table that contains only the given, invented processes.
func fakeTable(all ...Process) Table {
	return Table{
		Look: func(pid int) (Process, bool) {
			for _, p := range all {
				if p.PID == pid {
					return p, true
				}
			}
			return Process{}, false
		},
		Here:  func() Host { return Host{Name: "here", Boot: "b1", NS: "n1"} },
		Alone: func() bool { return true },
	}
}

func TestFateOf(t *testing.T) {
	t.Parallel()
	table := fakeTable(Process{PID: 7, Start: "100"})
	here := Host{"here", "b1", "n1"}
	for _, c := range []struct {
		name  string
		host  Host
		pid   int
		start string
		want  Fate
	}{
		{"the very process", here, 7, "100", Alive},
		{"its number used again", here, 7, "99", Dead},
		{"no such process", here, 8, "100", Dead},
		{"an earlier boot", Host{"here", "b0", "n1"}, 7, "100", Dead},
		{"an earlier boot, another namespace", Host{"here", "b0", "n0"}, 7, "100", Dead},
		{"another namespace", Host{"here", "b1", "n2"}, 7, "100", Unknown},
		{"another host", Host{"there", "b1", "n1"}, 7, "100", Unknown},
		{"another host, another boot", Host{"there", "b0", "n1"}, 7, "100", Unknown},
		{"a host without a boot", Host{"here", "", "n1"}, 7, "100", Unknown},
		{"no start", here, 7, "", Unknown},
		{"no number", here, 0, "100", Unknown},
		{"a wrong number", here, -7, "100", Unknown},
	} {
		if got := table.FateOf(c.host, c.pid, c.start); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	blind := Table{Look: table.Look, Here: func() Host { return Host{Name: "here"} }}
	if got := blind.FateOf(here, 8, "100"); got != Unknown {
		t.Errorf("where nothing can be seen: %v", got)
	}
	// A clone of this machine's image may share the repository. It has the same name and the same namespace, but was started at another time.
	for _, alone := range []func() bool{nil, func() bool { return false }} {
		table.Alone = alone
		if got := table.FateOf(Host{"here", "b0", "n1"}, 7, "100"); got != Unknown {
			t.Errorf("an earlier boot, or another machine: %v", got)
		}
		if got := table.FateOf(here, 8, "100"); got != Dead {
			t.Errorf("the same boot: %v", got)
		}
		windows := Host{"here", anyBoot, "n1"}
		unsure := Table{Look: table.Look, Here: func() Host { return windows }, Alone: alone}
		if got := unsure.FateOf(windows, 8, "100"); got != Unknown {
			t.Errorf("where the starts of a machine are not told apart: %v", got)
		}
	}
	for fate, want := range map[Fate]string{Alive: "alive", Dead: "gone", Unknown: "unknown"} {
		if fate.String() != want {
			t.Errorf("%d: %q", fate, fate)
		}
	}
}

func TestDriver_madeUp(t *testing.T) {
	t.Parallel()
	table := fakeTable(
		Process{PID: 9, PPID: 8, Args: []string{"git-resume", "task"}},
		Process{PID: 8, PPID: 7, Args: []string{"git", "resume", "task"}},
		Process{PID: 7, PPID: 6},
		Process{PID: 6, PPID: 5, Args: []string{"bash", "run.sh"}},
		Process{PID: 5, PPID: 4, Args: []string{"bash", "run.sh"}},
		Process{PID: 4, PPID: 1, Args: []string{"-bash"}},
	)
	if p, ok := table.Driver(9); !ok || p.PID != 5 {
		t.Errorf("driver: %+v, %v", p, ok)
	}
	if !table.Descends(9, 5, "") || !table.Descends(9, 9, "") || table.Descends(4, 5, "") || table.Descends(9, 5, "other") {
		t.Error("descent is wrong")
	}
	ring := fakeTable(Process{PID: 2, PPID: 3, Args: []string{"git"}}, Process{PID: 3, PPID: 2, Args: []string{"git"}})
	if p, ok := ring.Driver(2); ok {
		t.Errorf("a ring has a driver: %+v", p)
	}
	if p, ok := fakeTable().Driver(9); ok {
		t.Errorf("nobody has a driver: %+v", p)
	}
}

// TestAt_passesOverOurOwn checks that WithDirectoryIn does not list our own process or its parent, although they are in the folder.
func TestAt_passesOverOurOwn(t *testing.T) {
	t.Parallel()
	if !canSeeAll() {
		t.Skip("processes cannot be seen here")
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	found, known := Table{}.WithDirectoryIn([]string{dir})
	if !known {
		t.Fatal("folders cannot be seen")
	}
	for _, p := range found {
		if p.PID == os.Getpid() || p.PID == os.Getppid() {
			t.Errorf("ourselves: %+v", p)
		}
	}
}

func canSeeAll() bool {
	_, known := Table{}.All()
	return known
}
