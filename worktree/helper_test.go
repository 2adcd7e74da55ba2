package worktree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/proc"
)

// fixture is a real repository in a temporary directory.
type fixture struct {
	t   testing.TB
	dir string
	env []string
}

func testEnv(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"),
		"GIT_AUTHOR_NAME=Ana", "GIT_AUTHOR_EMAIL=ana@example.org", "GIT_COMMITTER_NAME=Ana", "GIT_COMMITTER_EMAIL=ana@example.org",
		"GIT_AUTHOR_DATE=2030-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2030-01-02T03:04:05Z", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
	}
}

// newFixture makes a repository with a few committed files.
func newFixture(t testing.TB, initArgs ...string) *fixture {
	t.Helper()
	home := t.TempDir()
	f := &fixture{t: t, dir: filepath.Join(home, "shop"), env: testEnv(home)}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"),
		[]byte("[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f.git(append([]string{"init", "-q"}, initArgs...)...)
	f.write("a.txt", "a\n")
	f.write("dir/b.txt", "b\n")
	f.write("dir/deep/c.txt", "c\n")
	f.write("run.sh", "#!/bin/sh\n")
	f.chmod("run.sh", 0o755)
	f.write(".gitignore", "*.log\nnode_modules/\n.env\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "first")
	return f
}

// at is the same environment in another directory.
func (f *fixture) at(dir string) *fixture { return &fixture{t: f.t, dir: dir, env: f.env} }

func (f *fixture) try(args ...string) (string, error) {
	cmd := proc.Command{Name: "git", Args: args, Dir: f.dir, Env: f.env}
	out, err := cmd.Run(context.Background())
	return strings.TrimRight(string(out.Stdout), "\n"), err
}

func (f *fixture) git(args ...string) string {
	f.t.Helper()
	out, err := f.try(args...)
	if err != nil {
		f.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *fixture) write(name, text string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) chmod(name string, mode fs.FileMode) {
	f.t.Helper()
	if err := os.Chmod(f.path(name), mode); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) remove(name string) {
	f.t.Helper()
	if err := os.RemoveAll(f.path(name)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) link(to, name string) {
	f.t.Helper()
	if err := os.Symlink(to, f.path(name)); err != nil {
		f.t.Fatal(err)
	}
}

// repo opens the repository as the command line would.
func (f *fixture) repo() *gitstate.Repo {
	f.t.Helper()
	place, err := locate.Find(f.dir, f.env)
	if err != nil {
		f.t.Fatal(err)
	}
	r := gitstate.Open(place, f.env)
	f.t.Cleanup(r.Close)
	return r
}

// clock stands still.
func clock() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }

func (f *fixture) take(req SnapshotRequest) Snapshot {
	f.t.Helper()
	if req.Run == "" {
		req.Run = "job-a7f3"
	}
	req.Now = clock
	s, err := Take(f.t.Context(), f.repo(), req)
	if err != nil {
		f.t.Fatalf("take: %v", err)
	}
	return s
}

// show is a file as a snapshot holds it.
func (f *fixture) show(s Snapshot, name string) string {
	f.t.Helper()
	out, err := f.repo().Git(f.t.Context(), process.Call{Args: []string{"cat-file", "blob", string(s.ID) + ":work/" + name}})
	if err != nil {
		return "absent"
	}
	return string(out)
}

// dump describes everything below dir except git's own: path → kind, mode and content.
func dump(t testing.TB, dir string, skip ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if slices.Contains(skip, rel) || rel == ".git" && d.IsDir() {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			what = "link " + to
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += fmt.Sprintf(" %d %x", len(data), sha256.Sum256(data))
		}
		out[rel] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// requireSame reports each path in which two dumps differ.
func requireSame(t reporter, want, got map[string]string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got[path] != want[path] {
			t.Errorf("%q: was %q, is %q", path, want[path], got[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[path]; !ok {
			t.Errorf("%q: was not there, is %q", path, got[path])
		}
	}
}

func (f *fixture) fsck() {
	f.t.Helper()
	out, err := f.try("fsck", "--full", "--strict", "--no-dangling")
	if err != nil {
		f.t.Errorf("fsck: %v\n%s", err, out)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// reporter is what both kinds of tests can do.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}
