package trash

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/worktree/snapshot"
	"pgregory.net/rapid"
)

func TestUndo_randomTrees(t *testing.T) {
	t.Parallel()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue && os.Getenv("GIT_RESUME_PROVE") == "" {
		_ = checks.Value.Set("4") // each check runs a whole gc, so a hundred checks run only on request
	}
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		f, tree := newStagedRepo(&inDir{TB: t, dir: filepath.Join(base, fmt.Sprint(n))})
		for range rapid.IntRange(1, 12).Draw(rt, "edits") {
			randomEdit(rt, tree)
		}
		want := tree.state(t)
		snap := tree.take(snapshot.Request{})
		f.discard(tree)
		f.gc()
		f.undo()
		requireState(rt, want, tree.state(t))
		if again := tree.take(snapshot.Request{}); snap.ID != "" && again.Tree != snap.Tree {
			rt.Errorf("the same work gives another snapshot: %s, before %s", again.Tree, snap.Tree)
		}
		f.Fsck()
	})
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

// randomName returns a random path of one to three parts. Some parts have unusual characters, and some are names of existing files.
func randomName(rt *rapid.T) string {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{"a.txt", "dir", "deep", "c.txt", "run.sh", "new", "x.crlf"}),
		rapid.SampledFrom([]string{"ü", "日本", "sp ace", "tab\t", "new\nline", "\"q\"", "back\\slash", "\xff\xfe", "-dash", "*", "é\u0301"}),
		rapid.StringMatching(`[a-z]{1,8}`),
	)
	return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(rt, "name"), "/")
}

// randomEdit makes one random change, such as writing a file or committing. A change that is not possible is left out.
func randomEdit(rt *rapid.T, f *fixture) {
	name := randomName(rt)
	full := f.Path(name)
	switch rapid.SampledFrom([]string{"write", "write", "empty", "link", "chmod", "remove", "mkdir", "add", "addall", "commit", "hide", "rm"}).Draw(rt, "do") {
	case "write":
		if os.MkdirAll(filepath.Dir(full), 0o755) == nil {
			_ = os.WriteFile(full, []byte(rapid.SampledFrom([]string{"x\n", "a\r\nb\n", "\x00\x01", "y", strings.Repeat("long ", 3000)}).Draw(rt, "text")), 0o644)
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
			_ = os.Chmod(full, os.FileMode(rapid.SampledFrom([]uint32{0o600, 0o755, 0o640, 0o444, 0o777}).Draw(rt, "mode")))
		}
	case "remove":
		_ = os.RemoveAll(full)
	case "mkdir":
		_ = os.MkdirAll(full, 0o755)
	case "add":
		_, _ = f.Try("add", "--", name)
	case "addall":
		_, _ = f.Try("add", "-A")
	case "commit":
		_, _ = f.Try("commit", "-qam", "some")
	case "hide":
		_, _ = f.Try("update-index", rapid.SampledFrom([]string{"--assume-unchanged", "--skip-worktree"}).Draw(rt, "how"), "--", name)
	case "rm":
		_, _ = f.Try("rm", "-q", "--cached", "--", name)
	}
}
