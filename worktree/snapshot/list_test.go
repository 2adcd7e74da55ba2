package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestLabel_isParsedBack(t *testing.T) {
	for _, c := range []struct {
		name, run string
		number    int
		bad       bool
	}{
		{name: "job-a7f3@2", run: "job-a7f3", number: 2},
		{name: "job-a7f3", run: "job-a7f3"},
		{name: "git.rebase.main@12", run: "git.rebase.main", number: 12},
		{name: "job@0", bad: true}, {name: "job@", bad: true}, {name: "job@02", bad: true}, {name: "job@-1", bad: true},
		{name: "job@two", bad: true}, {name: "job@1@2", bad: true}, {name: "job@99999999999999999999", bad: true},
	} {
		run, number, err := ParseLabel(c.name)
		var wrong *LabelError
		if c.bad != errors.As(err, &wrong) || run != c.run || number != c.number {
			t.Errorf("%s: got %s, %d, %v", c.name, run, number, err)
		}
		if !c.bad && c.number > 0 && Label(run, number) != c.name {
			t.Errorf("%s becomes %s", c.name, Label(run, number))
		}
	}
}

func TestAll_numbersStayAfterGc(t *testing.T) {
	f := newFixture(t)
	f.Write("README", "1\n")
	f.Git("add", "README")
	f.Git("commit", "-q", "-m", "one")
	for i, text := range []string{"a", "b", "c"} {
		f.Write("README", text)
		if s := f.take(Request{Run: "job-aaaa", Cause: "number " + text}); s.Number != i+1 || s.Label() != Label("job-aaaa", i+1) {
			t.Fatalf("got %s", s.Label())
		}
	}
	f.Git("reset", "-q", "--hard")
	f.Git("gc", "-q", "--prune=now")
	all, err := All(t.Context(), f.Open(), "job-aaaa")
	if err != nil || len(all) != 3 {
		t.Fatalf("%d snapshots, %v", len(all), err)
	}
	for i, s := range all {
		if text := string(rune('a' + i)); s.Number != i+1 || s.Cause != "number "+text || f.show(s, "README") != text {
			t.Errorf("snapshot %d: %d, %q, %q", i, s.Number, s.Cause, f.show(s, "README"))
		}
	}
	if owners, err := Owners(t.Context(), f.Open()); err != nil || len(owners) != 1 || owners[0] != "job-aaaa" {
		t.Errorf("owners %v, %v", owners, err)
	}
	var none *NoneError
	if _, err := Numbered(t.Context(), f.Open(), "job-aaaa", 4); !errors.As(err, &none) || none.Last != 3 {
		t.Errorf("number 4: %v", err)
	}
	if _, err := Numbered(t.Context(), f.Open(), "nobody", 0); !errors.As(err, &none) || none.Last != 0 {
		t.Errorf("a run without snapshots: %v", err)
	}
	if s, err := Numbered(t.Context(), f.Open(), "job-aaaa", 0); err != nil || s.Number != 3 {
		t.Errorf("the newest is %d, %v", s.Number, err)
	}
}

func TestMeasure_countsWhatDiffersFromHead(t *testing.T) {
	f := newFixture(t)
	f.Write("same", "same\n")
	f.Write("dir/same", "same\n")
	f.Write("dir/changed", "1\n")
	f.Write("gone/deep/x", "x\n")
	f.Write("becomes-folder", "x\n")
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", "one")
	f.Write("dir/changed", "12345")
	f.Write("new/a/b", "123")
	f.Git("rm", "-q", "-r", "--cached", "gone")
	if err := errors.Join(os.RemoveAll(filepath.Join(f.Dir, "gone")), os.Remove(filepath.Join(f.Dir, "becomes-folder"))); err != nil {
		t.Fatal(err)
	}
	f.Write("becomes-folder/in", "12")
	s := f.take(Request{Run: "job-aaaa", Cause: "x"})
	all, err := All(t.Context(), f.Open(), "job-aaaa")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Measure(t.Context(), f.Open(), all)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Extent{Files: 3, Deleted: 2, Bytes: 5 + 3 + 2}); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v of %v", got, want, s.Paths)
	}
}

