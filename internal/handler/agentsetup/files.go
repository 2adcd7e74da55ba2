package agentsetup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/agents/splice"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// RefusedError says why a file is left as it is.
type RefusedError struct {
	Path, Why string
	Err       error
}

func (e *RefusedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("'%s' is left as it is: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("'%s' is left as it is: %s", e.Path, e.Why)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// ChangedError says that a file was changed after the plan for it was made.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("'%s' was changed in the meantime, so it is left as it is", e.Path)
}

type file struct {
	path string
	// target is where the content is. It differs from path if path is a symbolic link.
	target string
	exists bool
	data   []byte
	// kept says why the file must not be replaced, although it can be read; nil if it may be replaced.
	kept error
}

// read reads a file of an agent. A missing file is not an error.
func (s *Setup) read(path string, own bool) (file, error) {
	f := file{path: path, target: path}
	refuse := func(why string) (file, error) { return f, &RefusedError{Path: path, Why: why} }
	if link := s.linkInProject(path); link != "" {
		return refuse(fmt.Sprintf("'%s' is a symbolic link, and links in a repository are not followed", link))
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, &RefusedError{Path: path, Err: err}
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if own {
			f.kept = &RefusedError{Path: path, Why: "it is a symbolic link that git-resume did not make"}
		}
		if f.target, err = filepath.EvalSymlinks(path); err != nil {
			return f, &RefusedError{Path: path, Err: err}
		}
		if info, err = os.Lstat(f.target); err != nil {
			return f, &RefusedError{Path: path, Err: err}
		}
	}
	switch {
	case !info.Mode().IsRegular():
		return refuse("it is not a regular file")
	case info.Size() > splice.MaxSize:
		return refuse("it is too large")
	case info.Mode().Perm()&0o200 == 0:
		f.kept = &RefusedError{Path: path, Why: "it is read-only"}
	case hardLinks(info) > 1:
		f.kept = &RefusedError{Path: path, Why: "replacing it would separate it from its other names (hard links)"}
	}
	f.exists = true
	if f.data, err = os.ReadFile(f.target); err != nil {
		return f, &RefusedError{Path: path, Err: err}
	}
	return f, nil
}

// linkInProject returns the first symbolic link in a path, looking only inside the project, or "" if there is none. Such a link may come
// from anybody's commits.
func (s *Setup) linkInProject(path string) string {
	if s.Place.Project == "" {
		return ""
	}
	rel, err := filepath.Rel(s.Place.Project, path)
	if err != nil {
		return path
	}
	at := s.Place.Project
	for _, part := range strings.Split(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at
		}
	}
	return ""
}

// tempMark is part of the names of our temporary files.
const tempMark = ".git-resume-tmp"

// write replaces a file in one step, or returns an error if the file is not as it was when the plan was made.
func (s *Setup) write(was file, data []byte, own bool) error {
	dir := filepath.Dir(was.target)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp := filepath.Join(dir, "."+filepath.Base(was.target)+tempMark)
	// Remove the temporary file of a killed installer; nobody uses it now, because we hold the lock.
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	access := dotgit.AccessOf(was.target)
	if err := access.Make(tmp, data); err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(tmp)))
	}
	if err := s.unchanged(was, own); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, was.target); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return dotgit.SyncDir(dir)
}

// remove deletes a file, or returns an error if the file is not as it was when the plan was made.
func (s *Setup) remove(was file, own bool) error {
	if err := s.unchanged(was, own); err != nil {
		return err
	}
	if err := ignoreMissing(os.Remove(filepath.Join(filepath.Dir(was.target), "."+filepath.Base(was.target)+tempMark))); err != nil {
		return err
	}
	if err := ignoreMissing(os.Remove(was.target)); err != nil {
		return err
	}
	return dotgit.SyncDir(filepath.Dir(was.target))
}

func (s *Setup) unchanged(was file, own bool) error {
	now, err := s.read(was.path, own)
	if err := errors.Join(err, now.kept); err != nil {
		return err
	}
	if now.exists != was.exists || now.target != was.target || !bytes.Equal(now.data, was.data) {
		return &ChangedError{was.path}
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
