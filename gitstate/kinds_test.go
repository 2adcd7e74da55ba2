package gitstate

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/gittest"
)

// TestEveryKind asks many kinds of repositories the same questions and compares the answers with git's
// own.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	everyKind(t, gittest.Git{})
}

// TestEveryKind_newerGit does the same as TestEveryKind with a newer git, which can make more kinds of repositories.
func TestEveryKind_newerGit(t *testing.T) {
	t.Parallel()
	newer, ok := gittest.Newer()
	if !ok || newer.Bin == "" { // an empty Bin means the usual git, which TestEveryKind already uses
		t.Skipf("reftable and relative worktrees need a newer git: set %s to its folder", gittest.NewerVariable)
	}
	everyKind(t, newer)
}

func everyKind(t *testing.T, g gittest.Git) {
	for _, k := range gittest.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			if k.Unix && runtime.GOOS == "windows" {
				t.Skip("not on this system")
			}
			if k.Needs != nil && !k.Needs(g) {
				t.Skip("this git cannot make it")
			}
			own := k.Make(t, g)
			r := openAt(t, own)
			assertPlace(t, own, r)
			assertHead(t, own, r)
			assertRefs(t, own, r)
			assertObjects(t, own, r)
			assertConfig(t, own)
			assertStatus(t, own, r)
			assertWrites(t, own, r, "plain")
			r.Shield()
			assertWrites(t, own, r, "staying")
			assertCommonFiles(t, r)
		})
	}
}

// openAt opens the repository as the program does, from a folder and an environment.
func openAt(t testing.TB, own *gittest.Repo) *Repo {
	t.Helper()
	p, err := locate.Find(own.Dir, own.Env)
	if err != nil {
		t.Fatalf("Locate: %v", err)
	}
	r := Open(p, own.Env)
	t.Cleanup(r.Close)
	return r
}

// ask returns git's own answer, or "" if git fails.
func ask(own *gittest.Repo, args ...string) string {
	own.T.Helper()
	out, code := own.Try("git", args...)
	if code != 0 {
		return ""
	}
	return strings.TrimSuffix(out, "\n")
}

func assertPlace(t *testing.T, own *gittest.Repo, r *Repo) {
	t.Helper()
	gittest.Equal(t, "git dir", r.GitDir, ask(own, "rev-parse", "--absolute-git-dir"))
	gittest.Equal(t, "common dir", r.CommonDir, ask(own, "rev-parse", "--path-format=absolute", "--git-common-dir"))
	gittest.Equal(t, "work tree", r.WorkTree, ask(own, "rev-parse", "--show-toplevel"))
	hooks, err := r.Hooks.Dir(t.Context())
	gittest.NoError(t, "HooksDir", err)
	gittest.Equal(t, "hooks", hooks, ask(own, "rev-parse", "--path-format=absolute", "--git-path", "hooks"))
}

func assertHead(t *testing.T, own *gittest.Repo, r *Repo) {
	t.Helper()
	branch, at, err := r.Refs.Head(t.Context())
	gittest.NoError(t, "Head", err)
	gittest.Equal(t, "branch", branch, refs.Name(ask(own, "symbolic-ref", "-q", "HEAD")))
	gittest.Equal(t, "head", string(at), ask(own, "rev-parse", "-q", "--verify", "HEAD"))
}

func assertRefs(t *testing.T, own *gittest.Repo, r *Repo) {
	t.Helper()
	want := refsByGit(own)
	got, err := r.Refs.List(t.Context(), "refs/")
	gittest.NoError(t, "Refs", err)
	if !maps.Equal(got, want) {
		t.Errorf("Refs: got %v\nwant %v", got, want)
	}
	for name, id := range want {
		one, err := r.Refs.Ref(t.Context(), name)
		gittest.NoError(t, "Ref", err)
		gittest.Equal(t, string(name), one, id)
	}
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/notes/resume/", "refs/resume/journal/", "refs/none/"} {
		var below []string
		for name := range want {
			if short, ok := strings.CutPrefix(string(name), prefix); ok {
				below = append(below, short)
			}
		}
		slices.Sort(below)
		names, err := r.Refs.Names(t.Context(), prefix)
		gittest.NoError(t, "RefNames", err)
		if !slices.Equal(names, below) {
			t.Errorf("RefNames(%s): got %q\nwant %q", prefix, names, below)
		}
	}
	for _, name := range []string{"refs/heads/none", "refs/heads", "refs/resume/journal/run-a0/below", "CHERRY_PICK_HEAD"} {
		one, err := r.Refs.Ref(t.Context(), refs.Name(name))
		gittest.NoError(t, "Ref", err)
		gittest.Equal(t, name, one, "")
	}
}

