package series

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
)

// packApart does not replace an existing pack with the same objects. On Windows, git could not replace a pack that a process has open.
func TestPackApart_leavesAPackThatIsThere(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a", "a\n")
	r.Git("add", "-A")
	r.Git("commit", "-qm", "a")
	git := filepath.Join(r.Dir, ".git")
	repo := gitstate.Open(locate.Place{GitDir: git, CommonDir: git, WorkTree: r.Dir}, r.Env)
	list := []byte(r.Git("rev-list", "--objects", "--no-object-names", "HEAD") + "\n")
	s := Of(repo, Snapshots, "job-aaaa")
	packs := repo.CommonPath("objects", "pack")
	var first os.FileInfo
	for range 2 {
		if err := s.packApart(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		found, _ := filepath.Glob(filepath.Join(packs, "pack-*.pack"))
		if len(found) != 1 {
			t.Fatalf("packs: %v", found)
		}
		info, err := os.Stat(found[0])
		if err != nil || first != nil && !os.SameFile(first, info) {
			t.Fatalf("the pack was replaced: %v", err)
		}
		first = info
	}
	r.Git("prune-packed")
	r.Git("fsck", "--strict")
	if n := r.Git("count-objects", "-v"); !strings.HasPrefix(n, "count: 0\n") {
		t.Errorf("objects:\n%s", n)
	}
	if left, _ := filepath.Glob(repo.CommonPath("objects", "tmp_*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}
