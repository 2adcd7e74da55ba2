package snapshot

import (
	"errors"
	"os"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func (f *fixture) restore(id object.ID, way Way) Restored {
	f.T.Helper()
	done, err := Restore(f.T.Context(), f.Open(), RestoreRequest{Snapshot: id, Way: way, Run: "job-a7f3", Now: treetest.Clock})
	if err != nil {
		f.T.Fatalf("restore: %v", err)
	}
	return done
}

func TestRestore_bringsBackEveryByte(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Messy()
	index, _ := os.ReadFile(f.Path(".git/index"))
	want := treetest.Dump(t, f.Dir)
	s := f.take(Request{})

	f.Git("reset", "-q", "--hard")
	f.Git("clean", "-qfd")
	f.Write("dir/b.txt", "newer work\n")
	f.Write("newer untracked", "n\n")
	f.Write("shortcut", "no link any more\n")
	f.Git("add", "dir/b.txt")
	done := f.restore(s.ID, Exact)

	treetest.RequireSame(t, want, treetest.Dump(t, f.Dir))
	if got, _ := os.ReadFile(f.Path(".git/index")); string(got) != string(index) {
		t.Error("index is not byte for byte what it was")
	}
	if f.show(done.Before, "newer untracked") != "n\n" || f.show(done.Before, "dir/b.txt") != "newer work\n" {
		t.Error("newer work was overwritten without a snapshot")
	}
	// Restore the newer work as well, to show that it was not lost.
	f.restore(done.Before.ID, Exact)
	if got, _ := os.ReadFile(f.Path("dir/b.txt")); string(got) != "newer work\n" {
		t.Errorf("newer work came back as %q", got)
	}
	if treetest.Exists(f.Path("key")) {
		t.Error("a file that the snapshot does not know is still there")
	}
	f.Fsck()
}

func TestRestore_cleanFilesPassFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write(".gitattributes", "*.crlf text eol=crlf\n")
	f.Write("x.crlf", "one\r\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "crlf")
	f.Write("a.txt", "work\n")
	s := f.take(Request{})
	f.Write("x.crlf", "later\r\n")
	f.restore(s.ID, Exact)
	if got, _ := os.ReadFile(f.Path("x.crlf")); string(got) != "one\r\n" {
		t.Errorf("clean file came back as %q", got)
	}
}

func TestRestore_refusesAnotherHead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "work\n")
	s := f.take(Request{})
	f.Git("commit", "-qam", "moved on")
	_, err := Restore(t.Context(), f.Open(), RestoreRequest{Snapshot: s.ID, Run: "job-a7f3", Now: treetest.Clock})
	var moved *HeadMovedError
	if !errors.As(err, &moved) {
		t.Fatalf("got %v", err)
	}
	f.Write("dir/b.txt", "kept\n")
	done := f.restore(s.ID, Onto)
	if got, _ := os.ReadFile(f.Path("dir/b.txt")); string(got) != "kept\n" || len(done.Differs) != 1 {
		t.Errorf("other file %q, differs %v", got, done.Differs)
	}
}

func TestRestore_neverWritesThroughALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("sub/file", "inside\n")
	s := f.take(Request{})
	f.Remove("sub")
	outside := t.TempDir()
	f.Link(outside, "sub")
	f.restore(s.ID, Exact)
	if treetest.Exists(outside + "/file") {
		t.Error("wrote outside the tree")
	}
	if got, _ := os.ReadFile(f.Path("sub/file")); string(got) != "inside\n" {
		t.Errorf("file is %q", got)
	}
}

func TestRestore_conflictedIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Conflict()
	before, index := f.Git("ls-files", "-s"), treetest.Dump(t, f.Dir)
	s := f.take(Request{})
	f.Write("a.txt", "resolved\n")
	f.Git("add", "a.txt")
	f.restore(s.ID, Exact)
	if got := f.Git("ls-files", "-s"); got != before {
		t.Errorf("index\n%s\nwant\n%s", got, before)
	}
	treetest.RequireSame(t, index, treetest.Dump(t, f.Dir))
}

func FuzzDecodeFacts(f *testing.F) {
	f.Add(metadata{modes: usualModes, raw: []string{"a\n\xff"}, odd: map[string]uint32{"k": 0o600}, left: []Omission{{Kind: Large, Path: "p", Size: 3}}}.encode())
	f.Add("version 1\nmode 999 \"x\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeMetadata(text)
		if err != nil {
			return
		}
		again, err := decodeMetadata(got.encode())
		if err != nil || again.encode() != got.encode() {
			t.Errorf("%q does not come back: %v", text, err)
		}
	})
}
