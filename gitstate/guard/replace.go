package guard

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// Replace durably writes a file that may be anywhere: in a worktree, among the hooks, or among git's own files. It writes a temporary
// file, usually in our own folder, and moves it into place in one step. So a killed process never leaves a half-written file at the path.
// An existing file keeps its mode and its owner, as far as we are allowed to set them.
func (r *Dir) Replace(path string, data []byte) error {
	return r.replace(path, data, dotgit.AccessOf(path))
}

// PutBack restores a file that we had removed. It works like Replace, but gives the file the mode that it had before.
func (r *Dir) PutBack(path string, data []byte, mode fs.FileMode) error {
	return r.replace(path, data, dotgit.Access{Mode: mode.Perm()})
}

func (r *Dir) replace(path string, data []byte, a dotgit.Access) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	dir, done, err := r.TempDir()
	if err != nil {
		return err
	}
	defer done()
	tmp := filepath.Join(dir, "file")
	if err := a.Make(tmp, data); err != nil {
		return err
	}
	err = os.Rename(tmp, path)
	if isOtherDevice(err) {
		return r.replaceBeside(path, data, a)
	}
	if err != nil {
		return err
	}
	return dotgit.SyncDir(filepath.Dir(path))
}

// replaceBeside replaces a file if our own folder is on another file system. It lists the temporary file in the mark file, and then creates
// it next to the target. So if we are killed, the next writer removes the temporary file.
func (r *Dir) replaceBeside(path string, data []byte, a dotgit.Access) error {
	g, err := r.Writing()
	if err != nil {
		return err
	}
	tmp := tempBeside(path)
	forget, err := g.NoteTemp(tmp)
	if err != nil {
		return err
	}
	defer forget()
	defer os.Remove(tmp) // after a successful rename there is nothing to remove
	if err := a.Make(tmp, data); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return dotgit.SyncDir(filepath.Dir(path))
}

// tempBeside returns a path for a temporary file or folder that will be renamed to the given path.
func tempBeside(path string) string {
	var name [4]byte
	_, _ = rand.Read(name[:]) // rand.Read never fails
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+dotgit.TempMark()+"-"+hex.EncodeToString(name[:]))
}

// TempBeside makes a temporary folder next to the given path. The caller renames the folder to that path when it is complete. The
// returned function removes the folder if it was not renamed. If we are killed, the next writer removes it.
func (r *Dir) TempBeside(path string) (dir string, done func(), err error) {
	g, err := r.Writing()
	if err != nil {
		return "", nil, err
	}
	dir = tempBeside(path)
	forget, err := g.add([]string{folderLine + strconv.Quote(dir)})
	if err != nil {
		return "", nil, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		forget()
		return "", nil, err
	}
	return dir, func() {
		_ = os.RemoveAll(dir) // removes nothing if the caller has renamed the folder meanwhile
		forget()
	}, nil
}

// isOtherDevice reports whether a file could not be moved because the target is on another file system.
func isOtherDevice(err error) bool {
	const windowsNotSameDevice = 17
	var errno syscall.Errno
	return errors.As(err, &errno) && (errno == syscall.EXDEV || runtime.GOOS == "windows" && errno == windowsNotSameDevice)
}

// In a mark file, a line with one of these prefixes contains the path of a temporary file or folder. Lines for git's locks never begin with
// such a prefix.
const (
	tempLine   = "temp "
	folderLine = "folder "
)

// NoteTemp adds a temporary file to the mark file before the file is created. The returned function removes it from the mark file.
func (g *Mark) NoteTemp(path string) (forget func(), err error) {
	return g.add([]string{tempLine + strconv.Quote(path)})
}

// markedTemps returns the temporary files or folders that are listed in a mark file, in lines with the given prefix. It accepts only
// absolute paths whose last part looks like a name from tempBeside, because the caller removes these files.
func markedTemps(mark, prefix string) []string {
	var out []string
	for line := range strings.Lines(mark) {
		quoted, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prefix)
		path, err := strconv.Unquote(quoted)
		if ok && err == nil && filepath.IsAbs(path) && besideName().MatchString(filepath.Base(path)) {
			out = append(out, path)
		}
	}
	return out
}

func sweepTemps(mark string) error {
	for _, path := range markedTemps(mark, tempLine) {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, path := range markedTemps(mark, folderLine) {
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			continue
		}
		_ = os.RemoveAll(path) // ignore an error, because a folder that cannot be removed must not stop all later commands
	}
	return nil
}
