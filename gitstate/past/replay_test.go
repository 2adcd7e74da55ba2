package past_test

import (
	"errors"
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
