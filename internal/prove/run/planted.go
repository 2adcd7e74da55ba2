package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// bug is a bug that is added to the code on purpose, with the test that must find it.
type bug struct {
	// name is the file name of the patch in the folder bugs, without its extension.
	name string
	dir  string
	run  string
	// says is a pattern for the failure message. A test that fails for another reason has not found the bug.
	says string
}

// bugs lists the bugs that are planted. The last value of each bug is a pattern for the failure message of its test.
var bugs = []bug{
	{"01-no-old-value", "internal/prove", "^TestSwap_", "their commit is gone"},
	{"02-index-copied", "internal/prove", "^TestSnapshot_", "there is no snapshot"},
	{"03-no-folder-sync", "internal/prove", "^TestOrder_", "told of before its name was on disk"},
	{"04-lock-by-age", "internal/flock", "^TestAge_", "an old lock was taken"},
	{"05-git-notes-append", "internal/prove", "^TestKill_everyWriteOfEveryCommand$/^task_(done_after_a_pruning_fetch|start)$", "an acknowledged event is missing"},
	{"06-no-keep-alive", "internal/prove", "^TestKill_knownWindows$/^checkpoint_of_files$", "there is no snapshot|has 2 lines snapshot.taken"},
	{"07-record-before-commit", "internal/prove", "^TestKill_knownWindows$/^task_done_named$/^the_index_is_staged", "not on the branch"},
	{"08-discard-without-snapshot", "internal/prove", "^TestKill_everyWriteOfEveryCommand$/^discard$", "neither there nor in any commit"},
	{"09-no-second-look", "cmd/git-resume", "^TestScript$/^resume_moved_meanwhile$", "resume_moved_meanwhile.txtar:6: exit code"},
	{"10-ref-by-go-git", "internal/prove", "^TestOrder_", "is written in place"},
	{"11-appends-at-once", "internal/prove", "^TestRaces_ofEightProcesses$/^answers_", "acknowledged and recorded 0 times|that were made in this clone are missing"},
	{"12-locks-exclude-nobody", "internal/prove", "^TestRaces_ofEightProcesses$/^children_", "a loser said|tasks were begun|nobody got the run"},
	{"13-sync-error-ignored", "internal/prove", "^TestErrors_knownWindows$", "acknowledged, but not on the disk"},
	{"14-start-unlocked", "cmd/git-resume", "^TestScript$/^start_while_another_starts$", "start_while_another_starts.txtar:[0-9]+: no match for"},
	{"15-discard-without-a-look", "worktree/trash", "^TestDiscard_(deletesOnlyWhatItSaved|besideAWriter)$", "neither saved nor on disk|remains .*, rest"},
	{"16-scratch-swept", "gitstate/guard", "^TestScratchDir_isNobodysToSweepFromTheFirstMoment$", "make: |write: "},
	{"17-skip-unbound", "cmd/git-resume", "^TestScript$/^resume_skip_repeated$", "resume_skip_repeated.txtar:8: exit code 0, want 11"},
	{"18-retry-on-top", "cmd/git-resume", "^TestUpdate_withAnInterruptedTask$/^merge$/^none$/^--retry$", `two.txt is "half\\nhalf\\nrest\\n"`},
	{"19-answer-unchecked", "internal/adopt", "^TestAnswer_isOneOfTheOptions$", `"stag" \(own false\) is stored as "stag"`},
	{"21-squash-recorded-first", "internal/prove", "^TestKill_knownWindows$/^merge_by_squash$", "is recorded as merged in [0-9a-f]+, which is not on main"},
	{"22-restore-over-newer-work", "worktree/snapshot", "^TestRestore_bringsBackEveryByte$", "newer work was overwritten without a snapshot"},
	{"23-inbox-emptied-first", "internal/prove", "^TestKill_agentEvents$", "a report was lost or recorded twice|status ends with 0"},
	{"24-any-session-takes-over", "internal/prove", "^TestSessions_theOneThatDidTheTasksIsContinued$", "is continued, not|ended with 13, not with 0|the exit code is 0"},
	{"25-daemon-keeps-alive", "internal/agents/session", "^TestFate_codexLock$", "nobody holds the lock, but it is"},
	{"26-restores-at-once", "internal/prove", "^TestRaces_ofRestores$", "the files are of several states|a restore is unfinished"},
	{"27-verify-skipped", "cmd/git-resume", "^TestScript$/^jobs_conflict$", "jobs_conflict.txtar:[0-9]+: exit code 0, want 1"},
	{"28-inputs-not-looked-at", "cmd/git-resume", "^TestScript$/^jobs_conflict$", "jobs_conflict.txtar:[0-9]+: exit code 0, want 15"},
	{"29-place-reused-dirty", "cmd/git-resume", "^TestScript$/^jobs_conflict$", "jobs_conflict.txtar:[0-9]+: unexpected match for `junk`"},
	{"30-replay-without-swap", "cmd/git-resume", "^TestScript$/^jobs_moved$", "jobs_moved.txtar:[0-9]+: .*from outside"},
	{"31-cache-of-an-old-state", "checkpoint/journal", "^TestCache_keepsTheLineOfAnAgentAfterAFlush$", "the task that asked is active"},
	{"40-silence-is-a-yes", "internal/prove/anywhere", "^TestKnown$/^aLostRequestIsNoLease$", "exit code 0, want 13"},
	{"41-silence-is-a-no", "internal/prove/anywhere", "^TestKnown$/^aLostAnswerIsNoAnswer$", "[2-9] leases were taken"},
	{"42-lease-before-it-is-accepted", "internal/prove/anywhere", "^TestKnown$/^aRefusedLeaseIsNone$", "[1-9] leases"},
	{"43-late-work-counts", "internal/prove/anywhere", "^TestKnown$/^aFencedCloneBuildsOnNothing$", "the commits are of|exit code"},
	{"44-sent-to-origin", "internal/prove/anywhere", "^TestKnown$/^aRunIsBoundToOneRemote$", "something was sent to another remote"},
	{"45-lines-dropped-at-uniting", "internal/prove/anywhere", "^TestKnown$/^nothingIsDroppedWhenLinesAreUnited$", "a line that (the server had|was) accepted is gone"},
	{"46-lease-without-its-commits", "internal/prove/anywhere", "^TestKnown$/^aLeaseBringsItsCommits$", "and does not have it"},
	{"47-two-workers-in-one-clone", "internal/prove/anywhere", "^TestKnown$/^twoProcessesOfOneClone$", "[2-9] leases were taken"},
	{"48-late-work-built-upon", "internal/prove/anywhere", "^TestKnown$/^aFencedCloneBuildsOnNothing$", "the commits are of|is not told|exit code"},
	{"49-known-without-a-look", "internal/exchange", "^TestGiveBack_", "nobody looked|is still held|the newest lease is|got <nil>"},
	{"50-commits-what-was-there", "internal/execution", "^TestReadme_", "what is not committed"},
	{"51-leftovers-stay", "internal/execution", "^TestReadme_", "not a clean tree|what is not committed"},
	{"52-start-makes-the-worktree-again", "cmd/git-resume", "^TestScript$/^start_auto_jobs_killed$", "start_auto_jobs_killed.txtar:[0-9]+: exit code 1, want 0"},
}

