package hooks_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// apartRun makes a run with its own worktree, based on main, and returns the run's id. The run's worker was killed in its first task.
// The branch "other" does not belong to the run.
func apartRun(t *testing.T) (r *gittest.Repo, id string) {
	t.Helper()
	r = gittest.New(t).WithBinary()
	r.Git("branch", "other")
	r.Write("../work.sh", "cd \"$(git resume start --name job --task a --task b)\" && git resume task start a\nkill -9 $$\n")
	if out, code := r.Try("sh", filepath.Join(r.Root(), "work.sh")); code == 0 {
		t.Fatalf("the worker was not killed: %s", out)
	}
	return r, strings.TrimPrefix(strings.TrimSpace(r.Git("for-each-ref", "--format=%(refname:short)", "refs/heads/resume/")), "resume/")
}

// inSession runs a script as the leader of a new session, like a shell in a new terminal, and returns what it printed.
func inSession(t *testing.T, r *gittest.Repo, script string) string {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	// The shell must stay alive as session leader. The commands after the script keep it from replacing itself with the script's last
	// command.
	out, code := r.Try("setsid", "--wait", "sh", "-c", script+"\nresult=$?\nexit $result")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	return out
}

// shells returns commands that start a shell, by the shell's name. Each of these shells is /bin/sh on some system. A shell that is not
// installed here is left out.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{"dash": {"dash"}, "busybox": {"busybox", "sh"}, "bash": {"bash", "--posix"}, "sh": {"sh"}}
	for name, words := range all {
		if _, err := exec.LookPath(words[0]); err != nil {
			t.Logf("not tried: %s is not here", name)
			delete(all, name)
		}
	}
	return all
}

// The function "under" makes git run the hook with the given shell instead of /bin/sh.
func under(t *testing.T, r *gittest.Repo, words []string) {
	t.Helper()
	path, err := exec.LookPath(words[0])
	if err != nil {
		t.Fatal(err)
	}
	first := "#!" + strings.Join(append([]string{path}, words[1:]...), " ")
	hook := ".git/hooks/post-checkout"
	_, rest, _ := strings.Cut(r.Read(hook), "\n")
	writeHook(t, filepath.Join(r.Dir, hook), first+"\n"+rest, 0o755)
}

// If the user checks out the base of an interrupted run, the hook must report the run, but only once for each interruption in each session.
// The command that it prints must work.
func TestStub_speaksOnTheBaseOnce(t *testing.T) {
	t.Parallel()
	for name, words := range shells(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, id := apartRun(t)
			installFile(t, r)
			under(t, r, words)
			line := regexp.MustCompile(`^resume: job, based on this branch, stopped at task 1 of 2, just now \(git resume ` + id + `\)\n$`)
			if out := inSession(t, r, "git checkout -q other"); out != "" {
				t.Errorf("on a branch of nobody: said %q", out)
			}
			const toAndFro = "git checkout -q main; git checkout -q other; git checkout -q main; git switch -q -c new; git switch -q main; git branch -q -d new"
			if out := inSession(t, r, toAndFro); !line.MatchString(out) {
				t.Errorf("on the base: said %q", out)
			}
			if out := inSession(t, r, toAndFro); !line.MatchString(out) {
				t.Errorf("in another session: said %q", out)
			}
			// busybox compares file times only to the second. The rest of this test needs more exact times.
			if name == "busybox" {
				return
			}
			r.Write("../more.sh", "cd ../repo.worktrees/"+id+"; git resume task skip a; git resume task start b\nkill -9 $$\n")
			both := inSession(t, r, "git checkout -q main; { sh ../more.sh; } >/dev/null 2>&1; echo again >&2; git checkout -q other; git checkout -q main; git checkout -q main")
			first, second, _ := strings.Cut(both, "again\n")
			if !line.MatchString(first) || !strings.HasPrefix(second, "resume: job, based on this branch, stopped at task 2 of 2") || strings.Count(second, "\n") != 1 {
				t.Errorf("after a second stop: said %q, then %q", first, second)
			}
			if out, code := r.Resume(id, "--print", "--yes"); code != 0 {
				t.Errorf("the command of that line: exit code %d\n%s", code, out)
			}
			r.MustResume("discard", "--yes", id)
			if out := inSession(t, r, toAndFro); out != "" {
				t.Errorf("after a discard: said %q", out)
			}
			if left, _ := filepath.Glob(filepath.Join(r.Dir, ".git/resume/apart", id)); len(left) > 0 {
				t.Errorf("of the run %q is left", left)
			}
		})
	}
}

