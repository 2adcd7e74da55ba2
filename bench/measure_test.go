package bench

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

var (
	measuring = flag.Bool("measure", false, "measure against git and print the table")
	fixing    = flag.Bool("fix", false, "add acts to floors.tsv that are not there yet")
)

// before is what the acts cost when their floors were fixed.
//
//go:embed floors.tsv
var before string

// row is one line of the table of what is not an act. If budget is 0, the ratio has no limit.
type row struct {
	what          string
	ours, gits    string
	ratio, budget float64
}

var (
	table  []row
	scores []score
)

func TestMain(m *testing.M) {
	flag.Parse()
	gittest.Main(withTable{m})
}

// withTable runs the tests of the embedded testing.M, and then prints what was measured.
type withTable struct{ *testing.M }

func (w withTable) Run() int {
	code := w.M.Run()
	if len(scores) > 0 {
		printScores()
	}
	if len(table) > 0 {
		printTable()
	}
	return code
}

func printTable() {
	fmt.Printf("\n%-50s %10s %10s %7s %7s\n", "what / compared with, wall time", "ours", "other", "ratio", "budget")
	for _, r := range table {
		fmt.Printf("%-50s %10s %10s %7.2f %s\n", r.what, r.ours, r.gits, r.ratio, verdict(r.ratio, r.budget))
	}
}

func verdict(ratio, budget float64) string {
	switch {
	case budget == 0:
		return ""
	case ratio > budget:
		return fmt.Sprintf("%.2f over", budget)
	}
	return fmt.Sprintf("%.2f ok", budget)
}

// needClock skips the test if the flag -measure is not set. 'make bench' sets it.
func needClock(t *testing.T) {
	t.Helper()
	if !*measuring {
		t.Skip("'make bench' measures this")
	}
}

// cost is what something took: processor time of all its processes, and time on the clock.
type cost struct{ cpu, wall time.Duration }

// race lets ours and the floor take turns, so that a busy machine slows down both alike. It returns the mean cost of each. The first two
// rounds only warm up. The dearest tenth of the rest does not count, because other work on the machine disturbed it.
func race(rounds int, each func(round int), ours, floor func() cost) (a, b cost) {
	var x, y []cost
	for round := range rounds + 2 {
		each(round)
		var p, q cost
		if round%2 == 0 {
			p, q = ours(), floor()
		} else {
			q, p = floor(), ours()
		}
		if round >= 2 {
			x, y = append(x, p), append(y, q)
		}
	}
	return typical(x), typical(y)
}

func typical(all []cost) cost {
	mean := func(of func(cost) time.Duration) (sum time.Duration) {
		var times []time.Duration
		for _, c := range all {
			times = append(times, of(c))
		}
		slices.Sort(times)
		times = times[:max(1, len(times)*9/10)]
		for _, d := range times {
			sum += d
		}
		return sum / time.Duration(len(times))
	}
	return cost{mean(func(c cost) time.Duration { return c.cpu }), mean(func(c cost) time.Duration { return c.wall })}
}

// counts is what 'strace -f' sees of a command: programs started, flushes to the disk, and all system calls.
type counts struct{ processes, fsyncs, calls int }

func (c counts) String() string {
	if c == (counts{}) {
		return "-"
	}
	return fmt.Sprintf("%d/%d/%d", c.processes, c.fsyncs, c.calls)
}

// score is what an act and its floor cost.
type score struct {
	act
	mine, least cost
	has, needs  counts
}

func (s score) ratio() float64 { return float64(s.mine.cpu) / float64(s.least.cpu) }

// line returns the line of floors.tsv for a score.
func (s score) line() string {
	return fmt.Sprintf("%s\t%s\t%.2f\t%s\t%s\n", s.name, s.floor, s.ratio(), s.has, s.needs)
}

// fixed returns the fields of an act in floors.tsv, or nil.
func fixed(name string) []string {
	for line := range strings.Lines(before) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); f[0] == name && len(f) == 5 {
			return f
		}
	}
	return nil
}

