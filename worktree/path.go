package worktree

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// trashPrefix begins the name of a directory that was taken out of use; it stays beside its old place,
// for only there is a rename one step.
const trashPrefix = ".trash-"

// newNonce is a name that nobody else has.
func newNonce() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// present reports whether anything is at a path; doubt counts as yes.
func present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !gone(err)
}

// firstLine is the first line of a small file, empty if there is none.
func firstLine(path string) string {
	line, _, _ := strings.Cut(content(path), "\n")
	return strings.TrimRight(line, "\r")
}

// content is what a small file of git's holds, empty if there is none. A name in it may have line breaks of its own.
func content(path string) string {
	text, err := gitstate.ReadUpTo(path, 16<<10)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}

func absFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// sameDir reports whether two names lead to one directory that is there.
func sameDir(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// samePath compares names, and what they lead to if something is there.
func samePath(a, b string) bool {
	return a != "" && b != "" && (filepath.Clean(a) == filepath.Clean(b) || sameDir(a, b))
}

// isEmptyDir reports whether path is a directory with nothing in it.
func isEmptyDir(path string) bool {
	d, err := os.Open(path)
	if err != nil {
		return false
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// moveDir renames a directory or file in one step; it is done already if only the new name is there.
func moveDir(from, to string) error {
	if !present(from) && present(to) {
		return nil
	}
	if present(to) {
		return &fs.PathError{Op: "rename to", Path: to, Err: fs.ErrExist}
	}
	if err := dotgit.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncBoth(filepath.Dir(from), filepath.Dir(to))
}

// replaceFile puts a small file in place in one step.
// The name it has before is always the same, so that a second try after a kill leaves nothing behind.
func replaceFile(path string, data []byte) error {
	tmp := path + ".git-resume"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return dotgit.SyncDir(filepath.Dir(path))
}

func syncBoth(a, b string) error {
	if err := dotgit.SyncDir(a); err != nil {
		return err
	}
	return dotgit.SyncDir(b)
}

// gone: no such file, also when a directory on the way became a file.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}

// globQuote makes a path mean itself in a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func skipUnreadable(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func writeMissing(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return replaceFile(path, data)
}

// leadsTo reads where a tree's ".git" file points.
func leadsTo(path string) (admin string, ok bool) {
	info, err := os.Lstat(filepath.Join(path, ".git"))
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	to, ok := strings.CutPrefix(content(filepath.Join(path, ".git")), "gitdir: ")
	if !ok || to == "" {
		return "", false
	}
	return absFrom(path, to), true
}