// After the first checkout of a run's base, further checkouts must not start git-resume again. The test tries four kinds of runs: already
// reported, not started, paused, and running.
func TestStub_asksOnceOnTheBase(t *testing.T) {
	t.Parallel()
	calls := func(r *gittest.Repo) string {
		return "git checkout -q main; : >../calls; for i in 1 2 3; do git checkout -q other; git checkout -q main; done; cat ../calls"
	}
	for name, make := range map[string]func(*testing.T) *gittest.Repo{
		"told": func(t *testing.T) *gittest.Repo { r, _ := apartRun(t); return r },
		"not started": func(t *testing.T) *gittest.Repo {
			r := gittest.New(t).WithBinary()
			r.Git("branch", "other")
			r.MustResume("start", "--name", "job", "--task", "a")
			return r
		},
		"paused": func(t *testing.T) *gittest.Repo {
			r, id := apartRun(t)
			r.MustResume("pause", id)
			return r
		},
		"at work": func(t *testing.T) *gittest.Repo {
			r := gittest.New(t).WithBinary()
			r.Git("branch", "other")
			r.Write("plan.yaml", "name: job\ntasks:\n  - id: a\n    run: touch ../../at-work; sleep 60\n")
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "plan")
			cmd := exec.Command("git-resume", "start", "plan.yaml")
			cmd.Err, cmd.Path, cmd.Dir, cmd.Env = nil, filepath.Join(gittest.Binary(t), "git-resume"), r.Dir, r.Env
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
			waitFor(t, filepath.Join(r.Root(), "at-work"))
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := make(t)
			install(t, r)
			countCalls(t, r)
			if out := inSession(t, r, calls(r)); strings.TrimPrefix(out, firstLine(out, "resume: ")) != "" {
				t.Errorf("started again and again:\n%s", out)
			}
		})
	}
}

// firstLine returns the first line, with its newline, if it begins with prefix, and otherwise "".
func firstLine(text, prefix string) string {
	if !strings.HasPrefix(text, prefix) {
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	return line + "\n"
}

// countCalls puts a script in place of git-resume. The script writes a line to ../calls and then starts the real git-resume.
func countCalls(t *testing.T, r *gittest.Repo) {
	t.Helper()
	bin := t.TempDir()
	writeHook(t, filepath.Join(bin, "git-resume"), "#!/bin/sh\necho \"$*\" >>'"+filepath.Join(r.Root(), "calls")+"'\nexec '"+filepath.Join(gittest.Binary(t), "git-resume")+"' \"$@\"\n", 0o755)
	for i, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			r.Env[i] = "PATH=" + bin + string(os.PathListSeparator) + list
		}
	}
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for range 1000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s never came", path)
}

// The hook must start no process on a branch that does not belong to a run, or on a base if there is nothing new to report.
func TestStub_startsNoProcess(t *testing.T) {
	t.Parallel()
	empty := gittest.New(t)
	runs := gittest.New(t).WithBinary()
	runs.Git("branch", "other")
	for i := range 3 {
		runs.MustResume("start", "--name", "job"+strconv.Itoa(i), "--task", "a")
	}
	for name, words := range shells(t) {
		t.Run(name, func(t *testing.T) {
			if out := forked(t, empty, words, "main", false); out != "" {
				t.Errorf("nothing is open:\n%s", out)
			}
			if out := forked(t, runs, words, "other", false); out != "" {
				t.Errorf("3 runs elsewhere:\n%s", out)
			}
			if out := forked(t, runs, words, "main", false); !strings.Contains(out, "git-resume hook post-checkout") {
				t.Errorf("on their base, and nobody looked yet: started %q", out)
			}
			runs.Git("checkout", "-q", "main")
			time.Sleep(time.Second) // busybox compares file times only to the second
			runs.Try("git-resume", "hook", "post-checkout", "a", "b", "1")
			if out := forked(t, runs, words, "main", false); out != "" {
				t.Errorf("on their base, when the program found that nothing is to be said:\n%s", out)
			}
			if err := os.RemoveAll(filepath.Join(runs.Dir, ".git/resume/told")); err != nil {
				t.Fatal(err)
			}
			stopped, _ := apartRun(t)
			time.Sleep(time.Second)
			if out := forked(t, stopped, words, "main", true); out != "" {
				t.Errorf("on the base, after that was said in this session:\n%s", out)
			}
		})
	}
}

