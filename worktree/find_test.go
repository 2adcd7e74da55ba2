package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/ongoing"
)

// beside is a directory next to the repository.
func (f *fixture) beside(name string) string { return filepath.Join(filepath.Dir(f.dir), name) }

func (f *fixture) look(path, branch string) Tree {
	f.t.Helper()
	t, err := Look(f.t.Context(), f.repo(), Want{Path: path, Branch: "refs/heads/" + branch})
	if err != nil {
		f.t.Fatal(err)
	}
	return t
}

func (f *fixture) rename(from, to string) {
	f.t.Helper()
	if err := os.Rename(from, to); err != nil {
		f.t.Fatal(err)
	}
}

func TestLook_findsATreeWhoseNameHasALineBreak(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tree := f.beside("two\nlines")
	f.git("worktree", "add", "-q", tree, "-b", "topic")
	if got := f.look(tree, "topic"); got.Path != tree || got.Health != Usable {
		t.Errorf("%q is %s", got.Path, got.Health)
	}
	f.rename(tree, tree+"-elsewhere")
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
		{"deleted by hand", func(f *fixture, tree string) { f.at(tree).remove("") }, Missing},
		{"deleted and pruned", func(f *fixture, tree string) {
			f.at(tree).remove("")
			f.git("worktree", "prune", "--expire=now")
		}, Missing},
		{"moved by hand", func(f *fixture, tree string) { f.rename(tree, tree+"-elsewhere") }, Moved},
		{"a plain directory took its place", func(f *fixture, tree string) {
			f.at(tree).remove("")
			f.at(tree).write("file", "x")
		}, Plain},
		{"pruned, then a plain directory", func(f *fixture, tree string) {
			f.at(tree).remove("")
			f.git("worktree", "prune", "--expire=now")
			f.at(tree).write("file", "x")
		}, Plain},
		{"another repository took its place", func(f *fixture, tree string) {
			f.at(tree).remove("")
			f.at(tree).write("file", "x")
			f.at(tree).git("init", "-q")
		}, Foreign},
		{"another worktree took its place", func(f *fixture, tree string) {
			f.git("worktree", "add", "-q", f.beside("second"), "-b", "second")
			f.at(tree).remove("")
			f.rename(f.beside("second"), tree)
		}, Foreign},
		{"another branch checked out", func(f *fixture, tree string) { f.at(tree).git("checkout", "-q", "-b", "other") }, OtherBranch},
		{"detached", func(f *fixture, tree string) { f.at(tree).git("checkout", "-q", "--detach") }, OtherBranch},
		{"in a merge", func(f *fixture, tree string) { conflict(f.at(tree)) }, MidOperation},
		{"in a rebase of its branch", func(f *fixture, tree string) { stoppedRebase(f.at(tree)) }, MidOperation},
		{"registration without its path", func(f *fixture, tree string) {
			f.write(".git/worktrees/topic-tree/gitdir", "")
			f.write(".git/worktrees/topic-tree/locked", "git-resume x")
		}, Husk},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			tree := f.beside("topic-tree")
			f.git("worktree", "add", "-q", tree, "-b", "topic")
			c.arrange(f, tree)
			if got := f.look(tree, "topic"); got.Health != c.want {
				t.Errorf("%q, want %q: %+v", got.Health, c.want, got)
			}
		})
	}
}

// stoppedRebase leaves a rebase of the current branch in a conflict.
func stoppedRebase(f *fixture) {
	base := f.git("rev-parse", "HEAD")
	f.write("a.txt", "one\n")
	f.git("commit", "-qam", "one")
	f.write("dir/b.txt", "two\n")
	f.git("commit", "-qam", "two")
	f.git("branch", "was-"+filepath.Base(f.dir))
	f.git("checkout", "-q", "--detach", base)
	f.write("a.txt", "other\n")
	f.git("commit", "-qam", "other")
	onto := f.git("rev-parse", "HEAD")
	f.git("checkout", "-q", "-")
	_, _ = f.try("checkout", "-q", "topic")
	_, _ = f.try("rebase", onto)
}

func TestLook_rebaseKeepsItsBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tree := f.beside("topic-tree")
	f.git("worktree", "add", "-q", tree, "-b", "topic")
	stoppedRebase(f.at(tree))
	got := f.look(tree, "topic")
	if got.Branch != "refs/heads/topic" || got.Operation != ongoing.Rebase {
		t.Errorf("%+v", got)
	}
}

func TestLook_gitMovedTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("worktree", "add", "-q", f.beside("one"), "-b", "topic")
	f.git("worktree", "move", f.beside("one"), f.beside("two"))
	got := f.look(f.beside("one"), "topic")
	if got.Health != Usable || !samePath(got.Path, f.beside("two")) {
		t.Errorf("%+v", got)
	}
}

