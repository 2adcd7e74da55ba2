package hooks_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/gittest"
)

// real makes the repository for a test with a real tool that installs hooks, such as pre-commit. The repository has an interrupted run. The
// test is skipped if the tool is not installed, or if the tool needs the network and the environment variable GIT_RESUME_PROVE is not 1.
func real(t *testing.T, tool string, overNetwork bool) *gittest.Repo {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Skipf("%s is not at hand", tool)
	}
	if overNetwork && os.Getenv("GIT_RESUME_PROVE") != "1" {
		t.Skip("it fetches packages; GIT_RESUME_PROVE=1 runs it")
	}
	r := gittest.New(t).WithBinary()
	r.Write("../work.sh", "git resume start --here --name job --task a\ngit resume task start a\nkill -9 $$\n")
	r.Try("sh", filepath.Join(r.Dir, "../work.sh"))
	return r
}

// compareCheckouts checks out a branch before and after our hook is installed. The exit code must be the same, the other tool must still
// print its text, and our line must be added. After the uninstall, the files in .git/hooks must be the same as at first.
func compareCheckouts(t *testing.T, r *gittest.Repo, q hooks.Request, theirs string) {
	t.Helper()
	dir := filepath.Join(r.Dir, ".git/hooks")
	kept := listing(t, dir)
	before, code := r.Try("git", "checkout", "-q", "-B", "one")
	if !strings.Contains(before, theirs) || strings.Contains(before, "resume: job") {
		t.Fatalf("without our hook: %q", before)
	}
	s, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), q)
	if err != nil || !s.Alive {
		t.Fatalf("%v, %+v", err, s)
	}
	after, got := r.Try("git", "checkout", "-q", "-B", "two")
	if got != code || !strings.Contains(after, theirs) || !strings.Contains(after, "resume: job stopped") {
		t.Errorf("exit code %d (before %d), said %q", got, code, after)
	}
	if _, err := hooks.Uninstall(context.Background(), repotest.Open(t, r.Dir, r.Env), q); err != nil {
		t.Fatal(err)
	}
	if listing(t, dir) != kept {
		t.Errorf("after the uninstall:\n%s\nwanted:\n%s", listing(t, dir), kept)
	}
}

func TestReal_gitLFS(t *testing.T) {
	t.Parallel()
	r := real(t, "git-lfs", false)
	r.Git("lfs", "install", "--local")
	compareCheckouts(t, r, hooks.Request{}, "")
}

func TestReal_preCommit(t *testing.T) {
	t.Parallel()
	r := real(t, "pre-commit", false)
	r.Write(".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks:\n  - {id: theirs, name: theirs, entry: echo theirs, language: system, stages: [post-checkout], always_run: true, verbose: true}\n")
	r.Git("add", ".pre-commit-config.yaml")
	r.Git("commit", "-q", "-m", "hooks")
	if out, code := r.Try("pre-commit", "install", "--hook-type", "post-checkout"); code != 0 {
		t.Skipf("pre-commit does not work here: %s", out)
	}
	compareCheckouts(t, r, hooks.Request{}, "theirs")
}

func TestReal_husky(t *testing.T) {
	t.Parallel()
	r := real(t, "npm", true)
	r.Write("package.json", "{\"name\":\"x\",\"version\":\"1.0.0\",\"private\":true}\n")
	for _, args := range [][]string{{"npm", "install", "-D", "husky@9"}, {"npx", "husky"}} {
		if out, code := r.Try(args[0], args[1:]...); code != 0 {
			t.Skipf("%v: %s", args, out)
		}
	}
	const text = "echo theirs \"$@\" >&2\nexit 0"
	r.Write(".husky/post-checkout", text)
	compareCheckouts(t, r, hooks.Request{Add: true}, "theirs")
	if r.Read(".husky/post-checkout") != text {
		t.Errorf("after the uninstall: %q", r.Read(".husky/post-checkout"))
	}
}

func TestReal_lefthook(t *testing.T) {
	t.Parallel()
	r := real(t, "npm", true)
	r.Write("package.json", "{\"name\":\"x\",\"version\":\"1.0.0\",\"private\":true}\n")
	r.Write("lefthook.yml", "post-checkout:\n  commands:\n    theirs:\n      run: echo theirs {0}\n")
	for _, args := range [][]string{{"npm", "install", "-D", "lefthook"}, {"npx", "lefthook", "install"}} {
		if out, code := r.Try(args[0], args[1:]...); code != 0 {
			t.Skipf("%v: %s", args, out)
		}
	}
	compareCheckouts(t, r, hooks.Request{Add: true}, "theirs")
	if _, err := os.Stat(filepath.Join(r.Dir, "lefthook-local.yml")); err == nil {
		t.Error("our file stayed")
	}
}
