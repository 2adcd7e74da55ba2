package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linked commits links, as a repository that was cloned may have them, beside a folder that is none of its business.
func (f *fixture) linked(links map[string]string) (outside string) {
	f.t.Helper()
	outside = f.beside("outside")
	f.at(outside).write("theirs", "t")
	for name, to := range links {
		if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
			f.t.Fatal(err)
		}
		f.link(to, name)
	}
	f.git("add", "-A")
	f.git("commit", "-qm", "links")
	return outside
}

func (f *fixture) trees() int { return strings.Count(f.git("worktree", "list")+"\n", "\n") }

func TestCreate_throughNoLinkInTheRepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		links map[string]string
		// at is the worktree's place below the repository, named the link on the way.
		at, named string
	}{
		{"the folder of tasks", map[string]string{".auto-claude/worktrees/tasks": "../../../outside"}, ".auto-claude/worktrees/tasks/005", ".auto-claude/worktrees/tasks"},
		{"a folder above", map[string]string{".auto-claude/worktrees": "../../outside"}, ".auto-claude/worktrees/tasks/005", ".auto-claude/worktrees"},
		{"the first folder", map[string]string{".worktrees": "../outside"}, ".worktrees/005", ".worktrees"},
		{"to a folder of the repository", map[string]string{".worktrees": "dir"}, ".worktrees/005", ".worktrees"},
		{"to the git dir", map[string]string{".worktrees": ".git"}, ".worktrees/hooks", ".worktrees"},
		{"that leads nowhere", map[string]string{".worktrees": "../nowhere"}, ".worktrees/005", ".worktrees"},
		{"to itself", map[string]string{".worktrees": ".worktrees"}, ".worktrees/005", ".worktrees"},
		{"the last part", map[string]string{".worktrees/005": "../../outside"}, ".worktrees/005", ".worktrees/005"},
		{"the last part, to an empty folder", map[string]string{".worktrees/005": "../../empty"}, ".worktrees/005", ".worktrees/005"},
		{"the last part, that leads nowhere", map[string]string{".worktrees/005": "../../nowhere"}, ".worktrees/005", ".worktrees/005"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if err := os.Mkdir(f.beside("empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			outside := f.linked(c.links)
			want := [2]map[string]string{dump(t, f.dir), dump(t, filepath.Dir(f.dir), "shop/.git", "shop.worktrees")}
			req := f.request()
			req.Path = f.path(c.at)
			_, err := Create(t.Context(), f.repo(), req)
			var link *LinkError
			if !errors.As(err, &link) || link.Link != f.path(c.named) || link.Path != f.path(c.at) || link.To != c.links[c.named] {
				t.Errorf("got %v: %+v", err, link)
			}
			if err := SafePlace(f.repo(), req.Path); !errors.As(err, &link) || link.Link != f.path(c.named) {
				t.Errorf("asked before: %v", err)
			}
			requireSame(t, want[0], dump(t, f.dir))
			requireSame(t, want[1], dump(t, filepath.Dir(f.dir), "shop/.git", "shop.worktrees"))
			if _, err := f.try("rev-parse", "-q", "--verify", "resume/"+job); err == nil || f.trees() != 1 {
				t.Errorf("something was made: %s", f.git("worktree", "list"))
			}
			// Without the link, in the same place, it is made.
			if err := os.Remove(f.path(c.named)); err != nil {
				t.Fatal(err)
			}
			if made := f.create(req); made.Tree.Path != f.path(c.at) || !exists(f.path(c.at+"/a.txt")) {
				t.Errorf("%+v", made)
			}
			if left := dump(t, outside); len(left) != 2 {
				t.Errorf("outside has %v", left)
			}
		})
	}
}

func TestCreate_configuredFolders(t *testing.T) {
	t.Parallel()
	t.Run("a tracked link inside", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		outside := f.linked(map[string]string{"wt": "../outside"})
		for _, dir := range []string{"wt", "./wt/deep", "dir/../wt", f.path("wt")} {
			req := f.request()
			req.Dir = dir
			_, err := Create(t.Context(), f.repo(), req)
			var link *LinkError
			if !errors.As(err, &link) || link.Link != f.path("wt") {
				t.Errorf("%s: %v", dir, err)
			}
		}
		if left := dump(t, outside); len(left) != 2 || f.trees() != 1 {
			t.Errorf("outside has %v", left)
		}
	})
	t.Run("a folder inside that is none", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		req := f.request()
		req.Dir = "wt/deep"
		if c := f.create(req); c.Tree.Path != f.path("wt/deep/"+job) || !exists(f.path("wt/deep/"+job+"/a.txt")) {
			t.Errorf("%+v", c)
		}
	})
	t.Run("a link in another worktree of the repository", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.linked(map[string]string{"wt": "../outside"})
		f.git("worktree", "add", "-q", "-b", "second", f.beside("second"))
		req := f.request()
		req.Dir = "../second/wt"
		_, err := Create(t.Context(), f.repo(), req)
		if link := new(LinkError); !errors.As(err, &link) || link.Link != f.beside("second/wt") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the last resort inside", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		outside := f.linked(map[string]string{insideDir: "../outside"})
		f.at(filepath.Dir(f.dir)).write("shop.worktrees", "a file is in the way")
		_, err := Create(t.Context(), f.repo(), f.request())
		if link := new(LinkError); !errors.As(err, &link) || link.Link != f.path(insideDir) {
			t.Errorf("got %v", err)
		}
		if left := dump(t, outside); len(left) != 2 {
			t.Errorf("outside has %v", left)
		}
	})
}

