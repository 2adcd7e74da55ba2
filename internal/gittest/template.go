package gittest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// templates caches the repositories that Like makes. The key is the argument "words" of Like. Copying a repository is much faster than
// running the steps again.
var templates sync.Map

// template is a repository that the first test creates. Other tests wait for it and copy it.
type template struct {
	once sync.Once
	dir  string
	err  error
}

// Like makes a repository by running the steps in an empty folder. The argument "words" must name everything that the steps depend on: the
// steps run only once for the same words, and later calls copy the result. If the words contain a slash, the steps always run, because a
// path in the words belongs to one test only.
func (r *Repo) Like(words string, steps func(*Repo)) *Repo {
	r.T.Helper()
	if strings.Contains(words, "/") {
		steps(r)
		return r
	}
	known, _ := templates.LoadOrStore(words, &template{})
	t := known.(*template)
	t.once.Do(func() { t.dir, t.err = r.makeTemplate(steps) })
	if t.err != nil {
		r.T.Fatal(t.err)
	}
	if t.dir == "" {
		r.T.Fatalf("the first repository of this kind could not be made: %s", words)
	}
	if err := CopyTree(t.dir, r.Dir); err != nil {
		r.T.Fatal(err)
	}
	r.Git("update-index", "-q", "--refresh") // the index must be refreshed, because the copied files have new inodes
	return r
}

// Lasting wraps t so that the folders from its method TempDir stay until all tests have ended, not only until t has ended. Other tests can
// then use these folders too.
func Lasting(t testing.TB) testing.TB { return lasting{t} }

type lasting struct{ testing.TB }

func (l lasting) TempDir() string {
	l.Helper()
	dir, err := LastingDir()
	if err != nil {
		l.Fatal(err)
	}
	return dir
}

// LastingDir makes a folder that stays until all tests have ended.
func LastingDir() (string, error) { return lastingIn("", "lasting") }

func lastingIn(parent, what string) (string, error) {
	dir, err := os.MkdirTemp(parent, "git-resume-test-"+what+"-")
	if err == nil {
		built.Store(dir, true)
	}
	return dir, err
}

// makeTemplate creates the repository that is copied later.
func (r *Repo) makeTemplate(steps func(*Repo)) (string, error) {
	r.T.Helper()
	root, err := os.MkdirTemp("", "git-resume-test-template-")
	if err != nil {
		return "", err
	}
	built.Store(root, true)
	dir := filepath.Join(root, "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	steps(&Repo{T: r.T, Dir: dir, Env: r.Env})
	return dir, nil
}

// CopyTree copies files, folders and links, with the modes of files and the times of files and folders.
func CopyTree(from, to string) error {
	type folder struct {
		path string
		info fs.FileInfo
	}
	var folders []folder
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			folders = append(folders, folder{at, info})
			return os.MkdirAll(at, 0o755)
		case info.Mode()&fs.ModeSymlink != 0:
			lead, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(lead, at)
		case !info.Mode().IsRegular():
			return fmt.Errorf("copy %s: it is not a file", path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(at, text, info.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(at, info.ModTime(), info.ModTime())
	})
	for i := len(folders) - 1; i >= 0 && err == nil; i-- { // innermost first, because a change inside a folder changes the folder's time
		err = os.Chtimes(folders[i].path, folders[i].info.ModTime(), folders[i].info.ModTime())
	}
	return err
}