func TestFind_agreesWithGit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("worktree", "add", "-q", f.beside("one"), "-b", "one")
	f.git("worktree", "add", "-q", "--lock", "--reason", "mine", f.beside("two"), "--detach")
	f.git("worktree", "add", "-q", f.path(".worktrees/three"), "-b", "three")
	want, err := f.repo().Worktrees(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Find(t.Context(), f.repo())
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d trees, want %d: %v", len(got), len(want), err)
	}
	for _, w := range want {
		found := false
		for _, g := range got {
			if !samePath(g.Path, w.Path) {
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
	f.git("worktree", "add", "-q", f.path(".auto-claude/worktrees/tasks/005"), "-b", "auto-claude/005")
	f.write(".claude/worktrees/plain/file", "x")
	trees, err := Find(t.Context(), f.repo())
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

// Behind a link lies nothing of the repository's, whatever its name.
func TestFind_otherToolsFolderIsALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.at(f.beside("home/mine")).write("file", "x")
	f.link("../home", ".worktrees")
	trees, err := Find(t.Context(), f.repo())
	if err != nil || len(trees) != 1 {
		t.Errorf("%+v %v", trees, err)
	}
}

func TestFind_worksOverATornRegistration(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("worktree", "add", "-q", f.beside("good"), "-b", "good")
	f.git("worktree", "add", "-q", f.beside("torn"), "-b", "torn")
	f.write(".git/worktrees/torn/commondir", "")
	trees, err := Find(t.Context(), f.repo())
	if err != nil || len(trees) != 3 {
		t.Fatalf("%v %v", trees, err)
	}
	if _, err := f.try("worktree", "list"); err == nil {
		t.Log("this git is not disturbed by an empty commondir")
	}
	if err := heal(f.repo()); err != nil {
		t.Fatal(err)
	}
	f.git("worktree", "list")
	f.fsck()
}

func TestRepair_mendsMovedTrees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		move func(f *fixture) *fixture
	}{
		{"tree renamed", func(f *fixture) *fixture {
			f.rename(f.beside("shop.worktrees/job"), f.beside("shop.worktrees/renamed"))
			return f
		}},
		{"repository moved, trees stay", func(f *fixture) *fixture {
			f.rename(f.dir, f.beside("shop-new"))
			return f.at(f.beside("shop-new"))
		}},
		{"git stopped in the middle of its own repair", func(f *fixture) *fixture {
			f.rename(f.beside("shop.worktrees/job"), f.beside("shop.worktrees/renamed"))
			f.write(".git/worktrees/job/gitdir", "")
			return f
		}},
		{"both moved", func(f *fixture) *fixture {
			f.rename(filepath.Dir(f.dir), filepath.Dir(f.dir)+"-moved")
			f.t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(f.dir) + "-moved") })
			return f.at(filepath.Join(filepath.Dir(f.dir)+"-moved", "shop"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			old := f.beside("shop.worktrees/job")
			f.git("worktree", "add", "-q", old, "-b", "job")
			f.at(old).write("work", "w")
			g := c.move(f)
			tree, err := Look(t.Context(), g.repo(), Want{Path: old, Branch: "refs/heads/job"}, DefaultDir(g.repo()))
			if err != nil || tree.Health != Moved {
				t.Fatalf("%+v %v", tree, err)
			}
			mended, err := Repair(t.Context(), g.repo(), tree)
			if err != nil || mended.Health != Usable {
				t.Fatalf("%+v %v", mended, err)
			}
			if got := g.at(mended.Path).git("status", "--porcelain"); got != "?? work" {
				t.Errorf("status %q", got)
			}
			if said := g.git("worktree", "repair", mended.Path); said != "" {
				t.Errorf("git itself would repair more: %s", said)
			}
			if said := g.git("worktree", "prune", "-n", "-v"); said != "" {
				t.Errorf("git would prune it: %s", said)
			}
		})
	}
}

func TestLock_respectsOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("worktree", "add", "-q", "--lock", "--reason", "on a stick", f.beside("theirs"), "-b", "theirs")
	f.git("worktree", "add", "-q", f.beside("free"), "-b", "free")
	var locked *LockedError
	if err := Lock(f.look(f.beside("theirs"), "theirs"), "job-a7f3"); !errors.As(err, &locked) || locked.Reason != "on a stick" {
		t.Errorf("got %v", err)
	}
	if err := Lock(f.look(f.beside("free"), "free"), "job-a7f3"); err != nil {
		t.Error(err)
	}
	if list := f.git("worktree", "list", "--porcelain"); !strings.Contains(list, "locked git-resume job-a7f3") {
		t.Error(list)
	}
	tree := f.look(f.beside("free"), "free")
	if run, ours := tree.LockedBy(); !ours || run != "job-a7f3" {
		t.Errorf("locked by %q %v", run, ours)
	}
	if err := Unlock(tree, "job-a7f3"); err != nil || f.look(f.beside("free"), "free").Locked {
		t.Errorf("still locked: %v", err)
	}
}
