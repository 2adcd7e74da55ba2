package worktree

import (
	"errors"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/treetest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// commitLinks commits symbolic links, as a hostile repository could. It also makes a folder outside the repository that Create must not
// touch.
func (f *fixture) commitLinks(links map[string]string) (outside string) {
	f.T.Helper()
	outside = f.Beside("outside")
	f.at(outside).Write("theirs", "t")
	for name, to := range links {
		if err := os.MkdirAll(filepath.Dir(f.Path(name)), 0o755); err != nil {
			f.T.Fatal(err)
		}
		f.Link(to, name)
	}
	f.Git("add", "-A")
	f.Git("commit", "-qm", "links")
	return outside
}

func (f *fixture) trees() int { return strings.Count(f.Git("worktree", "list")+"\n", "\n") }

func TestCreate_throughNoLinkInTheRepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		links map[string]string
		// at is the path of the worktree, relative to the repository. The field "named" is the link that the error must report.
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
			if err := os.Mkdir(f.Beside("empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			outside := f.commitLinks(c.links)
			want := [2]map[string]string{treetest.Dump(t, f.Dir), treetest.Dump(t, filepath.Dir(f.Dir), "shop/.git", "shop.worktrees")}
			req := f.request()
			req.Path = f.Path(c.at)
			_, err := Create(t.Context(), f.Open(), req)
			var link *place.LinkError
			if !errors.As(err, &link) || link.Link != f.Path(c.named) || link.Path != f.Path(c.at) || link.To != c.links[c.named] {
				t.Errorf("got %v: %+v", err, link)
			}
			if err := place.Safe(f.Open(), req.Path); !errors.As(err, &link) || link.Link != f.Path(c.named) {
				t.Errorf("asked before: %v", err)
			}
			treetest.RequireSame(t, want[0], treetest.Dump(t, f.Dir))
			treetest.RequireSame(t, want[1], treetest.Dump(t, filepath.Dir(f.Dir), "shop/.git", "shop.worktrees"))
			if _, err := f.Try("rev-parse", "-q", "--verify", "resume/"+treetest.Job); err == nil || f.trees() != 1 {
				t.Errorf("something was made: %s", f.Git("worktree", "list"))
			}
			// After the link is removed, Create must succeed at the same path.
			if err := os.Remove(f.Path(c.named)); err != nil {
				t.Fatal(err)
			}
			if made := f.create(req); made.Tree.Path != f.Path(c.at) || !treetest.Exists(f.Path(c.at+"/a.txt")) {
				t.Errorf("%+v", made)
			}
			if left := treetest.Dump(t, outside); len(left) != 2 {
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
		outside := f.commitLinks(map[string]string{"wt": "../outside"})
		for _, dir := range []string{"wt", "./wt/deep", "dir/../wt", f.Path("wt")} {
			req := f.request()
			req.Dir = dir
			_, err := Create(t.Context(), f.Open(), req)
			var link *place.LinkError
			if !errors.As(err, &link) || link.Link != f.Path("wt") {
				t.Errorf("%s: %v", dir, err)
			}
		}
		if left := treetest.Dump(t, outside); len(left) != 2 || f.trees() != 1 {
			t.Errorf("outside has %v", left)
		}
	})
	t.Run("a folder inside that is none", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		req := f.request()
		req.Dir = "wt/deep"
		if c := f.create(req); c.Tree.Path != f.Path("wt/deep/"+treetest.Job) || !treetest.Exists(f.Path("wt/deep/"+treetest.Job+"/a.txt")) {
			t.Errorf("%+v", c)
		}
	})
	t.Run("a link in another worktree of the repository", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.commitLinks(map[string]string{"wt": "../outside"})
		f.Git("worktree", "add", "-q", "-b", "second", f.Beside("second"))
		req := f.request()
		req.Dir = "../second/wt"
		_, err := Create(t.Context(), f.Open(), req)
		if link := new(place.LinkError); !errors.As(err, &link) || link.Link != f.Beside("second/wt") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the last resort inside", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		outside := f.commitLinks(map[string]string{insideDir: "../outside"})
		f.at(filepath.Dir(f.Dir)).Write("shop.worktrees", "a file is in the way")
		_, err := Create(t.Context(), f.Open(), f.request())
		if link := new(place.LinkError); !errors.As(err, &link) || link.Link != f.Path(insideDir) {
			t.Errorf("got %v", err)
		}
		if left := treetest.Dump(t, outside); len(left) != 2 {
			t.Errorf("outside has %v", left)
		}
	})
}

