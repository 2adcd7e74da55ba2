package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

// The variable "printing" lists commands, each with a preparation after which it prints something. $TREE is the worktree of the run
// "job".
var printing = []struct{ path, before, args string }{
	{"", "", "--print job"},
	{"", "cd $TREE; git resume task fail a --cause x", "-n job"},
	{"", "mkdir -p specs/001-x .specify; echo '- [x] T001 a' > specs/001-x/tasks.md; echo '- [ ] T002 b' >> specs/001-x/tasks.md", "--print spec-kit:001-x"},
	{"", "git merge -q --no-commit --no-ff other", "--choose abort --yes git:merge@."},
	{"", "", "--discard job --yes"},
	{"", "", "-h"},
	{"start", "", "start --name x --task a"},
	{"start", "printf 'tasks:\\n  - id: a\\n    run: echo hi\\n' > p.yaml", "start p.yaml"},
	{"run", "", "run -- echo hi"},
	{"run", "", "run -h"},
	{"pause", "", "pause job"},
	{"answer", "cd $TREE; git resume task block a --ask why", "answer a because"},
	{"finish", "", "finish job"},
	{"trust", "", "trust -n job"},
	{"task start", "", "task start a"},
	{"task add", "", "task add z --title zed"},
	{"wait", "git resume task skip a; git resume finish job", "wait job"},
	{"task done", "echo x > $TREE/x", "task done a"},
	{"task fail", "", "task fail a --cause x"},
	{"task block", "", "task block a --ask why"},
	{"task skip", "", "task skip a"},
	{"task reset", "cd $TREE; git resume task skip a", "task reset a"},
	{"task run", "", "task run a -- echo hi"},
	{"checkpoint", "echo x > $TREE/x", "checkpoint --run job"},
	{"checkpoint", "echo x > $TREE/x", "checkpoint --commit --run job"},
	{"status", "", "status"},
	{"status", "", "status job"},
	{"status", "", "status job a"},
	{"status", "", "status --json"},
	{"status", "", "status --porcelain -z"},
	{"status", "", "status --timeline"},
	{"status", "git merge -q --no-commit --no-ff other", "status --prompt"},
	{"status", "", "status --watch"},
	{"status", "git merge -q --no-commit --no-ff other", "status git:merge@."},
	{"log", "", "log"},
	{"log", "", "log job"},
	{"log", "", "log --raw job"},
	{"log", "cd $TREE; git resume task run a -- echo hi", "log job a"},
	{"review", "", "review job"},
	{"merge", "cd $TREE; echo x > x; git resume task done a; git resume task skip b", "merge job"},
	{"conflicts", "", "conflicts main other"},
	{"conflicts", "", "conflicts --json main other"},
	{"discard", "", "discard job --yes"},
	{"discard", "", "discard --merged"},
	{"undo", "git resume pause job; git resume finish job", "undo --yes job"},
	{"hide", "mkdir -p specs/001-x; echo '- [x] T001 a' > specs/001-x/tasks.md; echo '- [ ] T002 b' >> specs/001-x/tasks.md", "hide 001-x"},
	{"snapshots", "cd $TREE; echo x > x; git resume checkpoint", "snapshots"},
	{"diff", "cd $TREE; echo x > x; git resume checkpoint", "diff job@1"},
	{"restore", "cd $TREE; echo x > x; git resume checkpoint", "restore job@1 --into-worktree"},
	{"hooks", "", "hooks status"},
	{"hooks", "", "hooks install"},
	{"hook", "", "hook post-checkout a b 1"},
	{"push", "git init -q --bare ../up.git; git remote add up ../up.git", "push job --to up"},
	{"pull", "git init -q --bare ../up.git; git remote add up ../up.git; git resume push job --to up", "pull job"},
	{"work", "git init -q --bare ../up.git; git remote add up ../up.git; git resume push job --to up; git resume finish job", "work job --remote up"},
	{"unshare", "git init -q --bare ../up.git; git remote add up ../up.git; git resume push job --to up", "unshare job"},
	{"parked", "", "parked"},
	{"doctor", "", "doctor"},
	{"doctor", "", "doctor --fix"},
	{"demo", "", "demo rebase"},
	{"agents", "", "agents"},
	{"agents", "", "agents install -n claude"},
	{"version", "", "version"},
	{"help", "", "help start"},
}

