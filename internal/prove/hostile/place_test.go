//go:build linux

package hostile

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// These are limits for one command. They leave room for the race detector and a busy machine.
const (
	maxTime   = 60 * time.Second
	maxMemory = 160 << 10 // in KiB
)

// place is a prepared repository, with files next to it that the program must not touch.
type place struct {
	*gittest.Repo
	root string
	// fired is the file in which every trap that runs writes its name.
	fired  string
	chance *rand.Rand
	// peak is the largest amount of memory, in KB, that a command used. slowest is the longest time that a command took.
	peak    int64
	slowest time.Duration
}

// newPlace makes a repository with one commit.
func newPlace(t testing.TB, chance *rand.Rand) *place {
	t.Helper()
	r := gittest.New(t).WithBinary()
	p := &place{Repo: r, root: filepath.Dir(r.Dir), chance: chance}
	p.fired = filepath.Join(p.root, "fired")
	for _, name := range []string{"victim/secret", "victim/sub/file"} {
		p.outside(name, "not yours\n")
	}
	p.outside("trap.sh", "#!/bin/sh\necho \"$1\" >> '"+p.fired+"'\nshift\nexec cat \"$@\"\n")
	return p
}

// outside writes a file next to the repository.
func (p *place) outside(name, text string) {
	p.T.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.T.Fatal(err)
	}
	if err := gittest.WriteProgram(path, []byte(text)); err != nil {
		p.T.Fatal(err)
	}
}

// trap returns a command that records that it ran.
func (p *place) trap(name string) string { return filepath.Join(p.root, "trap.sh") + " " + name }

// program writes a script that runs the trap, and returns the path of the script.
func (p *place) program(name string) string {
	p.T.Helper()
	p.outside("traps/"+name, "#!/bin/sh\nexec "+p.trap(name)+" </dev/null\n")
	return filepath.Join(p.root, "traps", name)
}

// triggeredTraps returns the sorted names of the traps that ran since this method was last called.
func (p *place) triggeredTraps() []string {
	text, _ := os.ReadFile(p.fired)
	_ = os.Remove(p.fired)
	out := strings.Fields(string(text))
	slices.Sort(out)
	return slices.Compact(out)
}

type result struct {
	args []string
	out  string
	code int
}

// codes lists the exit codes that are allowed for the commands of these tests.
var codes = []int{0, 1, 2, 10, 11, 12, 13, 14, 15, 128, 129}

// runReader runs a command that only reads, and checks that it changed nothing.
func (p *place) runReader(args ...string) result {
	p.T.Helper()
	before := p.digest(p.root)
	s := p.runWriter(args...)
	if after := p.digest(p.root); after != before {
		p.T.Errorf("%q changed something: %s", args, firstDifference(before, after))
	}
	return s
}

// runWriter runs a command that may write, and checks that it did not execute any of the programs that were planted as traps.
func (p *place) runWriter(args ...string) result {
	p.T.Helper()
	s := p.run(args...)
	if fell := p.triggeredTraps(); len(fell) > 0 {
		p.T.Errorf("%q ran %v\n%.2000s", args, fell, s.out)
	}
	return s
}

// run runs a command. It checks the time, the memory, the exit code and the output, and that the files in the folder "victim" did not
// change.
func (p *place) run(args ...string) result {
	p.T.Helper()
	before := p.digest(filepath.Join(p.root, "victim"))
	s := p.bounded(args...)
	if after := p.digest(filepath.Join(p.root, "victim")); after != before {
		p.T.Errorf("%q left the repository: %s", args, firstDifference(before, after))
	}
	if !slices.Contains(codes, s.code) || strings.Contains(s.out, "goroutine ") {
		p.T.Errorf("%q: exit code %d\n%.3000s", args, s.code, s.out)
	}
	if !slices.Contains(args, "-z") && !slices.Contains(args, "--raw") { // these options print unchanged bytes, so control characters are expected
		p.checkOutput(s)
	}
	return s
}

