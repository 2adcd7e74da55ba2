package prove

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// ground is the repository of a scenario. It is made once and reset before every kill.
type ground struct {
	s scenario
	// r is the worktree in which the command runs.
	r          *gittest.Repo
	root, keep string
	before     witness
}

// maker makes a new repository.
type maker = func(testing.TB, ...string) *gittest.Repo

// ground creates a repository and prepares the scenario in it.
func (s scenario) ground(t testing.TB, fresh maker) *ground {
	t.Helper()
	first := withTemp(fresh(t)).WithBinary()
	g := &ground{s: s, root: filepath.Dir(first.Dir), keep: t.TempDir()}
	g.r = s.prepare(first)
	g.copy(t, g.root, g.keep)
	g.before = see(g.r)
	return g
}

// grounds holds, by scenario name, the repositories that several tests use. Each is prepared once, and used by one test at a time.
var grounds sync.Map

type lent struct {
	sync.Mutex
	g *ground
}

// withGround passes the repository of a scenario to a function, while no other test is using that repository.
func (s scenario) withGround(t *testing.T, use func(*ground)) {
	t.Helper()
	known, _ := grounds.LoadOrStore(s.name, &lent{})
	l := known.(*lent)
	l.Lock()
	defer l.Unlock()
	if l.g == nil {
		l.g = s.ground(gittest.Lasting(t), gittest.New)
	}
	use(l.g)
}

// withTemp gives a repository its own folder for temporary files.
func withTemp(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	dir := filepath.Join(filepath.Dir(r.Dir), "tmp")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.T.Fatal(err)
	}
	env := slices.Clone(r.Env)
	for i, v := range env {
		if strings.HasPrefix(v, "TMPDIR=") {
			env[i] = "TMPDIR=" + dir
		}
	}
	return &gittest.Repo{T: r.T, Dir: r.Dir, Env: env}
}

// tempOf returns the repository's own folder for temporary files, or a path that does not exist if there is none.
func tempOf(r *gittest.Repo) string {
	for _, v := range r.Env {
		if dir, ok := strings.CutPrefix(v, "TMPDIR="); ok && dir != os.TempDir() {
			return dir
		}
	}
	return filepath.Join(r.Dir, "nothing")
}

// copy copies the content of one folder into an existing one.
func (g *ground) copy(t testing.TB, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from+"/.", to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
}

// reset restores the initial state of the repository.
// It keeps the .git folder itself, because the program would treat a new folder as another clone.
func (g *ground) reset(t *testing.T) *gittest.Repo {
	t.Helper()
	empty(t, g.root, filepath.Join(g.root, "repo"), filepath.Join(g.root, "repo", ".git"))
	g.copy(t, g.keep, g.root)
	r := &gittest.Repo{T: t, Dir: g.r.Dir, Env: g.r.Env}
	for _, tree := range worktrees(r) {
		r.In(tree).Try("git", "update-index", "-q", "--refresh") // refresh the index, because the copied files have other inode numbers
	}
	return r
}

// empty removes everything in a folder, except the nested folders in the argument "stay". The first of them must be directly inside the
// folder, the second directly inside the first, and so on.
func empty(t *testing.T, dir string, stay ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if len(stay) > 0 && path == stay[0] {
			empty(t, path, stay[1:]...)
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// walk visits every file below a folder. It skips files that disappear meanwhile.
func walk(t testing.TB, dir string, visit func(path string, info os.FileInfo)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Lstat(path)
		if err == nil {
			visit(path, info)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// describe returns everything about a file that a snapshot must restore: its type, its mode and its content.
func describe(path string, info os.FileInfo) (string, error) {
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(path)
		return "link " + to, err
	}
	text, err := os.ReadFile(path)
	kind := fmt.Sprintf("%04o ", info.Mode().Perm())
	switch info.Mode().Perm() {
	case 0o644:
		kind = "file "
	case 0o755:
		kind = "exec "
	}
	return kind + string(text), err
}

// asGitStores returns the description that a file has after git stored it. Of the mode of a file, git stores only whether the file is
// executable.
func asGitStores(text string) string {
	mode, rest, _ := strings.Cut(text, " ")
	switch {
	case !strings.HasPrefix(mode, "0"):
		return text
	case mode[1]&1 != 0:
		return "exec " + rest
	}
	return "file " + rest
}

// blobOf returns the object id of a file's content or of a link's target. If the argument "long" is true, the id is a SHA-256 hash,
// otherwise a SHA-1 hash.
func blobOf(text string, long bool) string {
	_, content, _ := strings.Cut(text, " ")
	blob := fmt.Appendf(nil, "blob %d\x00%s", len(content), content)
	if long {
		return fmt.Sprintf("%x", sha256.Sum256(blob))
	}
	return fmt.Sprintf("%x", sha1.Sum(blob))
}

// files returns the files of a worktree, without git's own files.
func files(r *gittest.Repo) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	git := filepath.Join(r.Dir, ".git")
	walk(r.T, r.Dir, func(path string, info os.FileInfo) {
		if path == git || strings.HasPrefix(path, git+"/") {
			return
		}
		text, err := describe(path, info)
		if err != nil {
			r.T.Fatal(err)
		}
		out[strings.TrimPrefix(path, r.Dir+"/")] = text
	})
	return out
}