// plantBugs plants the bugs in a copy of the source tree, one at a time. Each test must pass without its bug and fail with it.
func plantBugs(ctx context.Context, root, only string) error {
	begun := time.Now()
	scratch, err := os.MkdirTemp("", "git-resume-planted-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	w := &workCopy{root: root, copy: filepath.Join(scratch, "tree"), clean: filepath.Join(scratch, "clean"), planted: filepath.Join(scratch, "planted"), built: map[string]bool{}}
	if err := w.copyTree(ctx); err != nil {
		return err
	}
	tried, caught := 0, 0
	for _, b := range bugs {
		if !strings.Contains(b.name, only) {
			continue
		}
		tried++
		err := w.try(ctx, b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Printf("  NOT CAUGHT: %v\n", err)
			continue
		}
		caught++
	}
	fmt.Printf("caught %d of %d, in %v\n", caught, tried, time.Since(begun).Round(time.Second))
	switch {
	case tried == 0:
		return fmt.Errorf("no bug is called %q", only)
	case caught < tried:
		return errors.New("the proof does not bite")
	}
	return nil
}

// workCopy is a copy of the source tree that receives the bugs. The field "clean" is the folder for programs without a bug, and "planted"
// is the folder for programs with one.
type workCopy struct {
	root, copy, clean, planted string
	// built has the paths of the test binaries and programs that were built before a bug was planted. They are not built again.
	built map[string]bool
}

// copyTree copies all files of the source tree that git does not ignore.
func (w *workCopy) copyTree(ctx context.Context) error {
	for _, dir := range []string{w.copy, w.clean, w.planted} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	script := `git ls-files -z --cached --others --exclude-standard | tar --null -c --ignore-failed-read -T - | tar -x -C "$1"`
	_, err := proc.Command{Name: "sh", Args: []string{"-c", script, "sh", w.copy}, Dir: w.root, Env: os.Environ()}.Run(ctx)
	return err
}

// The method "do" runs a command in the copy of the source tree and returns all its output.
func (w *workCopy) do(ctx context.Context, dir, name string, args ...string) (string, error) {
	return w.doWith(ctx, "", dir, name, args...)
}

// doWith runs a command in the copy of the source tree and returns all its output. If the command runs tests, they use the git-resume in
// the folder "bin".
func (w *workCopy) doWith(ctx context.Context, bin, dir, name string, args ...string) (string, error) {
	var out bytes.Buffer
	_, err := proc.Command{Name: name, Args: args, Dir: filepath.Join(w.copy, dir), Stdout: &out, Stderr: &out, Apart: true,
		// Git must not find a repository above this folder. In a subfolder of a repository, "git apply" would ignore the patched files.
		Env: append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(w.copy), gittest.BinaryEnv+"="+bin)}.Run(ctx)
	return out.String(), err
}

