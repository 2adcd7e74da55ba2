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

// TrashPrefix is the prefix of the name of a discarded directory. The directory stays in its parent folder: on another disk, it could not
// be renamed in one step.
const TrashPrefix = ".trash-"

// Nonce returns a random suffix that makes a name unique.
func Nonce() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // rand.Read never fails
	return hex.EncodeToString(b[:])
}

// Present reports whether a file or folder exists at a path. If this cannot be determined, Present returns true.
func Present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !Gone(err)
}

// FirstLine returns the first line of a small file, or "" if the file cannot be read.
func FirstLine(path string) string {
	line, _, _ := strings.Cut(Content(path), "\n")
	return strings.TrimRight(line, "\r")
}

// Content returns the content of a small git file without line breaks at its end, or "" if the file cannot be read. Other line breaks are
// kept, because the file may contain a path with line breaks.
func Content(path string) string {
	text, err := gitstate.ReadUpTo(path, 16<<10)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}

// AbsFrom converts a path that is relative to dir into an absolute path. An absolute path is only cleaned.
func AbsFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// SameDir reports whether two names lead to the same existing file or directory.
func SameDir(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// Same reports whether two paths are equal, or lead to the same existing file or directory.
func Same(a, b string) bool {
	return a != "" && b != "" && (filepath.Clean(a) == filepath.Clean(b) || SameDir(a, b))
}

// IsEmpty reports whether path is an empty directory.
func IsEmpty(path string) bool {
	d, err := os.Open(path)
	if err != nil {
		return false
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// Move renames a directory or file in one step. If only the new name exists, Move does nothing, because an earlier call has already
// renamed it. If both names exist, Move fails.
func Move(from, to string) error {
	if !Present(from) && Present(to) {
		return nil
	}
	if Present(to) {
		return &fs.PathError{Op: "rename to", Path: to, Err: fs.ErrExist}
	}
	for try := 1; ; try++ {
		err := dotgit.MkdirAll(filepath.Dir(to))
		if err == nil {
			err = os.Rename(from, to)
		}
		if err == nil {
			return syncBoth(filepath.Dir(from), filepath.Dir(to))
		}
		// A git process that prunes worktrees removes the folder .git/worktrees if it is empty, even if it was made just now. So try again.
		if try == moveTries || !errors.Is(err, fs.ErrNotExist) || !Present(from) {
			return err
		}
	}
}

// moveTries limits how often Move creates the new parent folder if another process keeps removing it.
const moveTries = 100

// Replace writes a small file and moves it into place in one step. The temporary name is always the same, so a second try after a kill
// leaves no extra file.
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

// Gone reports whether an error means that a file does not exist. This includes the error that a parent of the path is not a directory.
func Gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}

// GlobQuote escapes a path so that, used as a pattern, it matches only itself.
func GlobQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// SkipUnreadable lets filepath.WalkDir continue after a file or folder that cannot be read.
func SkipUnreadable(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// WriteMissing writes a small file if nothing exists at its path.
func WriteMissing(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return Replace(path, data)
}

// LeadsTo returns the git dir to which the ".git" file of a worktree points. The second result is false if there is no such file, or if it
// names no git dir.
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
