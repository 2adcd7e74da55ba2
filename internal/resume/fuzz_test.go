package resume

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/execution"
)

// FuzzApproval: a line approves what it names, for the run that it names, or nothing.
func FuzzApproval(f *testing.F) {
	hash := execution.Hash("make", nil)
	f.Add("job-abcd " + hash + " - 00112233445566778899aabbccddeeff")
	f.Add(hash)
	f.Add("../x " + hash + " - m")
	f.Add("job-abcd\t" + hash + "  " + strings.Repeat("a", 40) + " m\r")
	f.Fuzz(func(t *testing.T, line string) {
		a, mac, ok := parseApproval(line)
		if !ok {
			return
		}
		words := strings.Fields(line)
		if !a.run.Valid() || len(words) != 4 || string(a.run) != words[0] || a.hash != words[1] || a.tip != words[2] || mac != words[3] || a.tip != noTip && !object.IsID(a.tip) {
			t.Fatalf("%q is read as %+v %s", line, a, mac)
		}
	})
}

// FuzzChangers: the log is read as git writes it; whoever is named last in it changed the file last.
func FuzzChangers(f *testing.F) {
	f.Add("A U Thor", "dir/file", 3, 4)
	f.Add("\x1b[31m", "a\tb", -1, 0)
	f.Add("a\x02b", "x", 1, 1)
	f.Fuzz(func(t *testing.T, author, path string, added, deleted int) {
		if strings.ContainsAny(author, "\n\x01\x02") || strings.ContainsAny(path, "\n\x01") || path == "" {
			_ = parseChangers(author + path) // as it comes
			return
		}
		id := strings.Repeat("a", 40)
		log := fmt.Sprintf("\x01%s\x02%s\x02%d\n\n%d\t%d\t%s\n\x01%s\x02someone else\x021\n\n1\t1\t%s\n", id, author, 1700000000, added, deleted, path, strings.Repeat("b", 40), path)
		c := parseChangers(log)[path]
		if c == nil || c.Author != author || c.Commit != object.ID(id) || c.When.Unix() != 1700000000 || c.Added != added+1 || c.Deleted != deleted+1 {
			t.Fatalf("%q gave %+v", log, c)
		}
	})
}

// FuzzInside: a path that counts as inside a worktree leads nowhere else, whoever wrote it.
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
		if !inside(tree, p) {
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