func refsByGit(own *gittest.Repo) map[refs.Name]object.ID {
	all := map[refs.Name]object.ID{}
	for line := range strings.Lines(ask(own, "for-each-ref") + "\n") {
		id, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if _, name, tab := strings.Cut(rest, "\t"); ok && tab {
			all[refs.Name(name)] = object.ID(id)
		}
	}
	return all
}

func assertObjects(t *testing.T, own *gittest.Repo, r *Repo) {
	t.Helper()
	ids := strings.Fields(ask(own, "rev-list", "--all"))
	if len(ids) == 0 {
		t.Fatal("the repository has no commits")
	}
	for _, id := range ids {
		c, err := r.Objects.Commit(t.Context(), id)
		gittest.NoError(t, "Commit", err)
		var parents []string
		for _, p := range c.Parents {
			parents = append(parents, string(p))
		}
		got := fmt.Sprintf("%s|%s|%s|%s|%d|%s|%s|%s|%s", c.ID, c.Tree, c.Author.Name, c.Author.Email, c.Author.When.Unix(),
			c.Committer.Name, c.Committer.Email, c.Committer.When.Format("2006-01-02 15:04:05 -0700"), c.Message)
		gittest.Equal(t, "commit", strings.TrimRight(got, "\n"), strings.TrimRight(ask(own, "log", "-1", "--format=%H|%T|%an|%ae|%at|%cn|%ce|%ci|%B", id), "\n"))
		gittest.Equal(t, "parents", strings.Join(parents, " "), rawParents(own, id))
		gittest.Equal(t, "subject", c.Subject(), ask(own, "log", "-1", "--format=%s", id))
		assertTree(t, own, r, string(c.Tree))
	}
	c, err := r.Objects.Commit(t.Context(), "HEAD")
	gittest.NoError(t, "Commit", err)
	gittest.Equal(t, "HEAD as a commit", string(c.ID), ask(own, "rev-parse", "HEAD"))
	_, err = r.Objects.Commit(t.Context(), "refs/heads/none")
	if !errors.Is(err, object.ErrMissing) {
		t.Errorf("a commit that is not there: %v", err)
	}
}

// rawParents reads the parents from the commit object itself, because "git log" shows fewer parents in a shallow clone.
func rawParents(own *gittest.Repo, id string) string {
	var out []string
	for line := range strings.Lines(own.Git("cat-file", "commit", id)) {
		if p, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "parent "); ok {
			out = append(out, p)
		}
		if line == "\n" {
			break
		}
	}
	return strings.Join(out, " ")
}

func assertTree(t *testing.T, own *gittest.Repo, r *Repo, name string) {
	t.Helper()
	entries, err := r.Objects.Tree(t.Context(), name)
	gittest.NoError(t, "Tree", err)
	var got strings.Builder
	for _, e := range entries {
		kind := "blob"
		switch e.Mode {
		case object.ModeDir:
			kind = "tree"
		case object.ModeSubmodule:
			kind = "commit"
		}
		fmt.Fprintf(&got, "%06o %s %s\t%s\x00", e.Mode, kind, e.ID, e.Name)
		if kind == "blob" {
			data, err := r.Objects.Blob(t.Context(), e.ID)
			gittest.NoError(t, "Blob", err)
			gittest.Equal(t, e.Name, string(data), own.Pipe("", "cat-file", "blob", string(e.ID)))
		}
	}
	gittest.Equal(t, "tree", got.String(), own.Pipe("", "ls-tree", "-z", "--full-tree", name))
}

