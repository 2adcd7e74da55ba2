package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

const root = "../../.."

// TestBugs_apply checks that the number of patches equals the number of bugs, and that the patch of each bug still applies and changes
// something.
func TestBugs_apply(t *testing.T) {
	t.Parallel()
	patches, err := filepath.Glob("../bugs/*.patch")
	if err != nil || len(patches) != len(bugs) {
		t.Fatalf("%d patches for %d bugs: %v", len(patches), len(bugs), err)
	}
	for _, b := range bugs {
		patch, err := filepath.Abs(filepath.Join("../bugs", b.name+".patch"))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "apply", "--check", patch)
		cmd.Dir = root
		// Git must not find a repository above this folder. In a subfolder of a repository, "git apply" would ignore the patched files.
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(mustAbs(t, root)))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", b.name, err, out)
		}
		if text, _ := os.ReadFile(patch); !strings.Contains(string(text), "\n--- a/") {
			t.Errorf("%s changes nothing", b.name)
		}
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestFind_everySuite checks that find returns some known tests and at least one test of every suite. It also checks that the folder of
// every planted bug exists.
func TestFind_everySuite(t *testing.T) {
	t.Parallel()
	targets, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []target{
		{"A", "internal/prove", "TestKill_everyWriteOfEveryCommand"},
		{"B", "internal/prove", "TestRandomKills_andInsideTheRecovery"},
		{"B", "internal/execution", "TestRandomKills_leaveAnHonestRecord"},
		{"H", "gitstate/settings", "FuzzParseConfig"},
		{"I", "internal/prove/anywhere", "TestClones_ofAServerThatFails"},
	} {
		if !slices.Contains(targets, want) {
			t.Errorf("%v was not found", want)
		}
	}
	for _, s := range suites {
		if !slices.ContainsFunc(targets, func(t target) bool { return t.suite == s.letter }) {
			t.Errorf("no test belongs to suite %s", s.letter)
		}
	}
	for _, b := range bugs {
		if _, err := os.Stat(filepath.Join(root, b.dir)); err != nil {
			t.Error(err)
		}
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	ledger := filepath.Join(t.TempDir(), "ledger")
	here := &gittest.Where{Commit: "abc", Kernel: "Linux 6", FileSystem: "ext4", Git: "2.39"}
	for _, l := range []gittest.Tally{
		{Suite: "A", What: "kills", Test: "TestKill/x", N: 1200, Seed: 7, Where: here, Ended: time.Unix(100, 0).UTC(), Points: map[string][]int{"x, all": {1, 9, 9}}},
		{Suite: "B", What: "kills of one", N: 3}, {Suite: "B", What: "kills of two", N: 1004},
		{Suite: "A", What: "kills", Test: "TestKill/x", N: 34, Seed: 8, Failed: true, Where: here, Ended: time.Unix(200, 0).UTC()},
		{Suite: "G", Test: "TestModel", N: 10, Seed: 1, Failed: true, Where: here, Ended: time.Unix(250, 0).UTC()},
		{Suite: "G", Test: "TestModel", N: 20, Seed: 2, Where: here, Ended: time.Unix(260, 0).UTC()},
		{Suite: "H", What: fuzzing, Test: "FuzzX", N: 1_000_000, Where: here, Ended: time.Unix(300, 0).UTC()},
		{Suite: "H", What: fuzzing, Test: "FuzzY", Failed: true, Where: here, Ended: time.Unix(300, 0).UTC()},
		{Suite: "H", What: "repositories", Test: "TestHostile", N: 5, Seed: 9, Where: here, Ended: time.Unix(300, 0).UTC()},
	} {
		if err := l.Append(ledger); err != nil {
			t.Fatal(err)
		}
	}
	for _, repaired := range []string{"8", "FuzzY"} {
		if err := markRepaired(ledger, repaired); err != nil {
			t.Fatal(err)
		}
	}
	if markRepaired(ledger, "7") == nil {
		t.Error("a failure that never was is repaired")
	}
	late := gittest.Tally{Suite: "H", What: fuzzing, Test: "FuzzY", Failed: true, Ended: time.Unix(400, 0).UTC()}
	if err := late.Append(ledger); err != nil {
		t.Fatal(err)
	}
	lines, err := gittest.ReadLedger(ledger)
	if err != nil {
		t.Fatal(err)
	}
	got := results(lines)
	for _, want := range []string{
		"| A. kills at every system call that writes | 5,000 | 1,234 | 1 | 1 | 0 | 1 |\n", "| H. hostile repositories | – | 5 | 0 | 0 | 5 | 1 |\n",
		"| G. random sequences against a model | 10,000 | 30 | 1 | 0 | 20 | 1 |\n",
		"| H. fuzz inputs | 10,000,000 | 1,000,000 | 2 | 1 | 0 | 1 |\n", "seed 8, repaired", "- A: 2 different points of 9 or more", "- B: 3 kills of one, 1,004 kills of two\n", "`FuzzY`, seed 0, open", "kernel Linux 6; file system ext4; git 2.39",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestInputs(t *testing.T) {
	t.Parallel()
	text := "fuzz: elapsed: 0s, gathering baseline coverage: 0/12 completed\nfuzz: elapsed: 3s, execs: 1200 (400/sec), new interesting: 1 (total: 13)\n" +
		"fuzz: elapsed: 6s, execs: 2500 (433/sec), new interesting: 2 (total: 14)\nPASS\n"
	if got := inputs(text); got != 2500 {
		t.Errorf("%d inputs", got)
	}
	if got := inputs("PASS\n"); got != 0 {
		t.Errorf("%d inputs of none", got)
	}
}

// At the end of the fuzzing time, go may report a failure. A real failure must be distinguished from that.
func TestOnlyLate(t *testing.T) {
	t.Parallel()
	late := "fuzz: elapsed: 10s, execs: 16229 (0/sec)\n--- FAIL: FuzzX (10.21s)\n    context deadline exceeded\nFAIL\n"
	if !onlyTimedOut(late) {
		t.Error("the end of the time is a failure")
	}
	for _, bad := range []string{
		"--- FAIL: FuzzX (0.05s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:9: context deadline exceeded\n    \n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n",
		"--- FAIL: FuzzX (10.21s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n",
		"--- FAIL: FuzzX (10.21s)\n    context deadline exceeded\nFAIL\n    Failing input written to testdata/fuzz/FuzzX/1\n",
		"panic: no\n", "PASS\n",
	} {
		if onlyTimedOut(bad) {
			t.Errorf("this is only late:\n%s", bad)
		}
	}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "doc.md")
	text := "before\n" + tableBegin + "old\n" + tableEnd + "after\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := insert(file, "new\n"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file); string(got) != strings.Replace(text, "old", "new", 1) {
		t.Errorf("got %q", got)
	}
	if err := os.WriteFile(file, []byte("no marks"), 0o644); err != nil {
		t.Fatal(err)
	}
	if insert(file, "new\n") == nil {
		t.Error("a document without marks was written")
	}
}
