package past_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMergeTrees(t *testing.T) {
	r := gittest.New(t)
	repo := repotest.Open(t, r.Dir, r.Env)
	tree := func(files map[string]string) object.ID {
		for name, text := range files {
			r.Write(name, text)
		}
		r.Git("add", "-A")
		return object.ID(r.Git("write-tree"))
	}
	base := tree(map[string]string{"a": "1\n2\n3\n4\n5\n", "b": "b\n"})
	ours := tree(map[string]string{"a": "one\n2\n3\n4\n5\n"})
	both := tree(map[string]string{"a": "one\n2\n3\n4\nfive\n"})
	theirs := tree(map[string]string{"a": "1\n2\n3\n4\nfive\n"})
	other := tree(map[string]string{"a": "eins\n2\n3\n4\n5\n"})

	m, err := past.MergeTrees(t.Context(), repo, base, ours, theirs)
	if errors.Is(err, past.ErrNoMergeTree) {
		t.Skip(err)
	}
	if err != nil || !m.Clean || m.Tree != both {
		t.Fatalf("%+v, %v; want tree %s", m, err, both)
	}
	if kind := r.Git("cat-file", "-t", string(m.Tree)); kind != "tree" {
		t.Fatalf("the merged tree is a %s", kind)
	}
	if m, err = past.MergeTrees(t.Context(), repo, base, ours, ours); err != nil || !m.Clean || m.Tree != ours {
		t.Fatalf("the same change twice: %+v, %v", m, err)
	}
	if m, err = past.MergeTrees(t.Context(), repo, base, ours, other); err != nil || m.Clean || len(m.Stages) != 3 || m.Stages[0].Path != "a" {
		t.Fatalf("a conflict: %+v, %v", m, err)
	}
}

// TestMergeTrees_agreesWithGit merges random trees with and without git. Wherever the trees can be merged without git, both must agree.
func TestMergeTrees_agreesWithGit(t *testing.T) {
	r := gittest.New(t)
	repo := repotest.Open(t, r.Dir, r.Env)
	chance := rand.New(rand.NewPCG(1, 2))
	paths := []string{"a", "b", "d/a", "d/b", "d/e/a", "d/e/b", "f/a", "f", "f/g/h", "link"}
	contents := make([]object.ID, 6)
	for i := range contents {
		contents[i] = object.ID(strings.TrimSpace(r.Pipe(strings.Repeat(fmt.Sprintf("line %d\n", i), 20), "hash-object", "-w", "--stdin")))
	}
	tree := func(from map[string]string, changes int) (map[string]string, object.ID) {
		files := map[string]string{}
		for p, v := range from {
			files[p] = v
		}
		for range changes {
			p := paths[chance.IntN(len(paths))]
			if chance.IntN(5) == 0 {
				delete(files, p)
				continue
			}
			mode := "100644"
			if p == "link" && chance.IntN(2) == 0 {
				mode = "120000"
			}
			files[p] = fmt.Sprintf("%s %s", mode, contents[chance.IntN(len(contents))])
		}
		r.Git("read-tree", "--empty")
		list := ""
		for _, p := range paths { // a tree cannot have both a file f and a folder f, so leave out the file
			if v, ok := files[p]; ok && (p != "f" || files["f/a"] == "" && files["f/g/h"] == "") {
				list += v + "\t" + p + "\n"
			} else {
				delete(files, p)
			}
		}
		r.Pipe(list, "update-index", "--add", "--index-info")
		return files, object.ID(r.Git("write-tree"))
	}
	_, probe := tree(nil, 0)
	if _, err := past.MergeTreesByGit(t.Context(), repo, probe, probe, probe); errors.Is(err, past.ErrNoMergeTree) {
		t.Skip(err)
	}
	without := 0
	for range 40 {
		files, base := tree(nil, 8)
		_, ours := tree(files, 1+chance.IntN(2))
		_, theirs := tree(files, 1+chance.IntN(2))
		got, ok := past.MergeDisjoint(t.Context(), repo, base, ours, theirs)
		if !ok {
			continue
		}
		without++
		want, err := past.MergeTreesByGit(t.Context(), repo, base, ours, theirs)
		if err != nil || !want.Clean || want.Tree != got {
			t.Fatalf("base %s\nours %s\ntheirs %s\nwithout git: %s\nwith git: %t %s %v", r.Git("ls-tree", "-r", string(base)), r.Git("ls-tree", "-r", string(ours)),
				r.Git("ls-tree", "-r", string(theirs)), r.Git("ls-tree", "-r", string(got)), want.Clean, r.Git("ls-tree", "-r", string(want.Tree)), err)
		}
		if kind := r.Git("cat-file", "-t", string(got)); kind != "tree" {
			t.Fatalf("the merged tree is a %s", kind)
		}
	}
	if without < 5 {
		t.Errorf("only %d of 40 merges were tried", without)
	}
	t.Logf("%d of 40 merges need no git", without)
}