// Links outside the repository belong to the user, so Create must follow them. If such a link leads
// to a link inside the repository, Create must refuse the path.
func TestCreate_linksOutsideAreTheUsers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		links map[string]string // links to make next to the repository; maps name to target
		dir   string
		want  string
		named string
	}{
		"the usual folder is on a larger disk":      {links: map[string]string{"shop.worktrees": "big"}, want: "big/" + treetest.Job},
		"a chosen folder is":                        {links: map[string]string{"trees": "big/deep"}, dir: "../trees", want: "big/deep/" + treetest.Job},
		"a folder above it is":                      {links: map[string]string{"disk": "big"}, dir: "../disk/a/b", want: "big/a/b/" + treetest.Job},
		"two links":                                 {links: map[string]string{"one": "two", "two": "big"}, dir: "../one", want: "big/" + treetest.Job},
		"a link to the repository":                  {links: map[string]string{"same": "shop"}, dir: "../same/wt", want: "shop/wt/" + treetest.Job},
		"a link into the repository that is left":   {links: map[string]string{"in": "shop/dir/../../big"}, dir: "../in", want: "big/" + treetest.Job},
		"a link to a link that the repository has":  {links: map[string]string{"in": "shop/evil/x"}, dir: "../in", named: "shop/evil"},
		"the way back out is one of the repository": {links: map[string]string{"in": "shop/evil/../.."}, dir: "../in/trees", named: "shop/evil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			outside := f.commitLinks(map[string]string{"evil": "../outside"})
			if err := os.MkdirAll(f.Beside("big/deep"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, to := range c.links {
				if err := os.Symlink(to, f.Beside(name)); err != nil {
					t.Fatal(err)
				}
			}
			req := f.request()
			req.Dir = c.dir
			made, err := Create(t.Context(), f.Open(), req)
			var link *place.LinkError
			switch {
			case c.named != "" && (!errors.As(err, &link) || link.Link != f.Beside(c.named)):
				t.Errorf("got %v", err)
			case c.named == "" && (err != nil || made.Tree.Path != f.Beside(c.want) || !treetest.Exists(f.Beside(c.want+"/a.txt"))):
				t.Errorf("%+v %v", made.Tree, err)
			}
			if left := treetest.Dump(t, outside); len(left) != 2 {
				t.Errorf("outside has %v", left)
			}
		})
	}
}

// A link may have replaced a folder on the path of a registered worktree. Create must not write through this link.
func TestCreate_missingTreeBehindALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	req := f.request()
	req.Path = f.Path(".worktrees/" + treetest.Job)
	f.create(req)
	f.Remove(".worktrees")
	outside := f.commitLinks(map[string]string{".worktrees": "../outside"})
	req.At, req.Ready = "", true
	_, err := Create(t.Context(), f.Open(), req)
	if link := new(place.LinkError); !errors.As(err, &link) || link.Link != f.Path(".worktrees") {
		t.Errorf("got %v", err)
	}
	if left := treetest.Dump(t, outside); len(left) != 2 {
		t.Errorf("outside has %v", left)
	}
	f.Remove(".worktrees")
	if c := f.create(req); !c.Fresh || !treetest.Exists(f.Path(".worktrees/"+treetest.Job+"/a.txt")) || f.at(c.Tree.Path).Git("status", "--porcelain") != "" {
		t.Errorf("%+v", c)
	}
}

// An interrupted call of Create has left files. The next call must not move these files through a link.
func TestCreate_huskBehindALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	req := f.request()
	req.Path = f.Path(".worktrees/" + treetest.Job)
	c := f.create(req)
	if err := os.Remove(filepath.Join(c.Tree.Admin, "index")); err != nil {
		t.Fatal(err)
	}
	f.Rename(f.Path(".worktrees"), f.Beside("outside"))
	f.Link("../outside", ".worktrees")
	want := treetest.Dump(t, f.Beside("outside"))
	req.Path = f.Path("other/" + treetest.Job)
	_, err := Create(t.Context(), f.Open(), req)
	if link := new(place.LinkError); !errors.As(err, &link) || link.Link != f.Path(".worktrees") {
		t.Errorf("got %v", err)
	}
	treetest.RequireSame(t, want, treetest.Dump(t, f.Beside("outside")))
}

