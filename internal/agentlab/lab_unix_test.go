//go:build unix

package agentlab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// folder is the path of the folder in which the programs of the agents are installed. If the variable AGENTS is not set, the tests of this
// package are skipped.
var folder = os.Getenv("AGENTS")

// nodeVersion is the version of Node.js that runs the agents written in JavaScript.
const nodeVersion = "22.20.0"

// installed returns the agents whose programs are in the folder, after npm has installed those that are missing. Agents that cannot be
// installed are left out, and the test is skipped if none is left.
func installed(t *testing.T) (out []agents.Agent) {
	t.Helper()
	if folder == "" {
		t.Skip("agents: 0 of 6 run (make agents DIR=folder installs the programs and runs them)")
	}
	wanted := 0
	for _, a := range agents.All {
		if a.Support != agents.Installed {
			continue
		}
		wanted++
		if err := install(a); err != nil {
			t.Logf("%s %s: %v", a.Name, a.Tried, err)
			continue
		}
		out = append(out, a)
	}
	t.Logf("agents: %d of %d run", len(out), wanted)
	if len(out) == 0 {
		t.Skip("agents: 0 of 6 run")
	}
	return out
}

func nodePackage() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return "node-" + runtime.GOOS + "-" + arch
}

// install makes sure that the folder has Node.js and the agent. The agent has the version with which our hooks were tried. npm installs
// what is missing, and runs no scripts of the packages.
func install(a agents.Agent) error {
	if err := fromNPM("node", nodePackage(), nodeVersion, filepath.Join("bin", "node")); err != nil {
		return err
	}
	return fromNPM(a.Name, a.Package, a.Tried, "")
}

func fromNPM(name, pack, version, file string) error {
	dir := filepath.Join(folder, name)
	done := filepath.Join(dir, "installed-"+version)
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("npm", "install", "--force", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, pack+"@"+version)
	cmd.Env = append(os.Environ(), "npm_config_update_notifier=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	if file != "" {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", pack, file)); err != nil {
			return err
		}
	}
	return os.WriteFile(done, nil, 0o644)
}

// lab is a throw-away home folder with one repository and one agent.
type lab struct {
	*testing.T
	agent           agents.Agent
	dir, home, repo string
	model           *model
	env             []string
}

// newLab makes a home folder and a repository with one commit. The home folder has no settings of the user, and the agent in it asks the
// fake model of the test.
func newLab(t *testing.T, a agents.Agent, turns ...[]step) *lab {
	t.Helper()
	dir, err := os.MkdirTemp(folder, "lab-"+a.Name+"-")
	gittest.NoError(t, "make a folder", err)
	dir, err = filepath.EvalSymlinks(dir)
	gittest.NoError(t, "find the folder", err)
	t.Cleanup(func() {
		if os.Getenv("AGENTS_KEEP") == "" && !t.Failed() {
			os.RemoveAll(dir)
		}
	})
	l := &lab{T: t, agent: a, dir: dir, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "shop"), model: newModel(t, turns...)}
	for _, d := range []string{l.home, l.repo, l.path("bin"), l.path("events"), l.path("tmp")} {
		gittest.NoError(t, "make a folder", os.MkdirAll(d, 0o755))
	}
	l.programs()
	l.env = append(l.env, "HOME="+l.home, "PATH="+l.path("bin")+":"+filepath.Join(folder, "node", "node_modules", nodePackage(), "bin")+":/usr/local/bin:/usr/bin:/bin",
		"TERM=dumb", "LANG=C.UTF-8", "SHELL=/bin/sh", "TZ=UTC", "TMPDIR="+l.path("tmp"), "LAB_EVENTS="+l.path("events"),
		"XDG_CONFIG_HOME="+filepath.Join(l.home, ".config"), "XDG_DATA_HOME="+filepath.Join(l.home, ".local", "share"), "XDG_STATE_HOME="+filepath.Join(l.home, ".local", "state"),
		"XDG_CACHE_HOME="+filepath.Join(l.home, ".cache"), "GIT_CONFIG_GLOBAL="+filepath.Join(l.home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM=1")
	l.write(filepath.Join(l.home, ".gitconfig"), "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n")
	l.configure()
	l.write(filepath.Join(l.repo, "README"), "first\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "first"}} {
		l.must("git", args...)
	}
	return l
}

func (l *lab) path(parts ...string) string {
	return filepath.Join(append([]string{l.dir}, parts...)...)
}

func (l *lab) write(path, text string) {
	l.Helper()
	gittest.NoError(l, "make a folder", os.MkdirAll(filepath.Dir(path), 0o755))
	gittest.NoError(l, "write a file", os.WriteFile(path, []byte(text), 0o644))
}

// programs puts the agent and git-resume on PATH. This git-resume is a script that keeps a copy of each event from a hook before it calls
// the real git-resume.
func (l *lab) programs() {
	l.Helper()
	script := `#!/bin/sh
[ "$1" = agent-event ] || exec %[1]s "$@"
trap '' TERM INT HUP
f=$LAB_EVENTS/$(date +%%s%%N)-$$
env > "$f.env"
echo "$2" > "$f.name"
cat > "$f.part"
mv "$f.part" "$f.json"
exec %[1]s "$@" < "$f.json"
`
	program := filepath.Join(gittest.Binary(l), "git-resume")
	gittest.NoError(l, "write a script", gittest.WriteProgram(l.path("bin", "git-resume"), fmt.Appendf(nil, script, program)))
	gittest.NoError(l, "link the agent", os.Symlink(binary(l, l.agent), l.path("bin", l.agent.Program)))
}

// binary finds the program of an agent. Some packages have only a launcher, and the real program is in another package. The real program is
// preferred.
func binary(t testing.TB, a agents.Agent) string {
	t.Helper()
	modules := filepath.Join(folder, a.Name, "node_modules")
	system := strings.TrimPrefix(nodePackage(), "node")
	for _, pattern := range []string{a.Package + system + "/" + a.Program, a.Program + system + "/bin/" + a.Program, ".bin/" + a.Program} {
		if found, _ := filepath.Glob(filepath.Join(modules, pattern)); len(found) > 0 {
			return found[0]
		}
	}
	t.Fatalf("%s has no program in %s", a.Title, modules)
	return ""
}

// command returns a command that runs in the repository, in a process group of its own.
func (l *lab) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.find(name), args...)
	cmd.Dir, cmd.Env = l.repo, l.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// find returns the path of a program in the lab, or only the name if the lab does not have the program.
