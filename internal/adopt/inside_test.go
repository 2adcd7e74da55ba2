package adopt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzInside checks that every path that isInside accepts is inside the worktree and outside git's files.
func FuzzInside(f *testing.F) {
	for _, p := range []string{"a/b", "../x", "/etc/passwd", "in/x", "out/x", "dir/../.git/config", ".GIT/x", "a/./b//c", "dangling/x", ""} {
		f.Add(p)
	}
	root := f.TempDir()
	tree := filepath.Join(root, "tree")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(tree, "dir", ".git"), 0o755), os.Mkdir(filepath.Join(root, "elsewhere"), 0o755),
		os.Symlink("dir", filepath.Join(tree, "in")), os.Symlink("../elsewhere", filepath.Join(tree, "out")),
		os.Symlink("dir/.git", filepath.Join(tree, "git")), os.Symlink("../nowhere", filepath.Join(tree, "dangling")),
	} {
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, p string) {
		if !isInside(tree, p) {
			return
		}
		full := filepath.Join(tree, filepath.FromSlash(p))
		if !strings.HasPrefix(full+"/", tree+"/") || strings.Contains(strings.ToLower(full)+"/", "/.git/") {
			t.Fatalf("%q leads to %s", p, full)
		}
		if at, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil && full != tree && (!strings.HasPrefix(at+"/", tree+"/") || strings.Contains(at+"/", "/.git/")) {
			t.Fatalf("%q leads to %s", p, at)
		}
	})
}
