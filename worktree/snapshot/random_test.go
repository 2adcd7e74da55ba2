package snapshot

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/worktree/treetest"
	"pgregory.net/rapid"
)

// treeState is everything about a worktree that a restore must bring back.
type treeState struct {
	files map[string]string
	index string
}

func (f *fixture) state(t *testing.T) treeState {
	t.Helper()
	return treeState{files: treetest.Dump(t, f.Dir), index: f.Git("ls-files", "--stage")}
}

func requireState(rt *rapid.T, what string, want, got treeState) {
	rt.Helper()
	// Leave folders out of the comparison. A snapshot does not contain empty folders, and the other folders exist if their files exist.
	for _, m := range []map[string]string{want.files, got.files} {
		for path, text := range m {
			if strings.HasPrefix(text, "d") {
				delete(m, path)
			}
		}
	}
	treetest.RequireSame(rt, want.files, got.files)
	if want.index != got.index {
		rt.Errorf("%s: the index is\n%s\nwas\n%s", what, got.index, want.index)
	}
}

// TestRestore_randomTrees makes random changes, saves them, makes other random changes, and restores the snapshot. Files and index must be
// as they were. A second restore must bring the other changes back. Before each restore, a gc removes everything that is not reachable.
func TestRestore_randomTrees(t *testing.T) {
	t.Parallel()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue && os.Getenv("GIT_RESUME_PROVE") == "" {
		_ = checks.Value.Set("6") // run 6 checks instead of the usual 100, because each check runs two slow gcs
	}
	base, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		f := newFixture(&inDir{TB: t, dir: filepath.Join(base, fmt.Sprint(n))})
		f.prepareRandom(rt)
		for range rapid.IntRange(1, 12).Draw(rt, "edits") {
			randomEdit(rt, f)
		}
		want := f.state(t)
		s := f.take(Request{When: Always})
		for range rapid.IntRange(1, 12).Draw(rt, "later edits") {
			randomEdit(rt, f)
		}
		later := f.state(t)
		f.Git("gc", "-q", "--prune=now")
		done := f.restoreNoted(s)
		requireState(rt, "restored", want, f.state(t))
		f.Git("gc", "-q", "--prune=now")
		f.restoreNoted(done.Before)
		requireState(rt, "undone", later, f.state(t))
		f.Fsck()
	})
}

// restoreNoted restores a snapshot as the command "restore" does: it notes the restore while files change, and always saves the present
// work first.
func (f *fixture) restoreNoted(s Snapshot) Restored {
	f.T.Helper()
	done, err := Restore(f.T.Context(), f.Open(), RestoreRequest{Snapshot: s.ID, Number: s.Number, Purpose: ByRestore, Run: treetest.Job, Now: treetest.Clock,
		Saved: func(Snapshot, bool) error { return nil }})
	if err != nil {
		f.T.Fatalf("restore: %v", err)
	}
	if FindUnfinished(f.Path(".git")) != nil {
		f.T.Error("a restore is unfinished")
	}
	return done
}

// prepareRandom sets up filters, line endings, a submodule, a sparse checkout or many files, each only sometimes.
func (f *fixture) prepareRandom(rt *rapid.T) {
	f.T.Helper()
	has := func(what string) bool { return rapid.IntRange(0, 2).Draw(rt, what) == 0 }
	if has("filters") {
		f.Git("config", "filter.upper.clean", "tr A-Z a-z")
		f.Git("config", "filter.upper.smudge", "tr a-z A-Z")
		f.Write(".gitattributes", "*.crlf text eol=crlf\n*.up filter=upper\n")
		f.Write("x.crlf", "one\r\ntwo\r\n")
		f.Write("dir/word.up", "LOUD\n")
		f.Git("add", "-A")
		f.Git("commit", "-qm", "filters")
	}
	if has("submodule") {
		module := filepath.Join(filepath.Dir(f.Dir), "module")
		f.Git("init", "-q", module)
		f.Git("-C", module, "commit", "-q", "--allow-empty", "-m", "module")
		f.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module, "module")
		f.Git("commit", "-qm", "submodule")
	}
	if n := rapid.SampledFrom([]int{0, 0, 0, 0, 0, 5000}).Draw(rt, "files"); n > 0 {
		for i := range n {
			f.Write(fmt.Sprintf("many/%d/%d", i%50, i), fmt.Sprint(i))
		}
		f.Git("add", "-A")
		f.Git("commit", "-qm", "many")
	}
	if has("sparse") {
		f.Write("away/file", "not checked out\n")
		f.Git("add", "away")
		f.Git("commit", "-qm", "away")
		f.Git("sparse-checkout", "set", "--no-cone", "/*", "!/away/")
	}
}

// inDir is a test with a chosen temporary directory.
type inDir struct {
	testing.TB
	dir string
}

func (d *inDir) TempDir() string {
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		d.Fatal(err)
	}
	return d.dir
}

// randomEdit makes one random change in the worktree or the index. If the change is not possible, it does nothing.
func randomEdit(rt *rapid.T, f *fixture) {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{"a.txt", "dir", "deep", "c.txt", "run.sh", "new", "x.crlf", "word.up", "b.txt"}),
		rapid.SampledFrom([]string{"ü", "日本", "sp ace", "tab\t", "new\nline", "\"q\"", "back\\slash", "\xff\xfe", "-dash", "*", "é\u0301"}),
		rapid.StringMatching(`[a-z]{1,8}`),
	)
	name := strings.Join(rapid.SliceOfN(part, 1, 3).Draw(rt, "name"), "/")
	full := f.Path(name)
	switch rapid.SampledFrom([]string{"write", "write", "empty", "link", "chmod", "remove", "add", "addall", "intend", "rm"}).Draw(rt, "do") {
	case "write":
		text := rapid.SampledFrom([]string{"x\n", "a\r\nb\n", "\x00\x01", "y", "MIXED case\n", strings.Repeat("long ", 3000)}).Draw(rt, "text")
		if os.MkdirAll(filepath.Dir(full), 0o755) == nil {
			_ = os.WriteFile(full, []byte(text), 0o644)
		}
	case "empty":
		if os.MkdirAll(filepath.Dir(full), 0o755) == nil {
			_ = os.WriteFile(full, nil, 0o644)
		}
	case "link":
		// A later edit may write through the link, so the file outside of the worktree must be the test's own.
		outside := filepath.Join(filepath.Dir(f.Dir), "outside")
		_ = os.WriteFile(outside, []byte("outside\n"), 0o644)
		_ = os.Symlink(rapid.SampledFrom([]string{"nowhere", "../x", "dir", outside}).Draw(rt, "to"), full)
	case "chmod":
		if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() {
			_ = os.WriteFile(full, []byte("changed with its mode\n"), 0) // change the content too, because a snapshot records unusual modes only of changed files
			_ = os.Chmod(full, os.FileMode(rapid.SampledFrom([]uint32{0o600, 0o755, 0o640, 0o444, 0o777}).Draw(rt, "mode")))
		}
	case "remove":
		_ = os.RemoveAll(full)
	case "add":
		_, _ = f.Try("add", "--", name)
	case "addall":
		_, _ = f.Try("add", "-A")
	case "intend":
		_, _ = f.Try("add", "-N", "--", name)
	case "rm":
		_, _ = f.Try("rm", "-q", "--cached", "--", name)
	}
}