func printScores() {
	fmt.Printf("\n%s", load())
	fmt.Printf("%-42s %8s %8s %6s %6s %6s %16s %16s %16s  %-9s %s\n", "act", "ours", "floor", "ratio", "before", "wall", "ours p/f/calls", "before", "floor's", "promised", "floor")
	for _, s := range scores {
		was := fixed(s.name)
		if was == nil {
			was = []string{"", "", "-", "-", ""}
			if *fixing {
				before += s.line()
			}
		}
		fmt.Printf("%-42s %8s %8s %6.2f %6s %6.2f %16s %16s %16s  %-9s %s\n", s.name, milliseconds(s.mine.cpu), milliseconds(s.least.cpu), s.ratio(), was[2],
			float64(s.mine.wall)/float64(s.least.wall), s.has, was[3], s.needs, verdict(s.ratio(), s.promised), s.floor)
	}
	if *fixing {
		if err := os.WriteFile("floors.tsv", []byte(before), 0o644); err != nil {
			fmt.Println(err)
		}
	}
}

// load says how busy the machine is, because times measured on a busy machine say less.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("Processor times; processes/fsyncs/system calls. Load %s on %d processors.\n", strings.Join(strings.Fields(string(text))[:3], " "), runtime.NumCPU())
}

func TestMeasure_acts(t *testing.T) {
	needClock(t)
	for _, a := range acts {
		t.Run(a.name, func(t *testing.T) {
			s := a.scene(t)
			if a.rounds == 0 {
				a.rounds = 20
			}
			got := score{act: a}
			ours, floor := s.command(t, a, true), s.command(t, a, false)
			got.mine, got.least = race(a.rounds, s.step, ours.time, floor.time)
			s.step(a.rounds + 2)
			got.has, got.needs = ours.count(), floor.count()
			scores = append(scores, got)
			t.Logf("%.2f times %s; %s against %s", got.ratio(), milliseconds(got.least.cpu), got.has, got.needs)
		})
	}
}

// The floors are fixed before anything is made faster. An easier floor would make the program look better than it is.
func TestFloors_areThoseThatWereFixed(t *testing.T) {
	t.Parallel()
	for _, a := range acts {
		if was := fixed(a.name); was == nil || was[1] != a.floor {
			t.Errorf("%s: floors.tsv has %q, the act %q", a.name, was, a.floor)
		}
	}
}

func (s *scene) step(round int) {
	s.words["n"] = strconv.Itoa(round)
	s.each(round)
}

// side is ours or the floor of an act, in its scene.
type side struct {
	t     *testing.T
	scene *scene
	act   act
	ours  bool
}

func (s *scene) command(t *testing.T, a act, ours bool) side { return side{t, s, a, ours} }

func (s side) time() (sum cost) {
	s.t.Helper()
	s.run(func(cmd *exec.Cmd) {
		begun := time.Now()
		err := cmd.Run()
		sum.wall += time.Since(begun)
		s.check(cmd, err)
		sum.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	})
	return sum
}

// count runs the side under strace. Without strace, nothing is counted.
func (s side) count() (sum counts) {
	s.t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		s.t.Log("strace is missing, so nothing is counted")
		return counts{}
	}
	list := filepath.Join(s.t.TempDir(), "list")
	s.run(func(cmd *exec.Cmd) {
		cmd.Args = append([]string{strace, "-f", "-c", "-o", list, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = strace
		s.check(cmd, cmd.Run())
		text, err := os.ReadFile(list)
		if err != nil {
			s.t.Fatal(err)
		}
		sum.add(string(text))
	})
	return sum
}

// add adds the numbers in a summary of strace. Its lines have the share, seconds, microseconds a call, calls, errors if there are any,
// and the name.
func (c *counts) add(summary string) {
	for line := range strings.Lines(summary) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		calls, _ := strconv.Atoi(f[3])
		errors := 0
		if len(f) == 6 {
			errors, _ = strconv.Atoi(f[4])
		}
		switch f[len(f)-1] {
		case "execve":
			c.processes += calls - errors
		case "fsync", "fdatasync":
			c.fsyncs += calls
		case "total":
			c.calls += calls
		}
	}
}

// run calls do for each command of the side. What is written to stdout and stderr is dropped, as it is when a hook or a prompt asks.
func (s side) run(do func(*exec.Cmd)) {
	s.t.Helper()
	r, text := s.scene.hand, s.act.floor
	if s.ours {
		r, text = s.scene.ours, s.act.ours
	}
	var pairs []string
	for word, value := range s.scene.words {
		pairs = append(pairs, "{"+word+"}", value)
	}
	fill := strings.NewReplacer(pairs...)
	for part := range strings.SplitSeq(text, " && ") {
		var args []string
		for _, word := range strings.Fields(part) {
			args = append(args, fill.Replace(word))
		}
		cmd := exec.Command(program(s.t, args[0]), args[1:]...)
		cmd.Dir, cmd.Env = r.Dir, r.Env
		cmd.Stdin = strings.NewReader(fill.Replace(s.act.stdin))
		if !s.ours {
			cmd.Env = slices.Concat(r.Env, floorEnv)
		}
		do(cmd)
	}
}

