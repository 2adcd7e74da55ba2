package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// bug is a fault that is planted, and the part of the proof that must find it.
type bug struct {
	// name is the patch in the folder bugs, without its ending.
	name string
	dir  string
	run  string
}

// bugs are ten faults that programs of this kind have had.
var bugs = []bug{
	{"01-no-old-value", "internal/prove", "^TestSwap_"},
	{"02-index-copied", "internal/prove", "^TestSnapshot_"},
	{"03-no-folder-sync", "internal/prove", "^TestOrder_"},
	{"04-lock-by-age", "internal/flock", "^TestAge_"},
	{"05-git-notes-append", "internal/prove", "^TestKill_everyWriteOfEveryCommand$/^task_(done_after_a_pruning_fetch|start)$"},
	{"06-no-keep-alive", "internal/prove", "^TestStories_undisturbed$/^checkpoint_of_files$"},
	{"07-record-before-commit", "internal/prove", "^TestKill_knownWindows$/^the_(commit_exists|branch_has_moved|same)"},
	{"08-discard-without-snapshot", "internal/prove", "^TestStories_undisturbed$/^discard"},
	{"09-no-second-look", "cmd/git-resume", "^TestScript$/^resume_moved_meanwhile$"},
	{"10-ref-by-go-git", "internal/prove", "^TestOrder_|^TestKill_everyWriteOfEveryCommand$/^task_"},
}

// bite plants the bugs in a copy of the tree, one at a time, and wants the proof to fail at each.
func bite(ctx context.Context, root, only string) error {
	w := &wound{root: root}
	var err error
	if w.copy, err = os.MkdirTemp("", "git-resume-bites-"); err != nil {
		return err
	}
	defer os.RemoveAll(w.copy)
	if err := w.copyTree(ctx); err != nil {
		return err
	}
	tried, caught := 0, 0
	for _, b := range bugs {
		if !strings.Contains(b.name, only) || ctx.Err() != nil {
			continue
		}
		tried++
		how, err := w.try(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		if how == "" {
			fmt.Printf("%s: NOT CAUGHT by %s in %s\n", b.name, b.run, b.dir)
			continue
		}
		caught++
		fmt.Printf("%s: caught by %s\n", b.name, how)
	}
	fmt.Printf("%d of %d\n", caught, tried)
	if caught < tried {
		return errors.New("the proof does not bite")
	}
	return ctx.Err()
}

// wound is a copy of the tree for bugs.
type wound struct {
	root, copy string
}

// copyTree takes the files that git knows, as they are now.
func (w *wound) copyTree(ctx context.Context) error {
	script := `git ls-files -z --cached --others --exclude-standard | tar --null -c --ignore-failed-read -T - | tar -x -C "$1"`
	_, err := proc.Command{Name: "sh", Args: []string{"-c", script, "sh", w.copy}, Dir: w.root, Env: os.Environ()}.Run(ctx)
	return err
}

func (w *wound) do(ctx context.Context, env []string, name string, args ...string) (string, error) {
	out, err := proc.Command{Name: name, Args: args, Dir: w.copy, Env: append(os.Environ(), env...)}.Run(ctx)
	return string(out.Stdout) + string(out.Stderr), err
}

// try plants one bug; it says which test found it and how, or nothing.
// That the test passes without the bug is for the everyday tests to see.
func (w *wound) try(ctx context.Context, b bug) (string, error) {
	patch := filepath.Join(w.root, "internal", "prove", "bugs", b.name+".patch")
	if out, err := w.do(ctx, nil, "git", "apply", patch); err != nil {
		return "", fmt.Errorf("the patch does not apply any more (%w); make it anew: plant the bug by hand, then git diff -U1\n%s", err, out)
	}
	defer w.do(context.WithoutCancel(ctx), nil, "git", "apply", "-R", patch) //nolint:errcheck // the next one would say so
	bin := filepath.Join(w.copy, ".bin")
	if out, err := w.do(ctx, nil, "go", "build", "-tags", "urfave_cli_no_docs", "-o", filepath.Join(bin, "git-resume"), "./cmd/git-resume"); err != nil {
		return "", fmt.Errorf("it does not build: %w\n%s", err, out)
	}
	out, err := w.do(ctx, []string{gittest.BinaryEnv + "=" + bin}, "go", "test", "-count=1", "-run", b.run, "./"+b.dir)
	var exit *proc.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &exit) || strings.Contains(out, "[build failed]"):
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return reason(out), nil
}

var (
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	saidThere  = regexp.MustCompile(`(?m)^\s+\S+_test\.go:\d+: (.*(?:\n\s+(?:after|acknowledged|repeated|between).*)?)`)
	space      = regexp.MustCompile(`\s+`)
)

// reason is the deepest test that failed first, and what it said.
func reason(out string) string {
	name := "?"
	for _, m := range failedTest.FindAllStringSubmatch(out, -1) {
		if name != "?" && !strings.HasPrefix(m[1], name) {
			break
		}
		name = m[1]
	}
	said := ""
	if m := saidThere.FindStringSubmatch(out); m != nil {
		said = ": " + space.ReplaceAllString(m[1], " ")
	}
	if len(said) > 300 {
		said = said[:300] + "…"
	}
	return name + said
}
