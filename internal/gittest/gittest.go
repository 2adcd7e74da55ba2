// Package gittest makes real repositories for tests, with fixed names and dates.
// It also builds git-resume once for tests that run the real program.
package gittest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Repo is a real repository in its own folder.
type Repo struct {
	T   testing.TB
	Dir string
	Env []string
	// prepare, if it is set, changes a command before it is started.
	prepare func(*exec.Cmd)
}

// Env returns an environment in which git does not see the settings of the user or of the machine.
func Env(home string, extra ...string) []string {
	env := []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC", "TMPDIR=" + os.TempDir(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"), "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true",
		"GIT_PROGRESS_DELAY=3600", // no progress message on a busy machine, because it would change the output that tests compare
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com", "GIT_AUTHOR_DATE=2030-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=C O Mitter", "GIT_COMMITTER_EMAIL=committer@example.com", "GIT_COMMITTER_DATE=2030-01-02T03:04:05Z",
	}
	return append(env, extra...)
}

// New makes a repository with one commit on branch main.
func New(t testing.TB, initArgs ...string) *Repo {
	t.Helper()
	r := folder(t, t.TempDir(), "repo", Env)
	return r.Like("new "+strings.Join(initArgs, " "), func(r *Repo) {
		r.init(initArgs)
		r.Write("README", "first\n")
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "first")
	})
}

// folder makes the folder for a repository, with a home folder next to it.
func folder(t testing.TB, root, name string, env func(home string, extra ...string) []string) *Repo {
	t.Helper()
	home := filepath.Join(root, "home")
	r := &Repo{T: t, Dir: filepath.Join(root, name), Env: env(home)}
	mkdir(t, home)
	mkdir(t, r.Dir)
	return r
}

func (r *Repo) init(args []string) {
	r.T.Helper()
	r.Git(append([]string{"init", "-q", "-b", "main"}, args...)...)
}

// Empty makes a repository without a commit.
func Empty(t testing.TB, initArgs ...string) *Repo {
	t.Helper()
	r := folder(t, t.TempDir(), "repo", Env)
	r.init(initArgs)
	return r
}

// In returns a Repo for another folder, with the same environment.
func (r *Repo) In(dir string) *Repo { return &Repo{r.T, dir, r.Env, r.prepare} }

// Git runs git and returns its output without newlines at the end. A failure ends the test.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	return r.at(r.Dir, args...)
}

