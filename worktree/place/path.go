package place

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

// TrashPrefix begins the name of a directory that was taken out of use; it stays beside its old place,
// for only there is a rename one step.
const TrashPrefix = ".trash-"

// Nonce is a name that nobody else has.
func Nonce() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Present reports whether anything is at a path; doubt counts as yes.
func Present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !Gone(err)
}

// FirstLine is the first line of a small file, empty if there is none.
func FirstLine(path string) string {
	line, _, _ := strings.Cut(Content(path), "\n")
	return strings.TrimRight(line, "\r")
}

// Content is what a small file of git's holds, empty if there is none. A name in it may have line breaks of its own.
func Content(path string) string {
	text, err := gitstate.ReadUpTo(path, 16<<10)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}

// AbsFrom is a path as seen from a directory.
func AbsFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// SameDir reports whether two names lead to one directory that is there.
func SameDir(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// Same compares names, and what they lead to if something is there.
func Same(a, b string) bool {
	return a != "" && b != "" && (filepath.Clean(a) == filepath.Clean(b) || SameDir(a, b))
}

// IsEmpty reports whether path is a directory with nothing in it.
func IsEmpty(path string) bool {
	d, err := os.Open(path)
	if err != nil {
		return false
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// Move renames a directory or file in one step; it is done already if only the new name is there.
func Move(from, to string) error {
	if !Present(from) && Present(to) {
		return nil
	}
	if Present(to) {
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

// Replace puts a small file in place in one step.
// The name it has before is always the same, so that a second try after a kill leaves nothing behind.
func Replace(path string, data []byte) error {
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

// Gone: no such file, also when a directory on the way became a file.
func Gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}

// GlobQuote makes a path mean itself in a pattern.
func GlobQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// SkipUnreadable goes on with a walk behind what cannot be read.
func SkipUnreadable(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// WriteMissing writes a small file unless something is at its place.
func WriteMissing(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return Replace(path, data)
}

// LeadsTo reads where a tree's ".git" file points.
func LeadsTo(path string) (admin string, ok bool) {
	info, err := os.Lstat(filepath.Join(path, ".git"))
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	to, ok := strings.CutPrefix(Content(filepath.Join(path, ".git")), "gitdir: ")
	if !ok || to == "" {
		return "", false
	}
	return AbsFrom(path, to), true
}