// Create must copy ignored files only into real folders of the new worktree, never through links.
func TestCreate_copiesIgnoredThroughNoLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := f.commitLinks(map[string]string{"cfg": "../outside"})
	start := f.Git("rev-parse", "HEAD")
	f.Remove("cfg")
	f.Write(".gitignore", "cfg/\nsame/\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "a folder instead")
	f.Write("cfg/secret", "s")
	f.Write("same/deep/file", "d")
	req := f.request()
	req.At, req.CopyIgnored = "", []string{"cfg", "same"}
	f.Git("branch", req.Branch, start)
	c := f.create(req)
	if left := treetest.Dump(t, outside); len(left) != 2 || treetest.Exists(filepath.Join(outside, "secret")) {
		t.Errorf("outside has %v", left)
	}
	if !slices.Equal(c.Copied, []string{"same/deep/file"}) || !slices.Equal(c.MissingIgnored, []string{"cfg/"}) {
		t.Errorf("copied %v, missing %v", c.Copied, c.MissingIgnored)
	}
	if to, err := os.Readlink(filepath.Join(c.Tree.Path, "cfg")); to != "../outside" {
		t.Errorf("the branch's link is %q, %v", to, err)
	}
}

// Look finds a run's worktree by our lock, by the mark file, or by the run's own branch. It must not return a worktree of the user or of
// another run.
func TestLook_whoseTreeItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.create(f.request())
	f.Git("worktree", "add", "-q", "-b", "feature", f.Beside("feature"))
	f.Git("worktree", "add", "-q", "-b", "by-hand", f.Beside("by-hand"))
	look := func(w Want) Tree {
		t.Helper()
		got, err := Look(t.Context(), f.Open(), w)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for name, want := range map[string]Want{
		"by its name alone":        {Run: treetest.Job},
		"with another's path":      {Run: treetest.Job, Path: f.Beside("feature"), Branch: treetest.JobRef},
		"with another's branch":    {Run: treetest.Job, Branch: "refs/heads/feature"},
		"with both, as if its own": {Run: treetest.Job, Path: f.Beside("feature"), Branch: "refs/heads/feature", Own: true},
	} {
		if got := look(want); got.Admin != c.Tree.Admin || got.Run != treetest.Job {
			t.Errorf("%s: %+v", name, got)
		}
	}
	f.Git("worktree", "unlock", c.Tree.Path)
	f.Git("worktree", "move", c.Tree.Path, f.Beside("moved"))
	f.Git("branch", "-m", "resume/"+treetest.Job, "renamed")
	if got := look(Want{Run: treetest.Job, Path: c.Tree.Path, Branch: treetest.JobRef}); got.Path != f.Beside("moved") || got.Health != OtherBranch {
		t.Errorf("unlocked, moved, renamed: %+v", got)
	}
	for name, want := range map[string]Want{
		"the user's path and branch": {Run: "evil-aaaa", Path: f.Beside("feature"), Branch: "refs/heads/feature"},
		"another run's":              {Run: "evil-aaaa", Path: f.Beside("moved"), Branch: "refs/heads/renamed", Own: true},
		"the main tree":              {Run: "evil-aaaa", Path: f.Dir, Branch: "refs/heads/main", Own: true},
	} {
		if got := look(want); got.Admin != "" || got.Health != Foreign {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := look(Want{Run: "hand-aaaa", Branch: "refs/heads/by-hand", Own: true}); got.Path != f.Beside("by-hand") || got.Health != Usable {
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
			return errors.As(err, &taken) && taken.Worktree == f.Beside("feature")
		}},
		"the main tree has the branch": {"main", "evil-aaaa", func(f *fixture, err error) bool {
			taken := new(BranchTakenError)
			return errors.As(err, &taken) && taken.Worktree == f.Dir
		}},
		"a tree of the user's is in the place": {"resume/feature", "feature", func(f *fixture, err error) bool {
			taken := new(PathTakenError)
			return errors.As(err, &taken) && taken.Path == f.Beside("feature")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Git("worktree", "add", "-q", "-b", "feature", f.Beside("feature"))
			want := f.Git("worktree", "list", "--porcelain")
			req := CreateRequest{Run: c.run, Branch: c.branch, Dir: "..", Ready: true, Now: treetest.Clock}
			if c.branch == "resume/feature" {
				f.Git("branch", c.branch)
			}
			if _, err := Create(t.Context(), f.Open(), req); !c.want(f, err) {
				t.Errorf("got %v", err)
			}
			if got := f.Git("worktree", "list", "--porcelain"); got != want || treetest.Exists(f.Path(".git/worktrees/feature/"+MarkFile)) {
				t.Errorf("was\n%s\nis\n%s", want, got)
			}
		})
	}
}
