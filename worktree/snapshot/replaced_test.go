package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/worktree/treetest"
)

func TestRestore_savesIgnoredFilesThatItReplaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("x.data", "old\n")
	f.Write("out/deep/x", "old\n")
	f.Write("file", "was a file\n")
	f.Write("folder/x", "was a folder\n")
	s := f.take(Request{})
	f.Remove("file")
	f.Remove("folder")
	f.Write(".git/info/exclude", "*.data\nout/\nfile/\nfolder\n")
	f.Write("x.data", "newer\n")
	f.Write("out/deep/x", "newer\n")
	f.Write("out/other", "not touched\n")
	f.Write("file/a", "ignored\n")
	f.Write("folder", "ignored\n")
	want := treetest.Dump(t, f.Dir)
	done := f.restore(s.ID, Exact)
	for path, text := range map[string]string{"x.data": "old\n", "out/deep/x": "old\n", "out/other": "not touched\n", "file": "was a file\n", "folder/x": "was a folder\n"} {
		if got := readFile(t, f.Path(path)); got != text {
			t.Errorf("%s is %q", path, got)
		}
	}
	for path, text := range map[string]string{"x.data": "newer\n", "out/deep/x": "newer\n", "file/a": "ignored\n", "folder": "ignored\n", "out/other": "absent"} {
		if got := f.show(done.Before, path); got != text {
			t.Errorf("the snapshot before has %q as %s", got, path)
		}
	}
	f.restore(done.Before.ID, Exact)
	treetest.RequireSame(t, want, treetest.Dump(t, f.Dir))
}

// TestRestore_refusesAFolderOfCommittedFiles: on top of another commit, a file of the snapshot cannot take the place of a folder with
// committed files. The restore is refused before it changes anything.
func TestRestore_refusesAFolderOfCommittedFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "saved\n")
	f.Write("name", "a file\n")
	s := f.take(Request{})
	f.Remove("name")
	f.Write("name/committed", "c\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "a folder")
	f.Write("a.txt", "later\n")
	want := treetest.Dump(t, f.Dir)
	for _, paths := range [][]string{nil, {"."}} {
		_, err := Restore(t.Context(), f.Open(), RestoreRequest{Snapshot: s.ID, Purpose: ByRestore, Way: Onto, Paths: paths, Run: treetest.Job, Now: treetest.Clock})
		var way *InTheWayError
		if !errors.As(err, &way) || way.Path != "name" {
			t.Errorf("got %v", err)
		}
		treetest.RequireSame(t, want, treetest.Dump(t, f.Dir))
		if FindUnfinished(filepath.Join(f.Dir, ".git")) != nil {
			t.Error("an unfinished restore is noted")
		}
	}
}

// TestRestore_leavesAFolderInPlaceOfADeletedFile: in the snapshot, a folder has replaced a file. A restore on top of the commit that did the
// same is not refused, and keeps the other files in this folder.
func TestRestore_leavesAFolderInPlaceOfADeletedFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("name", "a file\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "a file")
	f.Remove("name")
	f.Write("name/a", "saved\n")
	s := f.take(Request{})
	f.Git("add", "-A")
	f.Git("commit", "-qm", "a folder")
	f.Write("name/a", "later\n")
	f.Write("name/b", "uncommitted\n")
	f.restore(s.ID, Onto)
	for path, text := range map[string]string{"name/a": "saved\n", "name/b": "uncommitted\n"} {
		if got := readFile(t, f.Path(path)); got != text {
			t.Errorf("%s is %q", path, got)
		}
	}
}

// TestRestore_isFinishedBySecondCall: a restore that could not write the index leaves a note. The second call finishes this restore, and
// still reports the snapshot of the work before the first call.
func TestRestore_isFinishedBySecondCall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "saved\n")
	f.Write("z", "saved\n")
	want := treetest.Dump(t, f.Dir)
	s := f.take(Request{})
	f.Write("a.txt", "later\n")
	f.Remove("z")
	calls := 0
	req := RestoreRequest{Snapshot: s.ID, Number: s.Number, Purpose: ByRestore, Run: treetest.Job, Now: treetest.Clock, Saved: func(_ Snapshot, again bool) error {
		if calls++; again != (calls > 1) {
			t.Errorf("call %d: again is %v", calls, again)
		}
		return nil
	}}
	blocked := f.Path(".git/index.lock")
	f.Git("add", "a.txt")
	index := treetest.Dump(t, f.Dir)
	f.Write(".git/index.lock", "")
	if _, err := Restore(t.Context(), f.Open(), req); err == nil {
		t.Fatal("it ended although the index is locked")
	}
	u := FindUnfinished(f.Path(".git"))
	if u == nil || u.Label() != s.Label() || u.BeforeNumber != s.Number+1 {
		t.Fatalf("unfinished: %+v", u)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	f.Write("new", "written after the first call\n")
	done, err := Restore(t.Context(), f.Open(), req)
	if err != nil {
		t.Fatal(err)
	}
	treetest.RequireSame(t, want, treetest.Dump(t, f.Dir))
	if done.Before.Number != s.Number+1 || f.show(done.Half, "new") != "written after the first call\n" || FindUnfinished(f.Path(".git")) != nil {
		t.Errorf("before %s, half %s", done.Before.Label(), done.Half.Label())
	}
	f.restore(done.Before.ID, Exact)
	treetest.RequireSame(t, index, treetest.Dump(t, f.Dir))
}

// TestUnfinished_isReadBack: the note about a restore can be read again. Even if the note is damaged, the restore counts as unfinished.
func TestUnfinished_isReadBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dir := f.Path(".git")
	u := &Unfinished{Purpose: ByRedo, Run: treetest.Job, Number: 3, Paths: []string{"a b", "\xff\n"}, Snapshot: "0123456789012345678901234567890123456789"}
	if err := u.note(f.Open()); err != nil {
		t.Fatal(err)
	}
	if got := FindUnfinished(dir); !got.same(u) || got.Number != 3 {
		t.Errorf("got %+v", got)
	}
	f.Write(".git/resume-restore", "purpose none\nrun ../x\nnumber -1\nsnapshot x\npath \"\n\x00")
	if got := FindUnfinished(dir); got == nil || got.Label() != "" || got.Purpose != ByRestore || got.Run != "" {
		t.Errorf("got %+v", got)
	}
}
