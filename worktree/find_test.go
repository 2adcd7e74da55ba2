package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/place"
)

func (f *fixture) look(path, branch string) Tree {
	f.T.Helper()
	t, err := Look(f.T.Context(), f.Open(), Want{Path: path, Branch: refs.Branch(branch)})
	if err != nil {
		f.T.Fatal(err)
	}
	return t
}

func TestLook_findsATreeWhoseNameHasALineBreak(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tree := f.Beside("two\nlines")
	f.Git("worktree", "add", "-q", tree, "-b", "topic")
	if got := f.look(tree, "topic"); got.Path != tree || got.Health != Usable {
		t.Errorf("%q is %s", got.Path, got.Health)
	}
	f.Rename(tree, tree+"-elsewhere")
	if got := f.look(tree, "topic"); got.Now != tree+"-elsewhere" || got.Health != Moved {
		t.Errorf("now at %q: %s", got.Now, got.Health)
	}
}

func TestLook_namesTheHealth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		arrange func(f *fixture, tree string)
		want    Health
	}{
		{"as it was left", func(*fixture, string) {}, Usable},
		{"deleted by hand", func(f *fixture, tree string) { f.at(tree).Remove("") }, Missing},
		{"deleted and pruned", func(f *fixture, tree string) {
			f.at(tree).Remove("")
			f.Git("worktree", "prune", "--expire=now")
		}, Missing},
		{"moved by hand", func(f *fixture, tree string) { f.Rename(tree, tree+"-elsewhere") }, Moved},
		{"a plain directory took its place", func(f *fixture, tree string) {
			f.at(tree).Remove("")
			f.at(tree).Write("file", "x")
		}, Plain},
		{"pruned, then a plain directory", func(f *fixture, tree string) {
			f.at(tree).Remove("")
			f.Git("worktree", "prune", "--expire=now")
			f.at(tree).Write("file", "x")
		}, Plain},
		{"another repository took its place", func(f *fixture, tree string) {
			f.at(tree).Remove("")
			f.at(tree).Write("file", "x")
			f.at(tree).Git("init", "-q")
		}, Foreign},
		{"another worktree took its place", func(f *fixture, tree string) {
			f.Git("worktree", "add", "-q", f.Beside("second"), "-b", "second")
			f.at(tree).Remove("")
			f.Rename(f.Beside("second"), tree)
		}, Foreign},
		{"another branch checked out", func(f *fixture, tree string) { f.at(tree).Git("checkout", "-q", "-b", "other") }, OtherBranch},
		{"detached", func(f *fixture, tree string) { f.at(tree).Git("checkout", "-q", "--detach") }, OtherBranch},
		{"in a merge", func(f *fixture, tree string) { f.at(tree).Conflict() }, MidOperation},
		{"in a rebase of its branch", func(f *fixture, tree string) { f.at(tree).StoppedRebase() }, MidOperation},
		{"registration without its path", func(f *fixture, tree string) {
			f.Write(".git/worktrees/topic-tree/gitdir", "")
			f.Write(".git/worktrees/topic-tree/locked", "git-resume x")
		}, Incomplete},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			tree := f.Beside("topic-tree")
			f.Git("worktree", "add", "-q", tree, "-b", "topic")
			c.arrange(f, tree)
			if got := f.look(tree, "topic"); got.Health != c.want {
				t.Errorf("%q, want %q: %+v", got.Health, c.want, got)
			}
		})
	}
}

func TestLook_rebaseKeepsItsBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tree := f.Beside("topic-tree")
	f.Git("worktree", "add", "-q", tree, "-b", "topic")
	f.at(tree).StoppedRebase()
	got := f.look(tree, "topic")
	if got.Branch != "refs/heads/topic" || got.Operation != ongoing.Rebase {
		t.Errorf("%+v", got)
	}
}

func TestLook_gitMovedTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("worktree", "add", "-q", f.Beside("one"), "-b", "topic")
	f.Git("worktree", "move", f.Beside("one"), f.Beside("two"))
	got := f.look(f.Beside("one"), "topic")
	if got.Health != Usable || !place.Same(got.Path, f.Beside("two")) {
		t.Errorf("%+v", got)
	}
}

func TestFind_agreesWithGit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("worktree", "add", "-q", f.Beside("one"), "-b", "one")
	f.Git("worktree", "add", "-q", f.Beside("two"), "--detach")
	f.Git("worktree", "lock", "--reason", "mine", f.Beside("two"))
	f.Git("worktree", "add", "-q", f.Path(".worktrees/three"), "-b", "three")
	want, err := f.Open().Worktrees(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Find(t.Context(), f.Open())
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d trees, want %d: %v", len(got), len(want), err)
	}
	for _, w := range want {
		found := false
		for _, g := range got {
			if !place.Same(g.Path, w.Path) {
				continue
			}
			found = true
			if g.Head != w.Head || g.Branch != w.Branch || g.Locked != w.Locked || g.LockReason != w.LockReason || g.Main != w.Main {
				t.Errorf("%+v, git says %+v", g, w)
			}
		}
		if !found {
			t.Errorf("%s not found", w.Path)
		}
	}
}

