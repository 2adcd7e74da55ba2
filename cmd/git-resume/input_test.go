package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"
	"unicode"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

// The function "everything" lists the files below .git that belong to refs, worktrees or git-resume, with their contents.
func everything(t *testing.T, r *gittest.Repo) string {
	t.Helper()
	var out []string
	for _, sub := range []string{"refs", "resume", "packed-refs", "worktrees", "index.lock"} {
		_ = filepath.WalkDir(filepath.Join(r.Dir, ".git", sub), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				text, _ := os.ReadFile(path)
				out = append(out, path+" "+string(text))
			}
			return nil
		})
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

// The function "refused" checks that a command fails with the given code, prints the reason and a hint, and changes nothing.
func refused(t *testing.T, r *gittest.Repo, code int, says string, args ...string) {
	t.Helper()
	before := everything(t, r)
	out, got := r.Try("git-resume", args...)
	if got != code || !strings.Contains(out, says) {
		t.Errorf("git-resume %q: exit code %d, want %d saying %q\n%s", args, got, code, says, out)
	}
	if !strings.HasPrefix(out, "error: ") || !strings.Contains(out, "hint: ") {
		t.Errorf("git-resume %q gives no error with a hint:\n%s", args, out)
	}
	if after := everything(t, r); after != before {
		t.Errorf("git-resume %q left something behind:\n%s\nbefore:\n%s", args, after, before)
	}
	harmless(t, out)
}

// The function "harmless" checks that the output contains no control characters except newlines and tabs, and no characters that change
// the direction of the text.
func harmless(t *testing.T, out string) {
	t.Helper()
	for _, r := range out {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Errorf("the output carries %q:\n%q", r, out)
			return
		}
	}
}

// hostile contains names that users or attackers may choose.
var hostile = []string{
	"--", "a\nb", "../x", "\x1b[31mred", "a\u202eb", "\xff\xfe", strings.Repeat("x", 300), "$(touch pwned)",
	"-x", "a b", "/abs", ".", ".git", "x.lock", "a/b", "@{-1}", "\x1b]0;title\a", "\x7f", "日本", "'; rm -rf /", "%s%n", "refs/heads/main", "a:b",
}

func TestHostileNames_areRefusedOrTamed(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, name := range hostile {
		before := everything(t, r)
		out, code := r.Try("git-resume", "start", "--here", "--new", "--name="+name, "--task="+name)
		harmless(t, out)
		switch code {
		case exit.Done:
		case exit.Failed, exit.Usage:
			if everything(t, r) != before {
				t.Errorf("name %q was refused and left something behind", name)
			}
		default:
			t.Errorf("name %q: exit code %d\n%s", name, code, out)
		}
	}
	out, code := r.Try("git-resume", "status", "--all")
	harmless(t, out)
	if code != exit.Done {
		t.Errorf("status: exit code %d\n%s", code, out)
	}
	for _, ref := range strings.Fields(r.Git("for-each-ref", "--format=%(refname)")) {
		r.Git("check-ref-format", ref)
	}
	r.Fsck()
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(r.Dir), "*")); len(names) != 2 {
		t.Errorf("something lies beside the repository: %v", names)
	}
}

func TestHostileReports_areRefusedOrTamed(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	mustResume(t, r, "start", "--here", "--name", "job", "--task", "a", "--task", "b")
	for _, name := range hostile[:8] {
		for _, args := range [][]string{
			{"task", "start", "--add", "--", name}, {"task", "fail", "a", "--message=" + name, "--cause=" + name},
			{"task", "block", "b", "--ask=" + name, "--option=" + name}, {"answer", "--", "b", name},
			{"task", "done", "nothing", "--", name}, {"status", "--", name}, {"status", "--", "job", name}, {"log", "--", name},
			{"start", "--here", "--new", "--name=x", "--base=" + name}, {"pause", "--message=" + name}, {"--", name},
			{"task", "start", "a", "--run=" + name},
		} {
			out, code := r.Try("git-resume", args...)
			harmless(t, out)
			if code != exit.Done && code != exit.Failed && code != exit.Usage && code != exit.Busy && code != exit.Waiting && code != exit.Decide {
				t.Errorf("%q: exit code %d\n%s", args, code, out)
			}
			if strings.Contains(out, "goroutine ") {
				t.Fatalf("%q: panic\n%s", args, out)
			}
		}
	}
	for _, args := range [][]string{{"status"}, {"status", "job"}, {"status", "job", "a"}, {"status", "job", "b"}, {"log", "job"}} {
		out, code := r.Try("git-resume", args...)
		harmless(t, out)
		if code != exit.Done {
			t.Errorf("%q: exit code %d\n%s", args, code, out)
		}
	}
	r.Fsck()
}