// Links that are not in the repository are the user's own.
func TestCreate_linksOutsideAreTheUsers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		links map[string]string // beside the repository
		dir   string
		want  string
		named string
	}{
		"the usual folder is on a larger disk":      {links: map[string]string{"shop.worktrees": "big"}, want: "big/" + job},
		"a chosen folder is":                        {links: map[string]string{"trees": "big/deep"}, dir: "../trees", want: "big/deep/" + job},
		"a folder above it is":                      {links: map[string]string{"disk": "big"}, dir: "../disk/a/b", want: "big/a/b/" + job},
		"two links":                                 {links: map[string]string{"one": "two", "two": "big"}, dir: "../one", want: "big/" + job},
		"a link to the repository":                  {links: map[string]string{"same": "shop"}, dir: "../same/wt", want: "shop/wt/" + job},
		"a link into the repository that is left":   {links: map[string]string{"in": "shop/dir/../../big"}, dir: "../in", want: "big/" + job},
		"a link to a link that the repository has":  {links: map[string]string{"in": "shop/evil/x"}, dir: "../in", named: "shop/evil"},
		"the way back out is one of the repository": {links: map[string]string{"in": "shop/evil/../.."}, dir: "../in/trees", named: "shop/evil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			outside := f.linked(map[string]string{"evil": "../outside"})
			if err := os.MkdirAll(f.beside("big/deep"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, to := range c.links {
				if err := os.Symlink(to, f.beside(name)); err != nil {
					t.Fatal(err)
				}
			}
			req := f.request()
			req.Dir = c.dir
			made, err := Create(t.Context(), f.repo(), req)
			var link *LinkError
			switch {
			case c.named != "" && (!errors.As(err, &link) || link.Link != f.beside(c.named)):
				t.Errorf("got %v", err)
			case c.named == "" && (err != nil || made.Tree.Path != f.beside(c.want) || !exists(f.beside(c.want+"/a.txt"))):
				t.Errorf("%+v %v", made.Tree, err)
			}
			if left := dump(t, outside); len(left) != 2 {
				t.Errorf("outside has %v", left)
			}
		})
	}
}

// A registration stays where git has it, but a folder on the way may have become a link since.
func TestCreate_missingTreeBehindALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	req := f.request()
	req.Path = f.path(".worktrees/" + job)
	f.create(req)
	f.remove(".worktrees")
	outside := f.linked(map[string]string{".worktrees": "../outside"})
	req.At, req.Ready = "", true
	_, err := Create(t.Context(), f.repo(), req)
	if link := new(LinkError); !errors.As(err, &link) || link.Link != f.path(".worktrees") {
		t.Errorf("got %v", err)
	}
	if left := dump(t, outside); len(left) != 2 {
		t.Errorf("outside has %v", left)
	}
	f.remove(".worktrees")
	if c := f.create(req); !c.Fresh || !exists(f.path(".worktrees/"+job+"/a.txt")) || f.at(c.Tree.Path).git("status", "--porcelain") != "" {
		t.Errorf("%+v", c)
	}
}

// What a cut-off creation left is not moved about behind a link either.
func TestCreate_huskBehindALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	req := f.request()
	req.Path = f.path(".worktrees/" + job)
	c := f.create(req)
	if err := os.Remove(filepath.Join(c.Tree.Admin, "index")); err != nil {
		t.Fatal(err)
	}
	f.rename(f.path(".worktrees"), f.beside("outside"))
	f.link("../outside", ".worktrees")
	want := dump(t, f.beside("outside"))
	req.Path = f.path("other/" + job)
	_, err := Create(t.Context(), f.repo(), req)
	if link := new(LinkError); !errors.As(err, &link) || link.Link != f.path(".worktrees") {
		t.Errorf("got %v", err)
	}
	requireSame(t, want, dump(t, f.beside("outside")))
}

// Ignored files are copied into folders of the new tree, and not through its links.
func TestCreate_copiesIgnoredThroughNoLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := f.linked(map[string]string{"cfg": "../outside"})
	start := f.git("rev-parse", "HEAD")
	f.remove("cfg")
	f.write(".gitignore", "cfg/\nsame/\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "a folder instead")
	f.write("cfg/secret", "s")
	f.write("same/deep/file", "d")
	req := f.request()
	req.At, req.CopyIgnored = "", []string{"cfg", "same"}
	f.git("branch", req.Branch, start)
	c := f.create(req)
	if left := dump(t, outside); len(left) != 2 || exists(filepath.Join(outside, "secret")) {
		t.Errorf("outside has %v", left)
	}
	if !slices.Equal(c.Copied, []string{"same/deep/file"}) || !slices.Equal(c.MissingIgnored, []string{"cfg/"}) {
		t.Errorf("copied %v, missing %v", c.Copied, c.MissingIgnored)
	}
	if to, err := os.Readlink(filepath.Join(c.Tree.Path, "cfg")); to != "../outside" {
		t.Errorf("the branch's link is %q, %v", to, err)
	}
}

