package index

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestList_neverOverlooksAChange changes files in many ways, for several index formats. The list must report exactly the expected files as
// unchanged, and git must agree that each of them is unchanged.
func TestList_neverOverlooksAChange(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("git is asked for everything there")
	}
	names := []string{"a", "dir/b", "dir/deep/c", "d"}
	for _, c := range []struct {
		name   string
		git    []string
		change func(*gittest.Repo)
		want   []string // the files that must be reported as unchanged, so that git need not be asked
	}{
		{name: "nothing", want: names},
		{name: "SHA-256", git: []string{"--object-format=sha256"}, want: names},
		{name: "version 4", change: func(r *gittest.Repo) {
			r.Git("config", "index.version", "4")
			r.Git("update-index", "--force-write-index")
		}, want: names},
		{name: "longer", change: func(r *gittest.Repo) { r.Write("a", "much longer\n") }, want: []string{"dir/b", "dir/deep/c", "d"}},
		{name: "same size and time", change: func(r *gittest.Repo) {
			r.Write("a", "b\n")
			long(t, r, "a")
		}, want: []string{"dir/b", "dir/deep/c", "d"}},
		{name: "executable", change: func(r *gittest.Repo) {
			if err := os.Chmod(filepath.Join(r.Dir, "dir/b"), 0o755); err != nil {
				t.Error(err)
			}
		}, want: []string{"a", "dir/deep/c", "d"}},
		{name: "removed", change: func(r *gittest.Repo) { remove(t, r, "d") }, want: []string{"a", "dir/b", "dir/deep/c"}},
		{name: "a link", change: func(r *gittest.Repo) {
			remove(t, r, "d")
			if err := os.Symlink("a", filepath.Join(r.Dir, "d")); err != nil {
				t.Error(err)
			}
		}, want: []string{"a", "dir/b", "dir/deep/c"}},
		{name: "staged", change: func(r *gittest.Repo) { r.Write("a", "b\n"); r.Git("add", "a") }},
		{name: "a new file staged", change: func(r *gittest.Repo) { r.Write("dir/new", "b\n"); r.Git("add", "dir/new") }},
		{name: "removed from the index", change: func(r *gittest.Repo) { r.Git("rm", "-q", "--cached", "dir/b") }},
		{name: "name added", change: func(r *gittest.Repo) { r.Write("dir/new", "b\n"); r.Git("add", "-N", "dir/new") }},
		{name: "told to look away", change: func(r *gittest.Repo) { r.Git("update-index", "--assume-unchanged", "a") }},
		{name: "split", change: func(r *gittest.Repo) { r.Git("update-index", "--split-index") }},
		{name: "no index", change: func(r *gittest.Repo) { remove(t, r, ".git/index") }},
		{name: "written together with the index", change: func(r *gittest.Repo) { long(t, r, ".git/index") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.Git{}.Fresh(t, "repo", c.git...)
			for _, name := range names {
				r.Write(name, name+"\n")
				long(t, r, name)
			}
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "all")
			r.Git("update-index", "-q", "--refresh")
			if c.change != nil {
				c.change(r)
			}
			dir := filepath.Join(r.Dir, ".git")
			var found []string
			list, tracked := Read(dir, dir), strings.Split(r.Git("ls-files"), "\n")
			for _, name := range append(slices.Clone(names), "dir/new", "dir", "missing", "dir/deep/c2") {
				if !list.MayHave(name) && slices.Contains(tracked, name) {
					t.Errorf("%s is in the index", name)
				}
				version, same := list.Unchanged(r.Dir, name)
				if !same {
					continue
				}
				found = append(found, name)
				if there := r.Git("rev-parse", "HEAD:"+name); string(version.ID) != there || version.Mode != 0o100644 {
					t.Errorf("%s is %v, in HEAD it is %s", name, version, there)
				}
				if said := r.Git("status", "--porcelain", "--", name); strings.TrimSpace(said) != "" {
					t.Errorf("git says: %s", said)
				}
			}
			slices.Sort(found)
			if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(found, want) { // several rows share one list, so it must not be sorted in place
				t.Errorf("unchanged are %q, want %q", found, want)
			}
		})
	}
}

// The function "long" makes a file look old, because most files of a worktree are old.
func long(t *testing.T, r *gittest.Repo, name string) {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	if err := os.Chtimes(filepath.Join(r.Dir, name), at, at); err != nil {
		t.Error(err)
	}
}

func remove(t *testing.T, r *gittest.Repo, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(r.Dir, name)); err != nil {
		t.Error(err)
	}
}

func TestList_findsFolders(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "4"} {
		r := gittest.Git{}.Fresh(t, "repo"+version)
		r.Git("config", "index.version", version)
		for _, name := range []string{".state/x", "specs/a/.state/plans/y", "specs/a/.state/z", "my-specs/a/.state/x", "specs/a/.state-old/x", "a.state/x", "src/.state"} {
			r.Write(name, "x\n")
		}
		r.Git("add", "-A")
		dir := filepath.Join(r.Dir, ".git")
		got, sure := Read(dir, dir).Folders(".state")
		if want := []string{".state", "my-specs/a/.state", "specs/a/.state"}; !sure || !slices.Equal(got, want) {
			t.Errorf("version %s: %q, sure: %t", version, got, sure)
		}
		if none, sure := Read(dir, dir).Folders("none"); !sure || len(none) > 0 {
			t.Errorf("version %s: %q, sure: %t", version, none, sure)
		}
	}
	if none, sure := Read(t.TempDir(), t.TempDir()).Folders("x"); !sure || len(none) > 0 {
		t.Errorf("without an index: %q, sure: %t", none, sure)
	}
}
