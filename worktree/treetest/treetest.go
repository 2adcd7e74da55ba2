package treetest

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
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// Repo is a real repository in a temporary directory.
type Repo struct {
	T   testing.TB
	Dir string
	Env []string
}

// testEnv is the whole environment of git in tests.
func testEnv(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"),
		"GIT_AUTHOR_NAME=Ana", "GIT_AUTHOR_EMAIL=ana@example.org", "GIT_COMMITTER_NAME=Ana", "GIT_COMMITTER_EMAIL=ana@example.org",
		"GIT_AUTHOR_DATE=2030-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2030-01-02T03:04:05Z", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
	}
}

// New makes a repository with a few committed files.
func New(t testing.TB, initArgs ...string) *Repo {
	t.Helper()
	home := t.TempDir()
	f := &Repo{T: t, Dir: filepath.Join(home, "shop"), Env: testEnv(home)}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"),
		[]byte("[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n[maintenance]\n\tauto = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(f.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	made := &gittest.Repo{T: t, Dir: f.Dir, Env: f.Env}
	made.Like("shop "+strings.Join(initArgs, " "), func(made *gittest.Repo) {
		f := &Repo{T: t, Dir: made.Dir, Env: made.Env}
		f.Git(append([]string{"init", "-q"}, initArgs...)...)
		f.Write("a.txt", "a\n")
		f.Write("dir/b.txt", "b\n")
		f.Write("dir/deep/c.txt", "c\n")
		f.Write("run.sh", "#!/bin/sh\n")
		f.Chmod("run.sh", 0o755)
		f.Write(".gitignore", "*.log\nnode_modules/\n.env\n")
		f.Git("add", "-A")
		f.Git("commit", "-qm", "first")
	})
	return f
}

// Try runs git and returns its output.
func (f *Repo) Try(args ...string) (string, error) {
	cmd := proc.Command{Name: "git", Args: args, Dir: f.Dir, Env: f.Env}
	out, err := cmd.Run(context.Background())
	return strings.TrimRight(string(out.Stdout), "\n"), err
}

// Git runs git and ends the test if git fails.
func (f *Repo) Git(args ...string) string {
	f.T.Helper()
	out, err := f.Try(args...)
	if err != nil {
		f.T.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// Path returns the path of a file in the worktree.
func (f *Repo) Path(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// Write writes a file, and makes its parent folders.
func (f *Repo) Write(name, text string) {
	f.T.Helper()
	if err := os.MkdirAll(filepath.Dir(f.Path(name)), 0o755); err != nil {
		f.T.Fatal(err)
	}
	if err := os.WriteFile(f.Path(name), []byte(text), 0o644); err != nil {
		f.T.Fatal(err)
	}
}

// Chmod sets the mode of a file.
func (f *Repo) Chmod(name string, mode fs.FileMode) {
	f.T.Helper()
	if err := os.Chmod(f.Path(name), mode); err != nil {
		f.T.Fatal(err)
	}
}

// Remove deletes a file, or a folder with everything in it.
func (f *Repo) Remove(name string) {
	f.T.Helper()
	if err := os.RemoveAll(f.Path(name)); err != nil {
		f.T.Fatal(err)
	}
}

// Link makes a symbolic link.
func (f *Repo) Link(to, name string) {
	f.T.Helper()
	if err := os.Symlink(to, f.Path(name)); err != nil {
		f.T.Fatal(err)
	}
}

// Open opens the repository as the command line would.
func (f *Repo) Open() *gitstate.Repo {
	f.T.Helper()
	return repotest.Open(f.T, f.Dir, f.Env)
}

// Clock always returns the same time.
func Clock() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }

// Dump describes everything below dir, except the folder .git at its top and the paths in the list "skip". It maps each path to kind, mode
// and content.
func Dump(t testing.TB, dir string, skip ...string) map[string]string {
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

// RequireSame reports each path in which two dumps differ.
func RequireSame(t Reporter, want, got map[string]string) {
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

// Fsck fails the test if "git fsck" finds an error.
func (f *Repo) Fsck() {
	f.T.Helper()
	out, err := f.Try("fsck", "--full", "--strict", "--no-dangling")
	if err != nil {
		f.T.Errorf("fsck: %v\n%s", err, out)
	}
}

// Exists reports whether a file or folder exists at a path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Reporter is the part of a test that RequireSame needs. Both *testing.T and *rapid.T implement it.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// Conflict leaves a merge with a conflict in a.txt.
func (f *Repo) Conflict() {
	f.Git("checkout", "-q", "-b", "side")
	f.Write("a.txt", "side\n")
	f.Write("dir/b.txt", "from side\n")
	f.Git("commit", "-qam", "side")
	f.Git("checkout", "-q", "-")
	f.Write("a.txt", "main\n")
	f.Git("commit", "-qam", "main")
	_, _ = f.Try("merge", "side")
}

// Messy leaves uncommitted changes of many kinds.
func (f *Repo) Messy() {
	f.Write("a.txt", "staged\n")
	f.Git("add", "a.txt")
	f.Write("a.txt", "and edited\n")
	f.Remove("dir/deep")
	f.Write("new dir/ünïcode", "u\n")
	f.Write("bad\xff\xfename", "b\n")
	f.Write("key", "k")
	f.Chmod("key", 0o600)
	f.Link("dir/b.txt", "shortcut")
	f.Write("run.sh", "#!/bin/sh\nexit 1\n")
	f.Chmod("run.sh", 0o700)
}

// Beside returns the path of a directory next to the repository.
func (f *Repo) Beside(name string) string { return filepath.Join(filepath.Dir(f.Dir), name) }

// Rename moves a file or folder.
func (f *Repo) Rename(from, to string) {
	f.T.Helper()
	if err := os.Rename(from, to); err != nil {
		f.T.Fatal(err)
	}
}

// StoppedRebase leaves a rebase stopped at a conflict. It rebases the branch topic if there is one, otherwise the current branch.
func (f *Repo) StoppedRebase() {
	base := f.Git("rev-parse", "HEAD")
	f.Write("a.txt", "one\n")
	f.Git("commit", "-qam", "one")
	f.Write("dir/b.txt", "two\n")
	f.Git("commit", "-qam", "two")
	f.Git("branch", "was-"+filepath.Base(f.Dir))
	f.Git("checkout", "-q", "--detach", base)
	f.Write("a.txt", "other\n")
	f.Git("commit", "-qam", "other")
	onto := f.Git("rev-parse", "HEAD")
	f.Git("checkout", "-q", "-")
	_, _ = f.Try("checkout", "-q", "topic")
	_, _ = f.Try("rebase", onto)
}

// Job is the name of the run that tests use.
const Job = "job-a7f3"

// JobRef is the branch of the run Job.
const JobRef = "refs/heads/resume/" + Job
