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

// ground is the repository of a scene, made once and set back before every kill.
type ground struct {
	s scene
	// r is the tree in which the command runs.
	r          *gittest.Repo
	root, keep string
	before     witness
}

// maker makes a new repository.
type maker = func(testing.TB, ...string) *gittest.Repo

// ground prepares a scene in a new repository.
func (s scene) ground(t testing.TB, fresh maker) *ground {
	t.Helper()
	first := withTemp(fresh(t)).WithBinary()
	g := &ground{s: s, root: filepath.Dir(first.Dir), keep: t.TempDir()}
	g.r = s.prepare(first)
	g.copy(t, g.root, g.keep)
	g.before = see(g.r)
	return g
}

// grounds are those of scenes that several tests kill in, by name. Each is prepared once, and lent to one test at a time.
var grounds sync.Map

type lent struct {
	sync.Mutex
	g *ground
}

// on lends the ground of a scene.
func (s scene) on(t *testing.T, use func(*ground)) {
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

// withTemp gives a repository a folder for temporary files that is nobody else's.
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

// tempOf is the folder for temporary files of a repository that has its own, or one that is not there.
func tempOf(r *gittest.Repo) string {
	for _, v := range r.Env {
		if dir, ok := strings.CutPrefix(v, "TMPDIR="); ok && dir != os.TempDir() {
			return dir
		}
	}
	return filepath.Join(r.Dir, "nothing")
}

// copy brings the content of one folder into another that is there.
func (g *ground) copy(t testing.TB, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from+"/.", to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
}

// reset brings the beginning back. The folder of git stays the same one: a copy would be another clone to the program.
func (g *ground) reset(t *testing.T) *gittest.Repo {
	t.Helper()
	empty(t, g.root, filepath.Join(g.root, "repo"), filepath.Join(g.root, "repo", ".git"))
	g.copy(t, g.keep, g.root)
	r := &gittest.Repo{T: t, Dir: g.r.Dir, Env: g.r.Env}
	for _, tree := range worktrees(r) {
		r.In(tree).Try("git", "update-index", "-q", "--refresh") // the copies have other inodes
	}
	return r
}

// empty removes everything below a folder except the folders named, each inside the one before.
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

// walk visits every file below a folder; what vanishes meanwhile is passed over.
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

// describe is a file with everything that a snapshot must bring back: its kind, its mode, its bytes.
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

// plain is a file as git can store it, which knows two modes.
func plain(text string) string {
	mode, rest, _ := strings.Cut(text, " ")
	switch {
	case !strings.HasPrefix(mode, "0"):
		return text
	case mode[1]&1 != 0:
		return "exec " + rest
	}
	return "file " + rest
}

// blobOf is the id of a file's content, or of where a link leads; long: by the longer of git's two sums.
func blobOf(text string, long bool) string {
	_, content, _ := strings.Cut(text, " ")
	blob := fmt.Appendf(nil, "blob %d\x00%s", len(content), content)
	if long {
		return fmt.Sprintf("%x", sha256.Sum256(blob))
	}
	return fmt.Sprintf("%x", sha1.Sum(blob))
}

// files are the files of a work tree, git's own apart.
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