// forked runs the hook in a shell after a branch was checked out, and returns the processes that the hook started. It replaces programs
// on PATH by scripts that record each call. If strace is installed, the result also lists the hook's forks.
func forked(t *testing.T, r *gittest.Repo, words []string, branch string, told bool) string {
	t.Helper()
	r.Git("checkout", "-q", branch)
	installFile(t, r)
	hook := filepath.Join(t.TempDir(), "hook")
	text := r.Read(".git/hooks/post-checkout")
	uninstall(t, r)
	bin, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	for _, program := range []string{"git-resume", "git", "sleep", "cat", "ps"} {
		writeHook(t, filepath.Join(bin, program), "#!/bin/sh\necho \""+program+" $*\" >>'"+calls+"'\nexit 1\n", 0o755) // the scripts fail: after a successful sleep, the hook would kill its child
	}
	writeHook(t, hook, text, 0o755)
	run := strings.Join(words, " ") + " '" + hook + "' a b 1"
	script := "PATH='" + bin + "' " + run
	if _, err := exec.LookPath("strace"); err == nil {
		script = "strace -f -qq -e trace=clone,clone3,fork,vfork -o '" + calls + ".forks' env PATH='" + bin + "' $(command -v " + words[0] + ") " + strings.TrimPrefix(run, words[0])
	} else {
		t.Log("not tried: forks are not counted without strace")
	}
	if told {
		script = "git-resume hook post-checkout a b 1 2>/dev/null\n" + script
	}
	if out := inSession(t, r, script); out != "" {
		t.Errorf("the hook said %q", out)
	}
	started, _ := os.ReadFile(calls)
	forks, _ := os.ReadFile(calls + ".forks")
	for line := range strings.Lines(string(forks)) {
		if strings.Contains(line, "clone") || strings.Contains(line, "fork") {
			started = append(started, line...)
		}
	}
	return string(started)
}

// Damaged files in .git/resume must not make a checkout fail or hang. The hook must print nothing but its usual message.
func TestStub_standsDamagedFiles(t *testing.T) {
	t.Parallel()
	const huge = 1 << 40
	fifo := func(r *gittest.Repo, path string) error { return syscall.Mkfifo(filepath.Join(r.Dir, path), 0o644) }
	sparse := func(r *gittest.Repo, path string) error {
		r.Write(path, "x")
		return os.Truncate(filepath.Join(r.Dir, path), huge)
	}
	link := func(r *gittest.Repo, to, path string) error { return os.Symlink(to, filepath.Join(r.Dir, path)) }
	remove := func(r *gittest.Repo, path string) error { return os.RemoveAll(filepath.Join(r.Dir, path)) }
	for name, damage := range map[string]func(r *gittest.Repo, id string) error{
		"nothing":          func(*gittest.Repo, string) error { return nil },
		"a mark is a FIFO": func(r *gittest.Repo, _ string) error { return fifo(r, ".git/resume/open/fifo-abcd") },
		"a mark is huge":   func(r *gittest.Repo, _ string) error { return sparse(r, ".git/resume/open/huge-abcd") },
		"the run's is a FIFO": func(r *gittest.Repo, id string) error {
			return errors.Join(remove(r, ".git/resume/open/"+id), fifo(r, ".git/resume/open/"+id))
		},
		"the run's is huge":    func(r *gittest.Repo, id string) error { return sparse(r, ".git/resume/open/"+id) },
		"the run's has no end": func(r *gittest.Repo, id string) error { r.Write(".git/resume/open/"+id, `{"v":1`); return nil },
		"the run's has CRLF": func(r *gittest.Repo, id string) error {
			r.Write(".git/resume/open/"+id, strings.TrimSpace(r.Read(".git/resume/open/"+id))+"\r\n")
			return nil
		},
		"a mark is a device":  func(r *gittest.Repo, _ string) error { return link(r, "/dev/zero", ".git/resume/open/zero-abcd") },
		"a mark is a loop":    func(r *gittest.Repo, _ string) error { return link(r, "loop-abcd", ".git/resume/open/loop-abcd") },
		"a mark leads out":    func(r *gittest.Repo, _ string) error { return link(r, "../../../..", ".git/resume/open/out-abcd") },
		"names of every kind": func(r *gittest.Repo, _ string) error { return oddNames(r, ".git/resume/open") },
		"odd names in told":   func(r *gittest.Repo, _ string) error { return oddNames(r, ".git/resume/told") },
		"odd names in apart":  func(r *gittest.Repo, _ string) error { return oddNames(r, ".git/resume/apart") },
		"the index is a FIFO": func(r *gittest.Repo, id string) error {
			return errors.Join(remove(r, ".git/resume/apart/"+id), fifo(r, ".git/resume/apart/"+id))
		},
		"the index is a loop": func(r *gittest.Repo, id string) error {
			return errors.Join(remove(r, ".git/resume/apart"), link(r, "apart", ".git/resume/apart"))
		},
		"all of it leads out": func(r *gittest.Repo, _ string) error {
			return errors.Join(remove(r, ".git/resume"), link(r, r.Root(), ".git/resume"))
		},
		"quiet is a FIFO": func(r *gittest.Repo, _ string) error {
			return errors.Join(remove(r, ".git/resume/quiet"), fifo(r, ".git/resume/quiet"))
		},
		"told is a file":          func(r *gittest.Repo, _ string) error { r.Write(".git/resume/told", ""); return nil },
		"a worker that is a path": func(r *gittest.Repo, id string) error { r.Write(".git/resume/told/"+id+"@w..-1", ""); return nil },
		"HEAD is a link":          func(r *gittest.Repo, _ string) error { r.Git("config", "core.preferSymlinkRefs", "true"); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, id := apartRun(t)
			installFile(t, r)
			if err := damage(r, id); err != nil {
				t.Fatal(err)
			}
			outside := listing(t, r.Root())
			defer func() {
				if now := listing(t, r.Root()); now != outside {
					t.Errorf("beside the repository there is now\n%s", now)
				}
				if _, err := os.Lstat(filepath.Join(r.Dir, "PWNED")); err == nil {
					t.Error("a name was executed")
				}
			}()
			for _, words := range shells(t) {
				under(t, r, words)
				for _, branch := range []string{"other", "main"} {
					since := time.Now()
					out, code := r.Try("timeout", "20", "git", "checkout", "-q", branch)
					out = gitsAdvice.ReplaceAllString(out, "")
					if code != 0 || strings.TrimPrefix(out, firstLine(out, "resume: ")) != "" {
						t.Errorf("%s: git checkout %s: exit code %d, said %q", words, branch, code, out)
					}
					if took := time.Since(since); took > 15*time.Second {
						t.Errorf("%s: git checkout %s took %s", words, branch, took)
					}
				}
			}
		})
	}
}

