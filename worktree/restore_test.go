package worktree

import (
	"errors"
	"os"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

func (f *fixture) restore(id object.ID, way Way) Restored {
	f.t.Helper()
	done, err := Restore(f.t.Context(), f.repo(), RestoreRequest{Snapshot: id, Way: way, Run: "job-a7f3", Now: clock})
	if err != nil {
		f.t.Fatalf("restore: %v", err)
	}
	return done
}

// messy leaves a bit of everything uncommitted.
func messy(f *fixture) {
	f.write("a.txt", "staged\n")
	f.git("add", "a.txt")
	f.write("a.txt", "and edited\n")
	f.remove("dir/deep")
	f.write("new dir/ünïcode", "u\n")
	f.write("bad\xff\xfename", "b\n")
	f.write("key", "k")
	f.chmod("key", 0o600)
	f.link("dir/b.txt", "shortcut")
	f.write("run.sh", "#!/bin/sh\nexit 1\n")
	f.chmod("run.sh", 0o700)
}

func TestRestore_bringsBackEveryByte(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	messy(f)
	index, _ := os.ReadFile(f.path(".git/index"))
	want := dump(t, f.dir)
	s := f.take(SnapshotRequest{})

	f.git("reset", "-q", "--hard")
	f.git("clean", "-qfd")
	f.write("dir/b.txt", "newer work\n")
	f.write("newer untracked", "n\n")
	f.write("shortcut", "no link any more\n")
	f.git("add", "dir/b.txt")
	done := f.restore(s.ID, Exact)

	requireSame(t, want, dump(t, f.dir))
	if got, _ := os.ReadFile(f.path(".git/index")); string(got) != string(index) {
		t.Error("index is not byte for byte what it was")
	}
	if f.show(done.Before, "newer untracked") != "n\n" || f.show(done.Before, "dir/b.txt") != "newer work\n" {
		t.Error("newer work was overwritten without a snapshot")
	}
	// And back again: nothing is lost in either direction.
	f.restore(done.Before.ID, Exact)
	if got, _ := os.ReadFile(f.path("dir/b.txt")); string(got) != "newer work\n" {
		t.Errorf("newer work came back as %q", got)
	}
	if exists(f.path("key")) {
		t.Error("a file that the snapshot does not know is still there")
	}
	f.fsck()
}

func TestRestore_cleanFilesPassFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(".gitattributes", "*.crlf text eol=crlf\n")
	f.write("x.crlf", "one\r\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "crlf")
	f.write("a.txt", "work\n")
	s := f.take(SnapshotRequest{})
	f.write("x.crlf", "later\r\n")
	f.restore(s.ID, Exact)
	if got, _ := os.ReadFile(f.path("x.crlf")); string(got) != "one\r\n" {
		t.Errorf("clean file came back as %q", got)
	}
}

func TestRestore_refusesAnotherHead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "work\n")
	s := f.take(SnapshotRequest{})
	f.git("commit", "-qam", "moved on")
	_, err := Restore(t.Context(), f.repo(), RestoreRequest{Snapshot: s.ID, Run: "job-a7f3", Now: clock})
	var moved *HeadMovedError
	if !errors.As(err, &moved) {
		t.Fatalf("got %v", err)
	}
	f.write("dir/b.txt", "kept\n")
	done := f.restore(s.ID, Onto)
	if got, _ := os.ReadFile(f.path("dir/b.txt")); string(got) != "kept\n" || len(done.Differs) != 1 {
		t.Errorf("other file %q, differs %v", got, done.Differs)
	}
}

func TestRestore_neverWritesThroughALink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("sub/file", "inside\n")
	s := f.take(SnapshotRequest{})
	f.remove("sub")
	outside := t.TempDir()
	f.link(outside, "sub")
	f.restore(s.ID, Exact)
	if exists(outside + "/file") {
		t.Error("wrote outside the tree")
	}
	if got, _ := os.ReadFile(f.path("sub/file")); string(got) != "inside\n" {
		t.Errorf("file is %q", got)
	}
}

func TestRestore_conflictedIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	conflict(f)
	before, index := f.git("ls-files", "-s"), dump(t, f.dir)
	s := f.take(SnapshotRequest{})
	f.write("a.txt", "resolved\n")
	f.git("add", "a.txt")
	f.restore(s.ID, Exact)
	if got := f.git("ls-files", "-s"); got != before {
		t.Errorf("index\n%s\nwant\n%s", got, before)
	}
	requireSame(t, index, dump(t, f.dir))
}

func FuzzDecodeFacts(f *testing.F) {
	f.Add(facts{modes: usualModes, raw: []string{"a\n\xff"}, odd: map[string]uint32{"k": 0o600}, left: []Left{{Kind: Large, Path: "p", Size: 3}}}.encode())
	f.Add("version 1\nmode 999 \"x\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeFacts(text)
		if err != nil {
			return
		}
		again, err := decodeFacts(got.encode())
		if err != nil || again.encode() != got.encode() {
			t.Errorf("%q does not come back: %v", text, err)
		}
	})
}