// floorEnv keeps git from tidying up, which nobody asked for here. Everything else is as git does it by default: it flushes hardly
// anything to the disk, so what git-resume spends on that is part of its ratio.
var floorEnv = []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false"}

func (s side) check(cmd *exec.Cmd, err error) {
	s.t.Helper()
	want := s.act.exit[1]
	if s.ours {
		want = s.act.exit[0]
	}
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
		again := exec.Command(cmd.Path, cmd.Args[1:]...)
		again.Dir, again.Env = cmd.Dir, cmd.Env
		said, _ := again.CombinedOutput()
		s.t.Fatalf("%q: %v; once more:\n%s", cmd.Args, err, said)
	}
}

// program returns the path of a program that an act names.
func program(t *testing.T, name string) string {
	t.Helper()
	switch name {
	case "git-resume":
		return filepath.Join(gittest.Binary(t), name)
	case "empty":
		return emptyProgram(t)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var emptyPlace string

// emptyProgram builds a Go program that does nothing. Hooks are compared with it, because a Go program can hardly be faster.
func emptyProgram(t *testing.T) string {
	t.Helper()
	if emptyPlace != "" {
		return emptyPlace
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	place, err := gittest.InstallDir()
	if err != nil {
		t.Fatal(err)
	}
	// The empty program is built and copied in the same way as git-resume, see gittest.BuildInto. A file that the linker has just written
	// would start more slowly than a copy.
	file := filepath.Join(place, "empty")
	if out, err := exec.Command("go", "run", "-ldflags=-s -w", "-exec", "cp", filepath.Join(dir, "main.go"), file).CombinedOutput(); err != nil {
		t.Fatalf("go run: %v\n%s", err, out)
	}
	emptyPlace = file
	return file
}

// contest compares the times on the clock of two functions that do comparable work, for what no command does alone. If the function
// "before" is set, it prepares each round and is not measured.
type contest struct {
	what       string
	rounds     int
	budget     float64
	before     func(round int)
	ours, gits func()
	// aside, if it is not nil, points to a time that the function "ours" writes in each round. That time is subtracted from the measured
	// time.
	aside *time.Duration
}

func (c contest) run(t *testing.T) {
	t.Helper()
	if c.before == nil {
		c.before = func(int) {}
	}
	x, y := race(c.rounds, c.before, func() cost {
		took := timed(c.ours)
		if c.aside != nil {
			took -= *c.aside
		}
		return cost{wall: took}
	}, func() cost { return cost{wall: timed(c.gits)} })
	ratio := float64(x.wall) / float64(y.wall)
	t.Logf("%s: ours %v, git's %v, ratio %.2f", c.what, x.wall, y.wall, ratio)
	table = append(table, row{c.what, milliseconds(x.wall), milliseconds(y.wall), ratio, c.budget})
}

func timed(f func()) time.Duration {
	begun := time.Now()
	f()
	return time.Since(begun)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// manyFiles makes a repository with n files, a hundred in each directory. They are packed, as in a clone, and git never packs again, so
// that all rounds meet the same repository.
func manyFiles(t *testing.T, n int) *gittest.Repo {
	t.Helper()
	r := gittest.Empty(t)
	for i := range n {
		r.Write(place(i), fmt.Sprintf("file %d\n", i))
	}
	r.Git("config", "gc.auto", "0")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "files")
	if n >= large {
		r.Git("repack", "-a", "-d", "-q")
	}
	return r
}

// place returns the path of the i-th file of manyFiles.
func place(i int) string { return fmt.Sprintf("d%d/e%d/f%d", i/10_000, i/100%100, i%100) }

// resume runs git-resume directly, not through git, and fails the test if the program fails.
func resume(r *gittest.Repo, args ...string) {
	r.T.Helper()
	if out, code := r.Try(filepath.Join(gittest.Binary(r.T), "git-resume"), args...); code != 0 {
		r.T.Fatalf("git-resume %q: exit code %d\n%s", args, code, out)
	}
}