// try checks that the test passes, plants the bug, and checks that the test finds it.
func (w *workCopy) try(ctx context.Context, b bug) error {
	patch := filepath.Join(w.root, "internal", "prove", "bugs", b.name+".patch")
	text, err := os.ReadFile(patch)
	if err != nil {
		return err
	}
	what, _, _ := strings.Cut(string(text), "\n")
	fmt.Printf("%s: %s\n", b.name, what)
	clean, err := w.test(ctx, b, w.clean)
	switch {
	case err != nil:
		return fmt.Errorf("without the bug: %w", err)
	case clean.failed:
		return fmt.Errorf("the test fails without the bug: %s", reason(clean.out))
	}
	fmt.Printf("  without: %d passed\n", clean.passed)
	if out, err := w.do(ctx, "", "git", "apply", "--whitespace=nowarn", patch); err != nil {
		return fmt.Errorf("the patch does not apply any more (%w); make it anew: plant the bug by hand, then git diff -U1\n%s", err, out)
	}
	planted, err := w.test(ctx, b, w.planted)
	if out, e := w.do(context.WithoutCancel(ctx), "", "git", "apply", "-R", patch); e != nil {
		return fmt.Errorf("take the bug out again: %w\n%s", e, out)
	}
	switch {
	case err != nil:
		return fmt.Errorf("with the bug: %w", err)
	case !planted.failed:
		return fmt.Errorf("%s in %s passes with the bug", b.run, b.dir)
	}
	fmt.Printf("  with:    %s\n", reason(planted.out))
	if b.says != "" && !regexp.MustCompile(b.says).MatchString(planted.out) {
		return fmt.Errorf("the test fails, but not because of %q", b.says)
	}
	return nil
}