func TestReadOnlyGitDir_isFatalAndLeavesNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes mean something else here")
	}
	fresh, begun := gittest.New(t), gittest.New(t)
	for _, r := range []*gittest.Repo{fresh, begun} {
		r.Git("config", "core.sharedRepository", "false")
		asNobody(t, r)
		if r == begun {
			mustResume(t, begun, "start", "--here", "--name", "job", "--task", "a")
		}
		if out, err := exec.Command("chmod", "-R", "a-w", filepath.Join(r.Dir, ".git")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", filepath.Join(r.Dir, ".git")).Run() })
		if out, code := r.Try("git-resume", "status"); code != exit.Done {
			t.Errorf("status: exit code %d\n%s", code, out)
		}
		refused(t, r, exit.Fatal, "permission denied", "start", "--here", "--name", "other", "--task", "a")
	}
	for _, args := range [][]string{{"task", "start", "a"}, {"task", "done", "a", "README"}, {"pause"}, {"finish"}, {"checkpoint", "--commit"}} {
		refused(t, begun, exit.Fatal, "permission denied", args...)
	}
}

// asNobody gives the repository to an ordinary user, and runs git-resume as that user. It does so only if the test runs as root, who may
// write anywhere.
func asNobody(t *testing.T, r *gittest.Repo) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("root can write anywhere, and there is no setpriv to be somebody else")
	}
	self, err := exec.LookPath("git-resume")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(r.Dir)
	bin := filepath.Join(root, "bin")
	script := fmt.Sprintf("#!/bin/sh\nexec %s --reuid 65534 --regid 65534 --clear-groups %s/real/git-resume \"$@\"\n", setpriv, bin)
	if err := os.MkdirAll(filepath.Join(bin, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := gittest.WriteProgram(filepath.Join(bin, "git-resume"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := gittest.WriteProgram(filepath.Join(bin, "real", "git-resume"), text); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(root), root} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("chown", "-R", "65534:65534", root).CombinedOutput(); err != nil {
		t.Skipf("cannot give files away: %s", out)
	}
	prependPath(r, bin)
	if out, code := r.Try("git-resume", "version"); code != 0 {
		t.Skipf("cannot be somebody else: %s", out)
	}
}

func prependPath(r *gittest.Repo, dir string) {
	for i, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			r.Env[i] = "PATH=" + dir + string(os.PathListSeparator) + list
		}
	}
}

func TestFullDisk_isFatalAndPassesWithIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("mounting a small disk is not permitted here: %s", strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	r := gittest.New(t).In(filepath.Join(dir, "repo"))
	r.In(dir).Git("init", "-q", "-b", "main", r.Dir)
	r.Write("file", "first\n")
	r.Git("add", "file")
	r.Git("commit", "-q", "-m", "first")
	fill := func() {
		_ = exec.Command("dd", "if=/dev/zero", "of="+filepath.Join(dir, "ballast"), "bs=4k").Run() // dd stops when the disk is full
	}
	space := func() {
		if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
			t.Fatal(err)
		}
	}
	fill()
	if out, code := r.Try("git-resume", "start", "--here", "--name", "job", "--task", "a"); code != exit.Fatal || !strings.Contains(strings.ToLower(out), "no space left") {
		t.Errorf("start: exit code %d\n%s", code, out)
	}
	space()
	r.Fsck()
	mustResume(t, r, "start", "--here", "--name", "job", "--task", "a")
	r.Write("file", "second\n")
	fill()
	if out, code := r.Try("git-resume", "task", "done", "a", "file"); code != exit.Fatal || !strings.Contains(out, "hint: free some space") {
		t.Errorf("task done: exit code %d\n%s", code, out)
	}
	space()
	mustResume(t, r, "task", "done", "a", "file")
	r.Fsck()
	if n := r.Git("rev-list", "--count", "HEAD"); n != "2" {
		t.Errorf("%s commits, want 2", n)
	}
}

func TestOldGit_isNamed(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	bin := filepath.Join(filepath.Dir(r.Dir), "old")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	old := "#!/bin/sh\ncase \"$*\" in *version*) echo git version 2.17.1; exit 0;; esac\necho 'error: unknown option' >&2\nexit 129\n"
	if err := gittest.WriteProgram(filepath.Join(bin, "git"), []byte(old)); err != nil {
		t.Fatal(err)
	}
	prependPath(r, bin)
	refused(t, r, exit.Fatal, "git 2.17.1 is too old; 2.31 or newer is needed", "start", "--here", "--name", "job", "--task", "a")
}

func TestMissingGit_isNamed(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	self, err := exec.LookPath("git-resume")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Env {
		if strings.HasPrefix(v, "PATH=") {
			r.Env[i] = "PATH=" + filepath.Dir(self)
		}
	}
	refused(t, r, exit.Fatal, "git", "start", "--here", "--name", "job", "--task", "a")
}

func mustResume(t *testing.T, r *gittest.Repo, args ...string) {
	t.Helper()
	if out, code := r.Try("git-resume", args...); code != exit.Done {
		t.Fatalf("git-resume %q: exit code %d\n%s", args, code, out)
	}
}