func TestFind_otherToolsTrees(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("worktree", "add", "-q", f.Path(".auto-claude/worktrees/tasks/005"), "-b", "auto-claude/005")
	f.Write(".claude/worktrees/plain/file", "x")
	trees, err := Find(t.Context(), f.Open())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Health{}
	for _, tree := range trees {
		if tree.Tool != "" {
			got[tree.Tool+" "+filepath.Base(tree.Path)] = tree.Health
		}
	}
	if got["auto-claude 005"] != Usable || got["claude plain"] != Plain || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// If the folder of another tool is a symbolic link, Find must not search the target, which is outside the repository.
func TestFind_otherToolsFolderIsALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.at(f.Beside("home/mine")).Write("file", "x")
	f.Link("../home", ".worktrees")
	trees, err := Find(t.Context(), f.Open())
	if err != nil || len(trees) != 1 {
		t.Errorf("%+v %v", trees, err)
	}
}

func TestFind_worksOverATornRegistration(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("worktree", "add", "-q", f.Beside("good"), "-b", "good")
	f.Git("worktree", "add", "-q", f.Beside("torn"), "-b", "torn")
	f.Write(".git/worktrees/torn/commondir", "")
	trees, err := Find(t.Context(), f.Open())
	if err != nil || len(trees) != 3 {
		t.Fatalf("%v %v", trees, err)
	}
	if _, err := f.Try("worktree", "list"); err == nil {
		t.Log("this git is not disturbed by an empty commondir")
	}
	if err := repairCommondirs(f.Open()); err != nil {
		t.Fatal(err)
	}
	f.Git("worktree", "list")
	f.Fsck()
}

func TestRepair_mendsMovedTrees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		move func(f *fixture) *fixture
	}{
		{"tree renamed", func(f *fixture) *fixture {
			f.Rename(f.Beside("shop.worktrees/job"), f.Beside("shop.worktrees/renamed"))
			return f
		}},
		{"repository moved, trees stay", func(f *fixture) *fixture {
			f.Rename(f.Dir, f.Beside("shop-new"))
			return f.at(f.Beside("shop-new"))
		}},
		{"git stopped in the middle of its own repair", func(f *fixture) *fixture {
			f.Rename(f.Beside("shop.worktrees/job"), f.Beside("shop.worktrees/renamed"))
			f.Write(".git/worktrees/job/gitdir", "")
			return f
		}},
		{"both moved", func(f *fixture) *fixture {
			f.Rename(filepath.Dir(f.Dir), filepath.Dir(f.Dir)+"-moved")
			f.T.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(f.Dir) + "-moved") })
			return f.at(filepath.Join(filepath.Dir(f.Dir)+"-moved", "shop"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			old := f.Beside("shop.worktrees/job")
			f.Git("worktree", "add", "-q", old, "-b", "job")
			f.at(old).Write("work", "w")
			g := c.move(f)
			tree, err := Look(t.Context(), g.Open(), Want{Path: old, Branch: "refs/heads/job"}, DefaultDir(g.Open()))
			if err != nil || tree.Health != Moved {
				t.Fatalf("%+v %v", tree, err)
			}
			mended, err := Repair(t.Context(), g.Open(), tree)
			if err != nil || mended.Health != Usable {
				t.Fatalf("%+v %v", mended, err)
			}
			if got := g.at(mended.Path).Git("status", "--porcelain"); got != "?? work" {
				t.Errorf("status %q", got)
			}
			if said := g.Git("worktree", "repair", mended.Path); said != "" {
				t.Errorf("git itself would repair more: %s", said)
			}
			if said := g.Git("worktree", "prune", "-n", "-v"); said != "" {
				t.Errorf("git would prune it: %s", said)
			}
		})
	}
}

func TestLock_respectsOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("worktree", "add", "-q", f.Beside("theirs"), "-b", "theirs")
	f.Git("worktree", "lock", "--reason", "on a stick", f.Beside("theirs"))
	f.Git("worktree", "add", "-q", f.Beside("free"), "-b", "free")
	var locked *LockedError
	if err := lock(f.look(f.Beside("theirs"), "theirs"), "job-a7f3"); !errors.As(err, &locked) || locked.Reason != "on a stick" {
		t.Errorf("got %v", err)
	}
	if err := lock(f.look(f.Beside("free"), "free"), "job-a7f3"); err != nil {
		t.Error(err)
	}
	if list := f.Git("worktree", "list", "--porcelain"); !strings.Contains(list, "locked git-resume job-a7f3") {
		t.Error(list)
	}
	tree := f.look(f.Beside("free"), "free")
	if run, ours := tree.LockedBy(); !ours || run != "job-a7f3" {
		t.Errorf("locked by %q %v", run, ours)
	}
	if err := Unlock(tree, "job-a7f3"); err != nil || f.look(f.Beside("free"), "free").Locked {
		t.Errorf("still locked: %v", err)
	}
}
