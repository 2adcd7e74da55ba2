package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func TestTake_savesBytesOnDisk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "changed\n")
	f.Write("dir/new", "untracked\n")
	f.Write("empty", "")
	f.Write("odd \"name\"\n\xff", "x")
	f.Remove("dir/deep")
	f.Link("nowhere", "dangling")
	s := f.take(Request{Cause: "before the test"})
	for name, want := range map[string]string{
		"a.txt": "changed\n", "dir/new": "untracked\n", "empty": "", "odd \"name\"\n\xff": "x", "dangling": "nowhere",
		"dir/b.txt": "b\n",
	} {
		if got := f.show(s, name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := f.Git("ls-tree", "-r", "--name-only", string(s.Tree), "--", "dir/deep"); got != "" {
		t.Errorf("removed files are in the snapshot: %s", got)
	}
	if got := f.Git("ls-tree", string(s.Tree), "dangling"); !strings.HasPrefix(got, "120000") {
		t.Errorf("link stored as %q", got)
	}
	if at := f.Git("rev-parse", string(Ref(s.Run)+":0001")); at != string(s.ID) || s.Name() != string(Ref(s.Run))+":0001" {
		t.Errorf("first entry is %s, want %s, called %s", at, s.ID, s.Name())
	}
	if kind := f.Git("cat-file", "-t", string(Ref(s.Run))); kind != "tree" {
		t.Errorf("the ref names a %s", kind)
	}
	f.Fsck()
}

func TestTake_filtersDoNotChangeBytes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("config", "filter.strip.clean", "sed s/secret//")
	f.Git("config", "filter.strip.smudge", "cat")
	f.Write(".gitattributes", "*.f filter=strip\n*.crlf text eol=crlf\n")
	f.Write("x.f", "plain\n")
	f.Write("x.crlf", "one\r\ntwo\r\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "filters")
	f.Write("x.f", "keep the secret\n")
	f.Write("x.crlf", "one\r\ntwo\r\nthree\r\n")
	f.Write("new.crlf", "mixed\nendings\r\n")
	s := f.take(Request{})
	for name, want := range map[string]string{
		"x.f": "keep the secret\n", "x.crlf": "one\r\ntwo\r\nthree\r\n", "new.crlf": "mixed\nendings\r\n",
	} {
		if got := f.show(s, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestTake_hiddenFilesAreSaved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("update-index", "--assume-unchanged", "a.txt")
	f.Git("update-index", "--skip-worktree", "dir/b.txt", "dir/deep/c.txt")
	f.Write("a.txt", "hidden edit\n")
	f.Write("dir/b.txt", "another\n")
	f.Remove("dir/deep/c.txt") // a sparse checkout leaves out such files, so this does not count as a deletion
	s := f.take(Request{})
	if f.show(s, "a.txt") != "hidden edit\n" || f.show(s, "dir/b.txt") != "another\n" {
		t.Errorf("hidden edits missed: %v", s.Paths)
	}
	if f.show(s, "dir/deep/c.txt") != "c\n" {
		t.Error("a file that is not checked out counts as removed")
	}
}

func TestTake_oddModesAreNoted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("key", "k")
	f.Write("plain1", "1")
	f.Write("plain2", "2")
	f.Chmod("key", 0o600)
	f.Write("tool", "t")
	f.Chmod("tool", 0o755|os.ModeSetgid)
	s := f.take(Request{})
	got, err := Load(t.Context(), f.Open(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.meta.odd["key"] != 0o600 || len(got.meta.odd) != 1 || got.meta.modes.exec != 0o2755 {
		t.Errorf("modes %v, odd %v", got.meta.modes, got.meta.odd)
	}
}

func TestTake_nothingToSave(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if s := f.take(Request{}); s.ID != "" || s.Made {
		t.Errorf("made %s of a clean tree", s.ID)
	}
	if s := f.take(Request{When: Always}); s.ID == "" || s.Head != object.ID(f.Git("rev-parse", "HEAD")) {
		t.Errorf("asked to link, made %+v", s)
	}
}

func TestTake_sameWorkMakesNoSecond(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "1\n")
	first := f.take(Request{})
	if again := f.take(Request{}); again.ID != first.ID || again.Made {
		t.Errorf("second snapshot %s of the same work", again.ID)
	}
	f.Write("a.txt", "2\n") // the new content has the same size, and perhaps the same modification time
	second := f.take(Request{})
	if f.show(second, "a.txt") != "2\n" {
		t.Error("edit of the same size missed")
	}
	for name, want := range map[string]object.ID{"0001": first.ID, "0002": second.ID} {
		if got := f.Git("rev-parse", string(Ref(second.Run))+":"+name); got != string(want) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestTake_leavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "staged\n")
	f.Git("add", "a.txt")
	f.Write("a.txt", "unstaged\n")
	f.Write("untracked", "u\n")
	past := time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(f.Path("a.txt"), past, past); err != nil {
		t.Fatal(err)
	}
	watch := []string{".git/index", ".git/HEAD", ".git/logs/HEAD", "a.txt", "untracked"}
	before := stats(t, f, watch)
	s := f.take(Request{})
	if after := stats(t, f, watch); !slices.Equal(before, after) {
		t.Errorf("was %v\nis  %v", before, after)
	}
	if treetest.Exists(f.Path(".git/refs/stash")) || treetest.Exists(f.Path(".git/logs/refs/resume")) {
		t.Error("stash or reflog appeared")
	}
	if got := f.Git("show", string(s.Index)+":a.txt"); got != "staged" {
		t.Errorf("staged content %q", got)
	}
	if got := f.show(s, "a.txt"); got != "unstaged\n" {
		t.Errorf("content %q", got)
	}
	if got := f.Git("diff", "--name-only", "HEAD", s.Name()+"/index/tree"); got != "a.txt" {
		t.Errorf("the folder for the index shows %q as staged", got)
	}
}

func stats(t *testing.T, f *fixture, names []string) []string {
	t.Helper()
	var out []string
	for _, name := range names {
		info, err := os.Stat(f.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(f.Path(name))
		out = append(out, name+" "+info.ModTime().String()+" "+string(data))
	}
	return out
}

func TestTake_worksWhereStashRefuses(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(*fixture){
		"unborn branch": func(f *fixture) { f.Git("checkout", "-q", "--orphan", "new") },
		"foreign index lock": func(f *fixture) {
			f.Write(".git/index.lock", "")
		},
		"conflicted merge": func(f *fixture) { f.Conflict() },
		"split index": func(f *fixture) {
			f.Git("update-index", "--split-index")
			f.Write("dir/b.txt", "staged\n")
			f.Git("add", "dir/b.txt")
		},
		"sparse": func(f *fixture) { f.Git("sparse-checkout", "set", "--no-cone", "/a.txt") },
		"intent to add": func(f *fixture) {
			f.Write("soon", "soon\n")
			f.Git("add", "-N", "soon")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			arrange(f)
			f.Write("work/new", "work\n")
			s := f.take(Request{})
			if got := f.show(s, "work/new"); got != "work\n" {
				t.Errorf("untracked file: %q", got)
			}
			f.Remove(".git/index.lock")
			f.Fsck()
		})
	}
}

func TestTake_sidesOfAConflictSurviveGc(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Conflict()
	index, err := os.ReadFile(f.Path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	sides := f.Git("ls-files", "-u")
	s := f.take(Request{})
	f.Git("merge", "--abort")
	f.Git("branch", "-D", "side")
	f.Git("reflog", "expire", "--expire=now", "--all")
	f.Git("gc", "-q", "--prune=now")
	blob := f.Git("rev-parse", s.Name()+"/index/file")
	data, err := f.Open().Objects.Blob(t.Context(), object.ID(blob))
	if err != nil || string(data) != string(index) {
		t.Errorf("index bytes lost: %v", err)
	}
	for line := range strings.Lines(sides) {
		f.Git("cat-file", "-e", strings.Fields(line)[1])
	}
}

func TestTake_namesWhatItLeaves(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("big", strings.Repeat("x", 5000))
	f.Write("x.log", "log")
	f.Write("node_modules/m/index.js", "m")
	f.Write("unreadable", "u")
	f.Chmod("unreadable", 0)
	inner := f.at(f.Path("inner"))
	f.Write("inner/file", "f")
	inner.Git("init", "-q")
	inner.Git("add", "-A")
	inner.Git("commit", "-qm", "inner")
	f.Write("ok", "ok")
	s := f.take(Request{MaxFile: 4000})
	want := map[string]LeftKind{"big": Large, "x.log": Ignored, "node_modules/": Ignored, "inner": Nested}
	if os.Geteuid() != 0 {
		want["unreadable"] = Unreadable
	}
	for _, l := range s.Left {
		if want[l.Path] != l.Kind {
			t.Errorf("left %s %q", l.Kind, l.Path)
		}
		delete(want, l.Path)
	}
	if len(want) > 0 {
		t.Errorf("not named: %v", want)
	}
	if got := f.Git("ls-tree", string(s.Tree), "inner"); !strings.HasPrefix(got, "160000 commit "+inner.Git("rev-parse", "HEAD")) {
		t.Errorf("nested repository noted as %q", got)
	}
}

func TestTake_fileAndDirectoryChangePlaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Remove("dir")
	f.Write("dir", "now a file\n")
	f.Remove("a.txt")
	f.Write("a.txt/inside", "now a directory\n")
	s := f.take(Request{})
	if f.show(s, "dir") != "now a file\n" || f.show(s, "a.txt/inside") != "now a directory\n" {
		t.Error(f.Git("ls-tree", "-r", string(s.Tree)))
	}
	f.Fsck()
}

func TestTake_linkInPlaceOfADirectory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Rename(f.Path("dir"), f.Path("moved"))
	f.Link("moved", "dir")
	for _, scope := range []Scope{Changed, Whole} {
		s := f.take(Request{Scope: scope})
		if got := f.Git("ls-tree", string(s.Tree), "dir"); !strings.HasPrefix(got, "120000") {
			t.Errorf("dir is %q", got)
		}
		if f.show(s, "moved/b.txt") != "b\n" {
			t.Error("the files behind the link are not saved where they are")
		}
	}
	f.Fsck()
}

func TestTake_needsNoIdentity(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Env = slices.DeleteFunc(slices.Clone(f.Env), func(e string) bool {
		return strings.HasPrefix(e, "GIT_AUTHOR") || strings.HasPrefix(e, "GIT_COMMITTER")
	})
	f.Git("config", "user.useConfigOnly", "true")
	f.Write("a.txt", "x\n")
	if s := f.take(Request{}); s.ID == "" {
		t.Error("none made")
	}
}

func TestTake_otherRepositories(t *testing.T) {
	t.Parallel()
	t.Run("sha256", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, "--object-format=sha256")
		f.Write("a.txt", "x\n")
		f.Git("add", "a.txt")
		if s := f.take(Request{}); len(s.ID) != 64 || f.show(s, "a.txt") != "x\n" {
			t.Errorf("snapshot %q", s.ID)
		}
		f.Fsck()
	})
	t.Run("linked worktree", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Git("worktree", "add", "-q", "../linked", "-b", "topic")
		l := f.at(filepath.Join(filepath.Dir(f.Dir), "linked"))
		l.Write("only here", "x\n")
		if s := l.take(Request{}); l.show(s, "only here") != "x\n" {
			t.Errorf("snapshot %q", s.ID)
		}
	})
	t.Run("submodule", func(t *testing.T) {
		t.Parallel()
		sub, f := newFixture(t), newFixture(t)
		f.Git("submodule", "add", "-q", sub.Dir, "sub")
		f.Git("commit", "-qm", "sub")
		inner := f.at(f.Path("sub"))
		inner.Write("a.txt", "inner\n")
		inner.Git("commit", "-qam", "ahead")
		s := f.take(Request{})
		if got := f.Git("rev-parse", string(s.ID)+":work/sub"); got != inner.Git("rev-parse", "HEAD") {
			t.Errorf("submodule noted at %s", got)
		}
	})
}

func TestTake_racersAllStayReachable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "x\n")
	ids := make(chan object.ID, 6)
	for i := range cap(ids) {
		go func() {
			s, err := Take(t.Context(), f.Open(), Request{Run: "race-a7f3", Cause: fmt.Sprint(i), When: Always, Now: treetest.Clock})
			if err != nil {
				t.Error(err)
			}
			ids <- s.ID
		}()
	}
	for range cap(ids) {
		id := <-ids
		if list := f.Git("ls-tree", string(Ref("race-a7f3"))); !strings.Contains(list, string(id)) {
			t.Errorf("%s is not among the snapshots:\n%s", id, list)
		}
	}
	if n := strings.Count(f.Git("ls-tree", string(Ref("race-a7f3"))), "\n") + 1; n != cap(ids) {
		t.Errorf("%d takers left %d snapshots", cap(ids), n)
	}
}