// assertConfig passes settings in the environment, as "git -c" does, and checks that Config returns them.
func assertConfig(t *testing.T, own *gittest.Repo) {
	t.Helper()
	with := own.With("GIT_CONFIG_PARAMETERS='resume.idle'='5m' 'Resume.Sources'='a\nb' 'resume.flag'")
	c, err := openAt(t, with).Settings.Config(t.Context())
	gittest.NoError(t, "Config", err)
	for key, want := range map[string]string{"resume.idle": "5m", "resume.sources": "a\nb", "resume.flag": "true"} {
		got, ok := c.Get(key)
		if !ok || got != want {
			t.Errorf("setting %s: got %q, %v, want %q", key, got, ok, want)
		}
	}
	if got := c.SHA256(); got != (ask(own, "rev-parse", "--show-object-format") == "sha256") {
		t.Errorf("SHA256: got %v", got)
	}
}

func assertStatus(t *testing.T, own *gittest.Repo, r *Repo) {
	t.Helper()
	if r.WorkTree == "" {
		if _, err := r.Status(t.Context()); err == nil {
			t.Error("Status without a work tree: no error")
		}
		return
	}
	in := own.In(r.WorkTree)
	in.Write("README", "changed\n")
	in.Write("new\tü \"file\"", "new\n")
	in.Write("staged", "staged\n")
	ask(own, "add", "--sparse", "--", filepath.Join(r.WorkTree, "staged"))
	before := digest(t, r)
	changes, err := r.Status(t.Context())
	gittest.NoError(t, "Status", err)
	want := own.Pipe("", "--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall", "--no-renames")
	gittest.Equal(t, "status", render(changes), want)
	look, err := r.ReadState(t.Context())
	gittest.NoError(t, "Look", err)
	gittest.Equal(t, "status in Look", render(look.Changes), want)
	gittest.Equal(t, "head in Look", string(look.Head), ask(own, "rev-parse", "-q", "--verify", "HEAD"))
	gittest.Equal(t, "branch in Look", look.Branch, strings.TrimPrefix(ask(own, "symbolic-ref", "-q", "HEAD"), "refs/heads/"))
	gittest.Equal(t, "index bytes", digest(t, r), before)
}

func digest(t *testing.T, r *Repo) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.GitDir, "index"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

// render writes changes in the output format of "git status", so that they can be compared with git's output.
func render(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		switch {
		case c.Untracked():
			fmt.Fprintf(&b, "? %s\x00", c.Path)
		case c.Unmerged:
			fmt.Fprintf(&b, "u %s %s %06o %06o %06o %s %s %s %s %s\x00", letters(c), c.Submodule, c.Stages[0].Mode, c.Stages[1].Mode, c.Stages[2].Mode,
				c.ModeTree, zeros(c.Stages[0].ID, c), zeros(c.Stages[1].ID, c), zeros(c.Stages[2].ID, c), c.Path)
		default:
			fmt.Fprintf(&b, "1 %s %s %s %s %s %s %s %s\x00", letters(c), c.Submodule, c.ModeHead, c.ModeIndex, c.ModeTree,
				zeros(c.HeadID, c), zeros(c.IndexID, c), c.Path)
		}
	}
	return b.String()
}

func letters(c Change) string { return string([]byte{c.Index, c.Tree}) }

// zeros returns the id. If the id is empty, it returns as many zeros as the other ids of the change have digits.
func zeros(id object.ID, c Change) string {
	if id != "" {
		return string(id)
	}
	size := max(len(c.HeadID), len(c.IndexID), len(c.Stages[0].ID), len(c.Stages[1].ID), len(c.Stages[2].ID))
	return strings.Repeat("0", size)
}