func (l *lab) find(name string) string {
	if _, err := os.Stat(l.path("bin", name)); err == nil {
		return l.path("bin", name)
	}
	return name
}

// try runs a command and returns what it printed, and its exit code. The test fails if the command cannot be started or takes too long.
func (l *lab) try(name string, args ...string) (string, int) {
	l.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := l.command(ctx, name, args...).CombinedOutput()
	var code *exec.ExitError
	switch {
	case ctx.Err() != nil:
		l.Fatalf("%s %q took longer than %s:\n%s", name, args, patience, out)
	case errors.As(err, &code):
		return string(out), code.ExitCode()
	case err != nil:
		l.Fatalf("%s: %v", name, err)
	}
	return string(out), 0
}

func (l *lab) must(name string, args ...string) string {
	l.Helper()
	out, code := l.try(name, args...)
	if code != 0 {
		l.Fatalf("%s %q ended with %d:\n%s", name, args, code, out)
	}
	return out
}

// patience is how long one command may take. Agents are slow to start on a busy machine.
const patience = 4 * time.Minute

// session lets the agent work on a prompt until the turn ends.
func (l *lab) session(prompt string, args ...string) (string, int) {
	l.Helper()
	return l.try(l.agent.Program, append(headless(l.agent.Name, prompt), args...)...)
}

// begin starts a session and does not wait for its end. The session is killed when the test is over.
func (l *lab) begin(prompt string) *exec.Cmd {
	l.Helper()
	return l.start(headless(l.agent.Name, prompt))
}

// start starts the agent with these arguments and does not wait for its end. The agent is killed when the test is over.
func (l *lab) start(args []string) *exec.Cmd {
	l.Helper()
	cmd := l.command(context.Background(), l.agent.Program, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	gittest.NoError(l, "start the agent", cmd.Start())
	l.Cleanup(func() {
		kill(cmd)
		if l.Failed() {
			l.Logf("the agent said:\n%s", out.String())
		}
	})
	return cmd
}

// until waits until a condition is true. The test fails if that takes too long.
func (l *lab) until(what string, true func() bool) {
	l.Helper()
	for end := time.Now().Add(patience); !true(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			l.Fatalf("waited in vain for %s", what)
		}
	}
}

// event is what a hook of the agent reported.
type event struct {
	agents.Event
	text string
}

// events returns what the hooks reported so far, in the order in which they were called. Empty reports are left out.
func (l *lab) events() (out []event) {
	l.Helper()
	files, err := filepath.Glob(l.path("events", "*.json"))
	gittest.NoError(l, "list the events", err)
	sort.Strings(files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		gittest.NoError(l, "read an event", err)
		if len(text) == 0 { // the agent was killed before it could give its hook the report
			continue
		}
		// the hooks of some agents pass the name of the event as an argument, because the payload lacks it
		name, _ := os.ReadFile(strings.TrimSuffix(f, ".json") + ".name")
		vars, _ := os.ReadFile(strings.TrimSuffix(f, ".json") + ".env")
		e, ok := agents.Recognize(text, strings.TrimSpace(string(name)), func(v string) string { return variable(string(vars), v) })
		if !ok {
			l.Errorf("a hook reported something that is not recognized: %s", text)
			continue
		}
		out = append(out, event{e, string(text)})
	}
	return out
}

func variable(env, name string) string {
	for line := range strings.Lines(env) {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSuffix(v, "\n")
		}
	}
	return ""
}

func names(events []event) (out []string) {
	for _, e := range events {
		out = append(out, e.Name)
	}
	return slices.Compact(out)
}