// Whose a worktree is, its registration says: by our lock, and by a mark that stays when the lock is taken off.
func TestLook_whoseTreeItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.create(f.request())
	f.git("worktree", "add", "-q", "-b", "feature", f.beside("feature"))
	f.git("worktree", "add", "-q", "-b", "by-hand", f.beside("by-hand"))
	look := func(w Want) Tree {
		t.Helper()
		got, err := Look(t.Context(), f.repo(), w)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for name, want := range map[string]Want{
		"by its name alone":        {Run: job},
		"with another's path":      {Run: job, Path: f.beside("feature"), Branch: jobRef},
		"with another's branch":    {Run: job, Branch: "refs/heads/feature"},
		"with both, as if its own": {Run: job, Path: f.beside("feature"), Branch: "refs/heads/feature", Own: true},
	} {
		if got := look(want); got.Admin != c.Tree.Admin || got.Run != job {
			t.Errorf("%s: %+v", name, got)
		}
	}
	f.git("worktree", "unlock", c.Tree.Path)
	f.git("worktree", "move", c.Tree.Path, f.beside("moved"))
	f.git("branch", "-m", "resume/"+job, "renamed")
	if got := look(Want{Run: job, Path: c.Tree.Path, Branch: jobRef}); got.Path != f.beside("moved") || got.Health != OtherBranch {
		t.Errorf("unlocked, moved, renamed: %+v", got)
	}
	for name, want := range map[string]Want{
		"the user's path and branch": {Run: "evil-aaaa", Path: f.beside("feature"), Branch: "refs/heads/feature"},
		"another run's":              {Run: "evil-aaaa", Path: f.beside("moved"), Branch: "refs/heads/renamed", Own: true},
		"the main tree":              {Run: "evil-aaaa", Path: f.dir, Branch: "refs/heads/main", Own: true},
	} {
		if got := look(want); got.Admin != "" || got.Health != Foreign {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := look(Want{Run: "hand-aaaa", Branch: "refs/heads/by-hand", Own: true}); got.Path != f.beside("by-hand") || got.Health != Usable {
		t.Errorf("made by hand on the run's own branch: %+v", got)
	}
}

func TestCreate_leavesTreesOfOthersAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		branch string
		run    string
		want   func(f *fixture, err error) bool
	}{
		"the user's branch is checked out": {"feature", "evil-aaaa", func(f *fixture, err error) bool {
			taken := new(BranchTakenError)
			return errors.As(err, &taken) && taken.Worktree == f.beside("feature")
		}},
		"the main tree has the branch": {"main", "evil-aaaa", func(f *fixture, err error) bool {
			taken := new(BranchTakenError)
			return errors.As(err, &taken) && taken.Worktree == f.dir
		}},
		"a tree of the user's is in the place": {"resume/feature", "feature", func(f *fixture, err error) bool {
			taken := new(PathTakenError)
			return errors.As(err, &taken) && taken.Path == f.beside("feature")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.git("worktree", "add", "-q", "-b", "feature", f.beside("feature"))
			want := f.git("worktree", "list", "--porcelain")
			req := CreateRequest{Run: c.run, Branch: c.branch, Dir: "..", Ready: true, Now: clock}
			if c.branch == "resume/feature" {
				f.git("branch", c.branch)
			}
			if _, err := Create(t.Context(), f.repo(), req); !c.want(f, err) {
				t.Errorf("got %v", err)
			}
			if got := f.git("worktree", "list", "--porcelain"); got != want || exists(f.path(".git/worktrees/feature/"+markFile)) {
				t.Errorf("was\n%s\nis\n%s", want, got)
			}
		})
	}
}

// A link that came where the folder of the worktree was leads an undo nowhere.
func TestUndo_throughNoLinkInTheRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	req := f.request()
	req.Path = f.path(".worktrees/" + job)
	tree := f.at(f.create(req).Tree.Path)
	tree.write("mine", "work")
	f.discard(tree)
	outside := f.beside("outside")
	for _, dir := range []string{outside, filepath.Join(outside, "kept")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(f.path(".worktrees")); err != nil {
		t.Fatal(err)
	}
	f.link("../outside", ".worktrees")
	var link *LinkError
	if _, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock}); !errors.As(err, &link) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside has %v, %v", left, err)
	}
	if err := os.Remove(f.path(".worktrees")); err != nil {
		t.Fatal(err)
	}
	f.undo()
	if got, err := os.ReadFile(tree.path("mine")); err != nil || string(got) != "work" {
		t.Errorf("after the link is gone: %q, %v", got, err)
	}
}