func (r *Repo) at(dir string, args ...string) string {
	r.T.Helper()
	out, code := r.run(dir, nil, "git", args...)
	if code != 0 {
		r.T.Fatalf("git %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return strings.TrimRight(out, "\n")
}

// Try runs any program and returns its whole output and exit code. The code is -1 if the program was killed or did not start.
func (r *Repo) Try(name string, args ...string) (string, int) {
	r.T.Helper()
	return r.run(r.Dir, nil, name, args...)
}

func (r *Repo) run(dir string, stdin []byte, name string, args ...string) (string, int) {
	r.T.Helper()
	if !strings.Contains(name, "/") {
		name = r.find(name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, r.Env
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	if r.prepare != nil {
		r.prepare(cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		return fmt.Sprintf("%s%v", out, err), -1
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// find looks up a program on the PATH in r.Env. If the program is not there, it returns only the name.
func (r *Repo) find(name string) string {
	for _, v := range slices.Backward(r.Env) { // the last of several values counts, as for the program itself
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				return path
			}
		}
		break
	}
	return name
}

// Resume runs git-resume, which is built only once, and returns its whole output and exit code.
func (r *Repo) Resume(args ...string) (string, int) {
	r.T.Helper()
	return r.run(r.Dir, nil, filepath.Join(Binary(r.T), "git-resume"), args...)
}

// MustResume is like Resume, but ends the test if the command fails.
func (r *Repo) MustResume(args ...string) string {
	r.T.Helper()
	out, code := r.Resume(args...)
	if code != 0 {
		r.T.Fatalf("git-resume %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// WithBinary puts git-resume on the repository's PATH, so that "git resume" works in scripts.
func (r *Repo) WithBinary() *Repo {
	bin := Binary(r.T)
	for i, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok && !strings.HasPrefix(list, bin) {
			r.Env[i] = "PATH=" + bin + string(os.PathListSeparator) + list
		}
	}
	return r
}

// Counting returns the same repository with a wrapper around git that records each call of git. The second result is a function
// that lists the recorded calls.
func (r *Repo) Counting() (counting *Repo, calls func() []string) {
	r.T.Helper()
	list := filepath.Join(r.T.TempDir(), "calls")
	return r.Fronted(fmt.Sprintf("echo \"$*\" >>'%s'", list)), func() []string {
		text, err := os.ReadFile(list)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.T.Fatal(err)
		}
		return strings.FieldsFunc(string(text), func(c rune) bool { return c == '\n' })
	}
}

// Fronted returns the same repository with a wrapper around git that first runs some lines of shell code.
func (r *Repo) Fronted(lines string) *Repo {
	r.T.Helper()
	bin := filepath.Join(r.T.TempDir(), "front")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		r.T.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s\nexec '%s' \"$@\"\n", lines, r.find("git"))
	if err := WriteProgram(filepath.Join(bin, "git"), []byte(script)); err != nil {
		r.T.Fatal(err)
	}
	path := bin
	for _, v := range r.Env {
		if old, ok := strings.CutPrefix(v, "PATH="); ok {
			path = bin + string(os.PathListSeparator) + old
		}
	}
	return r.With("PATH=" + path)
}

// WithoutBatchCommand returns the same repository with a git that does not know cat-file --batch-command, like git before 2.36.
func (r *Repo) WithoutBatchCommand() *Repo {
	r.T.Helper()
	return r.Fronted("case \"$*\" in *--batch-command*) echo \"error: unknown option 'batch-command'\" >&2; exit 129;; esac")
}

// Write writes a file in the repository, and creates the folders above it.
func (r *Repo) Write(name, text string) {
	r.T.Helper()
	path := filepath.Join(r.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.T.Fatal(err)
	}
}

// Read returns the text of a file in the repository.
func (r *Repo) Read(name string) string {
	r.T.Helper()
	text, err := os.ReadFile(filepath.Join(r.Dir, name))
	if err != nil {
		r.T.Fatal(err)
	}
	return string(text)
}

// Fsck fails the test if git fsck finds a problem.
func (r *Repo) Fsck() {
	r.T.Helper()
	out, code := r.Try("git", "fsck", "--full", "--strict", "--no-dangling")
	if code != 0 {
		r.T.Fatalf("git fsck: exit code %d\n%s", code, out)
	}
}

// BinaryEnv is the environment variable with the folder of a git-resume that was built before the tests.
const BinaryEnv = "GIT_RESUME_PROVE_BINARY"

var build = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv(BinaryEnv); dir != "" {
		return dir, nil
	}
	return buildWith("urfave_cli_no_docs")
})

var buildClock = sync.OnceValues(func() (string, error) { return buildWith("urfave_cli_no_docs,testclock") })

func buildWith(tags string) (string, error) {
	dir, err := InstallDir()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "bin") // "git resume doctor" writes manual pages and completions next to the folder "bin", so "bin" must be inside a folder of our own
	if err := os.Mkdir(bin, 0o755); err != nil {
		return "", err
	}
	if err := BuildInto(bin, moduleRoot(), "-tags", tags); err != nil {
		return "", fmt.Errorf("build git-resume: %w", err)
	}
	return bin, nil
}

// installed is the folder for built programs. It is read at the start, because TestMain may change the folder for temporary files later.
var installed = os.TempDir()

// InstallDir makes a folder for a program that tests start. Unlike other temporary folders, it is on the disk, because a program starts
// more slowly from a file system in memory. Main removes the folder.
func InstallDir() (string, error) { return lastingIn(installed, "bin") }

// moduleRoot returns the folder that contains go.mod.
func moduleRoot() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// BuildInto builds the program from the module in the folder root and puts it into the folder dir. It uses 'go run -exec cp', which copies
// the program instead of running it, because Go caches the program for 'go run'. So the next test package need not link it again.
func BuildInto(dir, root string, flags ...string) error {
	program := filepath.Join(dir, "git-resume")
	// Linking takes half the time without debugging data.
	flags = append(flags, "-ldflags=-s -w")
	args := append(append([]string{"run", "-exec", "cp"}, flags...), "./cmd/git-resume", program)
	if runtime.GOOS == "windows" { // Windows has no cp
		args = append(append([]string{"build", "-o", program}, flags...), "./cmd/git-resume")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// Binary returns the folder that contains git-resume. Each test process builds the program once, unless the long proof has already built
// it. Main removes what was built here.
func Binary(t testing.TB) string {
	t.Helper()
	dir, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// ClockBinary returns the folder of a git-resume whose clock tests can set. The program for users does not have such a clock.
func ClockBinary() (string, error) { return buildClock() }

// ClockEnv is the environment variable with which tests set the clock of the program that ClockBinary builds. Its value is a time (RFC
// 3339), or an offset such as +48h or -10m.
const ClockEnv = "GIT_RESUME_TEST_CLOCK"

var built sync.Map

// Around runs a package's tests, with temporary files in memory if possible, and removes what they built.
func Around(run func() int) int {
	defer quickTemp()()
	// Run twice as many tests at a time as there are processors, because most tests wait for programs that they started.
	// A flag on the command line is read later and overrides this.
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	defer built.Range(func(dir, _ any) bool {
		os.RemoveAll(dir.(string))
		return true
	})
	return run()
}

// Main runs a package's tests. A package's TestMain only has to call Main.
func Main(m interface{ Run() int }) { os.Exit(Around(m.Run)) }