func assertWrites(t *testing.T, own *gittest.Repo, r *Repo, below string) {
	t.Helper()
	below = "refs/resume/" + below
	h, err := r.Settings.Hasher(t.Context())
	gittest.NoError(t, "Hasher", err)
	few, many := object.NewPending(h), object.NewPending(h)
	first := commitOf(few, "few", 1)
	second := commitOf(many, "many", 20)
	gittest.NoError(t, "WriteObjects", r.Objects.Write(t.Context(), few))
	gittest.NoError(t, "WriteObjects", r.Objects.Write(t.Context(), many))
	gittest.NoError(t, "WriteObjects of none", r.Objects.Write(t.Context(), object.NewPending(h)))
	gittest.Equal(t, "kind of the commit", ask(own, "cat-file", "-t", string(first)), "commit")

	ref := refs.Name(below + "/written")
	gittest.NoError(t, "create", r.Refs.Update(t.Context(), refs.Update{Ref: ref, New: first, Message: "create"}))
	gittest.Equal(t, "created", ask(own, "rev-parse", string(ref)), string(first))
	assertStale(t, r.Refs.Update(t.Context(), refs.Update{Ref: ref, New: second}), refs.StaleError{Ref: ref, Wanted: "", Found: first})
	assertStale(t, r.Refs.Update(t.Context(), refs.Update{Ref: ref, New: second, Old: second}), refs.StaleError{Ref: ref, Wanted: second, Found: first})
	gittest.NoError(t, "move", r.Refs.Update(t.Context(), refs.Update{Ref: ref, New: second, Old: first}))
	assertStale(t, r.Refs.Update(t.Context(), refs.Update{Ref: ref, Old: first}), refs.StaleError{Ref: ref, Wanted: first, Found: second})
	got, err := r.Refs.Ref(t.Context(), ref)
	gittest.NoError(t, "Ref", err)
	gittest.Equal(t, "moved", got, second)

	errs := r.Refs.UpdateAll(t.Context(), refs.Update{Ref: ref + "/no", New: first}, refs.Update{Ref: refs.Name(below + "/other"), New: first})
	if len(errs) != 2 || errs[0] == nil || !errors.Is(errs[1], refs.ErrNotTried) {
		t.Errorf("a ref below a ref: %v", errs)
	}
	errs = r.Refs.UpdateAll(t.Context(), refs.Update{Ref: refs.Name(below + "/a"), New: first}, refs.Update{Ref: refs.Name(below + "/b/c"), New: second})
	gittest.NoError(t, "two at once", errors.Join(errs...))
	gittest.Equal(t, "second of two", ask(own, "rev-parse", below+"/b/c"), string(second))

	ask(own, "pack-refs", "--all", "--prune")
	got, err = r.Refs.Ref(t.Context(), ref)
	gittest.NoError(t, "Ref", err)
	gittest.Equal(t, "packed", got, second)
	gittest.NoError(t, "delete", r.Refs.Update(t.Context(), refs.Update{Ref: ref, Old: second}))
	gittest.Equal(t, "deleted", ask(own, "rev-parse", "-q", "--verify", string(ref)), "")
	assertStale(t, r.Refs.Update(t.Context(), refs.Update{Ref: ref, Old: second, New: first}), refs.StaleError{Ref: ref, Wanted: second, Found: ""})
	own.Fsck()
}

// commitOf adds a commit whose tree has several files in a folder, and returns its id.
func commitOf(p *object.Pending, text string, files int) object.ID {
	var below []object.Entry
	for i := range files {
		below = append(below, object.Entry{Name: fmt.Sprintf("file %d", i), Mode: object.ModeFile, ID: p.Add("blob", []byte(fmt.Sprint(text, i)))})
	}
	sub := p.Add("tree", object.TreeData(below))
	top := p.Add("tree", object.TreeData([]object.Entry{
		{Name: "a.txt", Mode: object.ModeExecutable, ID: below[0].ID},
		{Name: "a", Mode: object.ModeDir, ID: sub},
		{Name: "a-b", Mode: object.ModeLink, ID: below[0].ID},
	}))
	const who = "A U Thor <author@example.com> 1893553445 +0000"
	return p.Add("commit", fmt.Appendf(nil, "tree %s\nauthor %s\ncommitter %s\n\n%s\n", top, who, who, text))
}

func assertStale(t *testing.T, err error, want refs.StaleError) {
	t.Helper()
	var stale *refs.StaleError
	if !errors.As(err, &stale) {
		t.Errorf("got %v, want a stale ref", err)
		return
	}
	gittest.Equal(t, "stale ref", *stale, want)
}

// assertCommonFiles closes the repository and checks that no mark file is left behind. A process that writes to the repository has such a
// file, which lists the locks that would be left if the process was killed.
func assertCommonFiles(t *testing.T, r *Repo) {
	t.Helper()
	r.Close()
	left, err := os.ReadDir(r.CommonPath("resume", "writing"))
	if err != nil || len(left) != 0 {
		t.Errorf("marks of writers left behind: %v, %v", left, err)
	}
}
