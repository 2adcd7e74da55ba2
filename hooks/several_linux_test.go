package hooks_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/gittest"
)

// formerStub is the beginning of the hook file of an earlier version. It runs the former hook without looking at it.
const formerStub = `#!/bin/sh
# git-resume-stub 5: says so when interrupted work concerns what you just checked out.
# It never fails. Remove it with: git resume hooks uninstall
case $0 in */*) before=${0%/*}/post-checkout.before-git-resume ;; *) before=./post-checkout.before-git-resume ;; esac
status=0
if [ -x "$before" ] && [ "${GIT_RESUME_PROBE-}" != 1 ]; then
	"$before" "$@"
	status=$?
fi
if [ "${GIT_RESUME_PROBE-}" = 1 ]; then
	echo git-resume-stub-is-alive >&2
fi
exit "$status"
`

// counting is another tool's hook, which adds a line to a file each time it runs.
const counting = "#!/bin/sh\necho ran >>\"$(git rev-parse --git-common-dir)/ran\"\n"

const (
	hookFile   = ".git/hooks/post-checkout"
	formerFile = hookFile + ".before-git-resume"
)

// ends runs a command and fails the test if the command does not end. A hook that calls itself starts processes without end, so the
// command and all processes that it started are then killed as one process group.
func ends(t *testing.T, r *gittest.Repo, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	gittest.NoError(t, "find the program", err)
	cmd := exec.Command(path, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.Dir, r.Env, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	gittest.NoError(t, "start", cmd.Start())
	late := time.AfterFunc(10*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	_ = cmd.Wait() // its exit code is that of the former hook
	if !late.Stop() {
		t.Fatalf("%s %v did not end", name, args)
	}
	return out.String()
}

// filePlace makes a repository with this hook, in which Install writes a file. The test is skipped if Install would write a setting.
func filePlace(t *testing.T, first string) *gittest.Repo {
	t.Helper()
	if settingsHaveHooks() {
		t.Skip("this git has hooks in its settings")
	}
	r := gittest.New(t)
	if first != "" {
		writeHook(t, filepath.Join(r.Dir, hookFile), first, 0o755)
	}
	return r
}

// Installers and uninstallers that run at the same time must not save our own hook as the former one, nor lose, double or keep the hook of
// another tool.
func TestInstall_severalAtOnce(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"free": "", "taken": counting} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for round := range 6 {
				r := filePlace(t, first)
				before := listing(t, filepath.Join(r.Dir, ".git/hooks"))
				var all sync.WaitGroup
				for i := range 6 {
					all.Go(func() {
						repo := repotest.Open(t, r.Dir, r.Env)
						if i%3 == 2 {
							_, _ = hooks.Uninstall(context.Background(), repo, hooks.Request{}) // another one may already have done it
						} else {
							_, _ = hooks.Install(context.Background(), repo, hooks.Request{}) // it may be uninstalled before it is tried
						}
					})
				}
				all.Wait()
				hook, _ := os.ReadFile(filepath.Join(r.Dir, hookFile)) // a file that is missing has no text
				former, _ := os.ReadFile(filepath.Join(r.Dir, formerFile))
				if string(former) != "" && string(former) != first {
					t.Fatalf("round %d: the former hook is\n%s", round, former)
				}
				if first != "" && (string(hook) == first) == (string(former) == first) {
					t.Fatalf("round %d: the hook of another tool is lost or doubled; the hook is\n%s", round, hook)
				}
				_ = os.Remove(filepath.Join(r.Dir, ".git/ran")) // an installer may have tried git's hooks just after an uninstall
				ends(t, r, "git", "checkout", "-q", "-b", "after")
				if ran, _ := os.ReadFile(filepath.Join(r.Dir, ".git/ran")); first != "" && string(ran) != "ran\n" {
					t.Fatalf("round %d: at one checkout the former hook wrote %q", round, ran)
				}
				uninstall(t, r)
				if got := listing(t, filepath.Join(r.Dir, ".git/hooks")); got != before {
					t.Fatalf("round %d: after the uninstall:\n%s\nwanted:\n%s", round, got, before)
				}
			}
		})
	}
}

// An installer waits for another one, and then looks again: what it saw before is old.
func TestInstall_waitsForAnotherInstaller(t *testing.T) {
	t.Parallel()
	r := filePlace(t, counting)
	install(t, r)
	installed := r.Read(hookFile)
	uninstall(t, r)
	path := filepath.Join(r.Dir, ".git/resume/hooks.lock")
	lock, err := flock.Try(path)
	gittest.NoError(t, "lock", err)
	repo, done := repotest.Open(t, r.Dir, r.Env), make(chan error, 1)
	go func() {
		_, err := hooks.Install(context.Background(), repo, hooks.Request{})
		done <- err
	}()
	for !waiting(t, path) {
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
	}
	gittest.NoError(t, "move the hook aside", os.Rename(filepath.Join(r.Dir, hookFile), filepath.Join(r.Dir, formerFile)))
	writeHook(t, filepath.Join(r.Dir, hookFile), installed, 0o755)
	gittest.NoError(t, "release", lock.Release())
	gittest.NoError(t, "install", <-done)
	if r.Read(hookFile) != installed || r.Read(formerFile) != counting {
		t.Errorf("the hook is\n%s\nand the former hook is\n%s", r.Read(hookFile), r.Read(formerFile))
	}
}

