package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Kind is one way in which a repository can be stored on disk and addressed.
type Kind struct {
	Name string
	// Make builds the repository. In the result, the field Dir is the current folder, and the field Env tells git where the
	// repository is.
	Make func(t testing.TB, g Git) *Repo
	// Needs reports whether a git program can make this kind; nil means that every git can.
	Needs func(g Git) bool
	// Unix is true if the kind needs file names or links that other systems do not have.
	Unix bool
}

// Git is one git program. Bin is put first on PATH; if it is empty, the usual git is used.
type Git struct{ Bin string }

// NewerVariable is the environment variable with the folder of a newer git program, for kinds of repositories that the usual git cannot
// make.
const NewerVariable = "GIT_RESUME_NEWER_GIT"

// Newer returns a git program that can store refs in reftables. If NewerVariable is set, this is the program in the folder that the
// variable names, and its version is not checked. Otherwise it is the usual git, and ok is false if that git is too old for reftables.
func Newer() (g Git, ok bool) {
	if dir := os.Getenv(NewerVariable); dir != "" {
		return Git{Bin: dir}, true
	}
	return Git{}, Git{}.AtLeast(2, 45)
}

// versions caches the output of "git version" for each value of Git.Bin.
var versions sync.Map

// AtLeast reports whether this git has at least this version. It returns false if the version cannot be read.
func (g Git) AtLeast(major, minor int) bool {
	said, ok := versions.Load(g.Bin)
	if !ok {
		name := "git"
		if g.Bin != "" {
			name = filepath.Join(g.Bin, name)
		}
		out, _ := exec.Command(name, "version").Output()
		said, _ = versions.LoadOrStore(g.Bin, string(out))
	}
	var have [2]int
	if _, err := fmt.Sscanf(said.(string), "git version %d.%d", &have[0], &have[1]); err != nil {
		return false
	}
	return have[0] > major || have[0] == major && have[1] >= minor
}

// Env is like the function Env, but puts this git first on PATH.
func (g Git) Env(home string, extra ...string) []string {
	env := Env(home, extra...)
	for i, v := range env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok && g.Bin != "" {
			env[i] = "PATH=" + g.Bin + string(os.PathListSeparator) + list
		}
	}
	return env
}

// Try reports whether a command succeeds with this git in an empty folder.
func (g Git) Try(t testing.TB, args ...string) bool {
	t.Helper()
	dir := t.TempDir()
	r := &Repo{T: t, Dir: dir, Env: g.Env(dir)}
	_, code := r.Try("git", args...)
	return code == 0
}

// Fresh uses this git to make a repository with a varied history. Its folder has the given name.
func (g Git) Fresh(t testing.TB, name string, initArgs ...string) *Repo {
	t.Helper()
	return g.made(t, name, "", initArgs, func(*Repo) {})
}

func (g Git) made(t testing.TB, name, words string, initArgs []string, steps func(*Repo)) *Repo {
	t.Helper()
	root := t.TempDir()
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if g.Bin != "" {
		words = "newer git " + words
	}
	return folder(t, root, name, g.Env).Like("varied "+words+" "+strings.Join(initArgs, " "), func(r *Repo) {
		r.init(initArgs)
		r.Varied()
		steps(r)
	})
}

// Leaves reports whether this git leaves the halted operation h in the same form as git 2.34 and later. Before 2.34, git does not write
// AUTO_MERGE. At the end of a rebase by patches, it also removes the file with the branch's name earlier.
func (m Maker) Leaves(h Halted) bool {
	switch h.Name {
	case "stash pop", "pick without a commit, beside a stash", "rebase by patches, behind the last one":
		return m.git.AtLeast(2, 34)
	}
	return true
}

// Maker makes repositories with one git program and one list of options for "git init".
type Maker struct {
	git  Git
	init []string
}

// Fresh makes a repository with a varied history.
func (m Maker) Fresh(t testing.TB) *Repo { return m.git.Fresh(t, "repo", m.init...) }

// Made is like Fresh, and then runs more steps. The argument "words" identifies the steps: they run only once, and later calls copy the
// result.
func (m Maker) Made(t testing.TB, words string, steps func(*Repo)) *Repo {
	t.Helper()
	return m.git.made(t, "repo", words, m.init, steps)
}

// WithTopic is like Fresh, but adds a topic branch of n commits, which is checked out.
func (m Maker) WithTopic(t testing.TB, n int) *Repo {
	t.Helper()
	return m.Made(t, fmt.Sprint("topic of ", n), func(r *Repo) { r.Topic(n) })
}

// Varied adds commits, a merge, branches, tags, notes and files with several modes to the repository.
func (r *Repo) Varied() {
	r.T.Helper()
	r.Write("README", "first\n")
	r.Write("dir/deep/file", "deep\n")
	r.Write("dir.txt", "sorts between dir and dir/\n")
	r.Git("add", "-A")
	r.Git("update-index", "--chmod=+x", "dir.txt")
	r.Git("commit", "-q", "-m", "first\n\nwith a body\n\nResume-Run: x-a7f3")
	r.Git("checkout", "-q", "-f", "-b", "side")
	r.Write("side", "side\n")
	r.Git("add", "side")
	r.Git("commit", "-q", "-m", "side")
	r.Git("checkout", "-q", "main")
	r.Write("umlaut-ü", "ü\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "main ü")
	r.Git("merge", "-q", "-m", "merge side", "side")
	r.Git("tag", "-a", "-m", "annotated", "v1", "side")
	r.Git("tag", "light")
	r.Git("notes", "--ref=resume/x-a7f3", "add", "-m", "a line", "main")
	r.Git("update-ref", "refs/resume/journal/x-a7f3", "refs/notes/resume/x-a7f3")
}

// With returns the same repository with more environment variables set.
func (r *Repo) With(env ...string) *Repo {
	return &Repo{r.T, r.Dir, append(append([]string{}, r.Env...), env...), r.prepare}
}

// Root returns the folder that contains the repository's folder.
func (r *Repo) Root() string { return filepath.Dir(r.Dir) }

func mkdir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// Pipe runs git with a text as its input and returns its unchanged output. A failure ends the test.
func (r *Repo) Pipe(stdin string, args ...string) string {
	r.T.Helper()
	cmd := exec.Command(r.find("git"), args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, r.Env, strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		r.T.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// Kill kills a process by its id, as in a crash. It is not an error if the process has already ended.
func Kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
