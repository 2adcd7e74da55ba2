package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// maxRound limits the time for one round through all suites.
const maxRound = 20 * time.Minute

// minTestTime is the shortest time that a test gets, except at the end of the budget. Some seconds of it are needed to start the test.
const minTestTime = 10 * time.Second

// prover runs tests and counts their trials.
type prover struct {
	root   string
	ledger string
	where  gittest.Where
	// failures is the folder for the output of failing tests.
	failures string
	end      time.Time
	// scenarios is the value of the option "--scenarios".
	scenarios string
	// built is the folder with the program and the tests. They are built first, so that building takes no time of the proof.
	built string
}

func prove(ctx context.Context, root string, o options) error {
	targets, err := find(root)
	if err != nil {
		return err
	}
	targets = chosen(targets, o)
	if len(targets) == 0 {
		return fmt.Errorf("no test belongs to suite %q", o.suites)
	}
	p := prover{root: root, ledger: o.ledger, where: describeMachine(ctx, root), failures: filepath.Join(filepath.Dir(o.ledger), "failures"), scenarios: o.scenarios}
	if err := os.MkdirAll(p.failures, 0o755); err != nil {
		return err
	}
	if p.built, err = os.MkdirTemp("", "git-resume-prove-"); err != nil {
		return err
	}
	defer os.RemoveAll(p.built)
	if err := p.build(ctx, targets); err != nil {
		return err
	}
	p.end = time.Now().Add(o.budget)
	fmt.Printf("%d tests, until %s, counted in %s\n", len(targets), p.end.Format("15:04:05"), p.ledger)
	if o.scenarios != "" {
		return p.run(ctx, targets[0], o.budget)
	}
	for ctx.Err() == nil && time.Until(p.end) > minTestTime {
		length := min(maxRound, time.Until(p.end))
		for _, t := range targets {
			slice := time.Duration(float64(length) * weight(t, targets))
			if slice = max(slice, minTestTime); time.Until(p.end) < slice {
				slice = time.Until(p.end)
			}
			if ctx.Err() != nil || slice < minTestTime/2 {
				break
			}
			if err := p.run(ctx, t, slice); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
	return nil
}

// killTest is the only test that runs if the option "--scenarios" names scenarios. It then kills the commands of these scenarios at each of
// their writes.
const killTest = "TestKill_everyWriteOfEveryCommand"

func chosen(all []target, o options) []target {
	var out []target
	for _, t := range all {
		if o.scenarios != "" && t.test != killTest {
			continue
		}
		if o.wanted(t.suite) && strings.Contains(t.test, o.test) {
			out = append(out, t)
		}
	}
	return out
}

// weight returns a test's share of the whole time, as a number up to 1. Each test of a suite gets an equal part of the suite's share.
func weight(t target, all []target) float64 {
	var shares, same float64
	seen := map[string]bool{}
	for _, other := range all {
		if other.suite == t.suite {
			same++
		}
		if s, ok := suiteOf(other.suite); ok && !seen[s.letter] {
			seen[s.letter] = true
			shares += float64(s.share)
		}
	}
	s, _ := suiteOf(t.suite)
	return float64(s.share) / shares / same
}

// run runs one test for the given time. If the test fails, run counts the failure and returns no error.
func (p prover) run(ctx context.Context, t target, slice time.Duration) error {
	before, err := gittest.ReadLedger(p.ledger)
	if err != nil {
		return err
	}
	where := p.where
	where.Output = filepath.Join(p.failures, fmt.Sprintf("%s-%s-%s.txt", t.suite, t.test, time.Now().UTC().Format("20060102T150405")))
	out, err := os.Create(where.Output)
	if err != nil {
		return err
	}
	defer out.Close()
	fmt.Printf("%s %s %s, %s: ", t.suite, t.dir, t.test, slice.Round(time.Second))
	failed := p.start(ctx, t, slice, where, out)
	if ctx.Err() != nil {
		fmt.Println("stopped")
		return os.Remove(where.Output)
	}
	if failed, err = p.countTrials(t, before, where, failed); err != nil || failed {
		return err
	}
	return os.Remove(where.Output)
}

// start runs the test in a separate session, so that Ctrl-C does not reach it. When ctx ends, the test's process group ends too.
func (p prover) start(ctx context.Context, t target, slice time.Duration, where gittest.Where, out io.Writer) (failed bool) {
	text, err := json.Marshal(where)
	if err != nil {
		panic(err)
	}
	cmd := proc.Command{Env: os.Environ(), Stdout: out, Stderr: out, Apart: true}
	cmd.Name, cmd.Dir = p.binary(t), filepath.Join(p.root, t.dir)
	if t.fuzz() {
		// Without "fuzzminimizetime", Go would spend up to a minute on shortening each new input.
		cmd.Args = []string{"-test.run=^$", "-test.fuzz=^" + t.test + "$", "-test.fuzzminimizetime=50x", "-test.fuzztime=" + slice.Round(time.Second).String(),
			"-test.fuzzcachedir=" + filepath.Join(filepath.Dir(p.ledger), "fuzz", t.dir)}
	} else {
		cmd.Args = []string{"-test.count=1", "-test.v", "-test.timeout=0", "-test.run=^" + t.test + "$"}
		cmd.Env = append(cmd.Env, gittest.ProveEnv+"=1", gittest.UntilEnv+"="+strconv.FormatInt(time.Now().Add(slice).Unix(), 10),
			gittest.LedgerEnv+"="+p.ledger, gittest.WhereEnv+"="+string(text), gittest.BinaryEnv+"="+p.built, gittest.ScenariosEnv+"="+p.scenarios)
	}
	_, err = cmd.Run(ctx)
	return err != nil
}

// binary returns the path of a package's test program. Fuzz targets have a different one, which is instrumented for coverage.
func (p prover) binary(t target) string {
	kind := ".test"
	if t.fuzz() {
		kind = ".fuzz"
	}
	return filepath.Join(p.built, strings.ReplaceAll(t.dir, "/", "-")+kind)
}

// build builds the program, and the test programs of the targets.
func (p prover) build(ctx context.Context, targets []target) error {
	commands := map[string][]string{"git-resume": {"build", "-tags", "urfave_cli_no_docs", "-o", filepath.Join(p.built, "git-resume"), "./cmd/git-resume"}}
	for _, t := range targets {
		args := []string{"test", "-c", "-o", p.binary(t), "./" + t.dir}
		if t.fuzz() {
			args = slices.Insert(args, 2, "-fuzz=.")
		}
		commands[p.binary(t)] = args
	}
	for name, args := range commands {
		if _, err := (proc.Command{Name: "go", Args: args, Dir: p.root, Env: os.Environ()}).Run(ctx); err != nil {
			return fmt.Errorf("build %s: %w", name, err)
		}
	}
	return nil
}

// countTrials adds the trials of a fuzz target to the ledger, because fuzz targets cannot do that themselves. It also adds a failure that
// the test has not recorded itself. It reports whether the test failed, and prints the number of trials.
func (p prover) countTrials(t target, before []gittest.Tally, where gittest.Where, failed bool) (bool, error) {
	after, err := gittest.ReadLedger(p.ledger)
	if err != nil {
		return failed, err
	}
	text, err := os.ReadFile(where.Output)
	if err != nil {
		return failed, err
	}
	failed = failed && !(t.fuzz() && onlyTimedOut(string(text)))
	n, noted := 0, false
	for _, l := range after[min(len(before), len(after)):] {
		if name, _, _ := strings.Cut(l.Test, "/"); name == t.test && l.Where != nil && l.Where.Output == where.Output {
			n, noted = n+l.N, noted || l.Failed
		}
	}
	own := gittest.Tally{Suite: t.suite, Test: t.test, What: "trials", Failed: failed, Ended: time.Now().UTC().Round(time.Second), Where: &where}
	if t.fuzz() {
		own.What, own.N = fuzzing, inputs(string(text))
	} else {
		own.Seed = seed(string(text))
	}
	if t.fuzz() || failed && !noted {
		if err := own.Append(p.ledger); err != nil {
			return failed, err
		}
	}
	how := "ok"
	switch {
	case failed:
		how = "FAILED, see " + where.Output
	case n+own.N == 0:
		how = "nothing tried" + skipped(string(text))
	}
	fmt.Printf("%d %s\n", n+own.N, how)
	return failed, nil
}

var (
	execs = regexp.MustCompile(`(?m)^fuzz: elapsed: .*execs: (\d+)`)
	// Before go 1.27, fuzzing sometimes reports the end of its time as a failure: https://go.dev/issue/75804
	endOfTime  = regexp.MustCompile(`(?m)^--- FAIL: Fuzz\S* \(\S+\)\n\s+context deadline exceeded\nFAIL$`)
	wroteInput = regexp.MustCompile(`(?m)^\s+Failing input written to`)
	seeds      = regexp.MustCompile(`seed (\d+)`)
	skipWhy    = regexp.MustCompile(`(?m)^\s+\S+_test\.go:\d+: (.*)\n--- SKIP`)
)

// onlyTimedOut reports whether go's fuzzing failed only because its time was over.
func onlyTimedOut(output string) bool {
	return endOfTime.MatchString(output) && !wroteInput.MatchString(output)
}

// inputs returns the last number of tried inputs that go's fuzzing printed, or 0.
func inputs(output string) int {
	all := execs.FindAllStringSubmatch(output, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1][1])
	return n
}

func seed(output string) uint64 {
	m := seeds.FindStringSubmatch(output)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseUint(m[1], 10, 64)
	return n
}

func skipped(output string) string {
	if m := skipWhy.FindStringSubmatch(output); m != nil {
		return ": " + m[1]
	}
	return ""
}

// describeMachine asks the system which machine and versions the tests run on.
func describeMachine(ctx context.Context, root string) gittest.Where {
	ask := func(name string, args ...string) string {
		out, err := proc.Command{Name: name, Args: args, Dir: root, Env: os.Environ()}.Run(ctx)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out.Stdout))
	}
	w := gittest.Where{
		Commit:     ask("git", "rev-parse", "--short=12", "HEAD"),
		Kernel:     ask("uname", "-sr"),
		FileSystem: ask("stat", "-f", "-c", "%T", os.TempDir()),
		Git:        strings.TrimPrefix(ask("git", "version"), "git version "),
	}
	if ask("git", "status", "--porcelain", "--untracked-files=no") != "" {
		w.Commit += "+"
	}
	return w
}
