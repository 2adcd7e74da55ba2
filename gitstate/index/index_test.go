package index

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestFlags_agreeWithGit compares the answers with git's own lists of unmerged and hidden paths, for several index formats.
func TestFlags_agreeWithGit(t *testing.T) {
	t.Parallel()
	setting := func(args ...string) func(*gittest.Repo) {
		return func(r *gittest.Repo) { r.Git(append([]string{"config"}, args...)...) }
	}
	long := strings.Repeat(strings.Repeat("d", 200)+"/", 21)
	for _, c := range []struct {
		name  string
		git   []string
		setup func(*gittest.Repo)
		asks  bool // true if this package cannot read the index, so that git must be asked
		hides bool // true if "git ls-files -v" shows a file as skip-worktree or assume-unchanged
	}{
		{name: "plain"},
		{name: "version 4", setup: setting("index.version", "4")},
		{name: "version 3", setup: func(r *gittest.Repo) { r.Git("update-index", "--skip-worktree", "other") }, hides: true},
		{name: "assume unchanged", setup: func(r *gittest.Repo) { r.Git("update-index", "--assume-unchanged", "other") }, hides: true},
		{name: "version 4 and hidden", setup: func(r *gittest.Repo) {
			r.Git("config", "index.version", "4")
			r.Git("update-index", "--force-write-index", "--skip-worktree", "other")
		}, hides: true},
		{name: "intent to add", setup: func(r *gittest.Repo) { r.Write("new", "x\n"); r.Git("add", "-N", "new") }},
		{name: "SHA-256", git: []string{"--object-format=sha256"}},
		{name: "untracked cache", setup: func(r *gittest.Repo) { r.Git("update-index", "--force-untracked-cache"); r.Git("status") }},
		{name: "no checksum", setup: setting("index.skipHash", "true")},
		{name: "split", setup: func(r *gittest.Repo) { r.Git("update-index", "--split-index") }, asks: true},
		{name: "sparse", setup: func(r *gittest.Repo) { r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "in") }, hides: true},
		{name: "name that is too long for its number", setup: func(r *gittest.Repo) {
			r.Pipe("100644 blob "+r.Git("rev-parse", "HEAD:other")+"\t"+long+"x\n", "update-index", "--add", "--index-info")
		}},
		{name: "empty", setup: func(r *gittest.Repo) { r.Git("read-tree", "--empty") }},
		{name: "none", setup: func(r *gittest.Repo) {
			if err := os.Remove(filepath.Join(r.Dir, ".git/index")); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.Git{}.Fresh(t, "repo", c.git...)
			for _, name := range []string{"other", "in/a", "out/b", "out/c"} {
				r.Write(name, name+"\n")
			}
			r.Topic(2)
			if c.setup != nil {
				c.setup(r)
			}
			dir := filepath.Join(r.Dir, ".git")
			if got := Merged(dir, dir); got == c.asks {
				t.Errorf("merged for sure: %t", got)
			}
			if got := NoneHidden(dir, dir); got == (c.asks || c.hides) {
				t.Errorf("none hidden for sure: %t", got)
			}
			if said := hidden.MatchString(r.Git("ls-files", "-v")); said != c.hides {
				t.Errorf("git says that a file is hidden: %t", said)
			}
			// The unmerged entry comes last in the index, so all entries before it must have been read correctly.
			lines := ""
			for stage := 1; stage <= 3; stage++ {
				lines += fmt.Sprintf("100644 %s %d\tzz\n", r.Git("rev-parse", "HEAD:other"), stage)
			}
			r.Pipe(lines, "update-index", "--index-info")
			if r.Git("ls-files", "-u") == "" || Merged(dir, dir) {
				t.Error("an unmerged path is overlooked")
			}
		})
	}
}

// hidden finds the letters of "ls-files -v" for assume-unchanged and skip-worktree.
var hidden = regexp.MustCompile(`(?m)^[Sa-z] `)

func FuzzFlags(f *testing.F) {
	one := make([]byte, 40+20+2+10)
	binary.BigEndian.PutUint16(one[60:], 3)
	copy(one[62:], "abc")
	for _, version := range []byte{2, 3, 4} {
		f.Add(append(append([]byte{'D', 'I', 'R', 'C', 0, 0, 0, version, 0, 0, 0, 1}, one...), make([]byte, 20)...))
	}
	f.Add([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"))
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00link\x00\x00\x00\x00" + strings.Repeat("x", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		x := &file{data: data, idSize: 20}
		if x.each(func(*entry) bool { return true }) && len(data) < 32 {
			t.Errorf("%q is not an index", data)
		}
		x.isTree()
	})
}