// gitsAdvice matches what a new git says about the setting that makes HEAD a link.
var gitsAdvice = regexp.MustCompile(`(?m)^(warning: 'core\.preferSymlinkRefs|hint:).*\n`)

func oddNames(r *gittest.Repo, dir string) error {
	r.Write(dir+"/plain", "")
	var errs []error
	for _, name := range []string{"-n", "a b", "a\nb", "*", "[x]", "$(touch PWNED)", "`touch PWNED`", "x@w1-1", "x@wnothing", "é", "\xff", "'", `"`, `\`, "job-abcd@nothing"} {
		errs = append(errs, os.WriteFile(filepath.Join(r.Dir, dir, name), nil, 0o644))
	}
	return errors.Join(errs...)
}

// TestStub_leavesNobodyInTheWorktree checks that the hook starts its "sleep" outside of the worktree. The sleep limits the time of the
// hook, and can outlive the hook. A discard refuses to remove a folder in which a process runs.
func TestStub_leavesNobodyInTheWorktree(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(".planning/STATE.md", "# state\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plans")
	r.Git("branch", "other")
	installBroken(t, r, "#!/bin/sh\nsleep 0.2 # until the clock runs\necho told > ../told\n")
	r.Git("checkout", "-q", "other")
	if _, err := os.Stat(filepath.Join(r.Root(), "told")); err != nil {
		t.Fatal("the hook did not call the program")
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, r.Dir) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			t.Errorf("%q stands in the worktree", line)
		}
	}
}

// TestStub_callsForTheYoungestSystems checks that the hook calls git-resume if the worktree has a file of another system, and not for an
// ordinary file.
func TestStub_callsForTheYoungestSystems(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"conductor/tracks/cards/plan.md", "conductor/setup_state.json",
		".agent-os/specs/cards/tasks.md", "agent-os/specs/cards/tasks.md", ".spec-workflow/specs/cards/tasks.md",
		"execplans/cards.md", ".agent/execplans/cards.md", "tasks/todo.md",
		".taskmaster/tasks/tasks.json", "tasks/tasks.json", "task_plan.md", ".planning/2026-11-10-cards/task_plan.md", "web/.planning/2026-11-10-cards/task_plan.md",
		"docs/superpowers/plans/2026-11-10-cards.md", "web/docs/superpowers/plans/2026-11-10-cards.md", "docs/plans/2026-11-10-cards.md",
		".superpowers/sdd/2026-11-10-cards/progress.md", "_bmad-output/implementation-artifacts/sprint-status.yaml", "docs/sprint-status.yaml", "docs/sprint-artifacts/sprint-status.yml", "notes.md",
	} {
		r := gittest.New(t)
		r.Write(file, "x\n")
		r.Git("add", "-A", "-f")
		r.Git("commit", "-q", "-m", "plans")
		r.Git("branch", "other")
		installBroken(t, r, "#!/bin/sh\necho told > ../told\n")
		r.Git("checkout", "-q", "other")
		_, err := os.Stat(filepath.Join(r.Root(), "told"))
		if called := err == nil; called != (file != "notes.md") {
			t.Errorf("%s: the hook calls the program: %v", file, called)
		}
	}
}