// waiting reports whether this process has opened a lock file twice: once to hold it, and once to wait for it.
func waiting(t *testing.T, path string) bool {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the open files of a process cannot be listed here")
	}
	open := 0
	for _, e := range entries {
		if to, _ := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); to == path { // a file that was closed meanwhile has no target
			open++
		}
	}
	return open > 1
}

// An earlier version could save our own hook as the former one. Then each checkout started the hook without end.
func TestInstall_repairsAHookThatCallsItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ hook, former, left string }{
		"twice the former stub":              {formerStub, formerStub, ""},
		"the present stub and a former one":  {"", formerStub, ""},
		"a hook of the user in front":        {counting, formerStub, counting},
		"only the copy":                      {"-", formerStub, ""},
		"an older mark":                      {"#!/bin/sh\n# git-resume-stub 1: x\n", "#!/bin/sh\r\n# git-resume-stub 1: x\r\n", ""},
		"the hook of an interrupted install": {"-", counting, counting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := func() *gittest.Repo {
				r := filePlace(t, "")
				if c.hook == "" {
					install(t, r)
				} else if c.hook != "-" {
					writeHook(t, filepath.Join(r.Dir, hookFile), c.hook, 0o755)
				}
				writeHook(t, filepath.Join(r.Dir, formerFile), c.former, 0o755)
				return r
			}
			whole := func(r *gittest.Repo) {
				t.Helper()
				hook, _ := os.ReadFile(filepath.Join(r.Dir, hookFile)) // no text if it is missing
				former, err := os.ReadFile(filepath.Join(r.Dir, formerFile))
				if string(hook) != c.left || err == nil {
					t.Errorf("after the uninstall the hook is %q, the former hook %q", hook, former)
				}
			}
			r := place()
			uninstall(t, r)
			whole(r)
			r = place()
			if s := install(t, r); !s.Alive || !s.Current || s.CallsItself || s.Chained != (c.left != "") {
				t.Errorf("after the install: %+v", s)
			}
			ends(t, r, "git", "checkout", "-q", "-b", "other")
			if ran, _ := os.ReadFile(filepath.Join(r.Dir, ".git/ran")); c.left != "" && string(ran) != "ran\n" {
				t.Errorf("the former hook wrote %q", ran)
			}
			uninstall(t, r)
			whole(r)
		})
	}
}

// A stub that was saved as the former hook says nothing and ends. The stub itself does not call such a file.
func TestStub_neverRunsAStubAsTheFormerHook(t *testing.T) {
	t.Parallel()
	for name, words := range shells(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := filePlace(t, "")
			r.Write(".planning/STATE.md", "# state\n")
			install(t, r)
			installStartReporter(t, r)
			under(t, r, words)
			stub := r.Read(hookFile)
			writeHook(t, filepath.Join(r.Dir, formerFile), stub, 0o755)
			if out := ends(t, r, filepath.Join(r.Dir, formerFile), "a", "b", "1"); out != "" {
				t.Errorf("called by its name, the copy said %q", out)
			}
			for of, former := range map[string]string{"of this version": stub, "of the version before": formerStub, "of the first version": "#!/bin/sh\n# git-resume-stub 1: x\necho wrong\n"} {
				writeHook(t, filepath.Join(r.Dir, formerFile), former, 0o755)
				if out := ends(t, r, "git", "checkout", "-q", "-B", "other"); out != "started\n" {
					t.Errorf("with a copy %s: said %q", of, out)
				}
			}
			writeHook(t, filepath.Join(r.Dir, hookFile), formerStub, 0o755)
			writeHook(t, filepath.Join(r.Dir, formerFile), stub, 0o755)
			if out := ends(t, r, "git", "checkout", "-q", "-B", "other"); out != "" {
				t.Errorf("called by a stub of the version before, the copy said %q", out)
			}
		})
	}
}

// Two installers with --manager add our lines once.
func TestInstall_severalIntoAManagersFile(t *testing.T) {
	t.Parallel()
	for round := range 3 {
		r := gittest.New(t)
		r.Write("lefthook.yml", "pre-push: {}\n")
		r.Write("lefthook-local.yml", "pre-commit:\n  parallel: true\n")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Add: true}); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		all.Wait()
		if text := r.Read("lefthook-local.yml"); strings.Count(text, "git-resume begins") != 1 {
			t.Fatalf("round %d:\n%s", round, text)
		}
		uninstall(t, r)
		if text := r.Read("lefthook-local.yml"); text != "pre-commit:\n  parallel: true\n" {
			t.Fatalf("round %d: after the uninstall:\n%s", round, text)
		}
	}
}
