package packaging

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// root is the checkout that this test belongs to, relative to this package.
const root = "../.."

// tools are the programs that install.sh may use besides go and git.
var tools = []string{
	"awk", "basename", "cat", "chmod", "cp", "cut", "dirname", "mkdir",
	"mktemp", "mv", "rm", "rmdir", "sed", "sh", "sort",
	"gzip", "sha256sum", "tar", "uname",
}

// tinyProgram is the source of a small program that replaces git-resume in these tests.
const tinyProgram = `package main

import "fmt"

var version = "unset"

func main() { fmt.Println("git-resume version " + version) }
`

// machine is an isolated environment for install.sh: a home folder, a checkout and a PATH with only the needed programs. The paths of the
// home folder and of the checkout contain spaces.
type machine struct {
	home     string
	checkout string
	tmp      string   // TMPDIR, which install.sh must leave empty
	bin      string   // the folder on PATH that contains go, git and the tools
	path     []string // PATH
	env      []string // environment variables other than PATH
	umask    string   // the umask with which a release is made
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	t.Parallel()
	return machineBeside(t)
}

// machineBeside makes an isolated environment. A test that already has a machine calls it for another one.
func machineBeside(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("install.sh is for systems with a POSIX shell")
	}
	base := tempDir(t)
	m := &machine{
		home:     filepath.Join(base, "my home"),
		checkout: filepath.Join(base, "check out"),
		tmp:      filepath.Join(base, "tmp"),
		bin:      filepath.Join(base, "tools"),
	}
	for _, dir := range []string{m.home, m.checkout, m.tmp, m.bin} {
		mkdir(t, dir)
	}
	m.path = []string{m.bin}
	// The go command writes telemetry counters. Keep them out of the home folder that the test inspects.
	m.env = append(goEnv(t), "XDG_CONFIG_HOME="+filepath.Join(base, "config"))
	m.layCheckout(t)
	for _, tool := range append(slices.Clone(tools), "go", "git") {
		m.provide(t, tool)
	}
	return m
}

// goEnvOnce reads the paths of the real Go caches. The tests change HOME, but they must still use these caches.
var goEnvOnce = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	return string(out), err
})

func goEnv(t *testing.T) []string {
	t.Helper()
	out, err := goEnvOnce()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Fields(out)
	if len(values) != 2 {
		t.Skipf("the Go caches have odd names: %q", out)
	}
	return []string{"GOCACHE=" + values[0], "GOMODCACHE=" + values[1], "GOPROXY=off", "GOTOOLCHAIN=local"}
}

func (m *machine) layCheckout(t *testing.T) {
	t.Helper()
	for _, name := range []string{"install.sh", "go.mod", "go.sum", "LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(m.checkout, name), string(data))
	}
	for _, dir := range []string{"man", "completions"} {
		if err := os.CopyFS(filepath.Join(m.checkout, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(m.checkout, "cmd/git-resume/main.go"), tinyProgram)
}

// provide puts a program of this computer on the machine's PATH.
func (m *machine) provide(t *testing.T, name string) {
	t.Helper()
	real, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is needed: %v", name, err)
	}
	// Write a script instead of a link, because some programs search for their parts next to the path of the link.
	m.script(t, filepath.Join(m.bin, name), "exec '"+real+"' \"$@\"\n")
}

func (m *machine) script(t *testing.T, file, body string) {
	t.Helper()
	write(t, file, "#!/bin/sh\n"+body)
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) lose(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(m.bin, name)); err != nil {
		t.Fatal(err)
	}
}

// result is the exit code and output of one call of a program.
type result struct {
	code   int
	stdout string
	stderr string
}

func (r result) lastLine() string {
	lines := strings.Split(strings.TrimRight(r.stdout, "\n"), "\n")
	return lines[len(lines)-1]
}

// install runs install.sh from a folder that is not the checkout, and checks that TMPDIR is empty afterwards.
func (m *machine) install(t *testing.T, args ...string) result {
	t.Helper()
	script := filepath.Join(m.checkout, "install.sh")
	got := m.run(t, append([]string{filepath.Join(m.bin, "sh"), script}, args...)...)
	if left := tree(t, m.tmp); len(left) > 0 {
		t.Errorf("install.sh %q left in TMPDIR: %q", args, left)
	}
	return got
}

// mustInstall is like install, but it fails the test if install.sh fails.
func (m *machine) mustInstall(t *testing.T, args ...string) result {
	t.Helper()
	got := m.install(t, args...)
	if got.code != 0 {
		t.Fatalf("install.sh %q: exit code %d\n%s%s", args, got.code, got.stdout, got.stderr)
	}
	return got
}

func (m *machine) run(t *testing.T, args ...string) result {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = filepath.Dir(m.home)
	cmd.Env = append([]string{
		"HOME=" + m.home,
		"TMPDIR=" + m.tmp,
		"PATH=" + strings.Join(m.path, ":"),
	}, m.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// tree lists everything below dir, with the content of files.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		line := strings.TrimPrefix(path, dir+"/")
		if entry.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += "\t" + string(data)
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tempDir creates a folder that is removed after the test. The removal is tried several times, because a child process of go may still
// write telemetry counters into the folder for a moment.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "git-resume-packaging-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s cannot be removed", dir)
	})
	return dir
}
