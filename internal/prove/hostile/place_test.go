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

// What a command may take at most, whatever it finds. The race detector and a busy machine are slow, hence the seconds.
const (
	maxTime   = 60 * time.Second
	maxMemory = 160 << 10 // in KB
)

// place is a repository that somebody wants to do harm with, beside files that are nobody's business.
type place struct {
	*gittest.Repo
	root string
	// fired is the file in which whatever runs leaves its name.
	fired  string
	chance *rand.Rand
	// peak is the most memory that a command took, in KB; slowest the longest time.
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

// outside writes a file beside the repository.
func (p *place) outside(name, text string) {
	p.T.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		p.T.Fatal(err)
	}
}

// trap is a command that tells that it ran.
func (p *place) trap(name string) string { return filepath.Join(p.root, "trap.sh") + " " + name }

// program is the same as one program without a word behind it.
func (p *place) program(name string) string {
	p.T.Helper()
	p.outside("traps/"+name, "#!/bin/sh\nexec "+p.trap(name)+" </dev/null\n")
	return filepath.Join(p.root, "traps", name)
}

// sprung are the traps that fell since the last look.
func (p *place) sprung() []string {
	text, _ := os.ReadFile(p.fired)
	_ = os.Remove(p.fired)
	out := strings.Fields(string(text))
	slices.Sort(out)
	return slices.Compact(out)
}

// said is how a command ended.
type said struct {
	args []string
	out  string
	code int
}

// codes are those that the manual names.
var codes = []int{0, 1, 2, 10, 11, 12, 13, 14, 15, 128, 129}

// look runs a command that only reads, and holds it to everything that is promised.
func (p *place) look(args ...string) said {
	p.T.Helper()
	before := p.digest(p.root)
	s := p.act(args...)
	if after := p.digest(p.root); after != before {
		p.T.Errorf("%q changed something: %s", args, firstDifference(before, after))
	}
	return s
}

// act runs a command that may write within the repository and its worktrees, and nowhere else.
func (p *place) act(args ...string) said {
	p.T.Helper()
	s := p.run(args...)
	if fell := p.sprung(); len(fell) > 0 {
		p.T.Errorf("%q ran %v\n%.2000s", args, fell, s.out)
	}
	return s
}

// run holds a command to its bounds, to the words that it may use, and to the folders that are its own.
func (p *place) run(args ...string) said {
	p.T.Helper()
	before := p.digest(filepath.Join(p.root, "victim"))
	s := p.bounded(args...)
	if after := p.digest(filepath.Join(p.root, "victim")); after != before {
		p.T.Errorf("%q left the repository: %s", args, firstDifference(before, after))
	}
	if !slices.Contains(codes, s.code) || strings.Contains(s.out, "goroutine ") {
		p.T.Errorf("%q: exit code %d\n%.3000s", args, s.code, s.out)
	}
	if !slices.Contains(args, "-z") && !slices.Contains(args, "--raw") { // both give bytes as they are
		p.harmless(s)
	}
	return s
}

func (p *place) bounded(args ...string) said {
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
	return said{args, out.String(), cmd.ProcessState.ExitCode()}
}

// harmless: nothing in the output speaks to the terminal.
func (p *place) harmless(s said) {
	p.T.Helper()
	for i, r := range s.out {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			p.T.Errorf("%q tells the terminal %q in %q", s.args, r, s.out[max(0, i-60):min(len(s.out), i+60)])
			return
		}
	}
}

// digest sums up every byte, mode and link below a folder, a line for each.
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
		case info.Mode().IsRegular() && info.Size() > 1<<20: // giant ones are ours
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

// id is the run that was begun here.
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

// reading are all commands that only read.
func reading(run, task string) [][]string {
	return [][]string{
		{"status"}, {"status", "--all", "--check"}, {"status", run}, {"status", run, task}, {"status", "--check", run},
		{"status", "--json", "--all"}, {"status", "--porcelain", "--all"}, {"status", "--porcelain", "-z"}, {"status", "--timeline", run}, {"status", "--prompt"},
		{"log"}, {"log", run}, {"log", "--raw", run}, {"log", "--json", run}, {"review", run}, {"review", "-p", run}, {run, "-n"}, {run, "--preflight", "-n"}, {"discard", "-n", run},
		{"trust", "--dry-run", run}, {"merge", "-n", run}, {"hooks", "status"}, {"doctor"},
	}
}

// acting are commands that write, as somebody would call them who has not looked; the run is dropped last.
func acting(run, task string) [][]string {
	return [][]string{
		{run, "--auto"}, {run, "--yes", "--retry"}, {run, "--yes", "--takeover", "--despite-conflicts"}, {"task", "start", "--run", run, task}, {"task", "done", "--run", run, task},
		{"answer", "--run", run, task, "1"}, {"checkpoint", "--run", run}, {"pause", run}, {"undo", "--yes", run}, {"doctor", "--fix"},
		{"merge", run}, {"discard", "-y", "--force", run}, {"undo", "--yes", run},
	}
}

// tour runs some of the commands that there are, in their order: another tour runs others.
func (p *place) tour(run, task string) {
	p.T.Helper()
	for _, args := range p.some(reading(run, task), 7) {
		p.look(args...)
	}
	for _, args := range p.some(acting(run, task), 5) {
		p.act(args...)
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

// quote is a text as JSON has it, without the quotes.
func quote(text string) string {
	out, _ := json.Marshal(text)
	return string(out[1 : len(out)-1])
}

// raw is an object id as trees have it.
func raw(id string) string {
	out, err := hex.DecodeString(id)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func sorted[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