func (p *place) bounded(args ...string) result {
	p.T.Helper()
	ctx, cancel := context.WithTimeout(p.T.(interface{ Context() context.Context }).Context(), maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(gittest.Binary(p.T), "git-resume"), args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.Dir, p.Env, &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	_ = cmd.Run()
	p.slowest = max(p.slowest, time.Since(begun))
	if ctx.Err() != nil {
		p.T.Fatalf("%q takes more than %v\n%.2000s", args, maxTime, out.String())
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		p.peak = max(p.peak, usage.Maxrss)
		if usage.Maxrss > maxMemory {
			p.T.Errorf("%q took %d KB", args, usage.Maxrss)
		}
	}
	return result{args, out.String(), cmd.ProcessState.ExitCode()}
}

// checkOutput checks that the output has no control characters except newlines and tabs, and no characters that change the writing
// direction.
func (p *place) checkOutput(s result) {
	p.T.Helper()
	for i, r := range s.out {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			p.T.Errorf("%q tells the terminal %q in %q", s.args, r, s.out[max(0, i-60):min(len(s.out), i+60)])
			return
		}
	}
}

// digest describes every file below a folder, one line for each file: its mode, and its content or link target. For a file of more than 1
// MiB, the line has the size and the time instead of the content.
func (p *place) digest(root string) string {
	var out strings.Builder
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := d.Info()
		if err != nil || path == p.fired {
			return nil
		}
		fmt.Fprintf(&out, "%s %v", path, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			fmt.Fprintf(&out, " -> %s", to)
		case info.Mode().IsRegular() && info.Size() > 1<<20: // a hash of these large test files would take too long
			fmt.Fprintf(&out, " %d %v", info.Size(), info.ModTime())
		case info.Mode().IsRegular():
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&out, " %x", sha1.Sum(text))
		}
		out.WriteByte('\n')
		return nil
	})
	return out.String()
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + " became " + y[i]
		}
	}
	return fmt.Sprintf("%d lines became %d", len(x), len(y))
}

// id returns the id of the test run.
func (p *place) id() string {
	p.T.Helper()
	for _, ref := range strings.Fields(p.Git("for-each-ref", "--format=%(refname)", "refs/notes/resume")) {
		if name := filepath.Base(ref); strings.HasPrefix(name, mark) {
			return name
		}
	}
	p.T.Fatal("no run is there")
	return ""
}

// reading returns commands that must not change anything.
func reading(run, task string) [][]string {
	return [][]string{
		{"status"}, {"status", "--all", "--check"}, {"status", run}, {"status", run, task}, {"status", "--check", run},
		{"status", "--json", "--all"}, {"status", "--porcelain", "--all"}, {"status", "--porcelain", "-z"}, {"status", "--timeline", run}, {"status", "--prompt"},
		{"log"}, {"log", run}, {"log", "--raw", run}, {"log", "--json", run}, {"review", run}, {"review", "-p", run}, {run, "-n"}, {run, "--preflight", "-n"}, {"discard", "-n", run},
		{"trust", "--dry-run", run}, {"merge", "-n", run}, {"hooks", "status"}, {"doctor"},
	}
}

// acting returns commands that write, as a careless user would call them. The last two commands discard the run and undo the discard.
func acting(run, task string) [][]string {
	return [][]string{
		{run, "--auto"}, {run, "--yes", "--retry"}, {run, "--yes", "--takeover", "--despite-conflicts"}, {"task", "start", "--run", run, task}, {"task", "done", "--run", run, task},
		{"answer", "--run", run, task, "1"}, {"checkpoint", "--run", run}, {"pause", run}, {"undo", "--yes", run}, {"doctor", "--fix"},
		{"merge", run}, {"discard", "-y", "--force", run}, {"undo", "--yes", run},
	}
}

// tour runs seven random commands that read and then five random commands that write.
func (p *place) tour(run, task string) {
	p.T.Helper()
	for _, args := range p.some(reading(run, task), 7) {
		p.runReader(args...)
	}
	for _, args := range p.some(acting(run, task), 5) {
		p.runWriter(args...)
	}
}

func (p *place) some(of [][]string, n int) [][]string {
	chosen := p.chance.Perm(len(of))[:n]
	slices.Sort(chosen)
	out := make([][]string, n)
	for i, at := range chosen {
		out[i] = of[at]
	}
	return out
}

// quote returns a text encoded as JSON, without the quotation marks.
func quote(text string) string {
	out, _ := json.Marshal(text)
	return string(out[1 : len(out)-1])
}

// raw converts a hexadecimal object id to bytes.
func raw(id string) string {
	out, err := hex.DecodeString(id)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func sorted[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