// TestRestore_onlySomePaths: only the named files and folders become as in the snapshot. Uncommitted files in them that the snapshot does
// not have are removed, and everything else stays. The uncommitted work is saved first.
func TestRestore_onlySomePaths(t *testing.T) {
	f := newFixture(t)
	f.Write("dir/kept", "head\n")
	f.Write("dir/edited", "head\n")
	f.Write("other", "head\n")
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", "one")
	f.Write("dir/edited", "saved\n")
	f.Write("dir/new", "saved\n")
	f.Write("other", "saved\n")
	snap := f.take(Request{Run: "job-aaaa", Cause: "x"})
	f.Write("dir/kept", "second\n")
	f.Git("add", "dir/kept")
	f.Git("commit", "-q", "-m", "two")
	f.Write("dir/edited", "later\n")
	f.Write("dir/later", "later\n")
	f.Write("other", "later\n")
	var saved Snapshot
	done, err := Restore(t.Context(), f.Open(), RestoreRequest{Snapshot: snap.ID, Paths: []string{"dir"}, Run: "job-aaaa", Now: treetest.Clock, Saved: func(s Snapshot, _ bool) error {
		saved = s
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"dir/kept": "head\n", "dir/edited": "saved\n", "dir/new": "saved\n", "other": "later\n"} {
		if got, _ := os.ReadFile(filepath.Join(f.Dir, name)); string(got) != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, err := os.Lstat(filepath.Join(f.Dir, "dir/later")); err == nil {
		t.Error("dir/later is still there")
	}
	if saved.ID == "" || saved.ID != done.Before.ID || f.show(saved, "dir/later") != "later\n" {
		t.Errorf("saved %v", saved.Label())
	}
	var unknown *PathError
	if _, err := Restore(t.Context(), f.Open(), RestoreRequest{Snapshot: snap.ID, Paths: []string{"dir", "nothing"}, Run: "job-aaaa", Now: treetest.Clock}); !errors.As(err, &unknown) || unknown.Path != "nothing" {
		t.Errorf("got %v", err)
	}
	for _, paths := range [][]string{{"dir", "dir/edited"}, {".", "dir"}} { // a file below two of the paths counts for both
		if err := snap.Has(t.Context(), f.Open(), paths); err != nil {
			t.Errorf("%v: %v", paths, err)
		}
	}
}

// TestRestore_savesEvenNothing: if the caller has set the function Saved, Restore makes a snapshot even if nothing is uncommitted. If Saved
// returns an error, no file is changed.
func TestRestore_savesEvenNothing(t *testing.T) {
	f := newFixture(t)
	f.Write("README", "1\n")
	f.Git("add", "README")
	f.Git("commit", "-q", "-m", "one")
	f.Write("README", "work")
	snap := f.take(Request{Run: "job-aaaa", Cause: "x"})
	f.Git("reset", "-q", "--hard")
	var before object.ID
	refuse := errors.New("refuse")
	_, err := Restore(t.Context(), f.Open(), RestoreRequest{Snapshot: snap.ID, Run: "job-aaaa", Now: treetest.Clock, Saved: func(s Snapshot, _ bool) error {
		before = s.ID
		return refuse
	}})
	if !errors.Is(err, refuse) || before == "" || readFile(t, f.Path("README")) != "1\n" {
		t.Errorf("got %v, saved %q, README is %q", err, before, readFile(t, f.Path("README")))
	}
}

func TestWriteTo_wholeState(t *testing.T) {
	f := newFixture(t)
	f.Git("config", "core.autocrlf", "true")
	f.Write("text", "a\r\nb\r\n")
	f.Write("script.sh", "x\n")
	f.Write("gone", "x\n")
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", "one")
	f.Write("folder/new", "raw\r\nbytes\n")
	if err := errors.Join(os.Chmod(filepath.Join(f.Dir, "script.sh"), 0o755), os.Symlink("folder/new", filepath.Join(f.Dir, "link")), os.Remove(filepath.Join(f.Dir, "gone"))); err != nil {
		t.Fatal(err)
	}
	snap := f.take(Request{Run: "job-aaaa", Cause: "x"})
	f.Git("checkout", "-q", "-f", "HEAD")
	f.Git("clean", "-q", "-f", "-d")
	to := filepath.Join(t.TempDir(), "copy")
	n, err := WriteTo(t.Context(), f.Open(), snap, to, nil)
	tracked := len(strings.Fields(f.Git("ls-files")))
	if err != nil || n != tracked+1 { // two files are new, and one is deleted
		t.Fatalf("%d files, want %d, %v", n, tracked+1, err)
	}
	for name, want := range map[string]string{"text": "a\r\nb\r\n", "script.sh": "x\n", "folder/new": "raw\r\nbytes\n"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); string(got) != want {
			t.Errorf("%s is %q, want %q (%v)", name, got, want, err)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "script.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("script.sh has mode %v, %v", info.Mode(), err)
	}
	if link, _ := os.Readlink(filepath.Join(to, "link")); link != "folder/new" {
		t.Errorf("link leads to %q", link)
	}
	if _, err := os.Lstat(filepath.Join(to, "gone")); err == nil {
		t.Error("the deleted file is there")
	}
	var there *TargetError
	if _, err := WriteTo(t.Context(), f.Open(), snap, to, nil); !errors.As(err, &there) {
		t.Errorf("the folder exists: %v", err)
	}
	part := filepath.Join(t.TempDir(), "part")
	if n, err := WriteTo(t.Context(), f.Open(), snap, part, []string{"folder"}); err != nil || n != 1 {
		t.Errorf("%d files below folder, %v", n, err)
	}
}
