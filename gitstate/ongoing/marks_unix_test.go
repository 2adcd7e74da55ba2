//go:build unix

package ongoing

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// writeFile makes a file and its parent folders.
func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	gittest.NoError(t, "folder", os.MkdirAll(filepath.Dir(path), 0o755))
	gittest.NoError(t, "file", os.WriteFile(path, []byte(text), 0o644))
	return path
}

// unpackedRepo makes a repository as it may come from an archive: some folders in its git dir are symbolic links to another project. The
// result "files" lists that project's lock files, and lock files of git-resume itself. Nobody may move any of them.
func unpackedRepo(t *testing.T) (own *gittest.Repo, files []string) {
	t.Helper()
	own = gittest.New(t)
	git, project := filepath.Join(own.Dir, ".git"), filepath.Join(own.Root(), "project")
	for _, name := range []string{"Cargo.lock", "sub/yarn.lock", "0x1.ref.lock", "tables.list.lock"} {
		files = append(files, writeFile(t, filepath.Join(project, name), "a project's own"))
	}
	for _, link := range []string{"refs/heads/away", "rebase-merge", "sequencer"} {
		gittest.NoError(t, "link", os.Symlink(project, filepath.Join(git, link)))
	}
	for _, name := range []string{"resume/run-ab2c.lock", "resume/run-ab2c.task.lock", "resume/trees/main.lock", "resume/writing.lock"} {
		files = append(files, writeFile(t, filepath.Join(git, name), ""))
	}
	return own, files
}

func stillThere(t *testing.T, files []string) {
	t.Helper()
	for _, f := range files {
		if !exists(f) {
			t.Errorf("'%s' was moved", f)
		}
	}
}

// The mark file in a repository from an archive can name any path, but we move only git's own locks.
func TestGuard_moveOnlyLocksOfGit(t *testing.T) {
	t.Parallel()
	own, files := unpackedRepo(t)
	names := "refs/heads/away/Cargo.lock\nrefs/heads/away/sub/yarn.lock\nrebase-merge/Cargo.lock\nrefs/heads/away/tables.list.lock\n" +
		"../../project/Cargo.lock\n" + filepath.Join(own.Root(), "project", "Cargo.lock") + "\n" +
		"resume/run-ab2c.lock\nresume/run-ab2c.task.lock\nresume/trees/main.lock\n./resume/writing.lock\nrefs/../resume/run-ab2c.lock\n" +
		"HEAD\nconfig\nindex\n" +
		"index.lock\nrefs/heads/main.lock\n"
	mark := writeFile(t, filepath.Join(own.Dir, ".git", "resume", "writing", "0123456789ab"), names)
	index := writeFile(t, filepath.Join(own.Dir, ".git", "index.lock"), "")
	ref := writeFile(t, filepath.Join(own.Dir, ".git", "refs", "heads", "main.lock"), "")

	repotest.Open(t, own.Dir, own.Env).Guard.ClearDead()
	stillThere(t, files)
	gittest.Equal(t, "mark", exists(mark), false)
	gittest.Equal(t, "locks that git left", exists(index) || exists(ref), false)
	gittest.Equal(t, "locks moved aside", len(asideLocks(own)), 2)
	own.Git("status")
}

// Lock files behind a symbolic link, and our own lock files, are not treated as locks that git left: they are neither reported nor moved.
func TestLocks_areThoseOfGit(t *testing.T) {
	t.Parallel()
	own, files := unpackedRepo(t)
	ref := writeFile(t, filepath.Join(own.Dir, ".git", "refs", "heads", "main.lock"), "")
	r := repotest.Open(t, own.Dir, own.Env)
	locks := r.Guard.RefLocks()
	if !slices.Equal(locks, []string{ref}) {
		t.Errorf("locks among the refs: %q", locks)
	}
	found, err := In(t.Context(), r)
	gittest.NoError(t, "Ongoing", err)
	for _, o := range found {
		for _, f := range files {
			if slices.Contains(o.Files, f) || slices.ContainsFunc(o.Files, func(name string) bool { return locate.RealPath(name) == f }) {
				t.Errorf("%s: '%s' is called git's", o.Op, f)
			}
		}
	}
	for _, f := range append(files, filepath.Join(own.Dir, ".git", "rebase-merge", "Cargo.lock")) {
		if _, err := r.Guard.SetAside([]string{f}); err == nil {
			t.Errorf("'%s' is moved on demand", f)
		}
	}
	stillThere(t, files)
	kept, err := r.Guard.SetAside([]string{ref})
	gittest.NoError(t, "SetAside", err)
	gittest.Equal(t, "where it is", exists(kept[ref]), true)
}

// The folder into which locks are moved may be a symbolic link, which must not be followed.
func TestSetAside_followsNoLink(t *testing.T) {
	t.Parallel()
	for _, link := range []string{"resume", "resume/trash", "resume/trash/locks"} {
		own := gittest.New(t)
		away := filepath.Join(own.Root(), "away")
		gittest.NoError(t, "folder", os.MkdirAll(away, 0o755))
		at := filepath.Join(own.Dir, ".git", filepath.FromSlash(link))
		gittest.NoError(t, "folder", os.MkdirAll(filepath.Dir(at), 0o755))
		gittest.NoError(t, "link", os.Symlink(away, at))
		lock := writeFile(t, filepath.Join(own.Dir, ".git", "index.lock"), "text of a stranger")
		if _, err := repotest.Open(t, own.Dir, own.Env).Guard.SetAside([]string{lock}); err == nil {
			t.Errorf("%s: no error", link)
		}
		gittest.Equal(t, link+": lock", exists(lock), true)
		_ = filepath.WalkDir(away, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				t.Errorf("%s: '%s' was made: %v", link, path, err)
			}
			return nil
		})
	}
}
