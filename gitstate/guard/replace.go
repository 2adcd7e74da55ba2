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

// Replace durably writes a file that may lie anywhere: in a worktree, among the hooks, beside git's own files.
// The file is made in our own folder and moved into its place in one step, so that a kill leaves nothing where others look.
// An existing file keeps its mode and, if we are allowed to set it, its owner.
func (r *Dir) Replace(path string, data []byte) error {
	return r.replace(path, data, dotgit.AccessOf(path))
}

// PutBack is Replace for a file that we had removed; it gets the mode that it had before.
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

// replaceBeside is Replace for a file on another file system than our folder: the temporary file has to lie beside it.
// Our mark names the temporary file before it exists, so that the next writer removes it if we die.
func (r *Dir) replaceBeside(path string, data []byte, a dotgit.Access) error {
	g, err := r.Writing()
	if err != nil {
		return err
	}
	var name [4]byte
	_, _ = rand.Read(name[:]) // never fails
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+dotgit.TempMark()+"-"+hex.EncodeToString(name[:]))
	forget, err := g.NoteTemp(tmp)
	if err != nil {
		return err
	}
	defer forget()
	defer os.Remove(tmp) // after a success it is gone already
	if err := a.Make(tmp, data); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return dotgit.SyncDir(filepath.Dir(path))
}

// isOtherDevice reports whether a file cannot be moved because the target lies on another file system.
func isOtherDevice(err error) bool {
	const windowsNotSameDevice = 17
	var errno syscall.Errno
	return errors.As(err, &errno) && (errno == syscall.EXDEV || runtime.GOOS == "windows" && errno == windowsNotSameDevice)
}

// tempLine starts the line of a mark that names a temporary file; no lock has such a name.
const tempLine = "temp "

// NoteTemp names a temporary file in the mark before it is made; forget removes the name.
func (g *Mark) NoteTemp(path string) (forget func(), err error) {
	return g.add([]string{tempLine + strconv.Quote(path)})
}

// markedTemps lists the temporary files that the text of a mark names; anything else in the mark is ignored and never removed.
func markedTemps(mark string) []string {
	var out []string
	for line := range strings.Lines(mark) {
		quoted, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), tempLine)
		path, err := strconv.Unquote(quoted)
		if ok && err == nil && filepath.IsAbs(path) && besideName().MatchString(filepath.Base(path)) {
			out = append(out, path)
		}
	}
	return out
}

// sweepTemps removes the temporary files of a dead writer.
func sweepTemps(mark string) error {
	for _, path := range markedTemps(mark) {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
