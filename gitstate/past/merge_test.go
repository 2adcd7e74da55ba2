package past

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

const someID = "0ff3bbb9c8bba2291654cd64067fa417ff54c508"

func TestParseMerge_readsStagesMessagesAndAdvice(t *testing.T) {
	text := strings.Join([]string{someID, "100644 " + someID + " 1\ta\tb", "100755 " + someID + " 3\ta\tb", "",
		"2", "f", "g", "CONFLICT (rename/delete)", "text\n", "1", "f", "Auto-merging", "Auto-merging f\n", "Recursive merging with submodules…\n"}, "\x00")
	m, err := parseMerge(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Stages) != 2 || m.Stages[1] != (Stage{3, object.ModeExecutable, someID, "a\tb"}) {
		t.Errorf("stages %v", m.Stages)
	}
	if len(m.Messages) != 2 || !slices.Equal(m.Messages[0].Paths, []string{"f", "g"}) || m.Messages[1].Text != "Auto-merging f" {
		t.Errorf("messages %v", m.Messages)
	}
}

func FuzzParseMerge(f *testing.F) {
	f.Add(someID + "\x00100644 " + someID + " 1\ta\x00\x001\x00a\x00t\x00x\x00")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMerge(text)
		if err == nil && !object.IsID(string(m.Tree)) {
			t.Errorf("%q became %v", text, m)
		}
	})
}

func FuzzParseRaw(f *testing.F) {
	f.Add(":100644 100644 " + someID + " " + someID + " R090\x00a\x00b\x00:000000 100644 " + someID + " " + someID + " A\x00c\x00")
	f.Fuzz(func(t *testing.T, text string) {
		deltas, rest, err := parseRaw(strings.Split(text, "\x00"))
		if err == nil && len(rest)+2*len(deltas) > len(strings.Split(text, "\x00")) {
			t.Errorf("%q gave %v and %q", text, deltas, rest)
		}
	})
}

func FuzzTouchLog(f *testing.F) {
	f.Add("\x01" + someID + "\x00a\x00b\x001\x001\x00s\x00\n:100644 100644 " + someID + " " + someID + " M\x00a\x00")
	f.Fuzz(func(t *testing.T, text string) {
		log := &TouchLog{stream: &stream{out: bufio.NewReader(strings.NewReader(text))}}
		read := 0
		for {
			if _, err := log.Next(); err != nil {
				break
			}
			read++
		}
		if touchFields*read > len(strings.Split(text, "\x00")) {
			t.Errorf("%q became %d commits", text, read)
		}
	})
}

func FuzzDirectory(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("i", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := directory(object.Object{ID: someID, Type: "tree", Data: data})
		if err != nil {
			return
		}
		canonical := func(entries []object.RawEntry) (out []object.Entry) {
			for _, e := range entries {
				v := version(e) // an unknown mode counts as a submodule, as in git
				out = append(out, object.Entry{Name: e.Name, Mode: v.Mode, ID: v.ID})
			}
			return out
		}
		once := canonical(entries)
		again, err := directory(object.Object{ID: someID, Type: "tree", Data: object.TreeData(slices.Clone(once))})
		if err != nil || len(again) != len(once) {
			t.Fatalf("%q became %v, and then %v, %v", data, once, again, err)
		}
		if twice := object.TreeData(canonical(again)); !bytes.Equal(twice, object.TreeData(once)) {
			t.Errorf("%q became %q", data, twice)
		}
	})
}

func TestQuoteAlternate_protectsTheSeparator(t *testing.T) {
	for path, want := range map[string]string{"/a/b": "/a/b", "/a:b": `"/a:b"`, `/a"b`: `"/a\"b"`} {
		if got := quoteAlternate(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// scratchRepo makes a repository in a folder whose name contains ":", which separates folders in a list.
func scratchRepo(t *testing.T) *gitstate.Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `a:b "c`)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := gitstate.Open(locate.Place{GitDir: filepath.Join(dir, ".git"), CommonDir: filepath.Join(dir, ".git"), WorkTree: dir}, env)
	t.Cleanup(r.Close)
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		if _, err := r.Git(context.Background(), process.Call{Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestScratch_keepsItsObjectsToItself(t *testing.T) {
	ctx := context.Background()
	r := scratchRepo(t)
	head, err := r.Objects.Commit(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewScratch(r)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]object.Version{}
	for _, name := range strings.Fields("a b/c b/d e/f/g e/f/h i/1/x i/2/x i/3/x i/4/x i/5/x i/6/x i/7/x i/8/x i/9/x") {
		files[name] = object.Version{Mode: object.ModeFile, ID: someID}
	}
	few, many, err := s.MakeTrees(ctx, map[string]object.Version{"a": {Mode: object.ModeFile, ID: someID}}, files)
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.MakeCommit(ctx, head.Tree, head.ID)
	if err != nil {
		t.Fatal(err)
	}
	deltas, err := Diff(ctx, s.Repo, few, many, DiffOptions{})
	if err != nil || len(deltas) != len(files)-1 {
		t.Errorf("git sees %d changes, %v", len(deltas), err)
	}
	if same, err := s.Changed(ctx, head.ID, made); err != nil || len(same) != 0 {
		t.Errorf("changed: %v, %v", same, err)
	}
	if _, err := s.Lookup(ctx, made, "nosuch"); !errors.Is(err, object.ErrMissing) {
		t.Errorf("%v", err)
	}
	dir := s.dir
	s.Close()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the store is still there: %v", err)
	}
	if _, err := r.Objects.Object(ctx, string(made)); !errors.Is(err, object.ErrMissing) {
		t.Errorf("the repository has the commit: %v", err)
	}
}

func TestChanged_isWhatGitSays(t *testing.T) {
	ctx := context.Background()
	r := scratchRepo(t)
	write := func(name, text string) {
		path := filepath.Join(r.WorkTree, name)
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit := func() object.ID {
		for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "next"}} {
			if _, err := r.Git(ctx, process.Call{Args: args}); err != nil {
				t.Fatal(err)
			}
		}
		c, err := r.Objects.Commit(ctx, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		return c.ID
	}
	for _, name := range strings.Fields("a a.b a-b d/x d/y d.e d/z/1 gone/1 gone/2 f-d") {
		write(name, name)
	}
	from := commit()
	write("d/x", "changed")
	write("new/one", "1")
	_ = os.RemoveAll(filepath.Join(r.WorkTree, "gone"))
	_ = os.Remove(filepath.Join(r.WorkTree, "a"))
	write("a/now/a/directory", "1")
	_ = os.Remove(filepath.Join(r.WorkTree, "f-d"))
	_ = os.Symlink("d", filepath.Join(r.WorkTree, "f-d"))
	to := commit()
	want, err := Diff(ctx, r, from, to, DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want, func(a, b Delta) int { return strings.Compare(a.Path, b.Path) })
	got, err := Changed(ctx, r, from, to)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v (%v)", got, want, err)
	}
}