func TestOutput_thatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no device that is always full")
	}
	var paths []string
	for _, c := range printing {
		paths = append(paths, c.path)
	}
	for _, path := range commandPaths(commands{&program{}}.app().Commands, "") {
		if !slices.Contains(paths, path) {
			t.Errorf("%s is not tried", path)
		}
	}
	for _, c := range printing {
		t.Run(strings.ReplaceAll(c.args, " ", "_"), func(t *testing.T) {
			t.Parallel()
			tryFull(t, c.before, c.args)
		})
	}
}

// silent contains the command lines that print nothing to stdout.
var silent = []string{"--choose abort --yes git:merge@.", "hook post-checkout a b 1"}

func tryFull(t *testing.T, before, args string) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	_, said, got := runPrinting(t, before, args, full)
	if !slices.Contains(silent, args) {
		if want := "error: cannot write to standard output: no space left on device\n"; got != exit.Fatal || !strings.HasSuffix(said, want) || strings.Count(said, want) != 1 {
			t.Errorf("it ends with %d and says %q", got, said)
		}
		return
	}
	text, _, want := runPrinting(t, before, args, nil)
	if text != "" || got != want || strings.Contains(said, "standard output") {
		t.Errorf("it prints %q, ends with %d instead of %d, and says %q", text, got, want, said)
	}
}

func commandPaths(commands []*cli.Command, above string) (out []string) {
	for _, c := range commands {
		path := strings.TrimSpace(above + " " + c.Name)
		if len(c.Subcommands) == 0 {
			out = append(out, path)
		}
		out = append(out, commandPaths(c.Subcommands, path)...)
	}
	return out
}

// runPrinting runs a command in a new repository with an open run. It runs "task" and "checkpoint" in the run's worktree.
func runPrinting(t *testing.T, before, args string, stdout *os.File) (text, said string, code int) {
	t.Helper()
	r := gittest.New(t).WithBinary()
	r.Git("checkout", "-q", "-b", "other")
	r.Write("other", "x\n")
	r.Git("add", "other")
	r.Git("commit", "-q", "-m", "other")
	r.Git("checkout", "-q", "main")
	r.Write("mine", "x\n")
	r.Git("add", "mine")
	r.Git("commit", "-q", "-m", "mine")
	start := exec.Command("git", "resume", "start", "--name", "job", "--task", "a", "--task", "b")
	start.Dir, start.Env = r.Dir, r.Env
	printed, err := start.Output()
	if err != nil {
		t.Fatal(err)
	}
	tree := strings.TrimSpace(string(printed))
	env := append(slices.Clone(r.Env), "TREE="+tree, "TMPDIR="+t.TempDir())
	if before != "" {
		cmd := exec.Command("sh", "-c", before)
		cmd.Dir, cmd.Env = r.Dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", before, err, out)
		}
	}
	cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), strings.Fields(args)...)
	cmd.Dir, cmd.Env = r.Dir, env
	if strings.HasPrefix(args, "task ") || strings.HasPrefix(args, "checkpoint") {
		cmd.Dir = tree
	}
	var out, errOut bytes.Buffer
	if cmd.Stdout, cmd.Stderr = &out, &errOut; stdout != nil {
		cmd.Stdout = stdout
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

func TestOutput_closedPipeIsSilent(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.Git("resume", "start", "--here", "--name", "job", "--task", "a")
	for _, args := range []string{"status", "status --json", "log job", "-h", "run -- sh -c 'seq 100000'"} {
		for _, manners := range []string{"", "trap '' PIPE; "} {
			cmd := exec.Command("sh", "-c", manners+"git-resume "+args+" | true")
			var said bytes.Buffer
			cmd.Dir, cmd.Env, cmd.Stderr = r.Dir, r.Env, &said
			if err := cmd.Run(); err != nil || strings.Contains(said.String(), "standard output") || strings.Contains(said.String(), "pipe") {
				t.Errorf("%s%s: %v, and said %q", manners, args, err, said.String())
			}
		}
	}
}