// verdict is the result of a test in the copy of the source tree.
type verdict struct {
	out    string
	passed int
	failed bool
}

// testsOnlyProgram reports whether the tests only run the git-resume binary. Such tests need not be compiled again with the bug.
func (b bug) testsOnlyProgram() bool { return strings.HasPrefix(b.dir, "internal/prove") }

// runsProgram reports whether the tests also run the git-resume binary.
func (b bug) runsProgram() bool { return b.testsOnlyProgram() || b.dir == "internal/exchange" }

// build compiles what the test of a bug needs, and returns the path of the test binary. With -trimpath, Go can reuse its build cache in
// every copy.
func (w *workCopy) build(ctx context.Context, b bug, bin string) (string, error) {
	test := filepath.Join(bin, filepath.Base(b.dir)+".test")
	program := filepath.Join(bin, "git-resume")
	make := map[string][]string{}
	if b.testsOnlyProgram() {
		test = filepath.Join(w.clean, filepath.Base(b.dir)+".test")
	}
	if b.runsProgram() {
		make[program] = []string{"build", "-trimpath", "-tags", "urfave_cli_no_docs,testclock", "-o", program, "./cmd/git-resume"}
	}
	if bin == w.clean || !b.testsOnlyProgram() {
		make[test] = []string{"test", "-c", "-trimpath", "-o", test, "./" + b.dir}
	}
	for file, args := range make {
		if w.built[file] {
			continue
		}
		if out, err := w.do(ctx, "", "go", args...); err != nil {
			return "", fmt.Errorf("it does not build: %w\n%s", err, out)
		}
		w.built[file] = bin == w.clean
	}
	return test, nil
}

// The method "test" runs the test of a bug. If the test was skipped, it returns an error, because nothing was tried.
func (w *workCopy) test(ctx context.Context, b bug, bin string) (verdict, error) {
	test, err := w.build(ctx, b, bin)
	if err != nil {
		return verdict{}, err
	}
	out, err := w.doWith(ctx, bin, b.dir, test, "-test.v", "-test.timeout=10m", "-test.run="+b.run)
	v := verdict{out: out, passed: strings.Count(out, "--- PASS: ")}
	var exit *proc.ExitError
	v.failed = errors.As(err, &exit)
	switch {
	case err != nil && (!v.failed || !strings.Contains(out, "--- FAIL: ")):
		return v, fmt.Errorf("%w\n%s", err, out)
	case !v.failed && (v.passed == 0 || strings.Contains(out, "--- SKIP: ")):
		return v, fmt.Errorf("%s in %s tries nothing here%s", b.run, b.dir, skipped(out))
	}
	return v, nil
}

var (
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	// A failing test script writes "FAIL:" instead of the name of a test file.
	saidThere = regexp.MustCompile(`(?m)^\s+(?:\S+_test\.go:\d+|FAIL): ((?s:.)*?)(?:\n\s*---|\n\s*output|\n===|\z)`)
	space     = regexp.MustCompile(`\s+`)
)

// reason returns the name of the first failed subtest and the first message in the output, which it shortens. If no test failed, it returns
// the whole output.
func reason(out string) string {
	at := failedTest.FindAllStringSubmatchIndex(out, -1)
	if len(at) == 0 {
		return out
	}
	name := ""
	for _, m := range at {
		if n := out[m[2]:m[3]]; name == "" || strings.HasPrefix(n, name+"/") {
			name = n
		}
	}
	said := ""
	for _, m := range saidThere.FindAllStringSubmatch(out, -1) {
		if text := space.ReplaceAllString(m[1], " "); !strings.HasPrefix(text, "seed ") {
			said = ": " + text
			break
		}
	}
	if runes := []rune(said); len(runes) > 300 {
		said = string(runes[:300]) + "…"
	}
	return name + said
}
